"""absolute_error, quantile and huber: mean loss about a centre that is not a sum over rows, averaged over targets.

formulas/centers.py finds the centres. They do not follow from sums over groups, so every set is spread over all rows
in the order of y:

    y        1   2   4   7   9
    held     1   0   1   1   0      times weight, cumulated: 1 1 2 3 3; half is 1.5, reached at y = 4
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.contracts.growth import TIE
from softwood.kernels.formulas.centers import FindCenters, find_centers
from softwood.kernels.kinds import Criterion
from softwood.kernels.reference.impurity import Account, account_all
from softwood.kernels.reference.rows import Rows
from softwood.kernels.reference.sets import Sets

CELLS = 2**16  # sets times rows at once: half a megabyte per array stays in the cache


class CenterLoss:
    """Mean loss about the centre, averaged over targets."""

    def __init__(self, y: Floats, criterion: Criterion, parameter: Floats) -> None:
        self.y = y
        self.n_orders = y.shape[1]
        self.tries_subsets = False
        self.above_zero = False
        self.is_huber = criterion == Criterion.HUBER
        self.find = [find_centers(criterion, parameter[t] if len(parameter) else 0.5) for t in range(y.shape[1])]

    def parts(self, rows: Rows, group: Index, n_groups: int) -> CenterParts:
        return CenterParts(self.y[rows.id], rows.weight, group, self.find)

    def value(self, rows: Rows) -> Floats:
        return np.asarray(account_all(self, rows).center[0])

    def constrained(self, center: Floats) -> Floats:
        return center

    def slack(self, impurity: float, value: Floats) -> float:
        return float(np.sqrt(impurity)) if self.is_huber else impurity

    def rounding(self, impurity: float, value: Floats, root: Floats) -> float:
        return TIE


@dataclass(frozen=True)
class CenterParts:
    """The rows themselves, since sums over groups are not enough."""

    y: Floats
    weight: Floats
    group: Index
    find: list[FindCenters]

    def account(self, sets: Sets) -> Account:
        step = max(1, CELLS // len(self.y))
        targets = []
        for y, find in zip(self.y.T, self.find, strict=True):
            order = np.argsort(y, kind="stable")
            pieces = [
                find(y[order], self.weight[order] * sets[at : at + step].holds(self.group[order]))
                for at in range(0, len(sets), step)
            ]
            targets.append([np.concatenate(piece) for piece in zip(*pieces, strict=True)])
        loss, size, center = (np.stack(parts, axis=1) for parts in zip(*targets, strict=True))
        return Account(loss.mean(axis=1), size[:, 0], center)
