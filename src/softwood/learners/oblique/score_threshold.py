"""The cut between two normal densities: a stable point for a cut along a direction."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, log
from softwood.kernels.contracts.growth import TIE


def normal_cut(score: Floats, first: Floats, second: Floats) -> float:
    """The point at which two weighted normal densities of one variance are equal; NaN if their means are equal.

    Parameters
    ----------
    score : of every row.
    first, second : weight of every row in the two groups.

    Examples
    --------
    >>> normal_cut(np.array([0.0, 2.0, 4.0, 6.0]), np.array([0, 0, 1.0, 1.0]), np.array([1.0, 1.0, 0, 0]))
    3.0
    """
    n, m = float(first.sum()), float(second.sum())
    one, other = dot(first, score) / n, dot(second, score) / m
    variance = (dot(first, np.square(score - one)) + dot(second, np.square(score - other))) / (n + m)
    if not abs(one - other) > TIE * max(abs(one), abs(other)):
        return float("nan")
    return 0.5 * (one + other) + variance / (one - other) * float(log(m / n))
