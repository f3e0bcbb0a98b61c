"""The terms of each column as a sparse matrix, since a column has terms of one input only.

A dense matrix (terms, columns) takes 18 GB for 5,000 inputs with curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats, Index, Mask


@dataclass(frozen=True)
class Mix:
    """A matrix (terms, columns) of entries value[i] at (term[i], column[i]), columns in increasing order.

    Examples
    --------
    >>> mix = Mix.of([{0: 2.0}, {1: -1.0, 2: 3.0}], n_terms=3)
    >>> mix.dense()
    array([[ 2.,  0.],
           [ 0., -1.],
           [ 0.,  3.]])
    >>> mix.block(np.array([1, 2]), np.array([1])).ravel()
    array([-1.,  3.])
    """

    term: Index
    column: Index
    value: Floats
    shape: tuple[int, int]

    @classmethod
    def of(cls, columns: Sequence[dict[int, float]], n_terms: int) -> Mix:
        """The matrix whose columns have these terms."""
        return cls(
            np.array([term for parts in columns for term in parts], np.intp),
            np.repeat(np.arange(len(columns)), [len(parts) for parts in columns]),
            np.array([value for parts in columns for value in parts.values()], np.float64),
            (n_terms, len(columns)),
        )

    @classmethod
    def diagonal(cls, value: Floats) -> Mix:
        """Every column is one term times its value."""
        place = np.arange(len(value))
        return cls(place, place, value, (len(value), len(value)))

    @property
    def is_diagonal(self) -> bool:
        """Whether every column is one term of its own times a factor, in order."""
        count = self.shape[0] == self.shape[1] == len(self.value) == np.count_nonzero(self.value)
        return bool(count and np.array_equal(self.term, self.column))

    def dense(self) -> Floats:
        """The dense matrix (terms, columns)."""
        whole = np.zeros(self.shape)
        whole[self.term, self.column] = self.value
        return whole

    def block(self, terms: Index, columns: Index) -> Floats:
        """The dense block of some columns and terms, both increasing; the terms include all those of the columns."""
        begin, end = np.searchsorted(self.column, columns), np.searchsorted(self.column, columns, side="right")
        size = end - begin
        place = np.repeat(np.arange(len(columns)), size)
        entry = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size) + np.repeat(begin, size)
        part = np.zeros((len(terms), len(columns)))
        part[np.searchsorted(terms, self.term[entry]), place] = self.value[entry]
        return part

    def single(self, column: int) -> tuple[int, float] | None:
        """The only term of a column, and its value; None if there are several, or none."""
        at = int(np.searchsorted(self.column, column))
        if at == len(self.column) or self.column[at] != column:
            return None
        if at + 1 < len(self.column) and self.column[at + 1] == column:
            return None
        return int(self.term[at]), float(self.value[at])

    def scaled(self, factor: Floats) -> Mix:
        """Each column times its factor."""
        return replace(self, value=self.value * factor[self.column])

    def only(self, terms: Mask, columns: Mask) -> Mix:
        """The submatrix of some terms and columns."""
        kept = terms[self.term] & columns[self.column]
        term, column = np.cumsum(terms) - 1, np.cumsum(columns) - 1
        shape = int(terms.sum()), int(columns.sum())
        return Mix(term[self.term[kept]], column[self.column[kept]], self.value[kept], shape)
