"""C45Classifier: the scikit-learn interface to learners/hard/c45.py."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from softwood.estimators.base.base import Probabilities, TreeEstimator
from softwood.estimators.base.steps import Callback, check_callback, show_steps
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.intake import options
from softwood.intake.table.rows import (
    read_labelled,
    read_table,
)
from softwood.kernels.contracts.c45 import C45Growth
from softwood.learners.hard.c45 import C45Cases, C45Pruning, learn_c45
from softwood.learners.hard.rules import learn_rules
from softwood.learners.softening.gates import SofteningRows
from softwood.learners.softening.statistics import soften_by_statistics
from softwood.parts.folds import merge_equal_rows, raise_light
from softwood.tree import RuleSet
from softwood.tree.splits import growth_of

CONFIDENCE = 0.25  # for rules of an unpruned tree
THRESHOLDS = ("value", "middle")


class C45Classifier(Probabilities, ClassifierMixin, TreeEstimator):
    """A C4.5 tree: gain ratio, one branch per category, fractional missing values, error-based pruning.

    Parameters
    ----------
    confidence : float or None
        Confidence of error-based pruning, between 0 and 0.5: smaller values prune more. None: no pruning.
    min_cases : float
        Minimum number of cases (by weight) in at least two branches of every test.
    subtree_raising : bool
        Whether pruning may also replace a subtree by its largest branch.
    subsets : bool
        Whether categories may be joined into groups instead of one branch each.
    thresholds : {"value", "middle"}
        A threshold is the largest training value below the midpoint (as C4.5 prints it), or the midpoint.
    soft_thresholds : bool
        Whether thresholds become ramps between bounds of one standard error (option -p of C4.5 and C5.0). They are then
        at the midpoint, whatever the value of `thresholds`. Rules are those of the hard tree.
    rules : bool
        Whether to derive `rules_`: the paths of the tree, simplified and ordered.
    smoothing : None, "laplace", "m_estimate" or float
        Smoothing of the probabilities of leaves with few rows: "laplace" adds one row of each class, "m_estimate" two
        rows (a float: that number) with the class shares of all rows. Predicted classes stay the same.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Which columns are categories.
    n_jobs : int or None
        Threads, as in scikit-learn. The tree does not depend on it.

    Attributes
    ----------
    tree_ : softwood.Tree
    rules_ : softwood.tree.RuleSet, with `rules=True`; `to_text(model, form="rules")` prints it.
    classes_, n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = C45Classifier().fit(X, y)
    >>> model.get_n_leaves(), model.predict([[5.0, 3.4, 1.5, 0.2]])
    (5, array([0]))
    """

    rules_: RuleSet

    def __init__(
        self,
        *,
        confidence: float | None = 0.25,
        min_cases: float = 2,
        subtree_raising: bool = True,
        subsets: bool = False,
        thresholds: str = "value",
        soft_thresholds: bool = False,
        rules: bool = False,
        smoothing: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.confidence = confidence
        self.min_cases = min_cases
        self.subtree_raising = subtree_raising
        self.subsets = subsets
        self.thresholds = thresholds
        self.soft_thresholds = soft_thresholds
        self.rules = rules
        self.smoothing = smoothing
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @transactional_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback = None) -> Self:
        """Grow and prune the tree.

        Parameters
        ----------
        X : array or data frame (rows, features); missing values are allowed.
        y : class labels of any type.
        sample_weight : a row of weight two counts as two rows, a row of weight zero is ignored.
        callback : called at the end of `fit` with the tree after each step of learning, the last being `tree_`; see
            `plot_growth`. It does not change the fit and is not stored.
        """
        check_callback(callback)
        growth, pruning = self._rules_of_growth()
        smoothing = options.smoothing_of(self.smoothing)
        given = read_labelled(read_table(self, X), y, sample_weight)
        table, self.classes_, codes = given.table, given.classes, given.codes
        columns, (raised, _) = table.columns, raise_light(table.values, codes, given.weight)
        at, weight = merge_equal_rows(table.values, codes, raised)  # parts of cases are added in order of content
        rows, codes = table.values[at], codes[at]
        cases = C45Cases(rows, columns.level_counts, codes, weight, len(self.classes_))
        middle = self.soft_thresholds or self.thresholds == "middle"
        self.tree_ = learn_c45(cases, given.schema, growth, pruning, middle=middle, n_threads=self._threads())
        self._make_rules(cases)
        if self.soft_thresholds:
            self.tree_ = soften_by_statistics(self.tree_, SofteningRows(rows, codes, weight))
        if smoothing is not None:
            self.tree_ = smoothing.smooth(self.tree_)
        self.tree_ = self.tree_.with_provenance(self._provenance(raised))
        show_steps(callback, growth_of(self.tree_))
        return self

    def _make_rules(self, cases: C45Cases) -> None:
        if hasattr(self, "rules_"):  # of an earlier fit
            del self.rules_
        if self.rules:
            self.rules_ = learn_rules(self.tree_, cases, self.confidence or CONFIDENCE)

    def _rules_of_growth(self) -> tuple[C45Growth, C45Pruning]:
        if self.confidence is not None and not 0.0 < options.real("confidence", self.confidence, 0.0) <= 0.5:
            raise ValueError(f"confidence must be None or a number > 0 and <= 0.5, got {self.confidence!r}.")
        options.boolean("rules", self.rules)
        options.boolean("soft_thresholds", self.soft_thresholds)
        options.one_of("thresholds", self.thresholds, THRESHOLDS)
        least = options.real("min_cases", self.min_cases, 0.0)
        growth = C45Growth(least, options.boolean("subsets", self.subsets))
        return growth, C45Pruning(self.confidence, options.boolean("subtree_raising", self.subtree_raising))

    def predict_by_rules(self, X: Any) -> npt.NDArray[Any]:
        """The class of the first rule in `rules_` that applies, else the default class."""
        check_is_fitted(self, "tree_")
        if not hasattr(self, "rules_"):
            raise AttributeError("predict_by_rules needs rules: fit again with rules=True.")
        return np.asarray(self.classes_[self.rules_.decide(self._read(X))])
