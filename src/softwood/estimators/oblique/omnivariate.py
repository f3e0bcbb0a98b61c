"""OmnivariateTreeClassifier, OmnivariateTreeRegressor: the scikit-learn interface to learners/oblique/omnivariate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from softwood.arrays import Floats
from softwood.estimators.base.pruned import PRUNE
from softwood.estimators.oblique.shared import ObliqueClassifier, ObliqueRegressor, ObliqueTree
from softwood.intake import options
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import Pruned
from softwood.learners.oblique.discriminant import Discriminant
from softwood.learners.oblique.learn import learn_oblique
from softwood.learners.oblique.omnivariate import COMPETE, KINDS, SELECT, Omnivariate
from softwood.learners.oblique.soften import refine_softly
from softwood.tree import Schema


class OmnivariateTree(ObliqueTree):
    """Base class of the classifier and the regressor; not for direct use."""

    soft: bool
    _importance: Floats

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the gain of all gates; sums to 1 (all 0 for a single leaf).

        Hard gates: the impurity reduction, divided as in a linear discriminant tree. Soft gates: the increase in
        training loss when the feature stays at its mean.
        """
        check_is_fitted(self, "tree_")
        return self._importance if self._is_soft else super().feature_importances_

    def prune_to(self, *, alpha: float | None = None, n_leaves: int | None = None) -> Self:
        """As in CARTClassifier; a softened tree has no pruning sequence."""
        check_is_fitted(self, "tree_")
        if self._is_soft:
            raise ValueError("prune_to needs a hard tree: fit with soft=False, or with a smaller max_depth.")
        return super().prune_to(alpha=alpha, n_leaves=n_leaves)

    def _check_pruning(self, X_val: Any, y_val: Any, methods: tuple[str | None, ...] = PRUNE) -> None:
        super()._check_pruning(X_val, y_val, ("prepruning", *methods))

    def _grow(self, problem: Problem, schema: Schema, validation: Problem | None) -> Pruned:
        p = vars(self)
        limits = self._limits(float(problem.weight.sum()))
        alpha = options.real("alpha", p["alpha"], 0.0)
        if alpha > 1.0:
            raise ValueError(f"alpha must be at most 1, got {alpha!r}.")
        how = Omnivariate(
            kinds=candidate_kinds(p["candidates"]),
            select=options.one_of("select", p["select"], SELECT),
            alpha=alpha,
            stop=p["prune"] == "prepruning",
            discriminant=Discriminant(least=limits.min_samples_leaf, threshold="gain"),
            seed=options.seed_of(p["random_state"]),
        )
        if options.boolean("soft", p["soft"]) and p.get("smoothing") is not None:
            raise ValueError("smoothing is for hard trees and cannot be combined with soft=True: set one of them.")
        pruning = self._pruning(problem, validation)
        if how.stop:
            pruning = replace(pruning, method=None)
        pruned = learn_oblique(problem, schema, how, limits, pruning, basis_spec=how.basis_spec, n_jobs=self._threads())
        self._is_soft = bool(p["soft"]) and pruned.tree.n_nodes > 1
        if not self._is_soft:
            return pruned
        tree, self._importance = refine_softly(pruned.tree, problem, how.basis_spec, self._threads())
        return replace(pruned, tree=tree, held_out=None)  # the folds had hard trees


# scikit-learn has no type hints
class OmnivariateTreeClassifier(ClassifierMixin, OmnivariateTree, ObliqueClassifier):
    """A classification tree with the simplest sufficient gate at every node.

    Parameters
    ----------
    candidates : sequence of {"threshold", "linear", "quadratic", "mlp"}
        The kinds of gates that compete: one input, a weighted sum of inputs (Fisher's discriminant), of inputs and
        their squares, or a small multilayer perceptron, which becomes three gates on two levels.
    select : {"f_test", "aic", "bic", "validation"}
        How the gate is selected: the simplest that is not significantly worse than the best (5×2 cv F test); the lowest
        AIC or BIC; or the lowest loss on a held-out third of the node's rows.
    alpha : float
        Level of the F test.
    soft : bool
        Whether to refine the tree as a soft tree: the structure is kept, gates become sigmoids, and all gates and
        responses are fitted jointly.
    criterion : {"entropy", "gini", "error"}
        Impurity that splits minimise.
    max_depth : int or None
        Limit.
    min_samples_split, min_samples_leaf : int or float
        Minimum number of rows (by weight) to split a node, and of each child; a float is a proportion of all rows.
    min_impurity_decrease : float
        A split must lower the impurity of the whole tree by at least this much.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Which columns are categories.
    costs : (classes, classes) array or dict {(actual, predicted): cost}
        Cost of predicting one class when another is true.
    priors : array or dict by label
        Class shares to assume instead of those of the training rows.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    smoothing : None, "laplace", "m_estimate" or float
        Smoothing of the probabilities of leaves with few rows: "laplace" adds one row of each class, "m_estimate" two
        rows (a float: that number) with the class shares of all rows. Predicted classes stay the same.
    prune : {"prepruning", "cv", "validation", "reduced_error", None}
        How the size is chosen. "prepruning": a node is split only if that lowers the loss on held-out rows. The others
        are as in CARTClassifier.
    one_se : bool
        Choose the smallest tree within one standard error of the best.
    cv : int, splitter or list of (train, test) rows
        Folds of prune="cv".
    n_jobs : int or None
        Threads, as in scikit-learn. The tree does not depend on it.
    random_state : int, RandomState or None
        Seed of the halves and folds; None is 0, so the same data give the same tree.

    Attributes
    ----------
    tree_ : softwood.Tree; `tree_.note` records the selected kind of each branch and the test.
    pruning_table_ : alpha, leaves, training error, cross-validated error and its standard error; can be printed.
    classes_, n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> model = OmnivariateTreeClassifier().fit(X, X[:, 0] > X[:, 1])
    >>> model.tree_.note[0].split(", p = ")[0]
    'linear'
    """

    def __init__(
        self,
        *,
        candidates: Any = COMPETE,
        select: str = "f_test",
        alpha: float = 0.05,
        soft: bool = False,
        criterion: str = "entropy",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity_decrease: float = 0.0,
        categorical_features: Any = "from_dtype",
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        smoothing: Any = None,
        prune: str | None = "prepruning",
        one_se: bool = True,
        cv: Any = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.candidates = candidates
        self.select = select
        self.alpha = alpha
        self.soft = soft
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.categorical_features = categorical_features
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.prune = prune
        self.one_se = one_se
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state


# scikit-learn has no type hints
class OmnivariateTreeRegressor(RegressorMixin, OmnivariateTree, ObliqueRegressor):
    """A regression tree with the simplest sufficient gate at every node.

    The parameters and the attributes are those of OmnivariateTreeClassifier; linear and quadratic gates cut along a
    ridge regression, and leaves predict the mean.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> model = OmnivariateTreeRegressor(max_depth=1).fit(X, (X[:, 0] > 0.5) * 2.0)
    >>> model.tree_.note[0].split(", p = ")[0]
    'threshold'
    """

    def __init__(
        self,
        *,
        candidates: Any = COMPETE,
        select: str = "f_test",
        alpha: float = 0.05,
        soft: bool = False,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity_decrease: float = 0.0,
        categorical_features: Any = "from_dtype",
        prune: str | None = "prepruning",
        one_se: bool = True,
        cv: Any = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.candidates = candidates
        self.select = select
        self.alpha = alpha
        self.soft = soft
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.categorical_features = categorical_features
        self.prune = prune
        self.one_se = one_se
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state


def candidate_kinds(given: Any) -> tuple[str, ...]:
    """The kinds of gates that compete, the simplest first."""
    if isinstance(given, str) or not isinstance(given, Iterable) or not (names := list(given)):
        raise ValueError(f"candidates must be a list of kinds among {', '.join(KINDS)}, got {given!r}.")
    for name in names:
        options.one_of("candidates", name, KINDS)
    return tuple(kind for kind in KINDS if kind in names)
