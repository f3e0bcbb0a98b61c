"""Quantiles of weighted numbers, and outliers: many times the median absolute deviation from the median."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats

SD_PER_MEDIAN_DISTANCE = 1.482602218505602  # of a normal distribution, distance from the median


def weighted_quantile(value: Floats, weight: Floats, level: float) -> Floats:
    """For each column, the smallest value with at least `level` of the weight at or below it; in a tie, the midpoint.

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


def robust_spread(value: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Median of each column, and the standard deviation of a normal distribution with its median absolute deviation.

    The mean absolute deviation if more than half of the values are equal; 1 if all are.

    Examples
    --------
    >>> robust_spread(np.array([[1.0], [2.0], [3.0], [4.0], [1000.0]]), np.ones(5))[1].round(2)
    array([1.48])
    """
    middle = weighted_quantile(value, weight, 0.5)
    away = np.abs(value - middle)
    scale = SD_PER_MEDIAN_DISTANCE * weighted_quantile(away, weight, 0.5)
    scale = np.where(scale > 1e-9 * away.max(axis=0), scale, np.average(away, axis=0, weights=weight))
    return middle, np.where(scale > 0, scale, 1.0)


def far_distance(value: Floats, weight: Floats, spreads: float = 10.0) -> Floats:
    """The distance of each value (rows, columns) from the median of its column beyond this number of spreads; 0 within.

    Examples
    --------
    >>> far_distance(np.array([[1.0], [2.0], [3.0], [4.0], [1000.0]]), np.ones(5)).ravel().round(1)
    array([  0. ,   0. ,   0. ,   0. , 982.2])
    """
    away = np.abs(value - weighted_quantile(value, weight, 0.5))
    spread = SD_PER_MEDIAN_DISTANCE * weighted_quantile(away, weight, 0.5)
    return np.where(spread > 0, np.maximum(away - spreads * spread, 0.0), 0.0)
