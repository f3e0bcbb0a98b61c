"""CARTClassifier: the scikit-learn interface to learners/hard/cart.py."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from softwood.estimators.base.base import Probabilities
from softwood.estimators.base.steps import Callback, check_callback, show_steps
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.estimators.hard.batches import fit_in_parts
from softwood.estimators.hard.cart import CART
from softwood.intake import options
from softwood.intake.engine import choose_engine
from softwood.intake.parts.scan import Scan
from softwood.intake.read import read
from softwood.intake.table.rows import (
    read_held_labels,
    with_costs,
)
from softwood.intake.table.weights import class_factor, drop_classes
from softwood.kernels.kinds import Criterion
from softwood.learners.hard.problem import Problem
from softwood.tree.splits import growth_of

CLASS_CRITERIA = {"gini": Criterion.GINI, "entropy": Criterion.ENTROPY, "error": Criterion.ERROR}


class CARTClassifier(Probabilities, ClassifierMixin, CART):
    """A classification tree, pruned by cross-validation.

    Parameters
    ----------
    criterion : {"gini", "entropy", "error"}
        Impurity that splits minimise.
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
    costs : (classes, classes) array or dict {(actual, predicted): cost}
        Cost of predicting one class when another is true.
    priors : array or dict by label
        Class shares to assume instead of those of the training rows.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    monotonic_cst : list of -1, 0, 1, or dict by name or index
        Features with which the probability of the higher classes must not decrease (1) or not increase (-1). For more
        than two classes this holds for P(class >= k) for each k, with classes in the order of `classes_`.
    smoothing : None, "laplace", "m_estimate" or float
        Smoothing of the probabilities of leaves with few rows: "laplace" adds one row of each class, "m_estimate" two
        rows (a float: that number) with the class shares of all rows. Predicted classes stay the same.
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
        smoothing: Any = None,
        prune: str | None = "cv",
        one_se: bool = True,
        cv: Any = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
        engine: str = "auto",
        verbose: int = 0,
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
        self.smoothing = smoothing
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
        """Grow and prune the tree.

        Parameters
        ----------
        X : array, data frame or sparse matrix (rows, features); missing values are allowed. Or rows beyond memory: a
            file, a folder, a lazy frame or `softwood.Batches`; or rows of Dask, on a cluster.
        y : class labels of any type; the name of a column if X is out of core.
        sample_weight : a row of weight two counts as two rows, a row of weight zero is ignored.
        X_val, y_val : validation rows that choose the size, never trained on (prune "validation" and "reduced_error").
        groups : group of each row, such as a patient or a day; no group is split across folds.
        callback : called at the end of `fit` with the tree after each step of learning, the last being `tree_`; see
            `plot_growth`. It does not change the fit and is not stored.
        """
        criterion = self._check_options(CLASS_CRITERIA, X_val, y_val)
        engine = choose_engine(self, X)
        check_callback(callback, engine)
        given = read(self, engine, X, y, sample_weight, groups, is_classes=True)
        if isinstance(given, Scan):
            fit_in_parts(self, given, criterion, X_val, y_val)
            return self
        table, self.classes_, codes, weight = given.table, given.classes, given.codes, given.weight
        costs = options.cost_matrix(self.costs, self.classes_)
        factor = class_factor(self.class_weight, self.priors, self.classes_, codes, weight)
        if factor is not None:
            weight, factor = drop_classes(weight, factor, codes)
        problem = Problem(
            table.values, table.columns.level_counts, codes, weight, criterion, len(self.classes_), factor, costs,
            group=given.group,
        ).counted()  # fmt: skip
        held = read_held_labels(self, X_val, y_val, table.columns, self.classes_)
        validation = None if held is None else problem.with_rows(*held, np.ones(len(held[0])))
        schema = with_costs(given.schema, costs)
        self._remember(self._learn(problem, table, schema, validation), given.weight)
        show_steps(callback, growth_of(self.tree_))
        return self
