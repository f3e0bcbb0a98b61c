"""Folds for cross-validation that depend on what the rows hold and weigh, not on where they stand.

Equal rows (inputs and answer) are one distinct row whose weight is the sum of theirs. Distinct rows are taken class by
class, in the order of a number made from their content (a hash of their values and the seed), and dealt to the folds in
turn, each in one or several pieces of equal weight:

    pieces = ceil(weight / size)

The size of a piece says what a copy is taken for (`piece_sizes`):

    inputs seen with several answers   each unit of weight is an observation of its own, as rows of a data set are
    inputs with one answer             copies may be the weight of one observation, no part of which may be learned from
                                       while another is held out: one piece, unless it is heavier than half a fold. Of
                                       few distinct rows with whole weights, more than MAX_COPIES_TOGETHER copies are
                                       observations

So a table of few distinct rows has them all in every fold, and a table without equal rows, or with weights that are
not large, has each row in one fold. A row of weight two is the row twice and the order of the rows does not matter: all
depends on distinct rows and their weights only. Nor do the units of the columns matter: a value counts by its place
between the least and the largest.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Floats, Longs, Words
from softwood.kernels.sparse.hash import hash_stored, hash_stored_cells
from softwood.kernels.sparse.order import order_within
from softwood.kernels.sparse.table import SparseTable

Fold = tuple[Floats, Floats]  # weights of all rows: to learn from, to test on

COPIES_MAX_DISTINCT_ROWS = 500  # up to this, many copies of a row count as observations, not as a weight
MAX_COPIES_TOGETHER = 3  # of a distinct row; resampled rows stay in one piece
MAX_PIECES_PER_FOLD = 1_000  # of a distinct row for each fold: more would change nothing
WEIGHT_ROUNDING = 1e-9  # by which sums of weights may be off
ROWS_HASHED_AT_ONCE = 1 << 16  # intermediate arrays stay in the cache

# Cells between the least and the largest value of a column. Neither is a round number: round values, which tables are
# full of, then lie within cells and not on their edges, where rounding would decide.
CELLS_PER_RANGE, CELL_OFFSET = 3751.7950737, 0.3819660112501052


@dataclass(frozen=True)
class Deal:
    """Which fold, or folds, each distinct row is in.

    fold : of the only piece, or of the first.
    split : the distinct rows that are in several pieces.
    parts : (split, folds) how many pieces of each are in each fold.
    """

    fold: Longs
    split: Longs
    parts: Longs

    @property
    def n_pieces(self) -> int:
        """Of all distinct rows together."""
        return len(self.fold) - len(self.split) + int(self.parts.sum())

    def held_out(self, weight: Floats, fold: int) -> Floats:
        """How much of each distinct row's weight is in a fold."""
        held = np.where(self.fold == fold, weight, 0.0)
        held[self.split] = self.parts[:, fold] * weight[self.split] / self.parts.sum(axis=1)
        return held


def deal(weight: Floats, several: npt.NDArray[np.bool_], n_folds: int, raised: bool = False) -> Deal:
    """Distinct rows, in the order given, to the folds in turn.

    Parameters
    ----------
    weight : of every distinct row, as many rows as it stands for.
    several : whether its inputs are there with other answers, too.
    n_folds : at least 2.
    raised : whether weights were raised (`raise_light`), so that they do not count rows.

    Examples
    --------
    >>> dealt = deal(np.array([1.0, 4.0, 1.0]), np.array([False, True, True]), 2)
    >>> dealt.held_out(np.array([1.0, 4.0, 1.0]), 0), dealt.held_out(np.array([1.0, 4.0, 1.0]), 1)
    (array([1., 2., 0.]), array([0., 2., 1.]))
    """
    pieces = count_pieces(weight, piece_sizes(weight, several, n_folds, raised), MAX_PIECES_PER_FOLD * n_folds)
    start: Longs = (np.cumsum(pieces) - pieces) % n_folds
    split = np.flatnonzero(pieces > 1)
    rounds, rest = np.divmod(pieces[split, None], n_folds)
    place = (np.arange(n_folds) - start[split, None]) % n_folds  # of each fold, counted from the one that is next
    return Deal(start, split, rounds + (place < rest))


def piece_sizes(weight: Floats, several: npt.NDArray[np.bool_], n_folds: int, raised: bool = False) -> Floats:
    """The most that a piece of each distinct row may weigh."""
    total, few = float(weight.sum()), len(weight) <= COPIES_MAX_DISTINCT_ROWS
    half = total / (2 * n_folds)
    if raised:  # nobody knows how many rows they were
        everywhere = few and weight[several].sum() > total / 2
        return np.where(several, total / (len(weight) * n_folds) if everywhere else 1.0, half)
    half = max(half, 1.0)
    counted = few and bool(np.all(np.abs(weight - np.rint(weight)) <= WEIGHT_ROUNDING * weight))
    apart = several | (weight > MAX_COPIES_TOGETHER) if counted else several
    return np.where(apart, 1.0, half)


def count_pieces(weight: Floats, size: Floats, most: int) -> Longs:
    """In how many pieces of at most this size each distinct row is."""
    return np.clip(np.ceil(weight / size * (1.0 - WEIGHT_ROUNDING)), 1, most).astype(np.int64)


def have_several_answers(X: Floats | SparseTable) -> npt.NDArray[np.bool_]:
    """For every distinct row whether another one has the same inputs, so that only their answers differ."""
    _, place, count = np.unique(hash_values(X, np.zeros((len(X), 0)), 0), return_inverse=True, return_counts=True)
    return np.asarray(count[place] > 1)


@dataclass(frozen=True)
class RowFolds(Sequence[Fold]):
    """For every fold, the weights of the rows to learn from and of those to test on; made when they are asked for.

    weight : of every row; those of weight 0 are in no fold.
    row, distinct : the rows that have weight, and the number of each one's distinct row.
    total : weight of each distinct row.  first : its first row, which carries the weight of all where they are split.
    """

    weight: Floats
    row: Longs
    distinct: Longs
    total: Floats
    first: Longs
    dealt: Deal
    n_folds: int

    def __len__(self) -> int:
        return self.n_folds

    def __getitem__(self, fold: Any) -> Any:
        if not 0 <= fold < self.n_folds:
            raise IndexError(fold)
        weight, dealt = self.weight[self.row], self.dealt
        test, learn = np.zeros_like(self.weight), np.zeros_like(self.weight)
        here = dealt.fold[self.distinct] == fold
        if len(dealt.split):
            whole = np.ones(len(self.total), np.bool_)
            whole[dealt.split] = False
            weight = np.where(whole[self.distinct], weight, 0.0)
        test[self.row], learn[self.row] = np.where(here, weight, 0.0), np.where(here, 0.0, weight)
        at = self.first[dealt.split]
        test[at] = dealt.held_out(self.total, fold)[dealt.split]
        learn[at] = self.total[dealt.split] - test[at]
        return learn, test


def deal_rows(
    X: Floats | SparseTable, y: npt.NDArray[np.generic], weight: Floats, n_folds: int, seed: int, raised: bool = False
) -> RowFolds:
    """Folds of the rows.

    Parameters
    ----------
    X : (rows, columns); NaN is a value like any other.
    y : class codes (integers: every class is spread over the folds) or numbers of shape (rows, targets).
    weight : of the rows.
    n_folds : at least 2.
    seed : another seed, another deal.
    raised : see `deal`.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([0, 0, 0, 0])
    >>> learn, test = deal_rows(X, y, np.ones(4), 2, seed=0)[0]
    >>> (learn + test).sum()
    np.float64(4.0)
    """
    row = np.flatnonzero(weight > 0)
    distinct = number_distinct(X if len(row) == len(X) else X[row], y[row], seed)
    n = int(distinct.max(initial=-1)) + 1
    total = sum_in_order(distinct, weight[row], n)
    first = np.empty(n, np.int64)
    first[distinct[::-1]] = row[::-1]
    light = bool(np.all(total <= 1.0))  # in one piece each, whatever their inputs
    several = np.zeros(n, np.bool_) if light and not raised else have_several_answers(X[first])
    return RowFolds(weight, row, distinct, total, first, deal(total, several, n_folds, raised), n_folds)


def number_distinct(X: Floats | SparseTable, y: npt.NDArray[np.generic], seed: int) -> Longs:
    """The place of every row's distinct row in the order of dealing: class by class, by the hash of the content."""
    number = hash_rows(X, y.reshape(len(y), -1).astype(np.float64), seed)
    found = np.empty(len(number), np.int64)
    start = 0
    for group in [np.ones(len(y), np.bool_)] if y.dtype.kind == "f" else [y == code for code in np.unique(y)]:
        if not group.any():
            continue
        _, place = np.unique(number[group], return_inverse=True)
        found[group] = place + start
        start += int(place.max()) + 1  # the next class goes on where this one stopped: folds stay of equal size
    return found


def sum_in_order(group: Longs, weight: Floats, n: int) -> Floats:
    """Sums of weight by group, from the smallest weight on: the order of the rows does not matter, bit for bit."""
    order = np.argsort(weight, kind="stable")
    return np.bincount(group[order], weight[order], n).astype(np.float64)


def raise_light(X: Floats | SparseTable, y: npt.NDArray[np.generic], weight: Floats) -> tuple[Floats, bool]:
    """Weights that count as rows, and whether that took raising them.

    Weights count as rows, but some sum to 1: those that sum to less than there are distinct rows are raised to their
    number.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 1])
    >>> raise_light(X, y, np.array([0.25, 0.25, 0.5]))
    (array([0.75, 0.75, 1.5 ]), True)
    >>> raise_light(X, y, np.array([0.5, 2.0, 2.0]))
    (array([0.5, 2. , 2. ]), False)
    """
    row = np.flatnonzero(weight > 0)
    total = float(np.sort(weight[row]).sum())  # zeros among them would be added up in other groups
    if total >= (1.0 - WEIGHT_ROUNDING) * len(row):
        return weight, False
    n = len(np.unique(hash_values(X[row], y[row].reshape(len(row), -1).astype(np.float64), 0)))
    return raise_to(weight, n, total)


def raise_to(weight: Floats, n: int, total: float) -> tuple[Floats, bool]:
    """Weights of n distinct rows raised to their number, if `total`, their sum, is less."""
    if total >= (1.0 - WEIGHT_ROUNDING) * n:
        return weight, False
    found = weight / total * n
    whole = np.rint(found)
    return np.where(np.abs(found - whole) <= WEIGHT_ROUNDING * found, whole, found), True


def merge_equal_rows(X: Floats | SparseTable, y: npt.NDArray[np.generic], weight: Floats) -> tuple[Longs, Floats]:
    """Places of distinct rows in the order of a hash of their content, and the weight of all rows equal to each.

    Rows of weight 0 are left out. Sums over what is left depend on neither the order of the rows nor on copies.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> place, weight = merge_equal_rows(X, y, np.array([1.0, 1.0, 2.0, 0.0]))
    >>> sorted(zip(place.tolist(), weight.tolist()))
    [(0, 3.0), (1, 1.0)]
    """
    kept = np.flatnonzero(weight > 0)
    some = X if len(kept) == len(X) else X[kept]
    number = hash_rows(some, y[kept].reshape(len(kept), -1).astype(np.float64), 0)
    order = sort_rows(number, weight[kept])  # weights of copies are added from the smallest on
    number, place = number[order], kept[order]
    first = np.flatnonzero(np.append(True, number[1:] != number[:-1]))  # of equal rows
    return place[first], np.add.reduceat(weight[place], first)


def sort_rows(*keys: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """An order by the first key, then by the second, ...; of rows that agree in all of them any may be first.

    Examples
    --------
    >>> sort_rows(np.array([2, 1, 2]), np.array([1.0, 0.0, 0.5])).tolist()
    [1, 2, 0]
    """
    first, *others = keys
    others = [key for key in others if np.any(key != key[:1])]
    return np.lexsort((*reversed(others), first)) if others else np.argsort(first)


def hash_rows(X: Floats | SparseTable, y: Floats, seed: int, n_threads: int = 1) -> npt.NDArray[np.uint64]:
    """A 64-bit number for every row of two tables: the same for equal rows, another for others, whatever the units.

    The number is made of the cell in which each value lies between the least and the largest of its column. Rows that
    share all cells differ by their rank. So x -> a x + b (a > 0) changes nothing, but for the few values that
    rounding moves over the edge of a cell (one in 1e12, if b is not much larger than the spread of a x). Neither do
    the order of the columns or columns of one value.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [1.0], [2.0000001]]), np.zeros((4, 0))
    >>> number = hash_rows(X, y, seed=0)
    >>> len(set(number.tolist())), bool(np.all(number == hash_rows(1000 * X + 7, y, seed=0)))
    (3, True)
    """
    seed &= 0xFFFFFFFFFFFFFFFF
    if isinstance(X, SparseTable):
        of_target = _hash_cells(np.zeros((len(y), 0)), y, seed, 1)[0]
        number = hash_stored_cells(X, seed, CELLS_PER_RANGE, CELL_OFFSET) + of_target
        exact = hash_values(X, y, seed)
    else:
        number, exact = _hash_cells(X, y, seed, n_threads)
    ordered = np.sort(number)
    if not np.any(ordered[1:] == ordered[:-1]):
        return number
    order = np.argsort(number, kind="stable")
    found, content = number[order], exact[order]
    shared = (found[1:] == found[:-1]) & (content[1:] != content[:-1])  # one number for rows that are not equal
    if not shared.any():
        return number
    at = np.flatnonzero(np.isin(number, found[1:][shared]))
    rank = _ranks(X[at], y[at], number[at], exact[at])
    number[at] ^= kernels.hash_rows(rank, np.zeros((len(at), 0)), seed)
    return number


def hash_values(X: Floats | SparseTable, y: Floats, seed: int) -> Words:
    """A number of the values of every row of two tables: equal for equal rows, in an array or in a sparse table."""
    return hash_stored(X, y, seed) if isinstance(X, SparseTable) else kernels.hash_rows(X, y, seed)


def _hash_cells(X: Floats, y: Floats, seed: int, n_threads: int) -> tuple[Words, Words]:
    """A number of the cells of a row's values, whatever the order of the columns, and one of the values themselves.

    A missing value is a cell of its own. Columns of one value, or of none, say nothing and are passed over.
    """
    number, exact, none = np.zeros(len(X), np.uint64), np.empty(len(X), np.uint64), np.zeros((len(X), 0))
    tables = [(table, *_column_ends(table), own) for table, own in ((X, seed), (y, ~seed & 0xFFFFFFFFFFFFFFFF))]

    def of_rows(begin: int) -> None:
        at = slice(begin, begin + ROWS_HASHED_AT_ONCE)
        exact[at] = kernels.hash_rows(np.ascontiguousarray(X[at]), np.ascontiguousarray(y[at]), seed)
        for table, low, high, said, own in tables:
            for column in np.flatnonzero(said).tolist():
                cell = _cells(table[at, column], low[column], high[column])
                number[at] += kernels.hash_rows(cell[:, None], none[at], own)

    starts = range(0, len(X), ROWS_HASHED_AT_ONCE)
    if n_threads == 1 or len(starts) == 1:
        for begin in starts:
            of_rows(begin)
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(of_rows, starts))
    return number, exact


def _column_ends(table: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Half of the least and of the largest value of each column, and whether it says anything."""
    if not table.size:
        return np.zeros(0), np.zeros(0), np.zeros(table.shape[1], np.bool_)
    blocks = [table[begin : begin + ROWS_HASHED_AT_ONCE] for begin in range(0, len(table), ROWS_HASHED_AT_ONCE)]
    low = np.fmin.reduce([np.fmin.reduce(block, axis=0) for block in blocks]) / 2
    high = np.fmax.reduce([np.fmax.reduce(block, axis=0) for block in blocks]) / 2
    gone = np.sum([np.isnan(block).sum(axis=0) for block in blocks], axis=0)
    return low, high, np.where(gone == 0, high > low, gone < len(table))


def hash_by_ranges(X: Floats, low: Floats, high: Floats, varies: npt.NDArray[np.bool_], seed: int) -> Words:
    """What `hash_rows` gives to rows of X that share no cells with others, where X is a part of a larger table.

    Parameters
    ----------
    X : some rows.
    low, high : least and largest value of each column in the whole table.
    varies : whether a column has several values there, or one and missing ones.
    seed : another seed, other numbers.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [4.0]])
    >>> part = hash_by_ranges(X[:2], np.array([1.0]), np.array([4.0]), np.array([True]), 0)
    >>> bool(np.all(part == hash_rows(X, np.zeros((3, 0)), 0)[:2]))
    True
    """
    number, none = np.zeros(len(X), np.uint64), np.zeros((len(X), 0))
    for column in np.flatnonzero(varies).tolist():
        cell = _cells(X[:, column], low[column] / 2, high[column] / 2)
        number += kernels.hash_rows(cell[:, None], none, seed & 0xFFFFFFFFFFFFFFFF)
    return number


def _cells(value: Floats, low: float, high: float) -> Floats:
    """The cell of each value between the least and the largest, of which halves are given: so no range overflows."""
    span = high - low if high > low else 1.0
    return np.asarray(np.floor((value / 2 - low) / span * CELLS_PER_RANGE + CELL_OFFSET))


def _ranks(X: Floats | SparseTable, y: Floats, number: npt.NDArray[np.uint64], exact: npt.NDArray[np.uint64]) -> Floats:
    """The rank of every row among the distinct ones of the same number, as a table of one column."""
    rising = (order_within(X, number),) if isinstance(X, SparseTable) else (*X.T[::-1], number)
    order = np.lexsort((*y.T[::-1], *rising))
    starts = np.append(True, np.diff(number[order]) != 0)
    place = np.cumsum(starts | np.append(True, np.diff(exact[order]) != 0))
    rank = np.empty((len(order), 1))
    rank[order, 0] = place - np.maximum.accumulate(np.where(starts, place, 0))
    return rank
