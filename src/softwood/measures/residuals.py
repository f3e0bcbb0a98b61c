"""Measures of predicted numbers.

RMSE           square root of the mean squared error; the interval is that of the mean of squares, then the root
MAE            mean absolute error
R²             1 - squared error / variance of the actual values; the interval takes that variance as given
mean residual  mean of actual - predicted: above 0 the model underestimates
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.measures.intervals import UNDEFINED, Estimate, mean_estimate


def rmse(actual: Floats, predicted: Floats) -> Estimate:
    """In the unit of the target.

    Examples
    --------
    >>> rmse(np.array([1.0, 2.0]), np.array([4.0, 5.0])).value
    3.0
    """
    return Estimate(*(float(np.sqrt(max(end, 0.0))) for end in mean_estimate(np.square(actual - predicted))))


def mae(actual: Floats, predicted: Floats) -> Estimate:
    """In the unit of the target."""
    return mean_estimate(np.abs(actual - predicted))


def r2(actual: Floats, predicted: Floats) -> Estimate:
    """Undefined if all actual values are equal."""
    if not len(actual) or not np.ptp(actual) > 0:
        return UNDEFINED
    value, low, high = (float(1.0 - end / np.var(actual)) for end in mean_estimate(np.square(actual - predicted)))
    return Estimate(value, high, low)


def mean_residual(actual: Floats, predicted: Floats) -> Estimate:
    """In the unit of the target."""
    return mean_estimate(actual - predicted)
