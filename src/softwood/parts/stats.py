"""Statistics that do not depend on the order of rows, to the last bit."""

from __future__ import annotations

import math

import numpy as np

from softwood.arrays import Floats

SPLITTER = 2.0**27 + 1  # halves the digits of a double


def exact_mean(values: Floats, weight: Floats) -> float:
    """The weighted mean as if computed without rounding: a weight of two is the value twice, and the order does not
    matter.

    Every product w * x is kept as two doubles (Dekker 1971), their sum is exact (Shewchuk 1997, `math.fsum`).

    Examples
    --------
    >>> exact_mean(np.array([0.1, 0.7]), np.array([3.0, 1.0])) == exact_mean(np.array([0.7, 0.1, 0.1, 0.1]), np.ones(4))
    True
    """
    unit = float(np.ldexp(1.0, int(np.frexp(np.abs(values).max())[1])))  # exact, and no sum overflows
    values = values / unit
    product = values * weight
    (a, b), (c, d) = _halves(values), _halves(weight)
    error = b * d - (((product - a * c) - b * c) - a * d)
    return math.fsum(np.concatenate([product, error])) / math.fsum(weight) * unit


def _halves(x: Floats) -> tuple[Floats, Floats]:
    """Each number as the sum of two with half its digits."""
    big = SPLITTER * x
    upper = big - (big - x)
    return upper, x - upper
