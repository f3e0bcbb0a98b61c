"""soften, SoftenedClassifier, SoftenedRegressor: ramps for the thresholds of a tree grown by another estimator.

`soften(model, X, y)` takes a fitted model and returns an estimator. A clone of it grows and softens, so it can be
cross-validated.
"""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from softwood.estimators.base.base import Probabilities, TreeEstimator
from softwood.estimators.base.intervals import IntervalPrediction, copy_uncalibrated
from softwood.estimators.base.transactional_fit import transactional_fit
from softwood.estimators.hard.cart_classifier import CARTClassifier
from softwood.estimators.hard.cart_regressor import CARTRegressor
from softwood.estimators.softened.soften_tree import soften_tree
from softwood.learners.softening.anneal import PATIENCE
from softwood.learners.softening.ramps import ALPHA
from softwood.tree import Tree
from softwood.tree.cut import cut_like, cut_tree


class Softened(TreeEstimator):
    """Base class of the classifier and the regressor; not for direct use."""

    estimator_: Any
    _grows: type[TreeEstimator] = CARTClassifier

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str = "statistics",
        alpha: float = ALPHA,
        patience: int = PATIENCE,
        thresholds: bool = False,
        responses: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        keep_on_interrupt: bool = False,
        progress: bool = False,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.alpha = alpha
        self.patience = patience
        self.thresholds = thresholds
        self.responses = responses
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.keep_on_interrupt = keep_on_interrupt
        self.progress = progress

    @property
    def hard_tree_(self) -> Tree:
        """The tree before its thresholds were softened."""
        check_is_fitted(self, "tree_")
        tree: Tree = self.estimator_.tree_
        return tree

    @property
    def pruning_table_(self) -> Any:
        """The cost of each hard tree of the estimator's pruning sequence."""
        check_is_fitted(self, "tree_")
        return self.estimator_.pruning_table_

    @transactional_fit
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Grow the tree, then soften it.

        Parameters
        ----------
        X, y, sample_weight : rows as the estimator takes them; the same rows grow and soften the tree.
        fit_params : for the estimator's `fit`, for example X_val and y_val.
        """
        grown = self._grows() if self.estimator is None else clone(self.estimator)
        if not isinstance(grown, TreeEstimator):
            raise TypeError(f"estimator must be a softwood estimator, got {type(grown).__name__}.")
        grown.fit(X, y, sample_weight=sample_weight, **fit_params)
        options_given = {name: value for name, value in self.get_params(deep=False).items() if name != "estimator"}
        return self._remember(grown, soften_tree(grown, X, y, sample_weight=sample_weight, **options_given))

    def _remember(self, grown: Any, tree: Tree) -> Self:
        self.estimator_, self.tree_ = grown, tree
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            if hasattr(grown, name):
                setattr(self, name, getattr(grown, name))
        return self

    def _soft(self) -> Any:
        """A copy of the estimator that contains the soft tree."""
        check_is_fitted(self, "tree_")
        soft = copy.copy(self.estimator_)
        soft.tree_ = self.tree_
        return soft

    def predict(self, X: Any) -> Any:
        """As in the estimator, with soft thresholds."""
        return self._soft().predict(X)

    def prune_to(self, *, alpha: float | None = None, n_leaves: int | None = None) -> Self:
        """A copy with a smaller tree of the pruning sequence and the same widths of its gates; this estimator is
        unchanged.

        Parameters
        ----------
        alpha, n_leaves : as in the estimator's `prune_to`.

        Notes
        -----
        The widths of gates that were pruned before softening are unknown, so a larger tree is an error. Prune the hard
        estimator, then soften it.
        """
        check_is_fitted(self, "tree_")
        smaller = self.estimator_.prune_to(alpha=alpha, n_leaves=n_leaves)
        try:
            tree = cut_like(self.tree_, smaller.tree_).changed("prune_to")
        except ValueError:
            raise ValueError(
                f"this tree of the sequence ({smaller.tree_.n_leaves} leaves) has branches that the softened tree "
                f"({self.tree_.n_leaves} leaves) lacks. Soften a larger tree: soften(hard.prune_to(...), X, y)."
            ) from None
        return copy_uncalibrated(self)._remember(smaller, tree)

    def snip(self, node: int) -> Self:
        """A copy in which the given branch is collapsed to a leaf; this estimator is unchanged."""
        snipped = self._soft().snip(node)
        hard = copy.copy(self.estimator_)
        hard.tree_ = cut_tree(self.hard_tree_, np.arange(self.tree_.n_nodes) == node)
        return copy_uncalibrated(self)._remember(hard, snipped.tree_)


class SoftenedClassifier(Probabilities, ClassifierMixin, Softened):
    """A classifier whose hard thresholds become ramps after growth.

    Parameters
    ----------
    estimator : CARTClassifier, C45Classifier or None
        Estimator that grows the tree; None is `CARTClassifier()`.
    method, alpha, patience, thresholds, responses, random_state, n_jobs, keep_on_interrupt, progress : as in `soften`.

    Attributes
    ----------
    tree_ : softwood.Tree, with ramps.
    estimator_ : the fitted hard estimator.
    hard_tree_, pruning_table_ : tree and pruning table of `estimator_`.
    classes_, n_features_in_, feature_names_in_, feature_importances_ : as in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SoftenedClassifier(CARTClassifier(max_depth=2)).fit(X, y).tree_.is_hard
    False
    """

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """As in the estimator, with soft thresholds: the class with the highest probability or lowest expected cost."""
        return np.asarray(Softened.predict(self, X))


class SoftenedRegressor(IntervalPrediction, RegressorMixin, Softened):
    """A regressor whose hard thresholds become ramps after growth; parameters as in SoftenedClassifier.

    Examples
    --------
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> SoftenedRegressor(method="gradient").fit(x, np.sin(x[:, 0])).tree_.is_hard
    False
    """

    _grows = CARTRegressor

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def soften(
    model: TreeEstimator | Tree,
    X: Any,
    y: Any,
    *,
    method: str = "statistics",
    sample_weight: Any = None,
    alpha: float = ALPHA,
    patience: int = PATIENCE,
    thresholds: bool = False,
    responses: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
    keep_on_interrupt: bool = False,
    progress: bool = False,
) -> Any:
    """Turn the hard thresholds of a model into ramps; structure, thresholds and responses are kept (unless requested).

    Parameters
    ----------
    model : a fitted estimator with a hard, univariate tree (CARTClassifier, CARTRegressor, C45Classifier), or a `Tree`.
    X, y : the training rows of the model. For a `Tree`, X holds numbers and category codes.
    method : {"statistics", "anneal", "gradient"}
        "statistics": bounds of one standard error for each gate separately (Quinlan; immediate). "anneal": simulated
        annealing of neighbouring gates (Dvořák & Savický; seconds). "gradient": all widths jointly by descent
        (deterministic).
    sample_weight : weights of the rows.
    alpha : steepness of the exponential error that "anneal" and "gradient" minimise.
    patience : "anneal" stops after this number of consecutive calls without success.
    thresholds, responses : whether "gradient" also fits the thresholds and the responses of the leaves. The model's
        monotone constraints still hold; a `Tree` has none.
    random_state : seed of "anneal"; None is 0, so the same data give the same tree.
    n_jobs : threads of "gradient". The result does not depend on it.
    keep_on_interrupt : whether an interrupt (Ctrl-C) ends "anneal" with the widths so far and a `ConvergenceWarning`;
        otherwise KeyboardInterrupt is raised.
    progress : show the progress of "anneal".

    Returns
    -------
    A fitted `SoftenedClassifier` or `SoftenedRegressor` around the model; a `Tree` for a Tree. The model itself is
    unchanged.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from softwood import CARTClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> hard = CARTClassifier().fit(X, y)
    >>> soft = soften(hard, X, y)
    >>> hard.tree_.is_hard, soft.tree_.is_hard
    (True, False)
    """
    how: dict[str, Any] = {
        "method": method,
        "alpha": alpha,
        "patience": patience,
        "thresholds": thresholds,
        "responses": responses,
    }
    how |= {"random_state": random_state, "n_jobs": n_jobs}
    how |= {"keep_on_interrupt": keep_on_interrupt, "progress": progress}
    tree = soften_tree(model, X, y, sample_weight=sample_weight, **how)
    if isinstance(model, Tree):
        return tree
    kind = SoftenedClassifier if tree.schema.task == "classification" else SoftenedRegressor
    return kind(clone(model), **how)._remember(model, tree)
