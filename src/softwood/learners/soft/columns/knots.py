"""Knots of the curves of a number: values between which a curve is linear."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats, Index

# Ranks of the knots of a curve: enough for the highest frequency, denser in the tails, where segments are long.
KNOT_RANKS = (
    0.0, 0.005, 0.02, 0.05, 0.1, 0.17, 0.25, 0.33, 0.42, 0.5, 0.58, 0.67, 0.75, 0.83, 0.9, 0.95, 0.98, 0.995, 1.0,
)  # fmt: skip
MIN_KNOT_DISTANCE = 1e-12  # of the range: closer knots make slopes so large that sums of hinges lose all digits
POINT_MASS_MIN_SHARE = 0.15  # of the rows; an end value with this proportion has a column of its own beside the curves


def find_knots(x: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Values at the ranks KNOT_RANKS (all values, if they are few), and their ranks from 0 to 1."""
    order = np.argsort(x, kind="stable")
    value, first = np.unique(x[order], return_index=True)
    mass = np.add.reduceat(weight[order], first)
    rank = (np.cumsum(mass) - 0.5 * mass) / mass.sum()
    if len(value) > len(KNOT_RANKS):
        pick = _global_knots(mass, rank)
        value, rank = value[pick], rank[pick]
    kept = apart(value)
    value, rank = value[kept], rank[kept]
    return value, (rank - rank[0]) / max(rank[-1] - rank[0], 1e-300)


def _global_knots(mass: Floats, rank: Floats) -> Index:
    """Indices of the values at the ranks KNOT_RANKS, and of those beside a point mass, which has its own column."""
    inner, many = np.searchsorted(rank, KNOT_RANKS[1:-1]), np.flatnonzero(mass >= POINT_MASS_MIN_SHARE * mass.sum())
    return np.unique(np.clip(np.r_[0, inner, many - 1, many + 1, len(mass) - 1], 0, len(mass) - 1))


def apart(value: Floats) -> list[int]:
    """Indices of increasing values that are not too close to the previous one; the first and the last are kept."""
    closest, kept = 2 * MIN_KNOT_DISTANCE * (value[-1] / 2 - value[0] / 2), [0]  # a range may overflow a double
    for i in range(1, len(value) - 1):
        if value[i] - value[kept[-1]] > closest and value[-1] - value[i] > closest:
            kept.append(i)
    return kept if len(value) == 1 else [*kept, len(value) - 1]
