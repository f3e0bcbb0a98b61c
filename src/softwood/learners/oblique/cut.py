"""The place to cut along a score: between two neighbours, where the impurity falls most, or nearly so.

    gain      the cut of the largest gain, the lowest of equals
    near      of the cuts that have at least WORTH of the largest gain the one nearest to a place that is given

With few rows the cut of largest gain is a noisy number; where two normal densities of one variance would be cut is a
steady one. The second rule takes the steady place as long as the rows do not object.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softwood.kernels.growth import TIE
from softwood.learners.hard.problem import Floats
from softwood.learners.oblique.rows import Rows

WORTH = 0.5


class Cut(NamedTuple):
    """Scores from `at` on are one child, those below the other; `gain` is the fall of W * impurity."""

    gain: float
    at: float


def best_cut(score: Floats, rows: Rows, least: float, near: float | None = None) -> Cut | None:
    """The cut that leaves `least` rows (by weight) on both sides; None where there is none."""
    order = np.argsort(score, kind="stable")
    value = score[order]
    below = np.cumsum(rows.tally[order], axis=0)
    count = np.cumsum(rows.problem.weight[order])
    least *= 1.0 - TIE
    enough = (count[:-1] >= least) & (count[-1] - count[:-1] >= least)
    place = np.flatnonzero(enough & (value[1:] > value[:-1]))
    if not len(place):
        return None
    gain = _gains(below[place], below[-1:], rows)
    slack = TIE * max(float(rows.loss(below[-1:])[0]), 1e-300)
    middle = 0.5 * (value[place] + value[place + 1])
    if near is None:
        chosen = int(np.flatnonzero(gain >= gain.max() - slack)[0])
    else:
        good = np.flatnonzero(gain >= WORTH * gain.max() - slack)
        chosen = int(good[np.argmin(np.abs(middle[good] - near))])
    between = value[place[chosen]] < middle[chosen]  # neighbours may be too close for a number between them
    return Cut(float(gain[chosen]), float(middle[chosen] if between else value[place[chosen] + 1]))


def _gains(below: Floats, whole: Floats, rows: Rows) -> Floats:
    above = whole - below
    if rows.problem.is_classes:
        above = above.clip(0.0)  # rounding of sums
    return np.asarray(rows.loss(whole) - rows.loss(below) - rows.loss(above))


def normal_cut(score: Floats, first: Floats, second: Floats) -> float | None:
    """Where two normal densities of one variance are equal, each times its weight; None if their means are.

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
    one, other = float(first @ score) / n, float(second @ score) / m
    variance = float(first @ np.square(score - one) + second @ np.square(score - other)) / (n + m)
    if not abs(one - other) > TIE * max(abs(one), abs(other)):
        return None
    return 0.5 * (one + other) + variance / (one - other) * float(np.log(m / n))
