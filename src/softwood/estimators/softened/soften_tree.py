"""Ramps for the thresholds of a grown tree by one of three methods, for `soften` and the estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from softwood.arrays import Signs
from softwood.estimators.base.base import TreeEstimator
from softwood.estimators.base.progress import annealing_bar
from softwood.estimators.base.transactional_fit import warn_if_interrupted
from softwood.intake import options
from softwood.intake.table.target import encode_classes, read_numbers
from softwood.intake.table.weights import read_weights
from softwood.kernels.contracts.growth import UNCONSTRAINED
from softwood.learners.softening.anneal import anneal_tree
from softwood.learners.softening.arrived import with_arrivals
from softwood.learners.softening.descent import soften_by_gradient
from softwood.learners.softening.gates import SofteningRows
from softwood.learners.softening.statistics import soften_by_statistics
from softwood.parts.folds import raise_light
from softwood.tree import Tree

METHODS = ("statistics", "anneal", "gradient")


def soften_tree(
    model: Any,
    X: Any,
    y: Any,
    *,
    method: str,
    sample_weight: Any,
    alpha: float,
    patience: int,
    thresholds: bool,
    responses: bool,
    random_state: Any,
    n_jobs: int | None,
    keep_on_interrupt: bool,
    progress: bool,
) -> Tree:
    """The tree of a model with ramps; parameters as in `soften`."""
    options.one_of("method", method, METHODS)
    alpha, patience = options.real("alpha", alpha, 0.0), options.integer("patience", patience, 1)
    for name, moves in (("thresholds", thresholds), ("responses", responses)):
        if options.boolean(name, moves) and method != "gradient":
            raise ValueError(f"{name}=True needs method='gradient', got method={method!r}.")
    keep = options.boolean("keep_on_interrupt", keep_on_interrupt)
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
            monotone=_signs(model),
            n_threads=options.threads(n_jobs),
        )
    else:
        seed = options.seed_of(random_state)
        with annealing_bar(progress) as report:
            annealed = anneal_tree(tree, rows, seed, alpha=alpha, patience=patience, keep=keep, report=report)
        warn_if_interrupted(annealed.interrupted)
        soft = annealed.tree
    return with_arrivals(soft, rows).changed(f"soften by {method}")


def _read(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Tree, SofteningRows]:
    """The tree of a model, and its rows as numbers."""
    if isinstance(model, Tree):
        tree, rows = model, _read_numbers(X)
        if rows.ndim != 2 or rows.shape[1] != tree.n_features:
            raise ValueError(f"X must have shape (rows, {tree.n_features}), one column per input, got {rows.shape}.")
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
            raise ValueError(f"y must have {tree.n_outputs} targets, as the tree has, got {target.shape[1]}.")
    check_consistent_length(rows, target)
    weight, _ = raise_light(rows, target, read_weights(sample_weight, len(rows)))
    return tree, SofteningRows(rows, target, weight).in_order()


def _signs(model: Any) -> Signs:
    """The monotone constraints of a fitted model; none for a bare Tree."""
    given = getattr(model, "monotonic_cst", None)
    return UNCONSTRAINED if given is None else options.monotone_signs(given, model.tree_.schema)


def _read_numbers(X: Any) -> npt.NDArray[np.float64]:
    """Rows for a bare Tree, as numbers and codes."""
    try:
        return np.asarray(X, np.float64)
    except (TypeError, ValueError) as error:
        told = "with a Tree, X must be numbers and category codes; give the fitted estimator to read labels."
        raise ValueError(f"{told} ({error})") from None
