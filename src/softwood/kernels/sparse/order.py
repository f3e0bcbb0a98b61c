"""Rows of a sparse table in the order of their values, column by column, without a dense copy.

At the first column in which two rows differ, at most one of them has 0. So a row is determined by its stored values in
the order of their columns, each with a key that increases with the row:

    value < 0       the earlier its column, the lower       below the end of a row
    value > 0       the earlier its column, the higher      above it; NaN is larger than any number
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Longs
from softwood.kernels.sparse.table import SparseTable


def order_within(X: SparseTable, group: npt.NDArray[Any]) -> Longs:
    """A number per row that increases with its group and, within a group, with the row; equal for equal rows.

    Examples
    --------
    >>> X = SparseTable.of_dense(np.array([[0.0, 1.0], [0.0, -1.0], [0.0, 0.0], [2.0, 0.0], [0.0, 1.0]]))
    >>> order_within(X, np.zeros(5))
    array([2, 0, 1, 4, 2])
    """
    key = _keys(X)
    _, place, count = np.unique(group, return_inverse=True, return_counts=True)
    found = (np.cumsum(count) - count)[place]
    open_rows, at = np.flatnonzero(count[place] > 1), 0
    while len(open_rows):
        own = X.begin[open_rows] + at
        has = own < X.begin[open_rows + 1]
        next_key = np.zeros(len(open_rows), np.int32)  # 0: the row has ended
        next_key[has] = key[own[has]]
        order = np.lexsort((next_key, found[open_rows]))
        open_rows, next_key = open_rows[order], next_key[order]
        number = found[open_rows]
        first = np.append(True, number[1:] != number[:-1])
        apart = first.copy()
        apart[1:] |= next_key[1:] != next_key[:-1]
        begin, part = np.flatnonzero(first), np.flatnonzero(apart)
        size = np.diff(np.append(part, len(number)))
        found[open_rows] = number + np.repeat(part - begin[np.cumsum(first)[part] - 1], size)
        open_rows, at = open_rows[(np.repeat(size, size) > 1) & (next_key != 0)], at + 1
    return found


def _keys(X: SparseTable) -> npt.NDArray[np.int32]:
    """The key of every stored value: below 0 for a negative one, above 0 for others."""
    side = np.where(X.value < 0, X.column - X.n_columns, X.n_columns - X.column)
    order = np.lexsort((X.value, side))
    side, value = side[order], X.value[order]
    apart = np.ones(len(order), np.bool_)
    same = (value[1:] == value[:-1]) | (np.isnan(value[1:]) & np.isnan(value[:-1]))
    apart[1:] = (side[1:] != side[:-1]) | ~same
    rank = np.cumsum(apart, dtype=np.int32)
    below = int(rank[side < 0][-1]) if len(side) and side[0] < 0 else 0  # keys of negative values
    key = np.empty(len(order), np.int32)
    key[order] = np.where(rank <= below, rank - below - 1, rank - below)
    return key
