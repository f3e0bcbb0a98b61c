"""Bin edges of inputs read in batches: equal or close to those of rows in memory (contracts/growth.py).

    pass 1   cells between quantiles of a sample: weight, smallest and largest value of the rows in each
    pass 2   the values in the cells in which a bin ends, if they are not too many

A bin ends at the first value v with at least k / max_bins of the weight up to v. The cell in which that happens is
known after the first pass; if it holds one value, so is v. The second pass reads the others. If their values would take
too much memory, a bin ends at the end of its cell, with an error of at most the weight of a cell, about 1 / CELLS.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.engines.parts import Parts
from softwood.kernels import bin_codes
from softwood.kernels.contracts.bin_tree import Codes
from softwood.kernels.contracts.growth import MAX_BINS, TIE
from softwood.kernels.histogram_split import midway

Rows = tuple[Floats, Floats]  # inputs and weights of some rows

CELLS = 4096  # of an input
NUMBER = np.zeros(1, np.int32)  # levels of an input that is not a category
MOST_VALUES = 8_000_000  # values that the second pass may keep, for all inputs together,
VALUE = 128  # or one per this number of bytes of memory, if that is less: a value takes 16, more during sorting


@dataclass
class InputCells:
    """One input, cut at values of a sample: cell i holds the values up to `cut[i]`, the last one those beyond all."""

    cut: Floats
    weight: Floats = field(init=False)
    count: npt.NDArray[np.int64] = field(init=False)
    low: Floats = field(init=False)
    high: Floats = field(init=False)
    missing: bool = False
    inside: dict[int, list[tuple[Floats, Floats]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.cut) + 1
        self.weight, self.count = np.zeros(n), np.zeros(n, np.int64)
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)

    def take(self, x: Floats, weight: Floats) -> None:
        """Count some rows."""
        cell, n = self._cell(x), len(self.weight)
        if (cell == n).any():
            there = cell < n
            x, weight, cell, self.missing = x[there], weight[there], cell[there], True
        self.weight += np.bincount(cell, weight, n)
        self.count += np.bincount(cell, minlength=n)
        np.minimum.at(self.low, cell, x)
        np.maximum.at(self.high, cell, x)

    def merge(self, other: InputCells) -> None:
        """Merge the counts of other rows."""
        self.weight, self.count = self.weight + other.weight, self.count + other.count
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        self.missing = self.missing or other.missing

    def ends(self, max_bins: int) -> tuple[npt.NDArray[np.int64], Floats]:
        """The cells in which bins end, and the weight up to which each of these bins goes."""
        wanted = (np.arange(1, self.n_bins(max_bins)) / self.n_bins(max_bins) - TIE) * self.weight.sum()
        cell = np.searchsorted(np.cumsum(self.weight), wanted, side="left")
        return np.minimum(cell, len(self.weight) - 1), wanted

    def doubtful(self, max_bins: int) -> npt.NDArray[np.int64]:
        """The cells in which bins may end: all that contain rows, if these are few."""
        filled = np.flatnonzero(self.count)
        return filled if len(filled) <= self.n_bins(max_bins) else np.unique(self.ends(max_bins)[0])

    def n_bins(self, max_bins: int) -> int:
        """One bin of the largest number is for missing values."""
        return max_bins - int(max_bins == MAX_BINS and self.missing)

    def look_into(self, x: Floats, weight: Floats) -> None:
        """Keep the values in the requested cells."""
        cell = self._cell(x)
        asked = np.zeros(len(self.weight) + 1, np.bool_)
        asked[list(self.inside)] = True
        chosen = np.flatnonzero(asked[cell])
        chosen = chosen[np.argsort(cell[chosen], kind="stable")]
        there, begin = np.unique(cell[chosen], return_index=True)
        for at, c in enumerate(there.tolist()):
            rows = chosen[begin[at] : begin[at + 1] if at + 1 < len(begin) else None]
            self.inside[c].append((x[rows], weight[rows]))

    def _cell(self, x: Floats) -> Codes:
        """The cell of every value; the cell of missing values is the last."""
        return bin_codes(x[:, None], [self.cut], NUMBER, len(self.weight), 1)[:, 0]

    def edges(self, max_bins: int) -> Floats:
        """Thresholds between bins."""
        filled = np.flatnonzero(self.count)
        every = self._every_value(filled)
        if every is not None and len(every) <= self.n_bins(max_bins):
            return midway(every[:-1], every[1:])
        below = np.append(0.0, np.cumsum(self.weight))
        cells, wanted = self.ends(max_bins)
        pairs = []
        for cell, most in zip(cells.tolist(), wanted.tolist(), strict=True):
            values, total = self._values(cell, float(below[cell]))
            place = int(np.searchsorted(total, most, side="left"))
            value = values[min(place, len(values) - 1)]
            after = values[place + 1] if place + 1 < len(values) else self._next(filled, cell)
            if after < np.inf:
                pairs.append((value, after))
        if not pairs:
            return np.zeros(0)
        value, after = np.unique(np.array(pairs), axis=0).T
        return midway(value, after)

    def _every_value(self, filled: npt.NDArray[np.int64]) -> Floats | None:
        """All distinct values, if they are known."""
        several = filled[self.low[filled] < self.high[filled]]
        if not all(int(cell) in self.inside for cell in several):
            return None
        return np.concatenate([np.zeros(0), *(self._values(int(cell), 0.0)[0] for cell in filled)])

    def _values(self, cell: int, below: float) -> tuple[Floats, Floats]:
        """Distinct values of a cell, rising, and the weight of all rows up to each."""
        parts = self.inside.get(cell)
        if not parts:  # one value, or too many to read
            return self.high[[cell]], np.array([below + self.weight[cell]])
        x, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
        value, group = np.unique(x, return_inverse=True)
        return value, np.asarray(below + np.cumsum(np.bincount(group, weight)), np.float64)

    def _next(self, filled: npt.NDArray[np.int64], cell: int) -> float:
        """The smallest value beyond a cell."""
        place = int(np.searchsorted(filled, cell, side="right"))
        return float(self.low[filled[place]]) if place < len(filled) else np.inf


@dataclass
class CellCounts:
    """The first pass: the cells of every number."""

    inputs: dict[int, InputCells]

    def take(self, rows: Rows) -> None:
        for f, one in self.inputs.items():
            one.take(rows[0][:, f], rows[1])

    def merge(self, other: CellCounts) -> None:
        for f, one in self.inputs.items():
            one.merge(other.inputs[f])


@dataclass
class CellValues:
    """The second pass: the values in the requested cells."""

    inputs: dict[int, InputCells]

    def take(self, rows: Rows) -> None:
        for f, one in self.inputs.items():
            one.look_into(rows[0][:, f], rows[1])

    def merge(self, other: CellValues) -> None:
        for f, one in self.inputs.items():
            for cell, values in other.inputs[f].inside.items():
                one.inside[cell] += values


def find_edges(
    parts: Parts[Rows], sample: Floats, n_levels: npt.NDArray[np.int32], max_bins: int, memory: int | None = None
) -> list[Floats]:
    """Per input the edges between bins of about equal weight; none for a category. Two passes over the rows."""
    inputs = {
        f: InputCells(_cuts(sample[:, f][~np.isnan(sample[:, f])])) for f in range(len(n_levels)) if not n_levels[f]
    }
    inputs = parts.collect(CellCounts(inputs)).inputs
    _ask(inputs, max_bins, MOST_VALUES if memory is None else min(MOST_VALUES, memory // VALUE))
    asked = {f: one for f, one in inputs.items() if one.inside}
    if asked:
        inputs = {**inputs, **parts.collect(CellValues(asked)).inputs}
    return [inputs[f].edges(max_bins) if f in inputs else np.zeros(0) for f in range(len(n_levels))]


def _cuts(x: Floats) -> Floats:
    """At most CELLS - 1 cuts, between neighbouring values of a sample: a frequent value has its own cell."""
    value = np.unique(x)
    if len(value) > CELLS // 2:
        value = np.unique(np.sort(x)[np.linspace(0, len(x) - 1, CELLS // 2).astype(np.intp)])
    return np.unique(np.concatenate([value, np.nextafter(value, -np.inf)]))


def _ask(inputs: dict[int, InputCells], max_bins: int, most: int) -> None:
    """The cells that the second pass reads: those with several values in which a bin ends, if there is room."""
    asked = {f: one.doubtful(max_bins) for f, one in inputs.items()}
    asked = {f: cells[inputs[f].low[cells] < inputs[f].high[cells]] for f, cells in asked.items()}
    if sum(int(inputs[f].count[cells].sum()) for f, cells in asked.items()) <= most:
        for f, cells in asked.items():
            inputs[f].inside = {int(cell): [] for cell in cells}
