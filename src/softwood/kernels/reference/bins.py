"""Columns: a feature divides rows into groups.

A number: one group per distinct value among the given rows, or, with max_bins > 0, per non-empty bin. A category: one
group per level present.

Bins: values v_1 < ... < v_m, c_i the weight of the rows up to v_i, c_m = W. With m <= max_bins every value is a bin.
Otherwise a bin ends at the first v_i with c_i >= k W / max_bins, for k = 1 .. max_bins - 1 (a heavy value may end
several at once, which leaves fewer bins). The edge after v_i lies midway to v_i+1, like a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.contracts.growth import MAX_BINS, TIE
from softwood.kernels.sparse.table import SparseTable


@dataclass(frozen=True)
class StoredValues:
    """A column of a sparse table: the rows that are not 0, their values, and the number of rows."""

    row: Index
    value: Floats
    n_rows: int

    def __getitem__(self, rows: Any) -> Floats:
        x = np.zeros(self.n_rows)
        x[self.row] = self.value
        return np.asarray(x[rows])


@dataclass(frozen=True)
class Column:
    """One feature: its values (NaN is missing), its number of levels (0: a number), the edges between bins, if any."""

    x: Floats | StoredValues
    n_levels: int
    edge: Floats | None = None

    def thresholds(self, row: Index) -> tuple[Index, Floats]:
        """Group of each of these rows (none missing), increasing with x, and the thresholds between groups."""
        if self.edge is None:
            value, group = np.unique(self.x[row], return_inverse=True)
            return group, midway(value[:-1], value[1:])
        filled, group = np.unique(np.searchsorted(self.edge, self.x[row], side="left"), return_inverse=True)
        return group, self.edge[filled[:-1]]

    def levels(self, row: Index) -> tuple[Index, Index]:
        """Group of each of these rows (none missing), increasing with the code, and the code of every group."""
        code, group = np.unique(self.x[row].astype(np.intp), return_inverse=True)
        return group, code


def make_columns(X: Floats | SparseTable, n_levels: Index, weight: Floats, max_bins: int) -> list[Column]:
    """The columns of a table, numbers cut into bins if max_bins > 0."""
    if isinstance(X, SparseTable):
        begin, row, value = X.by_column()
        parts = (slice(begin[f], begin[f + 1]) for f in range(X.n_columns))
        stored = [StoredValues(row[at], value[at], len(X)) for at in parts]
        return [Column(x, 0, cut_bins(x[:], weight, max_bins) if max_bins > 0 else None) for x in stored]
    columns = []
    for x, levels in zip(X.T, n_levels, strict=True):
        is_binned = max_bins > 0 and levels == 0
        columns.append(Column(x, int(levels), cut_bins(x, weight, max_bins) if is_binned else None))
    return columns


def cut_bins(x: Floats, weight: Floats, max_bins: int) -> Floats:
    """Edges between bins of about equal weight; x <= edge lies below it."""
    seen = ~np.isnan(x) & (weight > 0)
    value, group = np.unique(x[seen], return_inverse=True)
    max_bins -= int(max_bins == MAX_BINS and np.isnan(x[weight > 0]).any())
    last = np.arange(len(value) - 1)
    if len(value) > max_bins:
        total = np.cumsum(np.bincount(group, weight[seen]))
        quantile = np.arange(1, max_bins) / max_bins - TIE
        last = np.unique(np.searchsorted(total, quantile * total[-1], side="left"))
        last = last[last < len(value) - 1]
    return midway(value[last], value[last + 1])


def midway(a: Floats, b: Floats) -> Floats:
    """The threshold between a < b: x <= threshold holds for a and not for b, despite rounding."""
    middle = a / 2 + b / 2
    return np.where(middle < b, middle, a)
