"""An estimate with its 95 % interval.

proportion   Wilson's interval (1927)
mean         mean ± 1.96 standard errors of the values
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softwood.arrays import Floats, Index, Mask

Z = 1.959964  # of a 95 % interval


class Estimate(NamedTuple):
    """A number with the ends of its 95 % interval; NaN where it is not defined."""

    value: float
    low: float
    high: float


UNDEFINED = Estimate(np.nan, np.nan, np.nan)


def wilson(proportion: float, n: float) -> tuple[float, float]:
    """A 95 % interval of a proportion of n rows (Wilson, 1927).

    Examples
    --------
    >>> low, high = wilson(0.5, 100)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    middle = (proportion + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * np.sqrt(proportion * (1 - proportion) / n + Z * Z / (4 * n * n))
    return float(max(middle - half, 0.0)), float(min(middle + half, 1.0))


def proportion_estimate(rows: Mask) -> Estimate:
    """The proportion of rows that are true."""
    if not len(rows):
        return UNDEFINED
    value = float(np.mean(rows))
    return Estimate(value, *wilson(value, len(rows)))


def mean_estimate(values: Floats) -> Estimate:
    """The mean; of one value the interval is that value."""
    if not len(values):
        return UNDEFINED
    mean = float(np.mean(values))
    half = Z * float(np.std(values, ddof=1)) / float(np.sqrt(len(values))) if len(values) > 1 else 0.0
    return Estimate(mean, mean - half, mean + half)


def equal_bins(score: Floats, n: int) -> list[Index]:
    """Rows in at most n bins of about equal size, the lowest scores first; rows of one score are in one bin.

    Examples
    --------
    >>> [rows.tolist() for rows in equal_bins(np.array([0.1, 0.9, 0.1, 0.5]), 2)]
    [[0, 2], [1, 3]]
    """
    values, counts = np.unique(score, return_counts=True)
    ends = np.cumsum(counts)
    bin_of_value = np.minimum(((ends - counts / 2) / max(len(score), 1) * n).astype(np.int64), n - 1)
    bin_of_row = bin_of_value[np.searchsorted(values, score)]
    return [np.flatnonzero(bin_of_row == b) for b in np.unique(bin_of_value)]
