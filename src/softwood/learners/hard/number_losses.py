"""The loss of a prediction by the criterion of its tree, and the part of it that no tree can save.

squared_error   u^2                      u = y - answer
absolute_error  |u|
poisson         y log(y / a) - y + a     half the deviance; a is the prediction, at least MIN_COUNT_SHARE
quantile        p u above the prediction, -(1 - p) u below
huber           u^2 / 2 where |u| <= d, else d |u| - d^2 / 2
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.formulas.centers import find_centers
from softwood.kernels.formulas.counts import half_deviance
from softwood.kernels.kinds import Criterion
from softwood.parts.quantiles import far_distance, weighted_quantile

# Losses that are linear in the distance of a target, so that targets may be outliers.
LINEAR_CRITERIA = (Criterion.ABSOLUTE_ERROR, Criterion.QUANTILE, Criterion.HUBER)
HUBER_WILD_SPREADS = 5.0  # from the median, beyond the width of the loss
MIN_COUNT_SHARE = 2.0**-40  # of the largest count; at a prediction of 0 the loss of a positive count would be infinite


def number_loss(criterion: Criterion, parameter: Floats, answer: Floats, y: Floats) -> Floats:
    """The loss of each prediction (rows, targets)."""
    away = y - answer
    if criterion == Criterion.POISSON:
        mean = np.maximum(answer, MIN_COUNT_SHARE)
        return np.asarray(mean * half_deviance(y / mean - 1.0))
    if criterion == Criterion.QUANTILE:
        return np.where(away < 0, (parameter - 1.0) * away, parameter * away)
    if criterion == Criterion.HUBER:
        held = np.minimum(np.abs(away), parameter)
        return np.asarray(held * (np.abs(away) - 0.5 * held))
    return np.abs(away) if criterion == Criterion.ABSOLUTE_ERROR else away * away


def wild_distance(criterion: Criterion, parameter: Floats, y: Floats, weight: Floats, spreads: float) -> Floats:
    """Distance of each target from the median beyond this number of spreads (and huber's width); 0 within."""
    beyond = far_distance(y, weight, spreads)
    return np.maximum(beyond - parameter, 0.0) if criterion == Criterion.HUBER else beyond


def wild_loss(criterion: Criterion, parameter: Floats, y: Floats, weight: Floats) -> Floats:
    """The part of each target's loss that no tree can save, because it is an outlier; 0 for other losses."""
    if criterion not in LINEAR_CRITERIA or not weight.any():
        return np.zeros_like(y)
    middle = weighted_quantile(y, weight, 0.5)
    if (
        criterion == Criterion.HUBER
    ):  # all of its loss with the median: trees are compared by squares, which are smaller
        is_wild = wild_distance(criterion, parameter, y, weight, HUBER_WILD_SPREADS) > 0
        return np.where(is_wild, number_loss(criterion, parameter, np.broadcast_to(middle, y.shape), y), 0.0)
    beyond = wild_distance(criterion, parameter, y, weight, 10.0)
    return (
        beyond if criterion == Criterion.ABSOLUTE_ERROR else beyond * np.where(y > middle, parameter, 1.0 - parameter)
    )


def find_center(criterion: Criterion, parameter: Floats, y: Floats, weight: Floats) -> Floats:
    """The centre of each target (rows, targets) by a criterion of LINEAR_CRITERIA."""
    if criterion == Criterion.ABSOLUTE_ERROR:
        return weighted_quantile(y, weight, 0.5)
    order = np.argsort(y, axis=0, kind="stable")
    found = [
        find_centers(criterion, float(parameter[t]))(y[order[:, t], t], weight[None, order[:, t]])[2][0]
        for t in range(y.shape[1])
    ]
    return np.array(found)
