"""A sample of a table in one pass: the rows with the smallest keys, a bottom-k sketch.

Keys are hashes of the rows, so the kept rows are a random sample that depends neither on the order of the rows nor on
the batches. Equal rows are merged and their weights added. A dropped row never returns, because the largest kept key
only decreases. With k distinct rows of keys spread evenly over [0, 2^64) there are about (k - 1) / (largest key / 2^64)
in the whole table (Bar-Yossef et al. 2002).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from softwood.arrays import Floats, Words

N_KEYS = 2.0**64


@dataclass
class RowSketch:
    """The `size` distinct rows with the smallest keys.

    key : ascending.  content : distinguishes rows with the same key.  X, target : (rows, columns).
    weight : (rows, several) sums over equal rows.  full : whether rows were dropped.

    Examples
    --------
    >>> sketch, row = RowSketch(2), np.array([[0.0], [1.0], [2.0], [1.0]])
    >>> key = np.array([5, 1, 3, 1], np.uint64)
    >>> sketch.add(key, key, row, row, np.ones((4, 1)))
    >>> sketch.close()
    >>> sketch.X[:, 0], sketch.weight[:, 0], sketch.full
    (array([1., 2.]), array([2., 1.]), True)
    """

    size: int
    key: Words = field(default_factory=lambda: np.zeros(0, np.uint64))
    content: Words = field(default_factory=lambda: np.zeros(0, np.uint64))
    X: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    target: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    weight: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    full: bool = False
    waiting: list[tuple[Words, Words, Floats, Floats, Floats]] = field(default_factory=list)

    def add(self, key: Words, content: Words, X: Floats, target: Floats, weight: Floats) -> None:
        """Add some rows."""
        if self.full:
            near = key <= self.key[-1]
            key, content, X, target, weight = key[near], content[near], X[near], target[near], weight[near]
        self.waiting.append((key, content, X, target, weight))
        if sum(len(rows[0]) for rows in self.waiting) >= self.size:
            self.close()

    def close(self) -> None:
        """Merge the pending rows."""
        parts = [(self.key, self.content, self.X, self.target, self.weight)] if len(self.key) else []
        parts += [part for part in self.waiting if len(part[0])]
        self.waiting = []
        if not parts:
            return
        key, content, X, target, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.lexsort((weight[:, 0], content, *target.T, key))  # copies are added from the lightest on
        key, content, target = key[order], content[order], target[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (key[1:] != key[:-1]) | (content[1:] != content[:-1]) | np.any(target[1:] != target[:-1], axis=1)
        begin = np.flatnonzero(new)
        self.full = self.full or len(begin) > self.size
        row = np.cumsum(new) - 1
        weight = np.column_stack([np.bincount(row, each).astype(np.float64) for each in weight[order].T])[: self.size]
        kept = begin[: self.size]
        self.key, self.content, self.X, self.target = key[kept], content[kept], X[order[kept]], target[kept]
        self.weight = weight

    def merge(self, other: RowSketch) -> None:
        """Merge another sketch of the same size."""
        for sketch in (self, other):
            sketch.close()
        self.waiting.append((other.key, other.content, other.X, other.target, other.weight))
        full = self.full or other.full
        self.close()
        self.full = self.full or full

    @property
    def n_distinct(self) -> int:
        """Distinct rows of the whole table; an estimate if rows were dropped."""
        if not self.full:
            return len(self.key)
        return max(len(self.key) + 1, round((len(self.key) - 1) / (float(self.key[-1]) / N_KEYS)))

    @property
    def shared(self) -> float:
        """Proportion of rows that share their key with another row."""
        return 1.0 - len(np.unique(self.key)) / max(len(self.key), 1)
