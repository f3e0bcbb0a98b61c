"""Centre and scale of targets that a few wild ones do not move: a quantile, and the median distance from it.

The centre is the quantile that the loss asks for (the median of a Huber loss). The scale is that of the normal
distribution with the same median distance from the median; where more than half of the targets are equal, the mean
distance.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import exp
from softwood.kernels.kinds import Link, Loss, LossKind
from softwood.parts.quantiles import robust_spread, weighted_quantile


def scale_targets(loss: Loss, target: Floats, centre: Floats, scale: Floats) -> Floats:
    """Targets as (target - centre) / scale, or target / exp(centre) behind a log link."""
    if loss.link == Link.LOG:
        return np.asarray(target / exp(centre))
    return np.asarray((target - centre) / scale)


def robust_scale(loss: Loss, target: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Centre and scale of each target (rows, targets)."""
    middle, scale = robust_spread(target, weight)
    centre = middle if loss.kind == LossKind.HUBER else weighted_quantile(target, weight, loss.parameter)
    return centre, scale
