"""The rows of an oblique tree: columns of inputs, and the statistics of the targets.

Equal rows are merged and ordered by their content, so a row of weight two is the row twice and the order of the rows
given does not matter, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats, Index, Ints
from softwood.kernels.formulas.score_threshold import loss_of
from softwood.learners.hard.problem import Problem
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.parts.folds import count_pieces, have_several_answers, piece_sizes

MAX_PIECES = 2_000  # for the rows of a node: enough to distinguish gates


@dataclass(frozen=True)
class Rows:
    """Rows in memory.

    problem : inputs, targets, weights.
    columns, phi : the scaled columns of linear gates; (rows, columns).
    tally : (rows, sums) the summands of a criterion: weight * factor for the class of the row; or w, w y, w y^2 of
        targets about their mean.
    piece : maximum weight of a piece of each row when rows are halved (parts/folds.py); None: rows are not split.
    """

    problem: Problem
    columns: DesignMatrix
    phi: Floats
    tally: Floats
    piece: Floats | None = None

    @classmethod
    def make(cls, problem: Problem, basis_spec: BasisSpec) -> Rows:
        """Rows in the order of their content, with the columns of the basis spec."""
        return cls.of(problem.in_order(), basis_spec)

    @classmethod
    def of(cls, problem: Problem, basis_spec: BasisSpec) -> Rows:
        """Rows that are already in the order of their content, with the columns of the basis spec."""
        columns = build_design(problem.X, problem.n_levels.tolist(), problem.weight, basis_spec)
        return cls(problem, columns, columns.make(problem.X), make_tally(problem), find_pieces(problem))

    def some(self, at: Index) -> Rows:
        """A subset of the rows, with the same columns."""
        problem = self.problem.some(at, self.problem.weight[at])
        piece = None if self.piece is None else self.piece[at]
        return replace(self, problem=problem, phi=self.phi[at], tally=self.tally[at], piece=piece)

    def in_pieces(self) -> Rows:
        """A row for each piece of a heavy row, so that they can be divided; at most some MAX_PIECES rows more."""
        if self.piece is None:
            return self
        weight = self.problem.weight
        size = np.maximum(self.piece, weight.sum() / MAX_PIECES)
        pieces = count_pieces(weight, size, MAX_PIECES)
        some = self.some(np.repeat(np.arange(len(pieces)), pieces))
        part = 1.0 / np.repeat(pieces, pieces)
        problem = replace(some.problem, weight=some.problem.weight * part)
        return replace(some, problem=problem, tally=some.tally * part[:, None], piece=None)

    def answers(self) -> tuple[Floats, Ints, Floats, Floats, int]:
        """Weight, class codes and their factors, numbers, and the criterion, for the native kernels."""
        problem = self.problem
        if problem.is_classes:
            code, factor = problem.y.astype(np.int32), problem.split_factor
            return problem.weight, code, factor, np.zeros((0, 0)), int(problem.criterion)
        return problem.weight, np.zeros(0, np.int32), np.zeros(0), problem.y.astype(np.float64), int(problem.criterion)

    @property
    def split_weight(self) -> Floats:
        """Weight of each row in splits: weight times the factor of its class."""
        return np.asarray(self.tally.sum(axis=1)) if self.problem.is_classes else self.tally[:, 0]

    @property
    def has_one_group(self) -> bool:
        """Whether all rows have the same group, so that they cannot be divided."""
        group = self.problem.group
        return group is not None and bool(np.all(group == group[:1]))

    def loss(self, sums: Floats) -> Floats:
        """W * impurity of sets of rows with these sums, (sets, sums)."""
        return loss_of(sums, self.problem.criterion)


def find_pieces(problem: Problem) -> Floats | None:
    """Maximum weight of a piece of each row when rows are halved; None if rows are not split."""
    if not problem.raised and np.all(problem.weight <= 1.0):
        return None
    return piece_sizes(problem.weight, have_several_answers(problem.X), 2, problem.raised)


def make_tally(problem: Problem) -> Floats:
    """The summands over rows for the impurity of a set of them."""
    if problem.is_classes:
        code = problem.y.astype(np.intp)
        tally = np.zeros((len(code), problem.n_classes))
        tally[np.arange(len(code)), code] = problem.weight * problem.split_factor[code]
        return tally
    y = problem.y.astype(np.float64)
    y = y - np.average(y, axis=0, weights=problem.weight)  # squares about the mean lose no digits
    w = problem.weight[:, None]
    return np.hstack([w, w * y, w * y * y])
