"""Folds for cross-validation that depend on the content and weight of the rows, not on their order.

Equal rows (inputs and target) are merged into one distinct row whose weight is the sum of theirs. Distinct rows are
taken class by class, in the order of a hash of their content and the seed (kernels/row_hash.py), and dealt to the folds
in turn, each in one or several pieces of equal weight:

    pieces = ceil(weight / size)

The size of a piece depends on what copies stand for (`piece_sizes`):

    inputs with several targets        each unit of weight is an observation of its own, as rows of a data set are
    inputs with one target             copies may be the weight of one observation, no part of which may be learned from
                                       while another is held out: one piece, unless it is heavier than half a fold. Of
                                       few distinct rows with whole weights, more than MAX_COPIES_TOGETHER copies are
                                       observations

So a table of few distinct rows has them all in every fold, and a table without equal rows, or with weights that are
not large, has each row in one fold. A row of weight two counts as two rows, and the order of the rows does not matter:
folds depend only on the distinct rows and their weights. The units of the columns do not matter either: a value counts
by its position between the smallest and the largest. Rows that differ in the last digits only are in the same fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Longs
from softwood.kernels.row_hash import hash_rows, hash_values, without_rank
from softwood.kernels.sparse.table import SparseTable

Fold = tuple[Floats, Floats]  # weights of all rows: to learn from, to test on

COPIES_MAX_DISTINCT_ROWS = 500  # above this number, copies of a row count as observations, not as a weight
MAX_COPIES_TOGETHER = 3  # of a distinct row; resampled rows stay in one piece
MAX_PIECES_PER_FOLD = 1_000  # of a distinct row per fold; more would not change the result
WEIGHT_ROUNDING = 1e-9  # rounding error of sums of weights


@dataclass(frozen=True)
class Deal:
    """The fold or folds of each distinct row.

    fold : fold of the only piece, or of the first.
    split : the distinct rows that are in several pieces.
    parts : (split, folds) how many pieces of each are in each fold.
    """

    fold: Longs
    split: Longs
    parts: Longs

    @property
    def n_pieces(self) -> int:
        """Number of pieces of all distinct rows."""
        return len(self.fold) - len(self.split) + int(self.parts.sum())

    def held_out(self, weight: Floats, fold: int) -> Floats:
        """The proportion of each distinct row's weight in a fold."""
        held = np.where(self.fold == fold, weight, 0.0)
        held[self.split] = self.parts[:, fold] * weight[self.split] / self.parts.sum(axis=1)
        return held


def deal(
    weight: Floats,
    several: npt.NDArray[np.bool_],
    n_folds: int,
    raised: bool = False,
    twin: npt.NDArray[np.bool_] | None = None,
) -> Deal:
    """Distinct rows, in the order given, to the folds in turn.

    Parameters
    ----------
    weight : weight of every distinct row: the number of rows it stands for.
    several : whether its inputs also occur with other targets.
    n_folds : at least 2.
    raised : whether weights were raised (`raise_light`), so that they do not count rows.
    twin : whether it differs from the previous row in the last digits only; both are then in one fold. None: no twins.

    Examples
    --------
    >>> dealt = deal(np.array([1.0, 4.0, 1.0]), np.array([False, True, True]), 2)
    >>> dealt.held_out(np.array([1.0, 4.0, 1.0]), 0), dealt.held_out(np.array([1.0, 4.0, 1.0]), 1)
    (array([1., 2., 0.]), array([0., 2., 1.]))
    """
    pieces = count_pieces(weight, piece_sizes(weight, several, n_folds, raised), MAX_PIECES_PER_FOLD * n_folds)
    if twin is not None and twin.any():
        pieces = np.where(twin & (pieces == 1), 0, pieces)
    start: Longs = (np.cumsum(pieces) - np.maximum(pieces, 1)) % n_folds
    split = np.flatnonzero(pieces > 1)
    rounds, rest = np.divmod(pieces[split, None], n_folds)
    place = (np.arange(n_folds) - start[split, None]) % n_folds  # of each fold, counted from the next one
    return Deal(start, split, rounds + (place < rest))


def piece_sizes(weight: Floats, several: npt.NDArray[np.bool_], n_folds: int, raised: bool = False) -> Floats:
    """The maximum weight of a piece of each distinct row."""
    total, few = float(weight.sum()), len(weight) <= COPIES_MAX_DISTINCT_ROWS
    half = total / (2 * n_folds)
    if raised:  # the number of rows is unknown
        everywhere = few and weight[several].sum() > total / 2
        return np.where(several, total / (len(weight) * n_folds) if everywhere else 1.0, half)
    half = max(half, 1.0)
    counted = few and bool(np.all(np.abs(weight - np.rint(weight)) <= WEIGHT_ROUNDING * weight))
    apart = several | (weight > MAX_COPIES_TOGETHER) if counted else several
    return np.where(apart, 1.0, half)


def count_pieces(weight: Floats, size: Floats, most: int) -> Longs:
    """The number of pieces of at most this size of each distinct row."""
    return np.clip(np.ceil(weight / size * (1.0 - WEIGHT_ROUNDING)), 1, most).astype(np.int64)


def have_several_answers(X: Floats | SparseTable) -> npt.NDArray[np.bool_]:
    """For each distinct row, whether another one has the same inputs and another target."""
    _, place, count = np.unique(hash_values(X, np.zeros((len(X), 0)), 0), return_inverse=True, return_counts=True)
    return np.asarray(count[place] > 1)


@dataclass(frozen=True)
class RowFolds(Sequence[Fold]):
    """For each fold, the weights of the training rows and of the test rows; computed on access.

    weight : weight of each row; rows of weight 0 are in no fold.
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
    weight : weights of the rows.
    n_folds : at least 2.
    seed : seed of the assignment to folds.
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
    """The position of each row's distinct row in the order of assignment: class by class, by the hash of the content.

    Rows that differ in their last digits only are dealt as equal ones are.
    """
    number = without_rank(hash_rows(X, y.reshape(len(y), -1).astype(np.float64), seed))
    found = np.empty(len(number), np.int64)
    start = 0
    for group in [np.ones(len(y), np.bool_)] if y.dtype.kind == "f" else [y == code for code in np.unique(y)]:
        if not group.any():
            continue
        _, place = np.unique(number[group], return_inverse=True)
        found[group] = place + start
        start += int(place.max()) + 1  # the next class continues at the next fold, so folds have equal sizes
    return found


def sum_in_order(group: Longs, weight: Floats, n: int) -> Floats:
    """Sums of weight by group, from the smallest weight on, so the order of the rows changes no bit."""
    order = np.argsort(weight, kind="stable")
    return np.bincount(group[order], weight[order], n).astype(np.float64)


def raise_light(X: Floats | SparseTable, y: npt.NDArray[np.generic], weight: Floats) -> tuple[Floats, bool]:
    """Weights that count as rows, and whether they were raised.

    Weights count as rows, but some sum to 1: weights whose sum is below the number of distinct rows are scaled to that
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
    total = float(np.sort(weight[row]).sum())  # zeros among them would change the grouping of the sums
    if total >= (1.0 - WEIGHT_ROUNDING) * len(row):
        return weight, False
    n = len(np.unique(hash_values(X[row], y[row].reshape(len(row), -1).astype(np.float64), 0)))
    return raise_to(weight, n, total)


def raise_to(weight: Floats, n: int, total: float) -> tuple[Floats, bool]:
    """Weights of n distinct rows, scaled to sum to n if `total`, their sum, is less."""
    if total >= (1.0 - WEIGHT_ROUNDING) * n:
        return weight, False
    found = weight / total * n
    whole = np.rint(found)
    return np.where(np.abs(found - whole) <= WEIGHT_ROUNDING * found, whole, found), True


def merge_equal_rows(X: Floats | SparseTable, y: npt.NDArray[np.generic], weight: Floats) -> tuple[Longs, Floats]:
    """Positions of distinct rows in the order of a hash of their content, and the weight of all rows equal to each.

    Rows of weight 0 are dropped. Sums over the rest depend neither on the order of the rows nor on copies.

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
    """An order by the first key, then by the second, and so on; ties are in any order.

    Examples
    --------
    >>> sort_rows(np.array([2, 1, 2]), np.array([1.0, 0.0, 0.5])).tolist()
    [1, 2, 0]
    """
    first, *others = keys
    others = [key for key in others if np.any(key != key[:1])]
    return np.lexsort((*reversed(others), first)) if others else np.argsort(first)
