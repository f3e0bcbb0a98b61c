"""A sparse table: rows of which only nonzero values are stored.

    begin     0   2   3          row i has the values begin[i] .. begin[i + 1]
    column    0   4   1          rising within a row
    value     .5  2   nan        never 0; NaN is missing

It has the shape, the length and the rows of an array; dense numbers are available block by block (`blocks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats

Number = TypeVar("Number", bound=np.generic)

BLOCK_NUMBERS = 2**22  # maximum per block, unless one row has more


@dataclass(frozen=True)
class SparseTable:
    """Rows that take memory for their stored values only.

    Examples
    --------
    >>> table = SparseTable.of_dense(np.array([[0.0, 2.0], [0.0, 0.0], [3.0, np.nan]]))
    >>> table.shape, len(table.value)
    ((3, 2), 3)
    >>> table[[2, 0]].dense()
    array([[ 3., nan],
           [ 0.,  2.]])
    """

    begin: npt.NDArray[np.int64]
    column: npt.NDArray[np.int32]
    value: Floats
    n_columns: int

    ndim = 2

    @classmethod
    def of_dense(cls, X: Floats) -> SparseTable:
        """The sparse table of an array."""
        row, column = np.nonzero(X)
        begin = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(X)))]).astype(np.int64)
        return cls(begin, column.astype(np.int32), np.asarray(X[row, column], np.float64), X.shape[1])

    @classmethod
    def joined(cls, parts: Sequence[SparseTable]) -> SparseTable:
        """Rows of several tables, one below the other."""
        sizes = np.concatenate([np.diff(part.begin) for part in parts])
        begin = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        column, value = (np.concatenate([getattr(part, name) for part in parts]) for name in ("column", "value"))
        return cls(begin, column, value, parts[0].n_columns)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.n_columns

    @property
    def row(self) -> npt.NDArray[np.int64]:
        """The row of every value."""
        return np.repeat(np.arange(len(self)), np.diff(self.begin))

    def __len__(self) -> int:
        return len(self.begin) - 1

    def __getitem__(self, rows: Any) -> SparseTable:
        """Some of the rows, by indices, a mask or a slice; for neighbouring rows the values are views."""
        if isinstance(rows, slice) and rows.step in (None, 1):
            first, last, _ = rows.indices(len(self))
            begin = self.begin[first : max(first, last) + 1]
            held = slice(begin[0], begin[-1])
            return SparseTable(begin - begin[0], self.column[held], self.value[held], self.n_columns)
        at = np.arange(len(self))[rows]
        size = np.diff(self.begin)[at]
        begin = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        place = np.arange(begin[-1]) + np.repeat(self.begin[at] - begin[:-1], size)
        return SparseTable(begin, self.column[place], self.value[place], self.n_columns)

    def stretches(self, n_values: int) -> Iterator[slice]:
        """Neighbouring rows that store at most this number of values together, or one row that stores more."""
        start = 0
        while start < len(self):
            stop = int(np.searchsorted(self.begin, self.begin[start] + n_values, side="right")) - 1
            yield slice(start, stop := min(max(stop, start + 1), len(self)))
            start = stop

    def where(self, keep: npt.NDArray[np.bool_]) -> SparseTable:
        """The table with some of the values; the others are 0."""
        size = np.bincount(self.row[keep], minlength=len(self))
        begin = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        return SparseTable(begin, self.column[keep], self.value[keep], self.n_columns)

    def filled(self, fill: Floats) -> SparseTable:
        """The table with one number per column, (columns,), in place of missing values."""
        value = np.where(np.isnan(self.value), fill[self.column], self.value)
        return replace(self, value=value).where(value != 0.0)

    def only(self, columns: npt.NDArray[np.intp]) -> SparseTable:
        """Some of the columns, in increasing order, renumbered."""
        place = np.full(self.n_columns, -1, np.int32)
        place[columns] = np.arange(len(columns))
        kept = self.where(place[self.column] >= 0)
        return replace(kept, column=place[kept.column], n_columns=len(columns))

    def beside(self, value: Floats) -> SparseTable:
        """The table with one more column (rows,)."""
        last = np.full(len(self), self.n_columns, np.int32)
        at = self.begin[1:]
        begin = self.begin + np.arange(len(self) + 1)
        column, values = np.insert(self.column, at, last), np.insert(self.value, at, value)
        return SparseTable(begin, column, values, self.n_columns + 1).where(values != 0.0)

    def by_column(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
        """The start of each column's values (columns + 1), and their increasing rows and values."""
        order = np.argsort(self.column, kind="stable")
        begin = np.concatenate([[0], np.cumsum(np.bincount(self.column, minlength=self.n_columns))])
        return begin, self.row[order], self.value[order]

    def ends(self) -> Floats:
        """The least and the largest value of each column, or 0, (columns, 2)."""
        found = np.zeros((self.n_columns, 2))
        self.widen(found[:, 0], found[:, 1])
        return found

    def widen(self, low: Floats, high: Floats) -> None:
        """Widen the range of each column (columns,) to include its stored values.

        Missing values are left out first: `np.minimum.at` of NaN warns on x86-64, though not on ARM.
        """
        known = ~np.isnan(self.value)
        column, value = self.column[known], self.value[known]
        np.minimum.at(low, column, value)
        np.maximum.at(high, column, value)

    def dense(self) -> Floats:
        """The table as an array."""
        table = np.zeros(self.shape)
        table[self.row, self.column] = self.value
        return table

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Rows as arrays, some at a time; an array is valid until the next."""
        step = min(max(1, BLOCK_NUMBERS // max(self.n_columns, 1)), max(len(self), 1))
        room = np.zeros((step, self.n_columns))
        for start in range(0, len(self), step):
            rows = slice(start, min(start + step, len(self)))
            at = slice(self.begin[rows.start], self.begin[rows.stop])
            row = np.repeat(np.arange(rows.stop - start), np.diff(self.begin[start : rows.stop + 1]))
            cells = row, self.column[at]
            room[cells] = self.value[at]
            yield rows, room[: rows.stop - start]
            room[cells] = 0.0


def answer_blocks(
    answer: Callable[[Floats, int], npt.NDArray[Number]], X: Floats | SparseTable, n_threads: int
) -> npt.NDArray[Number]:
    """The result of `answer` for the rows; for a sparse table block by block."""
    if not isinstance(X, SparseTable):
        return answer(X, n_threads)
    found = [answer(block, n_threads) for _, block in X.blocks()]
    return np.concatenate(found) if found else answer(np.zeros(X.shape), n_threads)
