"""Centre and scale of targets that a few wild ones do not move: a quantile, and the median distance from it.

The centre is the quantile that the loss asks for (the median of a Huber loss). The scale is that of the normal
distribution with the same median distance from the median; where more than half of the targets are equal, the mean
distance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.kernels.kinds import Loss, LossKind

Floats = npt.NDArray[np.float64]

OF_NORMAL = 1.482602218505602  # standard deviations a median distance


def robust_scale(loss: Loss, target: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Centre and scale of each target (rows, targets)."""
    middle = weighted_quantile(target, weight, 0.5)
    away = np.abs(target - middle)
    scale = OF_NORMAL * weighted_quantile(away, weight, 0.5)
    scale = np.where(scale > 1e-9 * away.max(axis=0), scale, np.average(away, axis=0, weights=weight))
    centre = middle if loss.kind == LossKind.HUBER else weighted_quantile(target, weight, loss.parameter)
    return centre, np.where(scale > 0, scale, 1.0)


def weighted_quantile(value: Floats, weight: Floats, level: float) -> Floats:
    """Of each column: the least value that `level` of the weight is not above; of two equally good, their middle.

    Examples
    --------
    >>> weighted_quantile(np.array([[4.0], [1.0], [2.0], [3.0]]), np.ones(4), 0.5)
    array([2.5])
    >>> weighted_quantile(np.array([[4.0], [1.0], [2.0], [3.0]]), np.array([1.0, 1.0, 1.0, 0.5]), 0.9)
    array([4.])
    """
    order = np.argsort(value, axis=0, kind="stable")
    ordered = np.take_along_axis(value, order, axis=0)
    total = np.cumsum(weight[order], axis=0)
    wanted = level * total[-1]
    low = np.argmax(total >= wanted * (1 - 1e-12), axis=0)
    high = np.minimum(np.argmax(total > wanted * (1 + 1e-12), axis=0), len(value) - 1)
    high = np.maximum(low, high)
    column = np.arange(value.shape[1])
    return np.asarray(0.5 * (ordered[low, column] + ordered[high, column]))
