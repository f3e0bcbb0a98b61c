"""Conformal prediction: intervals of numbers and sets of classes with a chosen coverage.

    number    answer +- threshold * spread(x, answer)             score of a held-out row: |target - answer| / spread
    classes   all k with probability[k] >= 1 - threshold          score of a held-out row: 1 - probability of its class

Scores are for rows that their trees were not trained on: validation rows (split conformal; Lei et al. 2018, locally
scaled) or the folds of a cross-validation. A new row is predicted by the tree of all rows, not by those of the folds as
in CV+ (Barber et al. 2021), so one tree is enough. Sets of classes as in Sadinle, Lei and Wasserman (2019): the
smallest on average; the most probable class is always included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.row_hash import hash_rows
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.conformal.score_table import ScoreTable
from softwood.learners.conformal.spread import Spread, learn_spread
from softwood.parts.held_out import HeldOutRows
from softwood.tree import Schema


@dataclass(frozen=True)
class TargetIntervals:
    """Intervals of one target: the spread at a row, and quantiles of errors relative to it."""

    spread: Spread
    scores: ScoreTable

    def half_width(self, X: Floats | SparseTable, answer: Floats, coverage: float) -> Floats:
        """Half width of the interval around each prediction, (rows,)."""
        return self.scores.threshold(coverage) * self.spread.at(X, answer)


@dataclass(frozen=True)
class Intervals:
    """Intervals of every target."""

    targets: list[TargetIntervals]

    @classmethod
    def learn(cls, rows: HeldOutRows, schema: Schema) -> Intervals:
        """From held-out rows of a regression tree."""
        rows, found = merge_equal(rows), []
        for target, answer in zip(rows.target.astype(np.float64).T, rows.answer.T, strict=True):
            error = np.abs(target - answer)
            spread, without = learn_spread(rows.X, answer, error, rows.weight, schema, rows.group)
            found.append(TargetIntervals(spread, ScoreTable.of(error / without, rows.weight)))
        return cls(found)

    def at(self, X: Floats | SparseTable, answer: Floats, coverage: float) -> Floats:
        """Lower and upper ends for rows with these predictions (rows, targets): shape (rows, targets, 2)."""
        half = np.stack([one.half_width(X, answer[:, i], coverage) for i, one in enumerate(self.targets)], axis=1)
        return np.stack([answer - half, answer + half], axis=2)

    @property
    def largest_coverage(self) -> float:
        """The coverage up to which intervals are finite."""
        return min(one.scores.largest_coverage for one in self.targets)


def merge_equal(rows: HeldOutRows) -> HeldOutRows:
    """Rows with equal inputs, target, answer and group as one with the sum of their weights, in an order by content.

    Spreads are leave-one-out, and a copy of a row would defeat this.

    Examples
    --------
    >>> one = np.ones((3, 1))
    >>> sorted(merge_equal(HeldOutRows(np.array([[2.0], [0.0], [2.0]]), one, one, np.ones(3))).weight.tolist())
    [1.0, 2.0]
    """
    group = np.zeros(len(rows), np.int64) if rows.group is None else rows.group
    content = np.column_stack([rows.target.astype(np.float64).reshape(len(rows), -1), rows.answer, group])
    number = hash_rows(rows.X, np.zeros((len(rows), 0)), 0)
    order = np.lexsort((rows.weight, *content.T, number))
    number, content = number[order], content[order]
    first = np.append(True, (number[1:] != number[:-1]) | np.any(content[1:] != content[:-1], axis=1))
    weight = np.bincount(np.cumsum(first) - 1, rows.weight[order]).astype(np.float64)
    at = order[first]
    kept = None if rows.group is None else rows.group[at]
    return HeldOutRows(rows.X[at], rows.target[at], rows.answer[at], weight, kept)


@dataclass(frozen=True)
class ClassSets:
    """Sets of classes."""

    scores: ScoreTable

    @classmethod
    def learn(cls, rows: HeldOutRows) -> ClassSets:
        """From held-out rows of a classification tree, one column of probabilities per class."""
        truth = rows.answer[np.arange(len(rows)), rows.target.astype(np.int64)]
        return cls(ScoreTable.of(1.0 - truth, rows.weight))

    def at(self, probability: Floats, coverage: float) -> npt.NDArray[np.bool_]:
        """Membership of the classes in the set of each row, (rows, classes)."""
        held = 1.0 - probability <= self.scores.threshold(coverage)
        held[np.arange(len(held)), probability.argmax(axis=1)] = True
        return held

    @property
    def largest_coverage(self) -> float:
        """The coverage up to which sets may lack a class."""
        return self.scores.largest_coverage
