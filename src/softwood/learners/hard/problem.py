"""The problem of a hard tree: rows, targets, weights, and costs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints, Signs
from softwood.kernels.arithmetic import matmul
from softwood.kernels.contracts.growth import UNCONSTRAINED, Grown, Target
from softwood.kernels.kinds import Criterion
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.hard.number_losses import number_loss, wild_loss
from softwood.parts.folds import merge_equal_rows, raise_light, sort_rows
from softwood.parts.monotone import clip_classes, find_bounds, upper_tails


@dataclass(frozen=True)
class Problem:
    """Rows and targets, as numbers.

    Attributes
    ----------
    X : (rows, features) category codes or numbers, NaN if missing; or a sparse table of numbers.
    n_levels : categories of each feature, 0 for a number.
    y : class codes (rows,) or numbers (rows, targets).
    weight : of every row; 2 counts as two rows, 0 as none.
    criterion : the impurity that splits minimise.
    n_classes : 0 for numbers.
    answer_factor : per class, the weight of its rows in the responses (class weights, priors).
    costs : (actual, predicted); the diagonal is 0.
    raised : whether the weights were raised, because they summed to less than the rows (parts/folds.py).
    group : number of each row's group, which is never split across folds; None: no groups.
    parameter : of quantile (which one) and huber (its width), one for each target; else empty.
    """

    X: Any  # Floats, or a SparseTable, only for CART
    n_levels: Ints
    y: npt.NDArray[np.generic]
    weight: Floats
    criterion: Criterion
    n_classes: int = 0
    answer_factor: Floats | None = None
    costs: Floats | None = None
    raised: bool = False
    group: npt.NDArray[np.int64] | None = None
    parameter: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def is_classes(self) -> bool:
        return self.n_classes > 0

    @property
    def factor(self) -> Floats:
        """Per class, the weight of its rows in the responses."""
        return np.ones(self.n_classes) if self.answer_factor is None else self.answer_factor

    @property
    def split_factor(self) -> Floats:
        """Per class, the weight of its rows in the splits: costs enter as altered priors (Breiman et al. 1984, 4.4).

        A class counts in proportion to the sum of the costs of its errors. For two classes this is exact, for more it
        is the usual compromise (as in rpart).
        """
        if self.costs is None or self.n_classes == 1:  # one class has no cost
            return self.factor
        cost = self.costs.sum(axis=1)
        total = np.bincount(self.y.astype(np.int64), self.weight, self.n_classes) * self.factor
        altered: Floats = self.factor * cost * total.sum() / (total * cost).sum()
        return altered

    def target(self, weight: Floats | None = None) -> Target:
        """For the grower, all rows or (by weight) some."""
        factor = self.split_factor if self.is_classes and not np.all(self.split_factor == 1.0) else np.zeros(0)
        return Target(self.y, self.weight if weight is None else weight, self.n_classes, factor)

    def with_rows(
        self,
        X: Floats | SparseTable,
        y: npt.NDArray[np.generic],
        weight: Floats,
        group: npt.NDArray[np.int64] | None = None,
    ) -> Problem:
        """The same problem with other rows."""
        return replace(self, X=X, y=y, weight=weight, group=group)

    def some(self, at: npt.NDArray[Any], weight: Floats) -> Problem:
        """A subset of the rows, with these weights and their groups."""
        return self.with_rows(self.X[at], self.y[at], weight, None if self.group is None else self.group[at])

    def in_order(self) -> Problem:
        """Drop rows of weight 0, merge equal rows (of one group), and order them by a hash of their content."""
        identity = self.y if self.group is None else np.column_stack([self.y, self.group])
        return self.some(*merge_equal_rows(self.X, identity, self.weight))

    def by_answer(self) -> Problem:
        """The rows sorted by target and weight: rows with equal values of both contribute equally to any sum."""
        keys = self.y.reshape(len(self.y), -1).T
        at = sort_rows(*keys, self.weight)
        return self.some(at, self.weight[at])

    @property
    def adds_exactly(self) -> bool:
        """Whether sums over rows are whole numbers, exact in any order of the rows."""
        return self.is_classes and bool(np.all(self.weight == np.floor(self.weight)))

    @property
    def code(self) -> npt.NDArray[np.int64]:
        """The class of every row; all 0 for numbers."""
        return self.y.astype(np.int64) if self.is_classes else np.zeros(len(self.y), np.int64)

    def counted(self) -> Problem:
        """The same rows with weights that count as rows: weights whose sum is less than the number of rows are
        scaled.
        """
        weight, raised = raise_light(self.X, self.y, self.weight)
        return replace(self, weight=weight, raised=raised)

    # -- responses and losses ------------------------------------------------------------------------------------------

    def responses(self, grown: Grown, monotone: Signs = UNCONSTRAINED) -> Floats:
        """The response of every node: class probabilities, or means or other centres; within its monotone bounds."""
        if not self.is_classes:
            return np.clip(grown.value, grown.lower, grown.upper) if grown.lower.shape[1] else grown.value
        split = grown.value * self.split_factor
        bounded = grown.lower.shape[1] > 0
        if bounded and (self.costs is None or self.n_classes == 2):
            split = clip_classes(split / split.sum(axis=1, keepdims=True), grown.lower, grown.upper)
        answer = split  # in place: a table of nodes and classes may be the largest there is
        answer /= self.split_factor
        answer *= self.factor
        answer /= answer.sum(axis=1, keepdims=True)
        if bounded and self.costs is not None and self.n_classes > 2:  # the grower's bounds are for other shares
            bounds = find_bounds(grown.first_child, grown.feature, monotone, upper_tails(answer))
            answer = clip_classes(answer, *bounds)
        answer.setflags(write=False)  # a tree keeps it without a copy
        return answer

    def decide(self, response: Floats) -> npt.NDArray[np.int64]:
        """The predicted class for each row of probabilities: the one of least expected cost."""
        best = np.argmax(response, axis=1) if self.costs is None else np.argmin(matmul(response, self.costs), axis=1)
        return np.asarray(best)

    def weight_of(self, rows: npt.NDArray[np.int64]) -> Floats:
        """The weights of some rows; 0 for all others."""
        weight = np.zeros_like(self.weight)
        weight[rows] = self.weight[rows]
        return weight

    def row_weight(self) -> Floats:
        """The weight of each row in an error."""
        return self.weight * self.factor[self.y.astype(np.int64)] if self.is_classes else self.weight

    def far_loss(self) -> Floats:
        """The part of each row's loss that no tree can save, because its target is an outlier; 0 for other losses.

        It is subtracted from every error of the row, so that differences between trees are unchanged and their standard
        errors are meaningful. Otherwise a few outliers would dominate the standard errors.
        """
        if self.is_classes:
            return np.zeros(len(self.X))
        lost = wild_loss(self.criterion, self.parameter, self.y.astype(np.float64), self.weight)
        return np.asarray(lost.mean(axis=1))

    def loss(self, response: Floats, row: npt.NDArray[np.int64]) -> Floats:
        """The cost of each response for its row: misclassification cost, or the loss of the criterion."""
        if self.is_classes:
            predicted, actual = self.decide(response), self.y[row].astype(np.int64)
            return (predicted != actual).astype(np.float64) if self.costs is None else self.costs[actual, predicted]
        loss = number_loss(self.criterion, self.parameter, response, self.y[row].astype(np.float64))
        return np.asarray(loss.mean(axis=1))
