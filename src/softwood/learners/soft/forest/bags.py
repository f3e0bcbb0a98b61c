"""The rows that each tree of a forest learns from: three quarters; every row is left out of equally many trees.

Rows in the order of their content are numbered, class after class, and dealt to as many parts as there are trees (at
least four). Tree t leaves out a quarter of the parts, from part t on. So two of eight trees have not seen a given row:
rows out of bag, which measure the forest without further fits. Groups are not split.

Rows drawn with replacement (Breiman, "Bagging predictors", 1996) leave out 37 of 100 and were worse: soft trees with
few nodes gain less from averaging than each loses with fewer rows. docs/results/forest.md has the figures; Bühlmann
and Yu ("Analyzing bagging", 2002) compare the two.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Longs, Mask
from softwood.learners.soft.rows.dataset import Dataset

PARTS = 4  # at least; every tree leaves out one in so many


def left_out(rows: Dataset, tree: int, n_trees: int) -> Mask:
    """The rows that the tree with this number leaves out; none if no row would remain, or none is to be left out.

    Examples
    --------
    >>> from softwood.kernels.kinds import Loss
    >>> rows = Dataset(np.zeros((8, 1)), np.zeros((8, 1)), np.ones(8), [0], Loss.SQUARED)
    >>> left_out(rows, 0, 8).astype(int).tolist(), left_out(rows, 7, 8).astype(int).tolist()
    ([1, 1, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 1])
    """
    n_parts = max(n_trees, PARTS)
    n_out = max(1, round(n_parts / PARTS))
    out = (_places(rows) - tree) % n_parts < n_out
    return np.zeros(len(rows), np.bool_) if out.all() else out


def _places(rows: Dataset) -> Longs:
    """The number by which a row is dealt."""
    if rows.group is not None:
        _, group = np.unique(rows.group, return_inverse=True)
        return group.astype(np.int64)
    place = np.empty(len(rows), np.int64)
    place[np.argsort(rows.class_of_row(), kind="stable")] = np.arange(len(rows))
    return place


def bag_of(rows: Dataset, out: Mask) -> tuple[Dataset, Dataset]:
    """The rows that a tree learns from and those left out; if none is left out, it is measured on its training rows."""
    bag = rows.part(np.where(out, 0.0, rows.weight))
    return bag, rows.part(np.where(out, rows.weight, 0.0)) if out.any() else bag
