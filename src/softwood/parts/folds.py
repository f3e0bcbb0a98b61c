"""Folds for cross-validation that depend on what the rows hold, not on where they stand.

Every row gets a number made from its own content (a hash of its values and the seed); rows are dealt to the folds in
the order of these numbers, class by class. So equal rows share a fold: a row of weight two is the row twice, no copy
of a training row is held out, and the order of the rows does not matter. Nor do the units of the columns: a value
counts by its place between the least and the largest.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.kernels import content

Floats = npt.NDArray[np.float64]

# Cells between the least and the largest value of a column. Neither is a round number: round values, which tables are
# full of, then lie within cells and not on their edges, where rounding would decide.
CELLS, EDGE = 3751.7950737, 0.3819660112501052


def deal_folds(X: Floats, y: npt.NDArray[np.generic], n_folds: int, seed: int) -> npt.NDArray[np.int32]:
    """The fold (0 .. n_folds - 1) of every row.

    Parameters
    ----------
    X : (rows, columns); NaN is a value like any other.
    y : class codes (integers: every class is spread over the folds) or numbers of shape (rows, targets).
    n_folds : at least 2.
    seed : another seed, another deal.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([0, 0, 0, 0])
    >>> fold = deal_folds(X, y, 2, seed=0)
    >>> bool(fold[0] == fold[2])
    True
    """
    numbers = y.dtype.kind == "f"
    number = hash_rows(X, y.reshape(len(y), -1).astype(np.float64), seed)
    fold = np.empty(len(number), np.int32)
    start = 0
    for group in [np.ones(len(y), np.bool_)] if numbers else [y == code for code in np.unique(y)]:
        _, place = np.unique(number[group], return_inverse=True)
        fold[group] = (place + start) % n_folds
        start += int(place.max()) + 1  # the next class goes on where this one stopped: folds stay of equal size
    return fold


def hash_rows(X: Floats, y: Floats, seed: int) -> npt.NDArray[np.uint64]:
    """A 64-bit number for every row of two tables: the same for equal rows, another for others, whatever the units.

    The number is made of the cell in which each value lies between the least and the largest of its column. Rows that
    share all cells are told apart by their rank. So x -> a x + b (a > 0) changes nothing, but for the few values that
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
    number, exact = _hash_cells(X, y, seed), content.hash_rows(X, y, seed)
    order = np.argsort(number)
    found, told = number[order], exact[order]
    shared = (found[1:] == found[:-1]) & (told[1:] != told[:-1])  # one number for rows that are not equal
    if not shared.any():
        return number
    at = np.flatnonzero(np.isin(number, found[1:][shared]))
    number[at] ^= content.hash_rows(_ranks(X[at], y[at], number[at], exact[at]), np.zeros((len(at), 0)), seed)
    return number


def _hash_cells(X: Floats, y: Floats, seed: int) -> npt.NDArray[np.uint64]:
    """A number made of the cells of a row's values, whatever the order of the columns.

    A missing value is a cell of its own. Columns of one value, or of none, say nothing and are passed over.
    """
    number, none = np.zeros(len(X), np.uint64), np.zeros((len(X), 0))
    for table, own in ((X, seed), (y, ~seed & 0xFFFFFFFFFFFFFFFF)):
        for column in range(table.shape[1]):
            value = table[:, column]
            cell = _cells(value)
            if not (np.all(cell == cell[:1]) or np.isnan(value).all()):
                number += content.hash_rows(cell[:, None], none, own)
    return number


def _cells(value: Floats) -> Floats:
    """The cell of each value between the least and the largest; halves of them, so that no range overflows."""
    low, high = np.fmin.reduce(value) / 2, np.fmax.reduce(value) / 2
    span = high - low if high > low else 1.0
    return np.asarray(np.floor((value / 2 - low) / span * CELLS + EDGE))


def _ranks(X: Floats, y: Floats, number: npt.NDArray[np.uint64], exact: npt.NDArray[np.uint64]) -> Floats:
    """The rank of every row among the distinct ones of the same number, as a table of one column."""
    order = np.lexsort((*y.T[::-1], *X.T[::-1], number))
    starts = np.append(True, np.diff(number[order]) != 0)
    place = np.cumsum(starts | np.append(True, np.diff(exact[order]) != 0))
    rank = np.empty((len(order), 1))
    rank[order, 0] = place - np.maximum.accumulate(np.where(starts, place, 0))
    return rank
