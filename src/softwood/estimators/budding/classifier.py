"""BuddingTreeClassifier: the scikit-learn interface to learners/budding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_consistent_length

from softwood.arrays import Floats
from softwood.estimators.base.base import Probabilities
from softwood.estimators.base.steps import Callback, check_callback
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.estimators.budding.batches import fit_in_parts
from softwood.estimators.budding.shared import NOTHING, BuddingTree
from softwood.intake import options
from softwood.intake.cells.frames import target_names
from softwood.intake.engine import choose_engine
from softwood.intake.parts.scan import Scan
from softwood.intake.read import read
from softwood.intake.row_blocks import in_row_blocks
from softwood.intake.table.rows import (
    class_schema,
    read_held_labels,
    with_costs,
)
from softwood.intake.table.table import read_fit, read_predict
from softwood.intake.table.target import encode_classes, one_hot, read_classes
from softwood.intake.table.weights import class_weights, read_weights
from softwood.kernels.kinds import Loss
from softwood.learners.soft.rows.dataset import Dataset


class BuddingTreeClassifier(Probabilities, ClassifierMixin, BuddingTree):
    """A classification tree whose nodes can be leaf and branch at the same time; it also learns from streams.

    Parameters
    ----------
    learner : {"joint", "online"}
        "joint": all rows at once by a deterministic optimiser, kinds and penalties chosen as in soft trees; "online":
        stochastic gradient, row by row, as published. `partial_fit` is always online.
    leafness_penalty : "auto" or float
        Penalty per node that is not a leaf; "auto" chooses it on held-out rows (in a stream: 1e-4).
    learning_rate : "auto" or float
        Step size of the online learner; "auto" chooses it on held-out rows (in a stream: 0.3 for adagrad).
    optimizer : {"adagrad", "sgd", "adam"}
        Optimiser of the online learner.
    batch_size : int
        Rows per update of the online learner.
    gate : {"auto", "axis", "linear", "quadratic", "additive"}
        What gates compare: one input, a weighted sum of inputs, of inputs and their squares, or of curves (all but
        "linear" need "joint"). "auto" chooses among one input, sums and curves ("joint"), or is "linear" ("online").
    leaf : {"auto", "constant", "linear"}
        Response of the nodes: a constant, or a weighted sum of what gates compare; "auto" chooses ("joint"), or is
        "constant" ("online").
    weight_penalty : "auto" or float
        Strength of the penalty on weights; "auto" chooses it ("joint"), or is 0 ("online").
    monotonic_cst : list of -1, 0, 1, or dict by name or index
        Inputs with which the prediction must increase (1) or decrease (-1), all else equal; for two classes, the
        probability of the second ("joint" only; not with `partial_fit`). The model carries the proof
        (docs/monotone.md).
    max_nodes : int
        Maximum number of nodes, up to 1,048,575.
    max_epochs : int
        Number of epochs of the online learner.
    shuffle : bool
        Whether the online learner shuffles the rows in each epoch.
    round_buds : bool
        "joint": round buds to leaves or branches, and refine.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Which columns are categories.
    costs : (classes, classes) array or dict {(actual, predicted): cost}
        Cost of predicting one class when another is true: `predict` returns the class with the lowest expected cost.
        Costs change neither the tree nor its probabilities.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    n_jobs : int or None
        Threads, as in scikit-learn. The tree does not depend on it.
    random_state : int, RandomState or None
        Seed of shuffling, new buds and folds; None is 0.
    engine : {"auto", "memory", "batches", "dask"}
        Where sums over rows are computed; "auto" depends on the type of `X` (docs/more_rows.md).
    keep_on_interrupt : bool
        Whether an interrupt (Ctrl-C) ends `fit` with the best tree so far and a `ConvergenceWarning`; a second one
        stops it. Otherwise KeyboardInterrupt is raised, and the estimator is unchanged.
    verbose : int
        1 shows the progress every few seconds, 2 a line per epoch or tree (docs/howto/progress.md).

    Attributes
    ----------
    tree_ : softwood.Tree
    history_ : loss, nodes, leafness and structure after each epoch, chunk (the latest 1,000) or tree on the path.
    n_nodes_, effective_size_ : number of nodes, and of nodes weighted by what the buds above them pass on.
    monotonic_certificate_ : the proof that `monotonic_cst` holds; None without it.
    leafness_penalty_, learning_rate_ : the chosen values.
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
        monotonic_cst: Any = None,
        max_nodes: int = 63,
        max_epochs: int = 200,
        shuffle: bool = True,
        round_buds: bool = False,
        categorical_features: Any = "from_dtype",
        costs: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        engine: str = "auto",
        keep_on_interrupt: bool = False,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.leafness_penalty = leafness_penalty
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.gate = gate
        self.leaf = leaf
        self.weight_penalty = weight_penalty
        self.monotonic_cst = monotonic_cst
        self.max_nodes = max_nodes
        self.max_epochs = max_epochs
        self.shuffle = shuffle
        self.round_buds = round_buds
        self.categorical_features = categorical_features
        self.costs = costs
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.engine = engine
        self.keep_on_interrupt = keep_on_interrupt
        self.verbose = verbose

    @transactional_fit
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, X_val: Any = None, y_val: Any = None,
        groups: Any = None, callback: Callback = None,
    ) -> Self:  # fmt: skip
        """Fit the model from scratch.

        Parameters
        ----------
        X : array or data frame (rows, features); missing values are allowed. Or rows beyond memory: a file, a folder, a
            lazy frame or `softwood.Batches`, from which learner="online" learns in one pass; or rows of Dask.
        y : class labels of any type; the name of a column if X is out of core.
        sample_weight : multiplies a row's gradient; equal rows are merged first (unless `shuffle` is False), so
            a row of weight two counts as two rows.
        X_val, y_val : validation rows that choose the model, never trained on; without them part of X is held out.
        groups : group of each row, such as a patient or a day; no group is split across folds.
        callback : called at the end of `fit` with the tree after each step of learning, the last being `tree_`; see
            `plot_growth`. It does not change the fit and is not stored.
        """
        engine = choose_engine(self, X)
        check_callback(callback, engine)
        given = read(self, engine, X, y, sample_weight, groups, is_classes=True)
        if isinstance(given, Scan):
            fit_in_parts(self, given, X_val, y_val)
            return self
        self.classes_, self._seen = given.classes, NOTHING
        self._schema = with_costs(given.schema, options.cost_matrix(self.costs, self.classes_))
        dataset = replace(self._problem(given.table.values, given.codes, sample_weight), group=given.group)
        held = read_held_labels(self, X_val, y_val, self._schema, self.classes_)
        return self._learn(dataset, None if held is None else self._problem(*held, None), callback)

    @transactional_fit
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue learning from a chunk of rows, in their order; the size of the chunks does not change the tree.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`; a weight multiplies its row's gradient.
        classes : all class labels that can occur; required in the first call, optional and the same in later ones.
        """
        first = "_stream" not in vars(self)
        if first:
            if classes is None:
                raise ValueError(
                    "classes must be given in the first call to partial_fit, with all labels that will occur."
                )
            found = read_classes(classes)[0]
            columns = read_fit(self, X, self.categorical_features).columns
            self.classes_, self._seen = found, NOTHING
            schema = class_schema(columns, found, target_names(y))
            self._schema = with_costs(schema, options.cost_matrix(self.costs, found))
        elif not (classes is None or _are_classes(classes, self.classes_)):
            raise ValueError(
                f"classes must be those of the first call, {self.classes_.tolist()!r:.200}, got {classes!r:.200}."
            )
        rows, codes = read_predict(self, X, self._schema), encode_classes(y, self.classes_)
        if len(rows) != len(codes):
            check_consistent_length(rows, codes)
        return self._continue(self._problem(rows, codes, sample_weight), first)

    @in_row_blocks
    def decision_function(self, X: Any) -> Floats:
        """Output of the tree before the link: log odds (rows,) of two classes, or (rows, classes)."""
        self._require_tree()
        output = self._answering_tree.output(self._rows(X), self._threads())
        return output[:, 0] if output.shape[1] == 1 else output

    def _problem(self, rows: Floats, codes: Any, sample_weight: Any) -> Dataset:
        weight = count = read_weights(sample_weight, len(codes))
        if self.class_weight is not None:
            weight = weight * class_weights(self.class_weight, self.classes_, codes, weight)[codes]
        loss = Loss.LOGISTIC if len(self.classes_) == 2 else Loss.SOFTMAX
        target = one_hot(codes, len(self.classes_))
        return Dataset(rows, target, weight, self._schema.level_counts.tolist(), loss, count=count)


def _are_classes(given: Any, classes: npt.NDArray[Any]) -> bool:
    """Whether these are the classes of the first call, in any order."""
    if isinstance(given, list | tuple) and list(given) == classes.tolist():  # as it is in every call of most streams
        return True
    return np.array_equal(read_classes(given)[0], classes)
