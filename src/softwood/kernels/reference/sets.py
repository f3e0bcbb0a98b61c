"""Sets of groups: the representation of the candidates of a split.

A feature divides the rows of a node into groups (distinct values, bins, levels); a candidate sends a set of groups to
the first child and the others to the second. Numbers and sorted levels need only the prefixes of one order, which take
one cumulative sum; other subsets are masks.

    groups   c a b d        order = [2, 0, 1, 3]
             |---|          the prefix of size 2 = {c, a}; its complement is the prefix of size 2 of d b a c
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Index, Mask


@dataclass(frozen=True)
class Prefixes:
    """The sets order[:size], one per size."""

    order: Index
    size: Index

    @classmethod
    def proper(cls, order: Index) -> Prefixes:
        """Every proper prefix."""
        return cls(order, np.arange(1, len(order)))

    def __len__(self) -> int:
        return len(self.size)

    def __getitem__(self, at: slice) -> Prefixes:
        return Prefixes(self.order, self.size[at])

    def total(self, part: Floats) -> Floats:
        """Sum over the groups of each set: (groups, columns) to (sets, columns)."""
        return np.asarray(np.cumsum(part[self.order], axis=0)[self.size - 1])

    def holds(self, group: npt.NDArray[Any]) -> Mask:
        """Whether each set contains each of these groups, shape (sets, groups)."""
        rank = np.empty(len(self.order), np.intp)
        rank[self.order] = np.arange(len(self.order))
        return np.asarray(rank[group] < self.size[:, None])

    def complement(self) -> Prefixes:
        """The complement of each set."""
        return Prefixes(self.order[::-1], len(self.order) - self.size)

    def widen(self, held: bool) -> Prefixes:
        """The same sets with one more group, which all of them contain or none."""
        new = np.array([len(self.order)])
        if held:
            return Prefixes(np.concatenate([new, self.order]), self.size + 1)
        return Prefixes(np.concatenate([self.order, new]), self.size)


@dataclass(frozen=True)
class Masks:
    """Sets as masks: a row of True and False over the groups per set."""

    member: Mask

    @classmethod
    def all_of(cls, n_groups: int) -> Masks:
        """The one set with every group."""
        return cls(np.ones((1, n_groups), np.bool_))

    @classmethod
    def each_of(cls, n_groups: int) -> Masks:
        """One set per group."""
        return cls(np.eye(n_groups, dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.member)

    def __getitem__(self, at: slice) -> Masks:
        return Masks(self.member[at])

    def total(self, part: Floats) -> Floats:
        """Sum over the groups of each set: (groups, columns) to (sets, columns)."""
        return np.asarray(self.member.astype(np.float64) @ part)

    def holds(self, group: npt.NDArray[Any]) -> Mask:
        """Whether each set contains each of these groups, shape (sets, groups)."""
        return self.member[:, group]

    def complement(self) -> Masks:
        """The complement of each set."""
        return Masks(~self.member)

    def widen(self, held: bool) -> Masks:
        """The same sets with one more group, which all of them contain or none."""
        return Masks(np.column_stack([self.member, np.full(len(self), held)]))


Sets = Prefixes | Masks
