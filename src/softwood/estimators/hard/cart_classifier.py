"""CARTClassifier: the scikit-learn face of learners/hard/cart.py."""

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
        What splits make small.
    max_depth, max_leaves : int or None
        Limits; with `max_leaves` the leaf that gains most is split first.
    min_samples_split, min_samples_leaf : int or float
        Rows (by weight) a node must have to be split, and each child must keep; a float is a part of all rows.
    min_impurity, min_impurity_decrease : float
        A node this pure stays a leaf; a split must lower the impurity of the whole tree by so much.
    max_bins : int or None
        None searches all thresholds; 2 to 256 searches the edges of that number of bins, which is faster on large
        tables.
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
    smoothing : None, "laplace", "m_estimate" or float
        What the probabilities of a leaf with few rows are pulled to: "laplace" counts one more row of each class,
        "m_estimate" two rows (a float: that number) with the shares of all rows. The classes stay as they are.
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
    engine : {"auto", "memory", "batches", "dask"}
        Where the rows are summed; "auto" goes by what `fit` is given (docs/more_rows.md).
    verbose : int
        1 shows which engine learns and, in batches, how far it is every few seconds; 2 after every batch.

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
        """Grow and prune.

        Parameters
        ----------
        X : array, data frame or sparse matrix (rows, features); missing values are welcome. Or rows beyond memory: a
            file, a folder, a lazy frame or `softwood.Batches`; or rows of Dask, on a cluster.
        y : class labels of any kind; the name of a column where X is beyond memory.
        sample_weight : a row of weight two counts as the row twice, one of weight zero is not there.
        X_val, y_val : rows to choose the size by, never trained on (prune "validation" and "reduced_error").
        groups : group of each row, such as a patient or a day; no group is split across folds.
        callback : called with the tree after each step of learning, the last being `tree_`, when the fit has chosen;
            see `plot_growth`. It changes nothing and is not stored.
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
