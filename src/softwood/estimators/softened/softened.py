"""SoftenedTreeClassifier and SoftenedTreeRegressor: the scikit-learn interface to learners/softening/softened.py."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import ClassifierMixin, RegressorMixin

from softwood.arrays import Floats
from softwood.estimators.base.base import Numbers, Probabilities, TreeEstimator
from softwood.estimators.base.progress import softening_bar
from softwood.estimators.base.transactional_fit import transactional_fit, warn_if_interrupted
from softwood.intake import options
from softwood.intake.table.rows import read_labelled, read_numbered, read_table
from softwood.kernels.contracts.growth import Growth
from softwood.kernels.kinds import Criterion
from softwood.learners.hard.problem import Problem
from softwood.learners.softening.anneal import PATIENCE
from softwood.learners.softening.ramps import ALPHA
from softwood.learners.softening.softened import N_PARTS, N_SPLITS, learn_softened
from softwood.tree import Schema, Tree

CRITERIA = {"gini": Criterion.GINI, "entropy": Criterion.ENTROPY}
NUMBER_CRITERIA = {"squared_error": Criterion.SQUARED_ERROR, "absolute_error": Criterion.ABSOLUTE_ERROR}


class SoftenedTree(TreeEstimator):
    """Base class of the classifier and the regressor; not for direct use."""

    hard_tree_: Tree

    def _soften(self, problem: Problem, schema: Schema, weight: Floats) -> Self:
        """Grow, soften, choose, and set the attributes."""
        p = self.get_params(deep=False)
        rules, report_to = self._rules_of_softening(), options.boolean("progress", p["progress"])
        least = options.row_count("min_samples_leaf", p["min_samples_leaf"], 1, float(problem.weight.sum()))
        with softening_bar(report_to, p["n_successes"]) as report:
            softened = learn_softened(
                problem,
                schema,
                Growth(problem.criterion, min_samples_leaf=least),
                seed=options.seed_of(p["random_state"]),
                **rules,
                n_jobs=self._threads(),
                keep=options.boolean("keep_on_interrupt", p["keep_on_interrupt"]),
                report=report,
            )
        warn_if_interrupted(softened.interrupted)
        origin = self._provenance(weight)
        self.tree_, self.hard_tree_ = softened.tree.with_provenance(origin), softened.hard.with_provenance(origin)
        return self

    def _rules_of_softening(self) -> dict[str, Any]:
        p = self.get_params(deep=False)
        if options.integer("n_splits", p["n_splits"], 1) not in N_SPLITS:
            raise ValueError(f"n_splits must be 1 or 3, got {p['n_splits']!r}.")
        return {
            "n_successes": options.integer("n_successes", p["n_successes"], 1),
            "alpha": options.real("alpha", p["alpha"], 0.0),
            "patience": options.integer("patience", p["patience"], 1),
            "n_splits": p["n_splits"],
            "mean_widths": options.boolean("mean_widths", p["mean_widths"]),
        }


class SoftenedTreeClassifier(Probabilities, ClassifierMixin, SoftenedTree):
    """A CART tree whose thresholds become ramps by simulated annealing (Dvořák & Savický).

    Parameters
    ----------
    n_successes : int
        Number of softenings, of trees of several sizes, of which the best is chosen.
    criterion : {"gini", "entropy"}
        Impurity that splits minimise.
    min_samples_leaf : int or float
        Minimum number of rows (by weight) of each child; a float is a proportion of all rows.
    alpha : float
        Steepness of the exponential error that annealing minimises.
    patience : int
        Annealing stops after this number of consecutive calls without success.
    n_splits : {1, 3}
        Number of 2:1 splits of the rows that choose the size. 3: each third is held out once, and the tree is grown on
        all rows. 1, as in the paper: one third chooses, and the tree is grown on the other two.
    mean_widths : bool
        Whether the chosen tree gets the mean widths of all its softenings, which vary less, instead of those of the
        best one.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Which columns are categories; their gates stay hard.
    n_jobs : int or None
        Number of softenings in parallel. The tree does not depend on it.
    random_state : int, RandomState or None
        Seed of the inner split and of annealing; None is 0, so the same data give the same tree.
    keep_on_interrupt : bool
        Whether an interrupt (Ctrl-C) ends `fit` with the best tree so far and a `ConvergenceWarning`; otherwise
        KeyboardInterrupt is raised, and the estimator is unchanged.
    progress : bool
        Show the progress.

    Attributes
    ----------
    tree_ : softwood.Tree, with ramps.
    hard_tree_ : the tree before its thresholds were softened.
    classes_, n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SoftenedTreeClassifier(n_successes=2).fit(X, y)
    >>> model.tree_.is_hard, model.predict([[5.0, 3.4, 1.5, 0.2]])
    (False, array([0]))
    """

    def __init__(
        self,
        *,
        n_successes: int = 10,
        criterion: str = "gini",
        min_samples_leaf: float = 1,
        alpha: float = ALPHA,
        patience: int = PATIENCE,
        n_splits: int = N_PARTS,
        mean_widths: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        keep_on_interrupt: bool = False,
        progress: bool = False,
    ) -> None:
        self.n_successes = n_successes
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.alpha = alpha
        self.patience = patience
        self.n_splits = n_splits
        self.mean_widths = mean_widths
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.keep_on_interrupt = keep_on_interrupt
        self.progress = progress

    @transactional_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Grow trees, soften them, and choose the best one.

        Parameters
        ----------
        X : array or data frame (rows, features); missing values are allowed.
        y : class labels of any type.
        sample_weight : a row of weight two counts as two rows, a row of weight zero is ignored.
        groups : group of each row, such as a patient or a day; no group is split across folds.
        """
        criterion = CRITERIA[options.one_of("criterion", self.criterion, tuple(CRITERIA))]
        self._rules_of_softening()
        given = read_labelled(read_table(self, X), y, sample_weight, groups)
        table, self.classes_, lives = given.table, given.classes, given.weight > 0
        problem = Problem(
            table.values[lives], table.columns.level_counts, given.codes[lives], given.weight[lives], criterion,
            len(self.classes_), group=None if given.group is None else given.group[lives],
        ).counted()  # fmt: skip
        return self._soften(problem, given.schema, given.weight)


class SoftenedTreeRegressor(Numbers, RegressorMixin, SoftenedTree):
    """A CART regression tree whose thresholds become ramps by annealing; parameters as in SoftenedTreeClassifier.

    Annealing minimises the squared error; `criterion` is "squared_error" or "absolute_error".

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> model = SoftenedTreeRegressor(n_successes=2).fit(x, np.sin(x[:, 0]))
    >>> model.tree_.is_hard, model.hard_tree_.is_hard
    (False, True)
    """

    def __init__(
        self,
        *,
        n_successes: int = 10,
        criterion: str = "squared_error",
        min_samples_leaf: float = 1,
        alpha: float = ALPHA,
        patience: int = PATIENCE,
        n_splits: int = N_PARTS,
        mean_widths: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        keep_on_interrupt: bool = False,
        progress: bool = False,
    ) -> None:
        self.n_successes = n_successes
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.alpha = alpha
        self.patience = patience
        self.n_splits = n_splits
        self.mean_widths = mean_widths
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.keep_on_interrupt = keep_on_interrupt
        self.progress = progress

    @transactional_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the tree; as SoftenedTreeClassifier.fit, with y of shape (rows,) or (rows, targets)."""
        criterion = NUMBER_CRITERIA[options.one_of("criterion", self.criterion, tuple(NUMBER_CRITERIA))]
        self._rules_of_softening()
        given = read_numbered(read_table(self, X), y, sample_weight, groups)
        table, self._one_target, lives = given.table, given.one_target, given.weight > 0
        problem = Problem(
            table.values[lives], table.columns.level_counts, given.values[lives], given.weight[lives], criterion,
            group=None if given.group is None else given.group[lives],
        ).counted()  # fmt: skip
        return self._soften(problem, given.schema, given.weight)
