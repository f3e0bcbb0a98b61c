"""The fine piecewise linear basis of a sum of curves: one hat per knot, one column per level of a category.

A hat is 1 at its knot, 0 at the two neighbouring knots and linear between; the first and the last stay 1 beyond. So at
each value the hats of an input sum to 1, and a coefficient is the height of the curve at its knot. Values that many
rows share are knots; the other knots are at quantiles of the other rows, so that if most rows share one value (0
capital gain), the knots serve the rest. Missing values have a column of their own, and so have all rare levels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from softwood.arrays import Floats, Index, Ints, Longs, Mask
from softwood.learners.soft.columns.design import MAX_LEVELS, MIN_LEVEL_ROWS
from softwood.learners.soft.columns.knots import apart
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.moments import find_moments
from softwood.tree.once import computed_once

# For a number, beside the values that many rows share: the root of the rows, within these. On 56 tables of 600 rows
# trees with columns of 20 and of 40 knots have the same error (1.000 ± .005; time 1 and 1.4); with 64,000 rows pieces
# .1107 and .1086, chances .1564 and .1550; with 20,000 adult .1259 and .1247.
MAX_KNOTS, MIN_KNOTS = 40, 4
MAX_COLUMNS = 400  # for all inputs together, and at most one per row: solving takes the third power of this


@dataclass(frozen=True)
class Hats:
    """The columns of one input.

    knot : of a number, increasing; empty for a category.  level : of a category, the codes that have a column.
    jumps : segments between knots where the curve may jump.
    n_rest : 1 if the other levels share a column, else 0.  n_missing : 1 if missing values have a column, else 0.
    middle : replaces a missing number if none was missing in training.
    """

    feature: int
    knot: Floats
    level: Index
    n_rest: int
    n_missing: int
    middle: float = 0.0
    jumps: Mask = field(default_factory=lambda: np.zeros(0, np.bool_))

    def __len__(self) -> int:
        return len(self.knot) + len(self.level) + self.n_rest + self.n_missing

    def place(self, x: Floats) -> tuple[Ints, Floats]:
        """Segment of each value and position in it (kernels/reference/hat_products.py)."""
        gone = np.isnan(x)
        if not len(self.knot):
            return self._place_levels(x, gone), np.zeros(len(x))
        known = np.where(gone, self.middle, x)
        at = np.clip(np.searchsorted(self.knot, known, side="right") - 1, 0, len(self.knot) - 2)
        low, high = self.knot[at], self.knot[at + 1]
        part = np.clip((known - low) / (high - low), 0.0, 1.0)
        if self.n_missing:
            at, part = np.where(gone, len(self.knot), at), np.where(gone, 0.0, part)
        return at.astype(np.int32), part

    def _place_levels(self, x: Floats, gone: Mask) -> Ints:
        code = np.where(gone, -1.0, x)
        at = np.minimum(np.searchsorted(self.level, code), len(self.level) - 1)
        rest = len(self.level) if self.n_rest else 0
        found = np.where(self.level[at] == code, at, rest)
        return np.where(gone, len(self) - 1 if self.n_missing else rest, found).astype(np.int32)


@dataclass(frozen=True)
class HatBasis:
    """The columns of all inputs that are not constant."""

    inputs: list[Hats]

    @computed_once
    def begin(self) -> Longs:
        """The first column of each input, and the number of columns."""
        return np.concatenate([[0], np.cumsum([len(one) for one in self.inputs])]).astype(np.int64)


def make_hats(rows: Dataset) -> HatBasis | None:
    """The columns for these rows; None if there are too many inputs for curves, or all are constant."""
    room = int(min(MAX_COLUMNS, rows.total_weight))
    numbers = [f for f, levels in enumerate(rows.n_levels) if not levels]
    found = {f: _level_columns(f, *_known(rows, f), levels) for f, levels in enumerate(rows.n_levels) if levels}
    room -= sum(len(hats) for hats in found.values())
    n_knots = min(MAX_KNOTS, math.isqrt(int(rows.total_weight)), room // max(1, len(numbers)))
    if room < 0 or n_knots < MIN_KNOTS:
        return None
    found |= {f: _number_hats(f, *_known(rows, f), n_knots) for f in numbers}
    inputs = [found[f] for f in sorted(found) if len(found[f]) > 1 and len(found[f].knot) != 1]
    return HatBasis(inputs) if inputs else None


def _known(rows: Dataset, f: int) -> tuple[Floats, Floats, int]:
    """The values of an input that are not missing, their weights, and 1 if others are missing, else 0."""
    x = rows.X[:, f] if rows.place is None else rows.X[rows.place, f]
    known = ~np.isnan(x)
    return x[known], rows.weight[known], int(not known.all())


def _level_columns(f: int, x: Floats, weight: Floats, n_missing: int, levels: int) -> Hats:
    """One column per frequent level, one for all others."""
    rows = np.bincount(x.astype(np.intp), weight, levels)
    often = np.sort(np.argsort(-rows, kind="stable")[:MAX_LEVELS])
    kept = often[rows[often] >= MIN_LEVEL_ROWS]
    return Hats(f, np.zeros(0), kept, int(np.count_nonzero(rows) > len(kept)), n_missing)


def _number_hats(f: int, x: Floats, weight: Floats, n_missing: int, n_knots: int) -> Hats:
    """One hat per knot; none if the number is constant, or always missing."""
    if not len(x):
        return Hats(f, np.zeros(0), np.zeros(0, np.intp), 0, 0)
    middle, spread = find_moments(f, x, weight)
    order = np.argsort(x, kind="stable")
    value, first = np.unique(x[order], return_index=True)
    if spread > 0.0:
        value = value[pick_knots(np.add.reduceat(weight[order], first), n_knots)]
        value = value[apart(value)]
    knot = value if spread > 0.0 else value[:1]
    return Hats(f, knot, np.zeros(0, np.intp), 0, n_missing, middle, np.zeros(len(knot) - 1, np.bool_))


def pick_knots(mass: Floats, n_knots: int) -> Index:
    """Indices of the values that are knots: the two ends, those that many rows share, quantiles of the others."""
    if len(mass) <= n_knots:
        return np.arange(len(mass))
    many = mass >= mass.sum() / n_knots
    rest = np.where(many, 0.0, mass)
    rank = np.cumsum(rest) - 0.5 * rest
    at = np.searchsorted(rank, np.linspace(0.0, 1.0, n_knots) * rest.sum())
    spikes = np.flatnonzero(many)
    return np.unique(np.clip(np.r_[0, at, spikes - 1, spikes, spikes + 1, len(mass) - 1], 0, len(mass) - 1))
