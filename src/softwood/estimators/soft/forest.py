"""Forests of soft trees: SoftForestClassifier and SoftForestRegressor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from softwood.arrays import Floats
from softwood.estimators.base.base import RowCount
from softwood.estimators.base.intervals import copy_uncalibrated
from softwood.estimators.base.monotone import refuse_beside, soft_signs
from softwood.estimators.base.progress import search_bar
from softwood.estimators.base.steps import Callback
from softwood.estimators.soft.classifier import SoftTreeClassifier
from softwood.estimators.soft.distil import distilled
from softwood.estimators.soft.regressor import SoftTreeRegressor
from softwood.estimators.soft.results import relative_loss, told_loss
from softwood.estimators.soft.shared import SoftTree
from softwood.intake import options
from softwood.intake.row_blocks import in_row_blocks
from softwood.learners.column_order import ColumnOrder
from softwood.learners.soft.by_name import leave_result
from softwood.learners.soft.forest.learn import ForestResult, learn_forest
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.result import FitResult
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.tree import Schema, join_trees
from softwood.tree.subtree import split_trees

N_TREES = 8
OF_ONE_TREE = {  # parameters of SoftTree that a forest does not have
    "learner": "joint",
    "start": "hard",
    "readable": False,
    "warm_start": False,
    "engine": "memory",
    "device": None,
}


class SoftForest(SoftTree):
    """Base class of the classifier and the regressor; not for direct use."""

    _engines = ("memory",)
    n_trees: int
    oob_score_: float
    oob_curve_: Floats
    _loss_by_tree: Floats
    _forest: ForestResult | None

    def _options(self) -> dict[str, Any]:
        return {**OF_ONE_TREE, **self.get_params(deep=False)}

    @property
    def n_trees_(self) -> int:
        """Number of trees averaged in `tree_`."""
        check_is_fitted(self, "tree_")
        return len(split_trees(self.tree_))

    @property
    def held_out_(self) -> dict[str, Any] | None:
        """Out-of-bag score of the forest: log loss for classification, R² (D² with another loss) for regression.

        For classification, each row is predicted by the trees that were not trained on it. For regression, the loss of
        the whole forest is estimated from these predictions (`oob_curve_`). None if no row was left out.
        """
        check_is_fitted(self, "tree_")
        return self._told_held_out("on rows out of bag") if np.isfinite(self._held_out_loss) else None

    @in_row_blocks
    def predict_spread(self: Any, X: Any) -> Floats:
        """Standard deviation of the predictions of the trees for each row.

        Parameters
        ----------
        X : rows, as in `predict`.

        Returns
        -------
        For regression in the unit of the target, (rows,) or (rows, targets); for classification of the probability of
        each class, (rows, classes). 0 for a single tree. It shows where the trees disagree, not how large the error is;
        for the error, use `predict_interval` and `predict_set`.
        """
        check_is_fitted(self, "tree_")
        rows, parts = self._rows(X), split_trees(self.tree_)
        share = np.array([weight for _, weight in parts])
        answer = np.stack([tree.predict(rows, self._threads_for(rows)) for tree, _ in parts])
        mean = np.tensordot(share, answer, 1)
        spread: Floats = np.sqrt(np.tensordot(share, np.square(answer - mean), 1))
        return spread[:, 0] if getattr(self, "_one_target", False) else spread

    def prune_to(self, k: int) -> Self:
        """A copy with the k trees of lowest out-of-bag loss; this forest is unchanged.

        In the copy `oob_score_` is NaN and `held_out_` is None, because both refer to all trees.
        """
        check_is_fitted(self, "tree_")
        parts = split_trees(self.tree_)
        if not options.integer("k", k, 1) <= len(parts):
            raise ValueError(f"k must be an integer from 1 to {len(parts)}, the number of trees, got {k}.")
        kept = np.sort(np.argsort(self._loss_by_tree, kind="stable")[:k])
        smaller = copy_uncalibrated(self)
        smaller.tree_ = self._mean_of([parts[at][0] for at in kept], f"the {k} best of {len(parts)} trees")
        hard = split_trees(self._hardened)
        smaller._hardened = join_trees([hard[at][0] for at in kept])
        smaller._loss_by_tree, smaller.oob_curve_ = self._loss_by_tree[kept], self.oob_curve_[:k]
        smaller.oob_score_ = smaller._held_out_loss = np.nan  # they refer to all trees
        return smaller

    def _mean_of(self, trees: Any, change: str) -> Any:
        return join_trees(trees).with_provenance(self.tree_.provenance).changed(change)

    def distil(self, X: Any, n_made: int | None = None) -> Any:
        """One soft tree fitted to the predictions of this forest: easier to read, with part of the forest's gain.

        Parameters
        ----------
        X : rows to learn from, preferably those of `fit`; an array or a pandas data frame.
        n_made : number of synthetic rows to add, by exchanging values between rows with similar predictions; None: as
            many as X has.

        Returns
        -------
        A fitted SoftTreeClassifier or SoftTreeRegressor with the parameters of this forest.
        """
        check_is_fitted(self, "tree_")
        return distilled(self, X, n_made)

    def _learn_from(
        self, rows: TrainingRows, schema: Schema, how: JointOptions, validation: Dataset | None
    ) -> FitResult:
        p = self._options()
        n_trees = options.integer("n_trees", p["n_trees"], 1)
        refuse_beside(p)
        order = ColumnOrder.of(schema)
        how = replace(how, signs=order.each(soft_signs(p["monotonic_cst"], schema)))
        with search_bar(options.verbosity(p["verbose"])) as report:
            found = learn_forest(rows, order.schema(schema), replace(how, report=report), validation, n_trees)
        self._forest = found
        return leave_result(order, found.learned)

    def _remember(self, learned: FitResult, weight: Floats | RowCount, callback: Callback = None) -> Self:
        super()._remember(learned, weight, callback)
        found = self.__dict__.pop("_forest", None)
        bag = None if found is None else found.out_of_bag
        n = self.n_trees_
        loss = np.nan if bag is None else bag.loss_to_choose_by
        if (origin := self.tree_.provenance) is not None:
            told = told_loss(learned, loss, "rows out of bag")
            self.tree_ = self.tree_.with_provenance(replace(origin, held_out=told))
        self._held_out_loss = relative_loss(learned, loss)
        self._loss_by_tree = np.zeros(n) if bag is None else bag.loss_by_tree
        self.oob_curve_ = np.full(n, np.nan) if bag is None else bag.curve
        self.oob_score_ = np.nan if found is None or found.held_out is None else self._score_of(found.held_out)
        return self

    def _score_of(self, rows: Any) -> float:
        """Accuracy, or R², on out-of-bag rows."""
        if self.tree_.schema.task == "classification":
            return float(np.average(rows.answer.argmax(axis=1) == rows.target, weights=rows.weight))
        mean = np.average(rows.target, axis=0, weights=rows.weight)
        error = np.average(np.square(rows.target - rows.answer), axis=0, weights=rows.weight)
        spread = np.average(np.square(rows.target - mean), axis=0, weights=rows.weight)
        return float(np.mean(1.0 - error / np.where(spread > 0, spread, 1.0)))


class SoftForestClassifier(SoftForest, SoftTreeClassifier):
    """The mean of a few soft trees of one kind, as one tree: more accurate than a single tree, but harder to read.

    The search runs once, as in SoftTreeClassifier; then each tree grows on three quarters of the rows, and each row is
    left out of the same number of trees. `tree_` averages log odds (mix="output") or, with mix="probability",
    probabilities.

    Parameters
    ----------
    n_trees : int
        Number of trees.
    gate, leaf, mix, max_leaves, weight_penalty, max_gate_features, monotonic_cst, effort, max_iter : as in
        SoftTreeClassifier. `max_leaves` applies to each tree.
    early_stopping, n_iter_no_change, tol, categorical_features, costs, class_weight : as there.
    n_jobs, random_state : as there. Trees grow in parallel on `n_jobs` threads; the result does not depend on it.
    keep_on_interrupt : bool
        Whether an interrupt (Ctrl-C) ends `fit` with the trees so far and a `ConvergenceWarning`.
    verbose : int
        As in SoftTreeClassifier.

    Attributes
    ----------
    tree_ : softwood.Tree
        The joined tree: the trees are the children of its root, and each gets an equal share of every row.
    n_trees_ : number of trees averaged.
    oob_score_ : accuracy (R² for regression) on out-of-bag rows. Each row is predicted only by the quarter of the trees
        that were not trained on it, so the whole forest is slightly better.
    oob_curve_ : the loss of forests of 1, 2, ... trees, estimated from out-of-bag rows: the log loss, or half the
        squared error relative to the variance.
    history_, weight_penalty_, n_iter_, classes_, n_features_in_, feature_names_in_, feature_importances_ : as in
        SoftTreeClassifier.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SoftForestClassifier(n_trees=4, gate="linear", leaf="constant").fit(X, y)
    >>> model.predict([[5.0, 3.4, 1.5, 0.2]]), model.n_trees_
    (array([0]), 4)
    """

    def __init__(
        self,
        n_trees: int = N_TREES,
        *,
        gate: str = "auto",
        leaf: str = "auto",
        mix: str = "output",
        max_leaves: int | None = None,
        weight_penalty: Any = "auto",
        max_gate_features: int | None = None,
        monotonic_cst: Any = None,
        effort: str = "normal",
        max_iter: int = 200,
        early_stopping: bool = True,
        n_iter_no_change: int = 3,
        tol: float = 1e-3,
        categorical_features: Any = "from_dtype",
        costs: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        keep_on_interrupt: bool = False,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.gate = gate
        self.leaf = leaf
        self.mix = mix
        self.max_leaves = max_leaves
        self.weight_penalty = weight_penalty
        self.max_gate_features = max_gate_features
        self.monotonic_cst = monotonic_cst
        self.effort = effort
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.categorical_features = categorical_features
        self.costs = costs
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.keep_on_interrupt = keep_on_interrupt
        self.verbose = verbose


class SoftForestRegressor(SoftForest, SoftTreeRegressor):
    """The mean of a few soft regression trees of one kind, as one tree.

    Apart from its loss, parameters are those of SoftForestClassifier.

    Parameters
    ----------
    n_trees : int
        Number of trees.
    loss, quantile, delta, power : as in SoftTreeRegressor.

    Examples
    --------
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> model = SoftForestRegressor(n_trees=4, leaf="constant", gate="linear").fit(x, np.sin(x[:, 0]))
    >>> model.predict(x[:3]).shape, model.predict_spread(x[:3]).shape
    ((3,), (3,))
    """

    def __init__(
        self,
        n_trees: int = N_TREES,
        *,
        gate: str = "auto",
        leaf: str = "auto",
        mix: str = "output",
        loss: str = "squared_error",
        quantile: float = 0.5,
        delta: float = 1.0,
        power: float = 1.5,
        max_leaves: int | None = None,
        weight_penalty: Any = "auto",
        max_gate_features: int | None = None,
        monotonic_cst: Any = None,
        effort: str = "normal",
        max_iter: int = 200,
        early_stopping: bool = True,
        n_iter_no_change: int = 3,
        tol: float = 1e-3,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        keep_on_interrupt: bool = False,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.gate = gate
        self.leaf = leaf
        self.mix = mix
        self.loss = loss
        self.quantile = quantile
        self.delta = delta
        self.power = power
        self.max_leaves = max_leaves
        self.weight_penalty = weight_penalty
        self.max_gate_features = max_gate_features
        self.monotonic_cst = monotonic_cst
        self.effort = effort
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.keep_on_interrupt = keep_on_interrupt
        self.verbose = verbose
