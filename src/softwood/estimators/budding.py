"""BuddingTreeClassifier and BuddingTreeRegressor: the scikit-learn face of learners/budding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from softwood.estimators import options
from softwood.estimators.base import Floats, Numbers, Probabilities, RowCount, TreeEstimator
from softwood.estimators.batch_fits import scan_labelled, scan_numbered
from softwood.estimators.budding_batches import fit_budding
from softwood.estimators.engine import IN_PARTS, choose_engine
from softwood.estimators.frames import target_names
from softwood.estimators.groups import refuse_groups
from softwood.estimators.intake import read_fit, read_predict
from softwood.estimators.intervals import Calibrated
from softwood.estimators.lazy_tree import LazyTree
from softwood.estimators.learned import set_when_learned, warn_if_interrupted
from softwood.estimators.progress import budding_lines
from softwood.estimators.rows import (
    class_schema,
    number_schema,
    read_held_labels,
    read_held_numbers,
    read_labelled,
    read_numbered,
)
from softwood.estimators.sparse_rows import in_row_blocks
from softwood.estimators.target import encode_classes, one_hot, read_classes, read_numbers
from softwood.estimators.weights import class_weights, read_weights
from softwood.kernels.kinds import Loss
from softwood.kernels.online_state import Rule
from softwood.learners.budding.joint import JointOptions, learn_joint
from softwood.learners.budding.online import Online, history_entry, learn_online
from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.resume import stream_of
from softwood.learners.budding.stream import Stream
from softwood.learners.soft.dataset import Dataset
from softwood.tree import Provenance, Schema, Tree

LEARNERS = ("joint", "online")
GATES = ("auto", "axis", "linear", "quadratic", "additive")
LEAVES = ("auto", "constant", "linear")
NOTHING = Provenance()  # of a tree that has seen no rows
OPTIMIZERS = {"adagrad": Rule.ADAGRAD, "sgd": Rule.SGD, "adam": Rule.ADAM}
MOST_NODES = 2**20 - 1  # that a state is made for at once
REMEMBERED = 1_000  # chunks of a stream in `history_`, the latest


class BuddingTree(Calibrated, TreeEstimator):
    """What the classifier and the regressor share; not for use by itself."""

    _engines = ("memory", "batches", "dask")
    history_: list[dict[str, Any]]
    _stream: Stream
    _schema: Schema
    _seen: Provenance
    _lazy_tree: LazyTree

    @property
    def tree_(self) -> Tree:  # type: ignore[override]  # read only here
        """The tree as it stands."""
        if "_lazy_tree" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no tree_ yet: call fit or partial_fit.")
        return self._lazy_tree.tree

    @property
    def n_nodes_(self) -> int:
        """Nodes of the tree, buds and their children counted whole."""
        check_is_fitted(self, "tree_")
        return self._stream.state.n_nodes

    @property
    def effective_size_(self) -> float:
        """Sum over nodes of how far they are there: what the buds above them pass on."""
        check_is_fitted(self, "tree_")
        return float(self._stream.params().effective_size)

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's part of what the tree gains by looking: how much the loss rises if it stays at its mean.

        Measured on the most recent 1,024 training rows; parts sum to 1 (all 0 if no feature is used).
        """
        check_is_fitted(self, "tree_")
        return self._stream.importance(self.n_features_in_)

    # -- learning ------------------------------------------------------------------------------------------------

    def _learn(self, dataset: Dataset, validation: Dataset | None) -> Self:
        how, params = self._online(), None
        if options.one_of("learner", self._option("learner"), LEARNERS) == "online":
            grown = learn_online(dataset, how, validation)
            self._stream, self.history_ = grown.stream, grown.history
            warn_if_interrupted(grown.interrupted)
        else:
            learned = learn_joint(dataset, self._joint(), validation)
            self._stream, self.history_, params = stream_of(learned, dataset, how), learned.history, learned.params
            self.weight_penalty_ = learned.penalties.weight
            warn_if_interrupted(learned.interrupted)
            self._take_held_out(learned.held_out, self._schema)
        return self._remember(how, dataset.weight, params)

    def _continue(self, dataset: Dataset, first: bool) -> Self:
        how = self._online()
        stream = how.begin(dataset, how.options(dataset.loss)) if first else self._stream.copy()
        seen, before = (0, []) if first else (self.n_iter_, self.history_)
        line = history_entry(stream, seen + 1, stream.learn(dataset.X, dataset.target, dataset.weight))
        self._stream, self.history_ = stream, [*before, line][-REMEMBERED:]
        return self._remember(how, dataset.weight, n_iter=seen + 1)

    def _remember(
        self, how: Online, weight: Floats | RowCount, params: BuddingParams | None = None, n_iter: int | None = None
    ) -> Self:
        now = self._provenance(weight)
        self._seen = replace(now, n_rows=self._seen.n_rows + now.n_rows, weight=self._seen.weight + now.weight)
        self._lazy_tree = LazyTree(self._stream, self._schema, self._seen, params)
        self.leafness_penalty_ = self.history_[-1]["leafness_penalty"] if self.history_ else how.leafness_penalty
        self.learning_rate_ = self._stream.options.step
        self.n_iter_ = max(len(self.history_), 1) if n_iter is None else n_iter
        return self

    def _restore(self, tree: Tree, learned: dict[str, Any]) -> Self:
        params = learned.pop("_params")
        self.__dict__.update(learned)
        self._schema, self._seen = tree.schema, tree.provenance or NOTHING
        self._lazy_tree = LazyTree(self._stream, self._schema, self._seen, params)
        self._lazy_tree.tree = tree  # as it was made then, whatever this version would make of the stream
        return self

    def _option(self, name: str) -> Any:
        return self.get_params(deep=False)[name]

    def _seed(self) -> int:
        return options.seed_of(self._option("random_state"))

    def _online(self) -> Online:
        optimizer = options.one_of("optimizer", self._option("optimizer"), tuple(OPTIMIZERS))
        weight_penalty = options.auto("weight_penalty", self._option("weight_penalty"))
        step = options.auto("learning_rate", self._option("learning_rate"))
        if step == 0:
            raise ValueError("learning_rate must be 'auto' or a number > 0, got 0.")
        gate = options.one_of("gate", self._option("gate"), GATES)
        if gate not in ("auto", "linear") and self._option("learner") == "online":
            raise ValueError(f"gate={gate!r} needs learner='joint'; the online learner has linear gates.")
        return Online(
            leafness_penalty=options.auto("leafness_penalty", self._option("leafness_penalty")),
            step=step,
            rule=OPTIMIZERS[optimizer],
            batch=options.integer("batch_size", self._option("batch_size"), 1),
            weight_penalty=0.0 if weight_penalty is None else weight_penalty,
            linear=options.one_of("leaf", self._option("leaf"), LEAVES) == "linear",
            max_nodes=options.integer("max_nodes", self._option("max_nodes"), 1, MOST_NODES),
            max_epochs=options.integer("max_epochs", self._option("max_epochs"), 1),
            shuffle=options.boolean("shuffle", self._option("shuffle")),
            seed=self._seed(),
            keep=options.boolean("keep_on_interrupt", self._option("keep_on_interrupt")),
            report=budding_lines(self._option("verbose")),
        )

    def _joint(self) -> JointOptions:
        return JointOptions(
            leafness_penalty=options.auto("leafness_penalty", self._option("leafness_penalty")),
            weight_penalty=options.auto("weight_penalty", self._option("weight_penalty")),
            gate=options.one_of("gate", self._option("gate"), GATES),
            leaf=options.one_of("leaf", self._option("leaf"), LEAVES),
            max_nodes=options.integer("max_nodes", self._option("max_nodes"), 1, MOST_NODES),
            round_buds=options.boolean("round_buds", self._option("round_buds")),
            n_threads=self._threads(),
            seed=self._seed(),
            keep=options.boolean("keep_on_interrupt", self._option("keep_on_interrupt")),
            report=budding_lines(self._option("verbose")),
        )


class BuddingTreeClassifier(Probabilities, ClassifierMixin, BuddingTree):
    """A classification tree whose nodes are leaf and branch at once; it also learns from streams.

    Parameters
    ----------
    learner : {"joint", "online"}
        "joint": all rows at once by a deterministic optimiser, kinds and penalties chosen as in soft trees; "online":
        stochastic gradient, row by row, as published. `partial_fit` is always online.
    leafness_penalty : "auto" or float
        Price of a node that is not a leaf; "auto" chooses it on held-out rows (in a stream: 1e-4).
    learning_rate : "auto" or float
        Step of the online learner; "auto" chooses it on held-out rows (in a stream: 0.3 for adagrad).
    optimizer : {"adagrad", "sgd", "adam"}
        How a gradient of the online learner moves a number.
    batch_size : int
        Rows of the online learner whose gradients are averaged before anything moves.
    gate : {"auto", "axis", "linear", "quadratic", "additive"}
        What gates look at: one input, a weighted sum of inputs, of inputs and squares, of curves (all but sums: "joint"
        only); "auto" chooses among one input, sums and curves ("joint"), or is "linear" ("online").
    leaf : {"auto", "constant", "linear"}
        What nodes answer: a constant, or a weighted sum of what gates look at; "auto" chooses, or is "constant".
    weight_penalty : "auto" or float
        Strength of the penalty on weights; "auto" chooses it ("joint"), or is 0 ("online").
    max_nodes : int
        The tree never has more nodes; at most 1,048,575, for all of which the state of `partial_fit` has room.
    max_epochs : int
        Epochs of the online learner.
    shuffle : bool
        Whether the online learner's rows are shuffled, each epoch anew; if not, they come as given.
    round_buds : bool
        "joint": round buds to leaves or branches, and refine.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Which columns are categories.
    class_weight : dict, "balanced" or None
        How much the rows of a class count.
    n_jobs : int or None
        Threads, as in scikit-learn. The tree does not depend on it.
    random_state : int, RandomState or None
        Seed of shuffling, new buds and folds; None is 0.
    engine : {"auto", "memory", "batches", "dask"}
        Where the rows are summed; "auto" goes by what `fit` is given (docs/more_rows.md).
    keep_on_interrupt : bool
        Whether an interrupt (Ctrl-C) ends `fit` with the best tree so far and a `ConvergenceWarning`; a second one
        stops it. Otherwise KeyboardInterrupt is raised, and the estimator stays as it was.
    verbose : bool
        Print a line for every epoch, or every tree on the path.

    Attributes
    ----------
    tree_ : softwood.Tree
    history_ : for every epoch, chunk (the latest 1,000) or tree on the path: loss, nodes, leafness, structure.
    n_nodes_, effective_size_ : nodes, and nodes by how far they are there.
    leafness_penalty_, learning_rate_ : those chosen.
    n_iter_ : epochs, chunks or trees that led to the tree.
    classes_, n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BuddingTreeClassifier().fit(X, y)
    >>> model.predict([[5.0, 3.4, 1.5, 0.2]])
    array([0])
    """

    def __init__(
        self,
        *,
        learner: str = "joint",
        leafness_penalty: Any = "auto",
        learning_rate: Any = "auto",
        optimizer: str = "adagrad",
        batch_size: int = 1,
        gate: str = "auto",
        leaf: str = "auto",
        weight_penalty: Any = "auto",
        max_nodes: int = 63,
        max_epochs: int = 200,
        shuffle: bool = True,
        round_buds: bool = False,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        engine: str = "auto",
        keep_on_interrupt: bool = False,
        verbose: bool = False,
    ) -> None:
        self.learner = learner
        self.leafness_penalty = leafness_penalty
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.gate = gate
        self.leaf = leaf
        self.weight_penalty = weight_penalty
        self.max_nodes = max_nodes
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.round_buds = round_buds
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.engine = engine
        self.keep_on_interrupt = keep_on_interrupt
        self.verbose = verbose

    @set_when_learned
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, X_val: Any = None, y_val: Any = None, groups: Any = None
    ) -> Self:
        """Learn anew.

        Parameters
        ----------
        X : array or data frame (rows, features); missing values are welcome. Or rows beyond memory: a file, a folder, a
            lazy frame or `softwood.Batches`, from which learner="online" learns in one pass; or rows of Dask.
        y : class labels of any kind; the name of a column where X is beyond memory.
        sample_weight : multiplies a row's gradient; equal rows are merged first (unless `shuffle` is False), so
            a row of weight two is the row twice.
        X_val, y_val : rows to choose by, never trained on; without them the rows of X are divided for the choice.
        groups : of the rows, such as patients or days; the folds that the tree is chosen by divide none of them.
        """
        if choose_engine(self, X) in IN_PARTS:
            refuse_groups(groups)
            fit_budding(self, scan_labelled(self, X, y, sample_weight), X_val, y_val)
            return self
        given = read_labelled(self, X, y, sample_weight, groups)
        self.classes_, self._schema, self._seen = given.classes, given.schema, NOTHING
        dataset = replace(self._problem(given.table.values, given.codes, sample_weight), group=given.group)
        held = read_held_labels(self, X_val, y_val, self._schema, self.classes_)
        return self._learn(dataset, None if held is None else self._problem(*held, None))

    @set_when_learned
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning from a chunk of rows, in their order; chunks of any size give the same tree.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`; a weight multiplies its row's gradient.
        classes : all class labels there will be; needed in the first call, and again where given they must agree.
        """
        first = "_stream" not in vars(self)
        if first:
            if classes is None:
                raise ValueError("classes must be given in the first call to partial_fit: all labels there will be.")
            found = read_classes(classes)[0]
            columns = read_fit(self, X, self.categorical_features).columns
            self.classes_, self._seen = found, NOTHING
            self._schema = class_schema(columns, found, target_names(y))
        elif classes is not None and not np.array_equal(read_classes(classes)[0], self.classes_):
            raise ValueError(
                f"classes must be those of the first call, {self.classes_.tolist()!r:.200}, got {classes!r:.200}."
            )
        rows, codes = read_predict(self, X, self._schema), encode_classes(y, self.classes_)
        check_consistent_length(rows, codes)
        return self._continue(self._problem(rows, codes, sample_weight), first)

    @in_row_blocks
    def decision_function(self, X: Any) -> Floats:
        """Output of the tree before the link: log odds (rows,) of two classes, or (rows, classes)."""
        check_is_fitted(self, "tree_")
        output = self.tree_.output(self._read(X), self._threads())
        return output[:, 0] if output.shape[1] == 1 else output

    def _problem(self, rows: Floats, codes: Any, sample_weight: Any) -> Dataset:
        weight = count = read_weights(sample_weight, len(codes))
        if self.class_weight is not None:
            weight = weight * class_weights(self.class_weight, self.classes_, codes, weight)[codes]
        loss = Loss.LOGISTIC if len(self.classes_) == 2 else Loss.SOFTMAX
        target = one_hot(codes, len(self.classes_))
        return Dataset(rows, target, weight, self._schema.level_counts.tolist(), loss, count=count)


class BuddingTreeRegressor(Numbers, RegressorMixin, BuddingTree):
    """A regression tree whose nodes are leaf and branch at once; parameters as in BuddingTreeClassifier.

    Examples
    --------
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> model = BuddingTreeRegressor().fit(x, np.sin(x[:, 0]))
    >>> bool(np.mean((model.predict(x) - np.sin(x[:, 0])) ** 2) < 0.01)
    True
    """

    def __init__(
        self,
        *,
        learner: str = "joint",
        leafness_penalty: Any = "auto",
        learning_rate: Any = "auto",
        optimizer: str = "adagrad",
        batch_size: int = 1,
        gate: str = "auto",
        leaf: str = "auto",
        weight_penalty: Any = "auto",
        max_nodes: int = 63,
        max_epochs: int = 200,
        shuffle: bool = True,
        round_buds: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        engine: str = "auto",
        keep_on_interrupt: bool = False,
        verbose: bool = False,
    ) -> None:
        self.learner = learner
        self.leafness_penalty = leafness_penalty
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.gate = gate
        self.leaf = leaf
        self.weight_penalty = weight_penalty
        self.max_nodes = max_nodes
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.round_buds = round_buds
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.engine = engine
        self.keep_on_interrupt = keep_on_interrupt
        self.verbose = verbose

    @set_when_learned
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, X_val: Any = None, y_val: Any = None, groups: Any = None
    ) -> Self:
        """Learn anew; parameters as in BuddingTreeClassifier.fit, y of shape (rows,) or (rows, targets)."""
        if choose_engine(self, X) in IN_PARTS:
            refuse_groups(groups)
            fit_budding(self, scan_numbered(self, X, y, sample_weight), X_val, y_val)
            return self
        given = read_numbered(self, X, y, sample_weight, groups)
        self._one_target, self._schema, self._seen = given.one_target, given.schema, NOTHING
        dataset = replace(self._problem(given.table.values, given.values, sample_weight), group=given.group)
        held = read_held_numbers(self, X_val, y_val, self._schema, given.values.shape[1])
        return self._learn(dataset, None if held is None else self._problem(*held, None))

    @set_when_learned
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on learning from a chunk of rows, in their order; chunks of any size give the same tree."""
        first = "_stream" not in vars(self)
        values, one_target = read_numbers(y)
        if first:
            columns = read_fit(self, X, self.categorical_features).columns
            self._schema, self._seen = number_schema(columns, values.shape[1], target_names(y)), NOTHING
            self._one_target = one_target
        rows = read_predict(self, X, self._schema)
        check_consistent_length(rows, values)
        if not first and values.shape[1] != self._stream.state.outputs:
            raise ValueError(f"y must have {self._stream.state.outputs} targets as before, got {values.shape[1]}.")
        return self._continue(self._problem(rows, values, sample_weight), first)

    def _problem(self, rows: Floats, values: Floats, sample_weight: Any) -> Dataset:
        weight = read_weights(sample_weight, len(values))
        return Dataset(rows, values, weight, self._schema.level_counts.tolist(), Loss.SQUARED)
