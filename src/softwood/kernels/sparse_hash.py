"""Numbers made of what the rows of a sparse table hold, as parts/folds.py makes them of an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels import table_scan
from softwood.kernels.sparse_table import Floats, SparseTable

Words = npt.NDArray[np.uint64]
ALL_BITS = 0xFFFFFFFFFFFFFFFF


def hash_stored(X: SparseTable, y: Floats, seed: int) -> Words:
    """A number for every row of two tables, the same for equal rows.

    >>> table = SparseTable.of_dense(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> number = hash_stored(table, np.zeros((3, 1)), 0)
    >>> bool(number[0] == number[2]), bool(number[0] == number[1])
    (True, False)
    """
    cells = np.column_stack([X.column.astype(np.float64), X.value])
    return _sum_by_row(X, _hash(cells, seed)) + _hash(y, ~seed & ALL_BITS)


def hash_stored_cells(X: SparseTable, seed: int, n_cells: float, edge: float) -> Words:
    """The sum over columns of a number of the cell between its least and largest value in which a row's value lies.

    All rows begin as if they were 0; then each stored value takes its own cell. Columns of one value are passed over.
    """
    n = len(X)
    stored = np.bincount(X.column, minlength=X.n_columns)
    gone = np.bincount(X.column[np.isnan(X.value)], minlength=X.n_columns)
    low, high = np.where(stored < n, 0.0, np.inf), np.where(stored < n, 0.0, -np.inf)
    np.fmin.at(low, X.column, X.value)
    np.fmax.at(high, X.column, X.value)
    low, high = low / 2, high / 2  # halves: so no range overflows
    said = np.where(gone == 0, high > low, gone < n)
    span = np.ones(X.n_columns)
    np.subtract(high, low, out=span, where=high > low)

    def numbers(value: Floats, column: Any) -> Words:
        return _hash(np.floor((value / 2 - low[column]) / span[column] * n_cells + edge)[:, None], seed)

    kept, zero = X.where(said[X.column]), numbers(np.zeros(X.n_columns), slice(None))
    of_zeros = np.sum(zero[said], dtype=np.uint64)
    return np.asarray(_sum_by_row(kept, numbers(kept.value, kept.column) - zero[kept.column]) + of_zeros)


def _hash(table: Floats, seed: int) -> Words:
    return table_scan.hash_rows(table, np.zeros((len(table), 0)), seed)


def _sum_by_row(X: SparseTable, number: Words) -> Words:
    """Sums of a number of every stored value, row by row; they wrap, as 64-bit numbers do."""
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(number, dtype=np.uint64)])
    return np.asarray(total[X.begin[1:]] - total[X.begin[:-1]])
