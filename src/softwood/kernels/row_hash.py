"""A hash of every row's content: the order in which rows are sampled and dealt to folds.

    number(row) = sum over columns of hash(cell)        cell: position of the value in the column's range

Unequal rows with equal hashes are distinguished in three steps, each for those that the previous one left:

    finer cells       hashed with the index of their column: 0 1 and 1 0 differ
    rank              of their values in single precision: rows that an outlier puts into one cell
    rank, in the last RANK_BITS bits: rows that differ only in the last digits. They stay adjacent

So noise in the last digits does not change the other bits of almost all hashes. Neither x -> a x + b (a > 0), nor
constant columns, nor the order of the columns (except for rows distinguished by finer cells) changes a hash.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Floats, Longs, Words
from softwood.kernels.sparse.hash import ColumnEnds, column_ends, hash_stored, hash_stored_cells
from softwood.kernels.sparse.order import order_within
from softwood.kernels.sparse.table import SparseTable

ROWS_HASHED_AT_ONCE = 1 << 16  # intermediate arrays stay in the cache
ALL_BITS = 0xFFFFFFFFFFFFFFFF

# Cells between the smallest and the largest value of a column. No count is a round number, so that round values, which
# are frequent, lie within cells and not on their edges, where rounding would decide. Fine cells are about as wide as
# the digits of single precision.
CELLS_PER_RANGE, CELL_OFFSET = 3751.7950737, 0.3819660112501052
FINE_CELLS_PER_RANGE = 16_180_339.8874989

RANK_BITS = 16
NO_RANK = np.uint64(ALL_BITS << RANK_BITS & ALL_BITS)

# Bits of a double beyond single precision, and half of the last one kept.
SINGLE_BITS, HALF_A_BIT = np.uint64(0xFFFFFFFFE0000000), np.uint64(0x10000000)


def hash_rows(X: Floats | SparseTable, y: Floats, seed: int, n_threads: int = 1) -> Words:
    """A 64-bit hash of every row of two tables: equal for equal rows, different for others, independent of units.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [1.0], [2.0000001]]), np.zeros((4, 0))
    >>> number = hash_rows(X, y, seed=0)
    >>> len(set(number.tolist())), bool(np.all(number == hash_rows(1000 * X + 7, y, seed=0)))
    (3, True)
    >>> without_rank(number) == without_rank(hash_rows(X * (1 + 1e-13), y, seed=0))
    array([ True,  True,  True,  True])
    """
    cells = Cells.of(X, y, seed & ALL_BITS)
    number = without_rank(cells.hash_coarse(X, y, n_threads))
    _, place, count = np.unique(number, return_inverse=True, return_counts=True)
    at = np.flatnonzero(count[place] > 1)
    if len(at):
        number[at] = _tell_apart(X[at], y[at], number[at], cells)
    return number


def without_rank(number: Words) -> Words:
    """The part of the hash shared by rows that differ only in the last digits."""
    return number & NO_RANK


def hash_values(X: Floats | SparseTable, y: Floats, seed: int) -> Words:
    """A hash of the values of every row of two tables: equal for equal rows, in an array or in a sparse table."""
    return hash_stored(X, y, seed) if isinstance(X, SparseTable) else kernels.hash_rows(X, y, seed)


def hash_near(X: Floats | SparseTable) -> Words:
    """A hash of every row of a table, equal for rows that differ only in the last digits."""
    cells, none = Cells.of(X, np.zeros((len(X), 0)), 0), np.zeros((len(X), 0))
    return cells.hash_near(X, none)


def hash_by_ranges(X: Floats, low: Floats, high: Floats, varies: npt.NDArray[np.bool_], seed: int) -> Words:
    """The result of `hash_rows` for rows of X that share no cells with others, if X is a part of a larger table.

    Parameters
    ----------
    X : some rows.
    low, high : smallest and largest value of each column in the whole table.
    varies : whether a column has several values there, or one and missing ones.
    seed : of the hash.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [4.0]])
    >>> part = hash_by_ranges(X[:2], np.array([1.0]), np.array([4.0]), np.array([True]), 0)
    >>> bool(np.all(part == hash_rows(X, np.zeros((3, 0)), 0)[:2]))
    True
    """
    return without_rank(_hash_cells(X, Ends(low / 2, high / 2, varies), seed & ALL_BITS))


def to_single(table: Floats) -> Floats:
    """The values rounded to single precision.

    Examples
    --------
    >>> to_single(np.array([0.1, 0.1 + 1e-15, np.nan])) == np.float32(0.1)
    array([ True,  True, False])
    """
    table = np.ascontiguousarray(table, np.float64)
    rounded = ((table.view(np.uint64) + HALF_A_BIT) & SINGLE_BITS).view(np.float64)
    return np.where(np.isfinite(table), rounded, table)


@dataclass(frozen=True)
class Ends:
    """Half of the smallest and of the largest value of each column, and whether it varies.

    Constant and empty columns are skipped. Halves, so that no range overflows.
    """

    low: Floats
    high: Floats
    said: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, table: Floats | SparseTable) -> Ends:
        """The ends over all rows of a table."""
        if isinstance(table, SparseTable):
            return cls(*column_ends(table))
        if not table.size:
            return cls(np.zeros(0), np.zeros(0), np.zeros(table.shape[1], np.bool_))
        blocks = [table[begin : begin + ROWS_HASHED_AT_ONCE] for begin in range(0, len(table), ROWS_HASHED_AT_ONCE)]
        low = np.fmin.reduce([np.fmin.reduce(block, axis=0) for block in blocks]) / 2
        high = np.fmax.reduce([np.fmax.reduce(block, axis=0) for block in blocks]) / 2
        gone = np.sum([np.isnan(block).sum(axis=0) for block in blocks], axis=0)
        return cls(low, high, np.where(gone == 0, high > low, gone < len(table)))

    def parts(self) -> ColumnEnds:
        """The ends for a sparse table."""
        return self.low, self.high, self.said


@dataclass(frozen=True)
class Cells:
    """Cells of the values of two tables."""

    ends: Ends
    ends_of_y: Ends
    seed: int

    @classmethod
    def of(cls, X: Floats | SparseTable, y: Floats, seed: int) -> Cells:
        """Cells between the ends of each column."""
        return cls(Ends.of(X), Ends.of(y), seed)

    def hash_coarse(self, X: Floats | SparseTable, y: Floats, n_threads: int) -> Words:
        """The sum over columns, in any order."""
        if isinstance(X, SparseTable):
            found = hash_stored_cells(X, self.ends.parts(), self.seed, CELLS_PER_RANGE, CELL_OFFSET)
            return found + _hash_cells(y, self.ends_of_y, ~self.seed & ALL_BITS)
        number = np.empty(len(X), np.uint64)

        def of_rows(begin: int) -> None:
            at = slice(begin, begin + ROWS_HASHED_AT_ONCE)
            number[at] = _hash_cells(X[at], self.ends, self.seed) + _hash_cells(
                y[at], self.ends_of_y, ~self.seed & ALL_BITS
            )

        starts = range(0, len(X), ROWS_HASHED_AT_ONCE)
        if n_threads == 1 or len(starts) == 1:
            for begin in starts:
                of_rows(begin)
        else:
            with ThreadPoolExecutor(n_threads) as pool:
                list(pool.map(of_rows, starts))
        return number

    def hash_fine(self, X: Floats | SparseTable, y: Floats) -> Words:
        """The sum over columns of a hash of the fine cell and the column's index."""
        own = _hash_cells(y, self.ends_of_y, ~self.seed & ALL_BITS, FINE_CELLS_PER_RANGE, by_place=True)
        if isinstance(X, SparseTable):
            return own + hash_stored_cells(
                X, self.ends.parts(), self.seed, FINE_CELLS_PER_RANGE, CELL_OFFSET, by_place=True
            )
        return own + _hash_cells(X, self.ends, self.seed, FINE_CELLS_PER_RANGE, by_place=True)

    def hash_near(self, X: Floats | SparseTable, y: Floats) -> Words:
        """The same for rows with equal fine cells and equal values in single precision."""
        return self.hash_fine(X, y) ^ hash_values(_single_table(X), to_single(y), 0)


def _hash_cells(
    table: Floats, ends: Ends, seed: int, n_cells: float = CELLS_PER_RANGE, by_place: bool = False
) -> Words:
    """The sum over columns of a hash of the cell. Missing values have their own cell."""
    number, none = np.zeros(len(table), np.uint64), np.zeros((len(table), 0))
    for column in np.flatnonzero(ends.said).tolist():
        low, high = ends.low[column], ends.high[column]
        span = high - low if high > low else 1.0
        cell = np.floor((table[:, column] / 2 - low) / span * n_cells + CELL_OFFSET)[:, None]
        named = np.column_stack([np.full(len(cell), float(column)), cell]) if by_place else cell
        number += kernels.hash_rows(named, none, seed)
    return number


def _tell_apart(X: Floats | SparseTable, y: Floats, number: Words, cells: Cells) -> Words:
    """Different hashes for unequal rows with equal ones."""
    exact = hash_values(X, y, 0)
    at = _in_several(number, exact)
    if not at.any():
        return number
    number, X, y, exact, kept = number[at], X[at], y[at], exact[at], number.copy()
    fine, near = cells.hash_fine(X, y), cells.hash_near(X, y)
    number = np.where(_in_several(number, near), number ^ without_rank(fine), number)
    mixed = np.flatnonzero(_in_several(number, near))
    if len(mixed):
        rank = _ranks(_single_table(X[mixed]), to_single(y[mixed]), number[mixed], near[mixed])
        number[mixed] ^= without_rank(_hash_ranks(rank, cells.seed))
    beside = np.flatnonzero(_in_several(number, exact))
    if len(beside):
        rank = _ranks(X[beside], y[beside], number[beside], exact[beside])
        number[beside] ^= without_rank(_hash_ranks(rank >> RANK_BITS, cells.seed))  # very many at one place
        number[beside] |= (rank & (2**RANK_BITS - 1)).astype(np.uint64)
    kept[at] = number
    return kept


def _single_table(X: Floats | SparseTable) -> Floats | SparseTable:
    return (
        SparseTable(X.begin, X.column, to_single(X.value), X.n_columns) if isinstance(X, SparseTable) else to_single(X)
    )


def _hash_ranks(rank: Longs, seed: int) -> Words:
    """A hash of each rank; 0 for the first."""
    number = kernels.hash_rows(rank[:, None].astype(np.float64), np.zeros((len(rank), 0)), seed)
    return np.where(rank > 0, number, np.uint64(0))


def _in_several(number: Words, content: Words) -> npt.NDArray[np.bool_]:
    """The rows whose hash also belongs to rows with another content."""
    order = np.argsort(number, kind="stable")
    found, held = number[order], content[order]
    begins = np.append(True, found[1:] != found[:-1])
    differs = np.append(False, (held[1:] != held[:-1]) & ~begins[1:])
    start = np.flatnonzero(begins)
    mixed = np.logical_or.reduceat(differs, start)
    several = np.empty(len(number), np.bool_)
    several[order] = np.repeat(mixed, np.diff(np.append(start, len(number))))
    return several


def _ranks(X: Floats | SparseTable, y: Floats, number: Words, content: Words) -> Longs:
    """The rank of every row among the distinct ones with the same hash."""
    rising = (order_within(X, number),) if isinstance(X, SparseTable) else (*X.T[::-1], number)
    order = np.lexsort((*y.T[::-1], *rising))
    starts = np.append(True, np.diff(number[order]) != 0)
    place = np.cumsum(starts | np.append(True, np.diff(content[order]) != 0))
    rank = np.empty(len(order), np.int64)
    rank[order] = place - np.maximum.accumulate(np.where(starts, place, 0))
    return rank
