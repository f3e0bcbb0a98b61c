"""absolute_error: mean distance to the weighted median, averaged over targets.

The median of a set is the smallest y whose cumulative weight reaches half; where it equals half, the mean of that y and
the next. There is no sum over groups that gives it, so every set is laid out over all rows in the order of y:

    y        1   2   4   7   9
    held     1   0   1   1   0      times weight, summed up: 1 1 2 3 3; half is 1.5, reached at y = 4
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.kernels.growth import TIE
from softwood.kernels.reference.impurity import Account, account_all
from softwood.kernels.reference.rows import Rows
from softwood.kernels.reference.sets import Floats, Index, Sets

CELLS = 2**16  # sets times rows laid out at once: half a megabyte an array stays in the cache


class AbsoluteError:
    """Mean distance to the median, averaged over targets."""

    def __init__(self, y: Floats) -> None:
        self.y = y
        self.n_orders = y.shape[1]
        self.tries_subsets = False

    def parts(self, rows: Rows, group: Index, n_groups: int) -> MedianParts:
        return MedianParts(self.y[rows.id], rows.weight, group)

    def value(self, rows: Rows) -> Floats:
        return np.asarray(account_all(self, rows).center[0])

    def constrained(self, center: Floats) -> Floats:
        return center

    def slack(self, impurity: float) -> float:
        return impurity


@dataclass(frozen=True)
class MedianParts:
    """The rows themselves: no sum over a group stands for them."""

    y: Floats
    weight: Floats
    group: Index

    def account(self, sets: Sets) -> Account:
        step = max(1, CELLS // len(self.y))
        targets = []
        for y in self.y.T:
            order = np.argsort(y, kind="stable")
            pieces = [
                medians(y[order], self.weight[order] * sets[at : at + step].holds(self.group[order]))
                for at in range(0, len(sets), step)
            ]
            targets.append([np.concatenate(piece) for piece in zip(*pieces, strict=True)])
        loss, size, center = (np.stack(parts, axis=1) for parts in zip(*targets, strict=True))
        return Account(loss.mean(axis=1), size[:, 0], center)


def medians(y: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Loss, size and median of every row of `weight`, which weighs the rising `y`."""
    total = np.cumsum(weight, axis=1)
    size = total[:, -1]
    at = np.argmax(total >= (size * (0.5 - TIE))[:, None], axis=1)
    reached = np.take_along_axis(total, at[:, None], axis=1)
    following = np.argmax(total > reached, axis=1)  # the next y of the set, where there is one
    equals = reached[:, 0] <= size * (0.5 + TIE)
    median = np.where(equals, y[at] / 2 + y[following] / 2, y[at])
    return np.einsum("ij,ij->i", weight, np.abs(y - median[:, None])), size, median
