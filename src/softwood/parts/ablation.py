"""Importance of inputs by ablation: how much the loss rises when an input stays at its mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from softwood.kernels.arithmetic import matmul

Floats = npt.NDArray[np.float64]


def as_parts(rise: Floats) -> Floats:
    """What each input is worth as its part of the sum; a loss that falls counts as 0, and so do all where none rises.

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
    """Parts of the rises of `loss` when the columns of an input stay at their mean, for each of the inputs.

    phi : (rows, columns).  weight : of each row.  feature : of each column, the input it is made of; -1: of none.
    """
    mean, base, rise = matmul(weight, phi) / weight.sum(), loss(phi), np.zeros(n_features)
    for f in np.unique(feature[feature >= 0]):
        rise[f] = loss(np.where(feature == f, mean, phi)) - base
    return as_parts(rise)
