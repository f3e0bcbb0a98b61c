"""The rows of a node: ids and weights. With `Missing.FRACTION` a row may be in several nodes, in parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Index, Mask


@dataclass(frozen=True)
class Rows:
    """Increasing ids into the table, and the weight of each row in this node (never 0)."""

    id: Index
    weight: Floats

    @property
    def count(self) -> float:
        return float(self.weight.sum())

    def where(self, keep: Mask) -> Rows:
        """A subset of the rows."""
        return Rows(self.id[keep], self.weight[keep])

    def scaled(self, share: Floats) -> Rows:
        """The proportion `share` of every row, without rows of weight 0."""
        weight = self.weight * share
        return Rows(self.id[weight > 0], weight[weight > 0])


def sum_by(group: Index, n_groups: int, columns: Floats) -> Floats:
    """Sum of the rows of `columns` in each group, shape (groups, columns)."""
    return np.stack([np.bincount(group, column, n_groups) for column in columns.T], axis=1)
