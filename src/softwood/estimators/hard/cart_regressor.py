"""CARTRegressor: the scikit-learn interface to learners/hard/cart.py."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from softwood.estimators.base.base import Numbers
from softwood.estimators.base.steps import Callback, check_callback, show_steps
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.estimators.hard.batches import fit_in_parts
from softwood.estimators.hard.cart import CART
from softwood.estimators.hard.criteria import NUMBER_CRITERIA, read_criterion, refuse_negative
from softwood.intake.engine import choose_engine
from softwood.intake.parts.scan import Scan
from softwood.intake.read import read
from softwood.intake.table.rows import (
    read_held_numbers,
)
from softwood.kernels.kinds import Criterion
from softwood.learners.hard.problem import Problem
from softwood.tree.splits import growth_of


class CARTRegressor(Numbers, RegressorMixin, CART):
    """A regression tree for one or several targets, pruned by cross-validation.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson", "quantile", "huber"}
        Impurity that splits minimise. Leaves predict the mean, the median, the mean of counts (y >= 0), a quantile, or
        a robust mean (docs/losses.md).
    quantile : float
        Level for criterion="quantile": 0.9 is exceeded by one target in ten.
    delta : float
        For criterion="huber": errors above it are penalised linearly, not quadratically. Unit: the spread of y (1.48
        times its median absolute deviation).
    max_depth, max_leaves : int or None
        Limits. With `max_leaves` the leaf with the largest gain is split first.
    min_samples_split, min_samples_leaf : int or float
        Minimum number of rows (by weight) to split a node, and of each child; a float is a proportion of all rows.
    min_impurity, min_impurity_decrease : float
        A node with at most this impurity stays a leaf; a split must lower the impurity of the whole tree by at least
        this much.
    max_bins : int or None
        None tries all thresholds; 2 to 256 tries the edges of this number of bins, which is faster on large tables.
    missing : {"surrogate", "direction", "fraction", "mean", "category"}
        How missing values are handled: by surrogate splits; sent to the child with the larger gain; split between the
        children; replaced by the mean (or most frequent category); or as a category of their own.
    max_surrogates : int
        Maximum number of surrogates per branch.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Which columns are categories.
    monotonic_cst : list of -1, 0, 1, or dict by name or index
        Features with which the prediction must not decrease (1) or not increase (-1).
    prune : {"cv", "validation", "reduced_error", None}
        How the size is chosen; "validation" and "reduced_error" take X_val, y_val in `fit`.
    one_se : bool
        Choose the smallest tree within one standard error of the best.
    cv : int, splitter or list of (train, test) rows
        Folds. A number assigns rows to folds by their content, with equal rows in one fold; otherwise as in
        scikit-learn.
    n_jobs : int or None
        Threads, as in scikit-learn. The tree does not depend on it.
    random_state : int, RandomState or None
        Seed of the folds; None is 0, so the same data give the same tree.
    engine : {"auto", "memory", "batches", "dask"}
        Where sums over rows are computed; "auto" depends on the type of `X` (docs/more_rows.md).
    verbose : int
        1 shows the engine and, for batches, the progress every few seconds; 2 after every batch.

    Attributes
    ----------
    tree_ : softwood.Tree
    pruning_table_ : alpha, leaves, training error, cross-validated error and its standard error; can be printed.
    n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

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
        quantile: float = 0.5,
        delta: float = 1.0,
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
        engine: str = "auto",
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.quantile = quantile
        self.delta = delta
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
        self.engine = engine
        self.verbose = verbose

    @transactional_fit
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, X_val: Any = None, y_val: Any = None,
        groups: Any = None, callback: Callback = None,
    ) -> Self:  # fmt: skip
        """Grow and prune the tree; parameters as in CARTClassifier.fit, y of shape (rows,) or (rows, targets)."""
        criterion = self._check_options(NUMBER_CRITERIA, X_val, y_val)
        engine = choose_engine(self, X)
        check_callback(callback, engine)
        given = read(self, engine, X, y, sample_weight, groups, is_classes=False)
        if isinstance(given, Scan):
            fit_in_parts(self, given, criterion, X_val, y_val)
            return self
        table, values, weight, self._one_target = given.table, given.values, given.weight, given.one_target
        parameter = read_criterion(criterion, vars(self), values, weight)
        problem = Problem(
            table.values, table.columns.level_counts, values, weight, criterion, group=given.group, parameter=parameter
        ).counted()
        held = read_held_numbers(self, X_val, y_val, table.columns, values.shape[1])
        if held is not None and criterion == Criterion.POISSON:
            refuse_negative(held[1], np.ones(len(held[1])), "y_val")
        validation = None if held is None else problem.with_rows(*held, np.ones(len(held[0])))
        self._remember(self._learn(problem, table, given.schema, validation), given.weight)
        show_steps(callback, growth_of(self.tree_))
        return self
