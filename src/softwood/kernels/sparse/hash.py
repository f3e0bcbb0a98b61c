"""Hashes of the rows of a sparse table, as kernels/row_hash.py computes them for an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Floats, Words
from softwood.kernels.sparse.table import SparseTable

ColumnEnds = tuple[Floats, Floats, npt.NDArray[np.bool_]]  # from `column_ends`

ALL_BITS = 0xFFFFFFFFFFFFFFFF
HASHED_AT_ONCE = 1 << 17  # values: intermediate arrays take ten times their memory


def hash_stored(X: SparseTable, y: Floats, seed: int) -> Words:
    """A hash of every row of two tables, equal for equal rows.

    >>> table = SparseTable.of_dense(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> number = hash_stored(table, np.zeros((3, 1)), 0)
    >>> bool(number[0] == number[2]), bool(number[0] == number[1])
    (True, False)
    """
    number = _hash(y, ~seed & ALL_BITS)
    for rows in X.stretches(HASHED_AT_ONCE):
        part = X[rows]
        cells = np.column_stack([part.column.astype(np.float64), part.value])
        number[rows] += _sum_by_row(part, _hash(cells, seed))
    return number


def hash_stored_cells(
    X: SparseTable, ends: ColumnEnds, seed: int, n_cells: float, edge: float, by_place: bool = False
) -> Words:
    """The sum over columns of a hash of the cell of a row's value.

    All rows begin as 0; then each stored value gets its own cell. Constant columns are skipped.

    by_place : whether the hash includes the column's index.
    """
    low, high, said = ends
    span = np.ones(X.n_columns)
    np.subtract(high, low, out=span, where=high > low)

    def numbers(value: Floats, column: npt.NDArray[Any]) -> Words:
        cell = np.floor((value / 2 - low[column]) / span[column] * n_cells + edge)
        return _hash(np.column_stack([column.astype(np.float64), cell]) if by_place else cell[:, None], seed)

    zero = numbers(np.zeros(X.n_columns), np.arange(X.n_columns))
    number = np.full(len(X), np.sum(zero[said], dtype=np.uint64), np.uint64)
    for rows in X.stretches(HASHED_AT_ONCE):
        part = X[rows]
        kept = part.where(said[part.column])
        number[rows] += _sum_by_row(kept, numbers(kept.value, kept.column) - zero[kept.column])
    return number


def column_ends(X: SparseTable) -> ColumnEnds:
    """Half of the smallest and of the largest value of each column, and whether it varies."""
    stored, gone = np.zeros(X.n_columns, np.int64), np.zeros(X.n_columns, np.int64)
    low, high = np.full(X.n_columns, np.inf), np.full(X.n_columns, -np.inf)
    for rows in X.stretches(HASHED_AT_ONCE):
        part = X[rows]
        stored += np.bincount(part.column, minlength=X.n_columns)
        gone += np.bincount(part.column[np.isnan(part.value)], minlength=X.n_columns)
        part.widen(low, high)
    zero = stored < len(X)
    low, high = np.where(zero, np.fmin(low, 0.0), low) / 2, np.where(zero, np.fmax(high, 0.0), high) / 2
    return low, high, np.where(gone == 0, high > low, gone < len(X))  # halves, so that no range overflows


def _hash(table: Floats, seed: int) -> Words:
    return kernels.hash_rows(table, np.zeros((len(table), 0)), seed)


def _sum_by_row(X: SparseTable, number: Words) -> Words:
    """Sums of a hash of every stored value, row by row, modulo 2^64."""
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(number, dtype=np.uint64)])
    return np.asarray(total[X.begin[1:]] - total[X.begin[:-1]])
