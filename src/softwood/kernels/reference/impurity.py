"""A criterion on sets of rows: loss = W * impurity, W, and the centre (class shares, means or medians).

    gini           W * (1 - sum p^2)  = sum c (W - c) / W         c = weight * class_factor per class, p = c / W
    entropy        W * (-sum p ln p)  = -sum c ln(c / W)
    error          W * (1 - max p)    = W - max c
    squared_error  sum w (y - mean)^2 = Q - S^2 / W               Q, S = sums of w y^2, w y about the node's mean

Written as sums without cancellation, so that rounding is small relative to the loss of the node: equal splits then
stay equal to TIE for any order of summation. `poisson` is in counts.py, `absolute_error`, `quantile`
and `huber` are in centers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.contracts.growth import FAR_TIE, TIE, Target
from softwood.kernels.formulas.class_impurity import CLASS_LOSS, divide
from softwood.kernels.kinds import Criterion
from softwood.kernels.reference.rows import Rows, sum_by
from softwood.kernels.reference.sets import Masks, Sets


@dataclass(frozen=True)
class Account:
    """A criterion on some sets of rows: `loss` and `size` (W) of shape (sets,), `center` (sets, columns)."""

    loss: Floats
    size: Floats
    center: Floats


class Parts(Protocol):
    """Rows of a node, divided into groups."""

    def account(self, sets: Sets) -> Account:
        """Loss, size and centre of each set of groups."""
        ...


class Measure(Protocol):
    """A criterion, bound to a target."""

    n_orders: int  # how many numbers describe a level: 1 means that sorted levels are enough
    tries_subsets: bool  # for few levels, if sorting is not enough
    above_zero: bool  # whether both sides of a split must have centres above 0

    def parts(self, rows: Rows, group: Index, n_groups: int) -> Parts:
        """The statistics of groups, which sets of groups add up."""
        ...

    def value(self, rows: Rows) -> Floats:
        """The response of a node with these rows."""
        ...

    def constrained(self, center: Floats) -> Floats:
        """The quantities under monotone constraints, from centres."""
        ...

    def slack(self, impurity: float, value: Floats) -> float:
        """Unit of the constrained quantities in a node of this impurity and value, for comparisons up to rounding."""
        ...

    def rounding(self, impurity: float, value: Floats, root: Floats) -> float:
        """Proportion of a node's loss within which gains count as equal; `root` is the value of the root."""
        ...


def account_all(measure: Measure, rows: Rows) -> Account:
    """The statistics of all rows as one set."""
    return measure.parts(rows, np.zeros(len(rows.id), np.intp), 1).account(Masks.all_of(1))


class Classes:
    """gini, entropy and error."""

    def __init__(self, target: Target, criterion: Criterion) -> None:
        self.y = np.asarray(target.y, np.intp)
        self.n_classes = target.n_classes
        self.n_orders = 1 if target.n_classes == 2 else target.n_classes
        self.tries_subsets = True
        self.above_zero = False
        self.factor = target.class_factor if len(target.class_factor) else np.ones(target.n_classes)
        self.loss = CLASS_LOSS[criterion]

    def parts(self, rows: Rows, group: Index, n_groups: int) -> ClassParts:
        y, k = self.y[rows.id], self.n_classes
        count = np.bincount(group * k + y, rows.weight * self.factor[y], n_groups * k)
        return ClassParts(count.astype(np.float64).reshape(n_groups, k), self.loss)

    def value(self, rows: Rows) -> Floats:
        return np.bincount(self.y[rows.id], rows.weight, self.n_classes).astype(np.float64)

    def constrained(self, center: Floats) -> Floats:
        """P(class >= 1), ..., P(class >= K - 1)."""
        return np.cumsum(center[:, ::-1], axis=1)[:, ::-1][:, 1:]

    def slack(self, impurity: float, value: Floats) -> float:
        return 1.0

    def rounding(self, impurity: float, value: Floats, root: Floats) -> float:
        return TIE


@dataclass(frozen=True)
class ClassParts:
    """Weight * class_factor per group and class."""

    count: Floats
    loss: Callable[[Floats, Floats], Floats]

    def account(self, sets: Sets) -> Account:
        count = sets.total(self.count)
        size = count.sum(axis=1, keepdims=True)
        return Account(self.loss(count, size), size[:, 0], divide(count, size))


class SquaredError:
    """Variance about the mean, averaged over targets."""

    def __init__(self, y: Floats) -> None:
        self.y = y
        self.n_orders = y.shape[1]
        self.tries_subsets = True
        self.above_zero = False

    def parts(self, rows: Rows, group: Index, n_groups: int) -> SquareParts:
        w = rows.weight[:, None]
        # About a member first, then about the mean: equal targets give exactly 0, others lose no digits.
        member = self.y[rows.id[0]]
        y = self.y[rows.id] - member
        mean = (w * y).sum(axis=0) / w.sum()
        y -= mean
        return SquareParts(sum_by(group, n_groups, np.hstack([w, w * y, w * y * y])), member + mean)

    def value(self, rows: Rows) -> Floats:
        return np.asarray(account_all(self, rows).center[0])

    def constrained(self, center: Floats) -> Floats:
        return center

    def slack(self, impurity: float, value: Floats) -> float:
        return float(np.sqrt(impurity))

    def rounding(self, impurity: float, value: Floats, root: Floats) -> float:
        """Sums about the root's mean lose digits far from it."""
        return TIE + FAR_TIE * float(np.abs(value - root).max()) / float(np.sqrt(impurity))


@dataclass(frozen=True)
class SquareParts:
    """Sums of w, w y and w y^2 per group and target, with y measured from `mean`."""

    total: Floats
    mean: Floats

    def account(self, sets: Sets) -> Account:
        total, n = sets.total(self.total), len(self.mean)
        size, S, Q = total[:, :1], total[:, 1 : n + 1], total[:, n + 1 :]
        return Account((Q - S * S / size).mean(axis=1), size[:, 0], self.mean + S / size)
