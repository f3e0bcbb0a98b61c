"""LinearDiscriminantTreeClassifier, LinearDiscriminantTreeRegressor: the scikit-learn interface to learners/oblique."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin

from softwood.estimators.oblique.shared import ObliqueClassifier, ObliqueRegressor, ObliqueTree
from softwood.intake import options
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import Pruned
from softwood.learners.oblique.discriminant import Discriminant
from softwood.learners.oblique.learn import learn_oblique
from softwood.tree import Schema

THRESHOLDS = ("gaussian", "gain")


class LinearDiscriminantTree(ObliqueTree):
    """Base class of the classifier and the regressor; not for direct use."""

    def _grow(self, problem: Problem, schema: Schema, validation: Problem | None) -> Pruned:
        p = vars(self)
        limits = self._limits(float(problem.weight.sum()))
        how = Discriminant(
            least=limits.min_samples_leaf,
            shrinkage=options.auto("shrinkage", p["shrinkage"]),
            threshold=options.one_of("threshold", p.get("threshold", "gain"), THRESHOLDS),
            univariate=options.boolean("univariate", p["univariate"]),
        )
        pruning = self._pruning(problem, validation)
        return learn_oblique(problem, schema, how, limits, pruning, n_jobs=self._threads())


# scikit-learn has no type hints
class LinearDiscriminantTreeClassifier(ClassifierMixin, LinearDiscriminantTree, ObliqueClassifier):
    """A classification tree whose gates are Fisher's linear discriminants, pruned by cross-validation.

    Parameters
    ----------
    criterion : {"entropy", "gini", "error"}
        Impurity that splits minimise.
    threshold : {"gaussian", "gain"}
        Where a direction is cut: where two normal densities cross, if that has at least half the best gain; or where
        the gain is largest.
    shrinkage : "auto" or float
        Amount added to the diagonal of the scatter, relative to its mean; "auto" is columns / rows of the node. With 0
        a singular scatter is projected on the principal components that keep 99 % of the variance.
    univariate : bool
        Whether a threshold on one input competes at every node; it wins if its gain is at least as large.
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

    Attributes
    ----------
    tree_ : softwood.Tree
    pruning_table_ : alpha, leaves, training error, cross-validated error and its standard error; can be printed.
    classes_, n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantTreeClassifier().fit(X, y)
    >>> model.get_n_leaves(), model.predict([[5.0, 3.4, 1.5, 0.2]])
    (3, array([0]))
    """

    def __init__(
        self,
        *,
        criterion: str = "entropy",
        threshold: str = "gaussian",
        shrinkage: Any = "auto",
        univariate: bool = False,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity_decrease: float = 0.0,
        categorical_features: Any = "from_dtype",
        costs: Any = None,
        priors: Any = None,
        class_weight: Any = None,
        smoothing: Any = None,
        prune: str | None = "cv",
        one_se: bool = True,
        cv: Any = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.threshold = threshold
        self.shrinkage = shrinkage
        self.univariate = univariate
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
class LinearDiscriminantTreeRegressor(RegressorMixin, LinearDiscriminantTree, ObliqueRegressor):
    """A regression tree whose gates cut along a ridge regression, for one or several targets.

    The parameters and the attributes are those of LinearDiscriminantTreeClassifier. Leaves predict the mean, and gates
    are cut where the squared error decreases most. By default (`univariate`) a threshold on one input competes at every
    node; a linear gate must be better by the AIC penalty of its weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = LinearDiscriminantTreeRegressor().fit(X, (X[:, 0] > X[:, 1]) * 2.0)
    >>> model.get_n_leaves()
    2
    """

    def __init__(
        self,
        *,
        shrinkage: Any = "auto",
        univariate: bool = True,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_impurity_decrease: float = 0.0,
        categorical_features: Any = "from_dtype",
        prune: str | None = "cv",
        one_se: bool = True,
        cv: Any = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.shrinkage = shrinkage
        self.univariate = univariate
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
