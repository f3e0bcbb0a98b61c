"""SoftTreeClassifier: the scikit-learn interface to learners/soft."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from softwood.arrays import Floats
from softwood.estimators.base.base import Probabilities
from softwood.estimators.base.steps import Callback, check_callback
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.estimators.soft.batches import fit_in_parts
from softwood.estimators.soft.mixing import loss_of_mix
from softwood.estimators.soft.results import one_class_result
from softwood.estimators.soft.shared import SoftTree
from softwood.intake import options
from softwood.intake.cells.sparse_rows import like_training_rows
from softwood.intake.engine import choose_engine
from softwood.intake.parts.scan import Scan
from softwood.intake.read import read
from softwood.intake.row_blocks import in_row_blocks
from softwood.intake.table.rows import read_held_labels, with_costs
from softwood.intake.table.target import one_hot
from softwood.intake.table.weights import class_weights
from softwood.kernels.arithmetic import log
from softwood.kernels.formulas.leaf_link import LEAST_PROBABILITY
from softwood.kernels.kinds import Link, Loss, class_loss
from softwood.learners.soft.rows.dataset import Dataset


class SoftTreeClassifier(Probabilities, ClassifierMixin, SoftTree):
    """A small classification tree with soft gates, its kind, penalty and size chosen from the data.

    Parameters
    ----------
    learner : {"joint", "incremental"}
        "joint" refines all gates and responses together and chooses kind, penalty and size; "incremental" is the
        algorithm of ICPR 2012, leaf by leaf, with linear gates and constant leaves (of the options below it uses
        `max_leaves`, `start` and `tol`).
    gate : {"auto", "axis", "linear", "quadratic", "additive"}
        What gates compare: one input (as steep as the data support), a weighted sum of inputs, of inputs and their
        squares, or of curves. "auto" tries linear, additive and axis gates and keeps the simplest unless another is
        better. With two classes, curves can have steps and peaks where the rows show them clearly.
    leaf : {"auto", "constant", "linear"}
        Response of the leaves: a constant, or a weighted sum of what gates compare.
    mix : {"output", "probability"}
        What is averaged over the leaves: "output", the log odds (or class scores), from which the probability follows;
        "probability", the leaves' probabilities, so that every number in the tree is a probability and a branch is the
        mean of its children ("joint" and constant leaves only; leaf="auto" is then constant).
    max_leaves : int or None
        Maximum number of leaves. None: 16, or rows/200 (at most 64) above 6,000 rows, for the joint learner (for more
        than four classes above 3,400 rows, as leaves may share part of their slopes). No limit for the incremental
        learner, whose recursion would use up any limit on the left side of the tree.
    weight_penalty : "auto" or float
        Strength of the penalty on weights (inputs are scaled first); "auto" chooses it.
    max_gate_features : int or None
        Maximum number of inputs per gate, for readability.
    monotonic_cst : list of -1, 0, 1, or dict by name or index
        Inputs with which the prediction must increase (1) or decrease (-1), all else equal; for two classes, the
        probability of the second ("joint" only). It holds for every row, also with missing values in other inputs, and
        the model carries the proof (docs/monotone.md).
    effort : {"quick", "normal"}
        How broadly "joint" searches. "quick": one kind of gates and leaves, one penalty and one division of the rows,
        for grids and streams.
    readable : bool
        Prefer a readable tree if its held-out loss is within one standard error of the best: gates of one input, else
        of at most three, else with curves; at most 8 constant leaves; a tree instead of a formula of one node. Takes
        two to three times as long ("joint" only). If no such tree is as good, the tree is larger and a `UserWarning` is
        issued.
    start : {"hard", "random"}
        Starting point of a split of the incremental learner: the best hard split, or small random numbers.
    max_iter : int
        Maximum number of iterations in one refinement of the whole tree.
    early_stopping, n_iter_no_change, tol : bool, int, float
        Growth ends after `n_iter_no_change` splits in a row that lower the loss on held-out rows by less than `tol` of
        it. Without `early_stopping` trees grow to `max_leaves`; the best size is still selected. The
        incremental learner keeps a split that lowers the loss of validation rows by more than `tol` (of the variance
        of a target).
    warm_start : bool
        Whether `fit` continues from the tree of the previous fit: the same kind of gates and leaves and the same
        penalty, refined on the new rows and grown further if that helps.
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
        Seed of the folds; None is 0, so the same data give the same tree.
    engine : {"auto", "memory", "batches", "dask", "torch"}
        Where sums over rows are computed; "auto" depends on the type of `X` (docs/more_rows.md) and on `device`.
    device : str or None
        PyTorch device that computes the sums, such as "cuda", "mps" or "cpu" (extra `torch`; learner "joint"). With
        engine="torch", None is the best available.
    keep_on_interrupt : bool
        Whether an interrupt (Ctrl-C) ends `fit` with the best tree so far and a `ConvergenceWarning`; a second one
        stops it. Otherwise KeyboardInterrupt is raised, and the estimator is unchanged.
    verbose : int
        1 shows the progress of the search and its estimated time; 2 also each candidate with its held-out loss
        (docs/howto/progress.md).

    Attributes
    ----------
    tree_ : softwood.Tree
    history_ : the candidates: kind, number of inputs, whether weak inputs are penalised more, penalty, nodes and
        held-out loss.
    weight_penalty_ : the chosen penalty.
    monotonic_certificate_ : the proof that `monotonic_cst` holds; None without it.
    n_iter_ : iterations of refinement that led to the tree (incremental: passes over the rows for a split).
    classes_, n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SoftTreeClassifier(gate="linear", leaf="constant").fit(X, y)
    >>> model.predict([[5.0, 3.4, 1.5, 0.2]])
    array([0])
    """

    def __init__(
        self,
        *,
        learner: str = "joint",
        gate: str = "auto",
        leaf: str = "auto",
        mix: str = "output",
        max_leaves: int | None = None,
        weight_penalty: Any = "auto",
        max_gate_features: int | None = None,
        monotonic_cst: Any = None,
        effort: str = "normal",
        readable: bool = False,
        start: str = "hard",
        max_iter: int = 200,
        early_stopping: bool = True,
        n_iter_no_change: int = 3,
        tol: float = 1e-3,
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
        costs: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        engine: str = "auto",
        device: str | None = None,
        keep_on_interrupt: bool = False,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.gate = gate
        self.leaf = leaf
        self.mix = mix
        self.max_leaves = max_leaves
        self.weight_penalty = weight_penalty
        self.max_gate_features = max_gate_features
        self.monotonic_cst = monotonic_cst
        self.effort = effort
        self.readable = readable
        self.start = start
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.costs = costs
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.engine = engine
        self.device = device
        self.keep_on_interrupt = keep_on_interrupt
        self.verbose = verbose

    @transactional_fit
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, X_val: Any = None, y_val: Any = None,
        groups: Any = None, callback: Callback = None,
    ) -> Self:  # fmt: skip
        """Fit the tree: choose its kind and penalty, grow it, refine it, and choose its size.

        Parameters
        ----------
        X : array, data frame or sparse matrix (rows, features); missing values are allowed. Or rows beyond memory: a
            file, a folder, a lazy frame or `softwood.Batches`; or rows of Dask, on a cluster. A large sparse matrix is
            not converted; its trees have linear gates (docs/howto/sparse.md).
        y : class labels of any type; the name of a column if X is out of core.
        sample_weight : a row of weight two counts as two rows, a row of weight zero is ignored.
        X_val, y_val : validation rows that choose the model, never trained on; without them part of X is held out.
        groups : group of each row, such as a patient or a day; no group is split across folds.
        callback : called at the end of `fit` with the tree after each step of learning, the last being `tree_`; see
            `plot_growth`. It does not change the fit and is not stored.
        """
        engine = choose_engine(self, X)
        check_callback(callback, engine)
        loss_of_mix(self._options(), engine, Loss.LOGISTIC)  # refused before the rows are read
        given = read(self, engine, X, y, sample_weight, groups, is_classes=True)
        if isinstance(given, Scan):
            fit_in_parts(self, given, X_val, y_val)
            return self
        table, self.classes_, codes, weight = given.table, given.classes, given.codes, given.weight
        schema = with_costs(given.schema, options.cost_matrix(self.costs, self.classes_))
        factor = None
        if self.class_weight is not None:
            factor = class_weights(self.class_weight, self.classes_, codes, weight)
            weight = weight * factor[codes]
        loss = loss_of_mix(self._options(), engine, class_loss(len(self.classes_)))
        levels = table.columns.level_counts.tolist()
        target = one_hot(codes, len(self.classes_))
        dataset = Dataset(table.values, target, weight, levels, loss, count=given.weight, group=given.group)
        validation, held = None, read_held_labels(self, X_val, y_val, table.columns, self.classes_)
        if held is not None:
            target = one_hot(held[1], len(self.classes_))
            rows = like_training_rows(table.values, held[0])
            validation = Dataset(rows, target, np.ones(len(target)), levels, loss)
        if len(self.classes_) == 1:
            return self._remember(one_class_result(schema), given.weight, callback)
        learned = self._learn(dataset, schema, validation, engine, callback is not None)
        if factor is not None and learned.held_out is not None:  # held-out rows without class weights
            learned = replace(learned, held_out=learned.held_out.divided(factor))
        return self._remember(learned, given.weight, callback)

    @in_row_blocks
    def decision_function(self, X: Any) -> Floats:
        """Output of the tree before the link: log odds (rows,) of two classes, or (rows, classes).

        With mix="probability" there is no link: log odds, or logarithms of the class probabilities.
        """
        check_is_fitted(self, "tree_")
        output = self.tree_.output(self._rows(X), self._threads())
        if output.shape[1] == 1:
            return output[:, 0]
        if self.tree_.link != Link.IDENTITY:
            return output
        logs = log(np.maximum(output, LEAST_PROBABILITY))
        return np.asarray(logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs)
