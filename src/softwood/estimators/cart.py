"""CARTClassifier and CARTRegressor: the scikit-learn face of learners/hard/cart.py."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from softwood.estimators import options
from softwood.estimators.base import Floats, TreeEstimator
from softwood.estimators.intake import Table, read_fit, read_predict
from softwood.estimators.target import encode_classes, read_classes, read_numbers
from softwood.estimators.weights import class_weights, read_weights
from softwood.kernels.growth import Growth
from softwood.kernels.kinds import Criterion, Missing
from softwood.learners.hard.cart import Cart, Pruning, learn_cart
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.table import PruningTable
from softwood.tree import Schema, cut_tree

MISSING = {
    "surrogate": Missing.SURROGATE,
    "direction": Missing.DIRECTION,
    "fraction": Missing.FRACTION,
    "category": Missing.CATEGORY,
    "mean": Missing.DIRECTION,  # the learner fills, the gates then know where the mean goes
}
CLASS_CRITERIA = {"gini": Criterion.GINI, "entropy": Criterion.ENTROPY, "error": Criterion.ERROR}
NUMBER_CRITERIA = {"squared_error": Criterion.SQUARED_ERROR, "absolute_error": Criterion.ABSOLUTE_ERROR}
PRUNE = ("cv", "validation", "reduced_error", None)


class CART(TreeEstimator):
    """What the classifier and the regressor share; not for use by itself."""

    pruning_table_: PruningTable
    pruning_sequence_: PruningSequence

    # -- fit -----------------------------------------------------------------------------------------------------------

    def _learn(self, problem: Problem, table: Table, schema: Schema, validation: Problem | None) -> Cart:
        params = self.get_params(deep=False)
        seed = int(check_random_state(params["random_state"] or 0).randint(2**31 - 1))
        folds = options.fold_rows(params["cv"], problem.X, problem.y)
        pruning = Pruning(params["prune"], params["one_se"], folds, seed, validation)
        return learn_cart(
            problem,
            schema,
            self._growth(table, problem.criterion, float(problem.weight.sum())),
            pruning,
            max_bins=options.integer("max_bins", params["max_bins"], 2, 256, otherwise=0),
            fill=_center(table, problem.weight) if params["missing"] == "mean" else None,
            n_jobs=self._threads(),
        )

    def _growth(self, table: Table, criterion: Criterion, total: float) -> Growth:
        p = self.get_params(deep=False)
        return Growth(
            criterion=criterion,
            max_depth=options.integer("max_depth", p["max_depth"], 0, otherwise=2**31 - 1),
            max_leaves=options.integer("max_leaves", p["max_leaves"], 1, otherwise=0),
            min_samples_split=options.row_count("min_samples_split", p["min_samples_split"], 2, total),
            min_samples_leaf=options.row_count("min_samples_leaf", p["min_samples_leaf"], 1, total),
            min_impurity=options.real("min_impurity", p["min_impurity"], 0.0),
            min_impurity_decrease=options.real("min_impurity_decrease", p["min_impurity_decrease"], 0.0),
            missing=MISSING[p["missing"]],
            max_surrogates=options.integer("max_surrogates", p["max_surrogates"], 0),
            monotone=options.monotone_signs(p["monotonic_cst"], table.columns),
        )

    def _check_options(self, criteria: dict[str, Criterion], has_validation: bool) -> Criterion:
        p = self.get_params(deep=False)
        options.one_of("missing", p["missing"], tuple(MISSING))
        options.one_of("prune", p["prune"], PRUNE)
        options.boolean("one_se", p["one_se"])
        wanted = p["prune"] in ("validation", "reduced_error")
        if wanted and not has_validation:
            raise ValueError(f"prune={p['prune']!r} needs rows to choose by: fit(X, y, X_val=..., y_val=...).")
        if has_validation and not wanted:
            raise ValueError(
                f"X_val and y_val are for prune='validation' or 'reduced_error', got prune={p['prune']!r}."
            )
        return criteria[options.one_of("criterion", p["criterion"], tuple(criteria))]

    def _remember(self, cart: Cart, table: Table) -> Self:
        self.columns_ = table.columns
        self.tree_, self.pruning_table_, self.pruning_sequence_ = cart.tree, cart.table, cart.sequence
        return self

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The alphas of the pruning sequence and the impurity of its trees, as in scikit-learn.

        Grows on all rows, chooses nothing; this estimator stays as it is.

        Returns
        -------
        path : Bunch with `ccp_alphas` (rising) and `impurities` of the leaves. Alphas that differ by rounding only are
            one; every one of them can be given to `prune_to`.
        """
        grown = clone(self).set_params(prune=None).fit(X, y, sample_weight=sample_weight)
        sequence = grown.pruning_sequence_
        risk = np.maximum(sequence.risk, 0.0)
        return Bunch(ccp_alphas=sequence.alpha, impurities=sequence.sum_leaves(risk))

    # -- another size --------------------------------------------------------------------------------------------------

    def prune_to(self, *, alpha: float | None = None, n_leaves: int | None = None) -> Self:
        """A copy with another tree of the pruning sequence; this estimator stays as it is.

        Parameters
        ----------
        alpha : the price of a leaf; the smallest tree that is best for it.
        n_leaves : the largest tree of the sequence with at most so many leaves.

        Notes
        -----
        A branch that is in the copy but not in this estimator's tree has surrogates only if its feature had missing
        values at fit; where it has none, a missing value goes to the larger child.
        """
        check_is_fitted(self, "tree_")
        if (alpha is None) == (n_leaves is None):
            raise ValueError(f"give either alpha or n_leaves, got alpha={alpha!r} and n_leaves={n_leaves!r}.")
        table = self.pruning_table_
        if n_leaves is not None:
            fitting = np.flatnonzero(table.n_leaves <= options.integer("n_leaves", n_leaves, 1))
        else:
            fitting = np.flatnonzero(table.alpha <= options.real("alpha", alpha, 0.0))[:1]
        row = int(fitting[-1])
        pruned = copy.copy(self)
        is_leaf = self.pruning_sequence_.is_leaf(table.alpha[row])
        pruned.tree_ = cut_tree(self.pruning_sequence_.tree, is_leaf)
        pruned.pruning_table_ = table.choose(row)
        return pruned

    def snip(self, node: int) -> Self:
        """A copy in which a branch, chosen by hand, is a leaf; this estimator stays as it is.

        Parameters
        ----------
        node : id of the branch, as `to_text` and `apply` show it.
        """
        check_is_fitted(self, "tree_")
        tree = self.tree_
        options.integer("node", node, 0, tree.n_nodes - 1)
        if tree.n_children[node] == 0:
            raise ValueError(
                f"node {node} is a leaf already; branches are {np.flatnonzero(tree.n_children).tolist()!r:.80}."
            )
        snipped = copy.copy(self)
        snipped.tree_ = cut_tree(tree, np.arange(tree.n_nodes) == node)
        return snipped


class CARTClassifier(ClassifierMixin, CART):  # type: ignore[misc]  # scikit-learn has no types
    """A classification tree, pruned by cross-validation.

    Parameters
    ----------
    criterion : {"gini", "entropy", "error"}
        What splits make small.
    max_depth, max_leaves : int or None
        Limits; with `max_leaves` the leaf that gains most is split first.
    min_samples_split, min_samples_leaf : int or float
        Rows (by weight) a node must have to be split, and each child must keep; a float is a part of all rows.
    min_impurity, min_impurity_decrease : float
        A node this pure stays a leaf; a split must lower the impurity of the whole tree by so much.
    max_bins : int or None
        None searches all thresholds; 2 to 256 searches the edges of so many bins, which is faster on many rows.
    missing : {"surrogate", "direction", "fraction", "mean", "category"}
        What to do with missing values: ask the feature that imitates the split best; send them where they gain most;
        send a part of the row to each child; take the mean (or most frequent category); a category of its own.
    max_surrogates : int
        Surrogates kept at a branch.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Which columns are categories.
    costs : (classes, classes) array or dict {(true, given): cost}
        What it costs to answer one class for another.
    priors : array or dict by label
        Shares of the classes to reckon with instead of those of the training rows.
    class_weight : dict, "balanced" or None
        How much the rows of a class count.
    monotonic_cst : list of -1, 0, 1, or dict by name or index
        The probability of the higher classes must not fall (1) or rise (-1) with the feature. For more than two
        classes this holds for P(class >= k) of every k, classes in the order of `classes_`.
    prune : {"cv", "validation", "reduced_error", None}
        How the size is chosen; "validation" and "reduced_error" take X_val, y_val in `fit`.
    one_se : bool
        Choose the smallest tree within one standard error of the best.
    cv : int, splitter or list of (train, test) rows
        Folds. A number deals the rows by their content, equal rows into one fold; the rest is as in scikit-learn.
    n_jobs : int or None
        Threads, as in scikit-learn. The tree does not depend on it.
    random_state : int, RandomState or None
        Seed of the folds; None is 0: same data, same tree.

    Attributes
    ----------
    tree_ : softwood.Tree
    pruning_table_ : alpha, leaves, training error, cross-validated error and its standard error; prints itself.
    classes_, n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CARTClassifier().fit(X, y)
    >>> model.get_n_leaves()
    3
    >>> model.predict([[5.0, 3.4, 1.5, 0.2]])
    array([0])
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_bins: int | None = None,
        missing: str = "surrogate",
        max_surrogates: int = 5,
        categorical_features: Any = "from_dtype",
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        monotonic_cst: Any = None,
        prune: str | None = "cv",
        one_se: bool = True,
        cv: Any = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity = min_impurity
        self.min_impurity_decrease = min_impurity_decrease
        self.max_bins = max_bins
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.categorical_features = categorical_features
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.monotonic_cst = monotonic_cst
        self.prune = prune
        self.one_se = one_se
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None) -> Self:
        """Grow and prune.

        Parameters
        ----------
        X : array or data frame (rows, features); missing values are welcome.
        y : class labels of any kind.
        sample_weight : a row of weight two counts as the row twice, one of weight zero is not there.
        X_val, y_val : rows to choose the size by, never trained on (prune "validation" and "reduced_error").
        """
        criterion = self._check_options(CLASS_CRITERIA, X_val is not None)
        table = read_fit(self, X, self.categorical_features)
        self.classes_, codes = read_classes(y)
        check_consistent_length(table.values, codes)
        weight = read_weights(sample_weight, len(codes))
        costs = options.cost_matrix(self.costs, self.classes_)
        problem = Problem(
            table.values,
            table.columns.n_levels,
            codes,
            weight,
            criterion,
            len(self.classes_),
            self._answer_factor(codes, weight),
            costs,
        )
        validation = None
        if X_val is not None:
            rows = read_predict(self, X_val, table.columns)
            validation = problem.with_rows(rows, encode_classes(y_val, self.classes_), np.ones(len(rows)))
            check_consistent_length(rows, validation.y)
        schema = Schema(table.columns.names, table.columns.categories, tuple(self.classes_.tolist()), "classification")
        return self._remember(self._learn(problem, table, schema, validation), table)

    def _answer_factor(self, codes: npt.NDArray[np.int32], weight: Floats) -> Floats | None:
        """How much rows of each class count: by class_weight, or so that the classes have the prior shares."""
        priors = options.prior_shares(self.priors, self.classes_)
        if priors is None:
            return None if self.class_weight is None else class_weights(self.class_weight, self.classes_, codes, weight)
        if self.class_weight is not None:
            raise ValueError("priors and class_weight both say how much the classes count: give one of them.")
        total = np.bincount(codes, weight, len(self.classes_))
        return np.asarray(priors * total.sum() / np.where(total > 0, total, 1.0))

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, columns in the order of `classes_`."""
        check_is_fitted(self, "tree_")
        return self.tree_.predict(self._read(X), self._threads())

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the class probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of least expected cost: without `costs` the most probable one (the first of equals)."""
        proba = self.predict_proba(X)
        costs = options.cost_matrix(self.costs, self.classes_)
        best = proba.argmax(axis=1) if costs is None else (proba @ costs).argmin(axis=1)
        return np.asarray(self.classes_[best])


class CARTRegressor(RegressorMixin, CART):  # type: ignore[misc]  # scikit-learn has no types
    """A regression tree for one or several targets, pruned by cross-validation.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error"}
        What splits make small; leaves answer the mean, or the median.
    monotonic_cst : list of -1, 0, 1, or dict by name or index
        The prediction must not fall (1) or rise (-1) with the feature.

    The other parameters and the attributes are those of CARTClassifier.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(20.0)[:, None]
    >>> model = CARTRegressor().fit(X, (X[:, 0] > 7) * 2.0)
    >>> print(model.tree_)
    Tree(3 nodes, 2 leaves, depth 1, 1 feature, 1 output, hard)
    ├─ x0 ≤ 7.5 → 0
    └─ x0 > 7.5 or missing → 2
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_bins: int | None = None,
        missing: str = "surrogate",
        max_surrogates: int = 5,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        prune: str | None = "cv",
        one_se: bool = True,
        cv: Any = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity = min_impurity
        self.min_impurity_decrease = min_impurity_decrease
        self.max_bins = max_bins
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.prune = prune
        self.one_se = one_se
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None) -> Self:
        """Grow and prune; parameters as in CARTClassifier.fit, y of shape (rows,) or (rows, targets)."""
        criterion = self._check_options(NUMBER_CRITERIA, X_val is not None)
        table = read_fit(self, X, self.categorical_features)
        values, self._one_target = read_numbers(y)
        check_consistent_length(table.values, values)
        weight = read_weights(sample_weight, len(values))
        problem = Problem(table.values, table.columns.n_levels, values, weight, criterion)
        validation = None
        if X_val is not None:
            rows, held = read_predict(self, X_val, table.columns), read_numbers(y_val)[0]
            check_consistent_length(rows, held)
            validation = problem.with_rows(rows, held, np.ones(len(rows)))
        names = ("y",) if values.shape[1] == 1 else tuple(f"y{i}" for i in range(values.shape[1]))
        schema = Schema(table.columns.names, table.columns.categories, names)
        return self._remember(self._learn(problem, table, schema, validation), table)

    def predict(self, X: Any) -> Floats:
        """Mean (or median) of the leaf, shape (rows,) or (rows, targets) as y was."""
        check_is_fitted(self, "tree_")
        answer = self.tree_.predict(self._read(X), self._threads())
        return answer[:, 0] if self._one_target else answer

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _center(table: Table, weight: Floats) -> Floats:
    """What stands for a missing value: the mean of a number, the most frequent category (0 where all are missing)."""
    fill = np.zeros(table.values.shape[1])
    for column, levels in enumerate(table.columns.n_levels):
        values = table.values[:, column]
        known = ~np.isnan(values) & (weight > 0)
        if known.any() and levels:
            fill[column] = np.bincount(values[known].astype(np.int64), weight[known], levels).argmax()
        elif known.any():
            fill[column] = np.average(values[known], weights=weight[known])
    return fill
