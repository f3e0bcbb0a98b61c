"""Importance of inputs by ablation: the increase of the loss when an input is fixed at its mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.arithmetic import matmul


def as_parts(rise: Floats) -> Floats:
    """Each input's share of the sum; decreases count as 0, and all shares are 0 if no loss increases.

    Examples
    --------
    >>> as_parts(np.array([3.0, -1.0, 1.0]))
    array([0.75, 0.  , 0.25])
    """
    rise = np.maximum(rise, 0.0)
    return np.asarray(rise / rise.sum() if rise.sum() > 0 else rise)


def ablation(
    loss: Callable[[Floats], float],
    phi: Floats,
    weight: Floats,
    feature: npt.NDArray[np.integer],
    n_features: int,
) -> Floats:
    """Shares of the increase in `loss` when the columns of an input stay at their mean, for each input.

    phi : (rows, columns).  weight : of each row.  feature : of each column, the input it is made of; -1: of none.
    """
    mean, base, rise = matmul(weight, phi) / weight.sum(), loss(phi), np.zeros(n_features)
    for f in np.unique(feature[feature >= 0]):
        rise[f] = loss(np.where(feature == f, mean, phi)) - base
    return as_parts(rise)


def ablation_of_sums(
    loss: Callable[[Floats], float],
    phi: Floats,
    weights: Floats,
    weight: Floats,
    feature: npt.NDArray[np.integer],
    n_features: int,
) -> Floats:
    """The same where `loss` is a function of linear sums of the columns, (rows, sums). An input changes them by its own
    terms alone, so all inputs together take one pass over the columns.

    weights : weights of the columns in the sums, (columns, sums).  weight : weight of each row.
    """
    mean, sums, rise = matmul(weight, phi) / weight.sum(), matmul(phi, weights), np.zeros(n_features)
    base = loss(sums)
    order = np.argsort(feature, kind="stable")
    ends = np.searchsorted(feature[order], np.arange(n_features + 1))
    for f in np.unique(feature[feature >= 0]):
        mine = order[ends[f] : ends[f + 1]]
        rise[f] = loss(sums - matmul(phi[:, mine] - mean[mine], weights[mine])) - base
    return as_parts(rise)
