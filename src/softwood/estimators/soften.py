"""soften: ramps for a tree that is grown already. The result predicts, prints and draws like every other tree."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from softwood.estimators import options
from softwood.estimators.base import TreeEstimator
from softwood.estimators.progress import annealing_bar
from softwood.estimators.target import encode_classes, read_numbers
from softwood.estimators.weights import read_weights
from softwood.learners.softening.anneal import PATIENCE, anneal_tree
from softwood.learners.softening.arrived import with_arrivals
from softwood.learners.softening.descent import soften_by_gradient
from softwood.learners.softening.gates import SoftRows
from softwood.learners.softening.ramps import ALPHA
from softwood.learners.softening.statistics import soften_by_statistics
from softwood.tree import Tree

METHODS = ("statistics", "anneal", "gradient")
Model = TypeVar("Model", bound=TreeEstimator | Tree)


def soften(
    model: Model,
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
    progress: bool = False,
) -> Model:
    """A copy of a model whose hard thresholds are ramps; structure, thresholds and responses stay (unless asked for).

    Parameters
    ----------
    model : a fitted estimator with a hard, univariate tree (CARTClassifier, CARTRegressor, C45Classifier), or a `Tree`.
    X, y : the rows it was trained on. For a `Tree` X is numbers and category codes.
    method : {"statistics", "anneal", "gradient"}
        Bounds of one standard error at every gate by itself (Quinlan; at once); simulated annealing of neighbouring
        gates together (Dvořák & Savický; seconds); all widths together by descent (deterministic).
    sample_weight : of the rows.
    alpha : steepness of the exponential error that "anneal" and "gradient" make small.
    patience : "anneal" stops after so many calls in a row without success.
    thresholds, responses : "gradient" moves the thresholds, and what the leaves answer, too.
    random_state : seed of "anneal"; None is 0: same data, same tree.
    n_jobs : threads of "gradient". The result does not depend on it.
    progress : show the progress of "anneal".

    Returns
    -------
    A copy of the model; the given one stays as it is.

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
    options.one_of("method", method, METHODS)
    alpha, patience = options.real("alpha", alpha, 0.0), options.integer("patience", patience, 1)
    for name, moves in (("thresholds", thresholds), ("responses", responses)):
        if options.boolean(name, moves) and method != "gradient":
            raise ValueError(f"{name}=True needs method='gradient', got method={method!r}.")
    tree, rows = _read(model, X, y, sample_weight)
    if method == "statistics":
        soft = soften_by_statistics(tree, rows)
    elif method == "gradient":
        soft = soften_by_gradient(
            tree,
            rows,
            alpha=alpha,
            thresholds=thresholds,
            responses=responses,
            n_threads=int(effective_n_jobs(n_jobs)),
        )
    else:
        seed = int(check_random_state(random_state or 0).randint(2**31 - 1))
        with annealing_bar(progress) as report:
            soft = anneal_tree(tree, rows, seed, alpha=alpha, patience=patience, report=report).tree
    soft = with_arrivals(soft, rows)
    if isinstance(model, Tree):
        return soft  # type: ignore[return-value]  # a Tree is asked for here
    softened = copy.copy(model)
    softened.tree_ = soft
    return softened


def _read(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Tree, SoftRows]:
    """The tree of a model, and its rows as numbers."""
    if isinstance(model, Tree):
        tree, rows = model, _read_numbers(X)
        if rows.ndim != 2 or rows.shape[1] != tree.n_features:
            raise ValueError(f"X must have shape (rows, {tree.n_features}), as the tree's inputs, got {rows.shape}.")
    elif isinstance(model, TreeEstimator):
        check_is_fitted(model, "tree_")
        tree, rows = model.tree_, model._read(X)
    else:
        raise TypeError(f"soften needs a fitted softwood estimator or a Tree, got {type(model).__name__}.")
    if tree.schema.task == "classification":
        target: Any = encode_classes(y, np.array(tree.schema.answers))
    else:
        target = read_numbers(y)[0]
        if target.shape[1] != tree.n_outputs:
            raise ValueError(f"y must have {tree.n_outputs} targets, as the tree answers, got {target.shape[1]}.")
    check_consistent_length(rows, target)
    return tree, SoftRows(rows, target, read_weights(sample_weight, len(rows)))


def _read_numbers(X: Any) -> npt.NDArray[np.float64]:
    """Rows for a bare Tree, which knows no labels."""
    try:
        return np.asarray(X, np.float64)
    except (TypeError, ValueError) as error:
        told = "with a Tree, X must be numbers and category codes; give the fitted estimator to read labels."
        raise ValueError(f"{told} ({error})") from None
