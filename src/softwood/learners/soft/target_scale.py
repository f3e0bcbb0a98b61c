"""Centre and scale of targets that a few wild ones do not move: a quantile, and the median distance from it.

The centre is the quantile that the loss asks for (the median of a Huber loss). The scale is that of the normal
distribution with the same median distance from the median; where more than half of the targets are equal, the mean
distance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.kernels.kinds import Loss, LossKind
from softwood.parts.quantiles import OF_NORMAL, weighted_quantile

Floats = npt.NDArray[np.float64]


def robust_scale(loss: Loss, target: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Centre and scale of each target (rows, targets)."""
    middle = weighted_quantile(target, weight, 0.5)
    away = np.abs(target - middle)
    scale = OF_NORMAL * weighted_quantile(away, weight, 0.5)
    scale = np.where(scale > 1e-9 * away.max(axis=0), scale, np.average(away, axis=0, weights=weight))
    centre = middle if loss.kind == LossKind.HUBER else weighted_quantile(target, weight, loss.parameter)
    return centre, np.where(scale > 0, scale, 1.0)
