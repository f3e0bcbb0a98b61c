"""Centre and scale of targets: mean and spread, or robust estimates.

The robust centre is the quantile of the loss (the median for a Huber loss). The scale is that of the normal
distribution with the same median distance from the median; if more than half of the targets are equal, the mean
distance.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import exp
from softwood.kernels.kinds import Link, Loss, LossKind
from softwood.parts.quantiles import robust_spread, weighted_quantile

# Lowest probability, or mean target with a log link, of a constant to begin with: folds may have no target above 0.
MIN_MEAN = 1e-3


def scale_targets(loss: Loss, target: Floats, centre: Floats, scale: Floats) -> Floats:
    """Targets as (target - centre) / scale, or target / exp(centre) with a log link."""
    if loss.link == Link.LOG:
        return np.asarray(target / exp(centre))
    return np.asarray((target - centre) / scale)


def mean_scale(mean: Floats, spread: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Centre and scale of each target from its moments and range; a constant target is its own centre, with scale 1.

    The mean and the spread of equal numbers may have rounding errors; the range does not.
    """
    varies = low < high
    return np.where(varies, mean, low), np.where(varies & (spread > 0), spread, 1.0)


def robust_scale(loss: Loss, target: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Centre and scale of each target (rows, targets)."""
    middle, scale = robust_spread(target, weight)
    centre = middle if loss.kind == LossKind.HUBER else weighted_quantile(target, weight, loss.parameter)
    return centre, scale
