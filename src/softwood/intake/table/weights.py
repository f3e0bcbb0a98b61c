"""Weights: of rows, and of classes.

A row of weight 2 counts as two rows. A row of weight 0 is ignored, as is one below 1e-30 of the largest weight, which
would not change any sum. Weights count as rows in every learner, also in limits such as `min_samples_leaf`. Weights
whose sum is below the number of distinct rows (such as AdaBoost's, which sum to 1) are scaled to that number
(parts/folds.py, `raise_light`); docs/weights.md is the user's page. Weights of classes multiply those of rows where
impurity is computed; "balanced" gives every class the same total,

    factor[c] = W / (K * W_c),    W_c = weight of the rows of class c, W = their sum, K = classes with any weight
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array, check_consistent_length

from softwood.arrays import Floats
from softwood.intake.cells.cells import refuse_nonnumbers
from softwood.intake.cells.frames import read_vector
from softwood.intake.options import prior_shares

LIGHT, HEAVY = 1e-100, 1e15  # the largest weight is between them: soft learners square weights in single precision
NOTHING = 1e-30  # of the largest weight


def read_weights(sample_weight: Any, n_rows: int) -> Floats:
    """One weight per row: 1 for None, a scalar for all rows; finite, >= 0 and not all zero.

    The largest is between 1e-100 and 1e15; weights below 1e-30 of it become 0.

    Examples
    --------
    >>> read_weights(None, 3)
    array([1., 1., 1.])
    >>> read_weights([2, 0], 2)
    array([2., 0.])
    """
    weight = read_any_weights(sample_weight, n_rows)
    if sample_weight is None:
        return weight
    if not weight.any():
        raise ValueError("sample_weight must not be all zero.")
    largest = float(weight.max())
    check_largest(largest)
    return np.where(weight < NOTHING * largest, 0.0, weight) if weight.min() < NOTHING * largest else weight


def read_any_weights(sample_weight: Any, n_rows: int) -> Floats:
    """One weight per row of a part of a table: finite and >= 0; all weights of a part may be zero."""
    if sample_weight is None:
        return np.ones(n_rows)
    values = read_vector(sample_weight, "sample_weight")
    refuse_nonnumbers("sample_weight", values)
    if np.ndim(values) == 0:
        values = np.full(n_rows, float(values))
    weight: Floats = check_array(values, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weight.ndim != 1:
        raise ValueError(f"sample_weight must have one dimension, one weight per row, got shape {weight.shape}.")
    check_consistent_length(range(n_rows), weight)
    if (weight < 0).any():
        row = int((weight < 0).argmax())
        raise ValueError(f"sample_weight must be >= 0, got {weight[row]} at row {row}.")
    return weight


def check_largest(largest: float) -> None:
    """An error if the largest weight is outside the allowed range."""
    if not LIGHT <= largest <= HEAVY:
        raise ValueError(
            f"sample_weight must have its largest weight between {LIGHT:g} and {HEAVY:g}, got {largest:g}: "
            "weights count as rows. Divide all weights by the largest."
        )


def class_weights(
    class_weight: Any, classes: npt.NDArray[Any], codes: npt.NDArray[np.int32], sample_weight: Floats
) -> Floats:
    """The factor of every class: all 1 for None, "balanced", or a dict by label (labels left out: 1).

    Examples
    --------
    >>> class_weights("balanced", np.array(["no", "yes"]), np.array([0, 0, 0, 1]), np.ones(4)).round(3)
    array([0.667, 2.   ])
    >>> class_weights({"yes": 5}, np.array(["no", "yes"]), np.array([0, 1]), np.ones(2))
    array([1., 5.])
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        total = sum_by_class(codes, sample_weight, len(classes))
        there = total > 0
        factor = np.ones(len(classes))
        factor[there] = total.sum() / (there.sum() * total[there])
        return factor
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict by class label, got {class_weight!r:.80}.")
    return _by_label(class_weight, classes.tolist())


def sum_by_class(codes: npt.NDArray[np.int32], weight: Floats, n_classes: int) -> Floats:
    """The weight of each class, added from the smallest weight up, so the order of the rows does not matter."""
    order = np.argsort(weight)
    return np.bincount(codes[order], weight[order], n_classes).astype(np.float64)


def class_factor(
    class_weight: Any, priors: Any, classes: npt.NDArray[Any], codes: npt.NDArray[np.int32], weight: Floats
) -> Floats | None:
    """The factor of each class: from class_weight, or so that the classes have the prior shares; None: equal."""
    share = prior_shares(priors, classes)
    if share is None:
        return None if class_weight is None else class_weights(class_weight, classes, codes, weight)
    if class_weight is not None:
        raise ValueError("priors and class_weight both weight the classes: set one of them.")
    total = sum_by_class(codes, weight, len(classes))
    return np.asarray(share * total.sum() / np.where(total > 0, total, 1.0))


def drop_classes(weight: Floats, factor: Floats, codes: npt.NDArray[np.int32]) -> tuple[Floats, Floats]:
    """Drop the rows of classes of weight 0."""
    weight = np.where(factor[codes] > 0, weight, 0.0)
    if not weight.any():
        raise ValueError("class_weight gives every row the weight 0: set a weight > 0 for a class that has rows.")
    return weight, np.where(factor > 0, factor, 1.0)


def _by_label(class_weight: Mapping[Any, Any], classes: list[Any]) -> Floats:
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise ValueError(
            f"class_weight has labels that are not classes of y: {unknown}; the classes are {classes!r:.200}."
        )
    for label, factor in class_weight.items():
        if not (isinstance(factor, numbers.Real) and 0 <= float(factor) < np.inf):
            raise ValueError(f"class_weight must be finite numbers >= 0, got {factor!r} for class {label!r}.")
    return np.array([float(class_weight.get(label, 1.0)) for label in classes])
