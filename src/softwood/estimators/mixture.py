"""MixtureOfExpertsClassifier and MixtureOfExpertsRegressor: the scikit-learn interface to learners/mixture."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from softwood.arrays import Floats
from softwood.estimators.base.base import Numbers, Probabilities, TreeEstimator
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.intake import options
from softwood.intake.table.rows import (
    read_labelled,
    read_numbered,
    read_table,
)
from softwood.intake.table.target import one_hot
from softwood.intake.table.weights import class_weights
from softwood.kernels.kinds import Loss
from softwood.learners.mixture.learn import Experts, LearnedMixture, learn_experts
from softwood.learners.soft.rows.dataset import Dataset
from softwood.tree import Tree

LEARNERS = ("em", "joint")
MOST_EXPERTS = 256


class MixtureOfExperts(TreeEstimator):
    """Base class of the classifier and the regressor; not for direct use."""

    log_likelihood_: Floats
    _importance: Floats

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the decrease in likelihood if the feature stays at its mean.

        The mean replaces it in all gates and experts; shares sum to 1 (all 0 if no feature is used).
        """
        check_is_fitted(self, "tree_")
        return self._importance

    def _how(self) -> Experts:
        p = vars(self)
        depth = options.integer("depth", p["depth"], 0, 6)
        branching = options.integer("branching", p["branching"], 2, 16)
        if branching**depth > MOST_EXPERTS:
            raise ValueError(
                f"depth={depth} and branching={branching} make {branching**depth} experts; the maximum is "
                f"{MOST_EXPERTS}."
            )
        return Experts(
            depth=depth,
            branching=branching,
            learner=options.one_of("learner", p["learner"], LEARNERS),
            penalty=options.auto("weight_penalty", p["weight_penalty"]),
            starts=options.integer("n_init", p["n_init"], 1),
            max_iter=options.integer("max_iter", p["max_iter"], 1),
            tol=options.real("tol", p["tol"], 0.0),
            seed=options.seed_of(p["random_state"]),
            n_threads=self._threads(),
        )

    def _remember(self, learned: LearnedMixture, weight: Floats) -> Self:
        self.tree_ = learned.tree.with_provenance(self._provenance(weight))
        self._importance, self.log_likelihood_ = learned.importance, learned.history
        self.n_iter_ = max(len(learned.history) - 1, 1)
        return self


# scikit-learn has no type hints
class MixtureOfExpertsClassifier(Probabilities, ClassifierMixin, MixtureOfExperts):
    """A hierarchical mixture of experts for classes: a soft tree of fixed shape with a logistic regression in every
    leaf.

    Parameters
    ----------
    depth, branching : int
        Levels of gates, and children per gate; there are branching ** depth experts.
    learner : {"em", "joint"}
        "em" is EM with Newton steps (Jordan and Jacobs 1994): every expert has its own class probabilities,
        which the gates mix. "joint" refines gates and linear responses together, as soft trees are: the gates mix
        log odds.
    weight_penalty : "auto" or float
        Strength of the penalty on weights (inputs are scaled first), added to the mean loss; "auto" is 2 / rows.
    n_init : int
        Number of starts of EM; the best one is continued.
    max_iter, tol : int, float
        Maximum number of EM iterations, and the gain in log likelihood per row below which EM stops.
    categorical_features : "from_dtype", None, list of names or indices, or mask
        Which columns are categories.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    n_jobs : int or None
        Threads, as in scikit-learn. The tree does not depend on it.
    random_state : int, RandomState or None
        Seed of the starts; None is 0, so the same data give the same tree.

    Attributes
    ----------
    tree_ : softwood.Tree
    log_likelihood_ : penalised log likelihood after each iteration of EM; it never decreases.
    n_iter_ : number of EM iterations.
    classes_, n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MixtureOfExpertsClassifier(depth=1).fit(X, y)
    >>> model.predict([[5.0, 3.4, 1.5, 0.2]])
    array([0])
    """

    def __init__(
        self,
        *,
        depth: int = 2,
        branching: int = 2,
        learner: str = "em",
        weight_penalty: Any = "auto",
        n_init: int = 4,
        max_iter: int = 100,
        tol: float = 1e-5,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.depth = depth
        self.branching = branching
        self.learner = learner
        self.weight_penalty = weight_penalty
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    @transactional_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the mixture.

        Parameters
        ----------
        X : array or data frame (rows, features); missing values are allowed.
        y : class labels of any type.
        sample_weight : a row of weight two counts as two rows, a row of weight zero is ignored.
        """
        how = self._how()
        given = read_labelled(read_table(self, X), y, sample_weight)
        table, self.classes_, codes, weight = given.table, given.classes, given.codes, given.weight
        if self.class_weight is not None:
            weight = weight * class_weights(self.class_weight, self.classes_, codes, weight)[codes]
        k = len(self.classes_)
        if k == 1:
            one = Tree(response=np.ones((1, 1)), schema=given.schema)
            return self._remember(LearnedMixture(one, np.zeros(table.values.shape[1]), np.zeros(1)), given.weight)
        loss, levels = Loss.LOGISTIC if k == 2 else Loss.SOFTMAX, table.columns.level_counts.tolist()
        dataset = Dataset(table.values, one_hot(codes, k), weight, levels, loss)
        return self._remember(learn_experts(dataset, given.schema, how), given.weight)


class MixtureOfExpertsRegressor(Numbers, RegressorMixin, MixtureOfExperts):
    """A hierarchical mixture of experts for numbers: a soft tree of fixed shape with a linear regression in every leaf.

    The parameters and the attributes are those of MixtureOfExpertsClassifier. EM gives every expert its own variance;
    the prediction is the mean of the mixture.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 200)[:, None]
    >>> model = MixtureOfExpertsRegressor(depth=1, weight_penalty=1e-3).fit(x, np.abs(x[:, 0]))
    >>> bool(np.mean((model.predict(x) - np.abs(x[:, 0])) ** 2) < 0.001)
    True
    """

    def __init__(
        self,
        *,
        depth: int = 2,
        branching: int = 2,
        learner: str = "em",
        weight_penalty: Any = "auto",
        n_init: int = 4,
        max_iter: int = 100,
        tol: float = 1e-5,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.depth = depth
        self.branching = branching
        self.learner = learner
        self.weight_penalty = weight_penalty
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @transactional_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the mixture; parameters as in MixtureOfExpertsClassifier.fit, y of shape (rows,) or (rows, targets)."""
        how = self._how()
        given = read_numbered(read_table(self, X), y, sample_weight)
        table, self._one_target = given.table, given.one_target
        levels = table.columns.level_counts.tolist()
        dataset = Dataset(table.values, given.values, given.weight, levels, Loss.SQUARED)
        return self._remember(learn_experts(dataset, given.schema, how), given.weight)
