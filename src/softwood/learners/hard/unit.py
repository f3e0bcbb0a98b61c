"""The unit of numbers while a hard tree learns: a power of two, so that nothing is rounded.

    y = unit * number        range of the numbers: about SQUARE_RANGE_DIGITS

For any unit of the user, squares neither overflow nor vanish, and a limit on the impurity (growth.py: EPSILON) has the
same meaning. All targets share one unit, so that their relative weight does not change. Multiplication by a power of
two is exact: the tree of y * 2^k is the tree of y, to the last bit, with responses times 2^k.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.kernels.contracts.growth import Growth
from softwood.kernels.kinds import Criterion
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import Pruned, Pruning
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.table import PruningTable
from softwood.tree import Tree
from softwood.tree.trusted import with_fields

# For squared risks, digits of the range above 1, such that a spread of about 1e-16 of the range is an impurity of
# EPSILON: rounding. Other risks are in the unit of the targets.
SQUARE_CRITERIA = (Criterion.SQUARED_ERROR, Criterion.HUBER)
SQUARE_RANGE_DIGITS = 26


@dataclass(frozen=True)
class Unit:
    """`size` is the unit of responses, `risk` that of impurities, gains and errors."""

    size: float = 1.0
    risk: float = 1.0

    @classmethod
    def of(cls, problem: Problem) -> Unit:
        """The unit for the rows with weight; 1 for classes."""
        values = problem.y[problem.weight > 0].astype(np.float64)
        if problem.is_classes or not values.size:
            return cls()
        span = float(np.max(values.max(axis=0) - values.min(axis=0)))
        if span == 0.0:  # then there is no risk
            return cls(float(np.ldexp(1.0, int(np.frexp(np.abs(values).max())[1]))))
        square = problem.criterion in SQUARE_CRITERIA
        size = float(np.ldexp(1.0, int(np.frexp(span)[1]) - SQUARE_RANGE_DIGITS * square))
        return cls(size, size * size if square else size)

    def enter(self, problem: Problem) -> Problem:
        """The problem in this unit."""
        if self.size == 1.0:
            return problem
        width = problem.parameter / self.size if problem.criterion == Criterion.HUBER else problem.parameter
        return replace(problem, y=problem.y.astype(np.float64) / self.size, parameter=width)

    def enter_pruning(self, pruning: Pruning) -> Pruning:
        """The validation rows in this unit."""
        rows = pruning.validation
        return pruning if rows is None else replace(pruning, validation=self.enter(rows))

    def enter_growth(self, growth: Growth) -> Growth:
        """Limits on the impurity in this unit."""
        limits = (growth.min_impurity / self.risk, growth.min_impurity_decrease / self.risk)
        return replace(growth, min_impurity=limits[0], min_impurity_decrease=limits[1])

    def leave(self, pruned: Pruned) -> Pruned:
        """The result in the user's unit."""
        if self.size == 1.0:
            return pruned
        table, sequence, tree = pruned.table, pruned.sequence, self.leave_tree(pruned.tree)
        unpruned = tree if sequence.tree is pruned.tree else self.leave_tree(sequence.tree)
        largest = PruningSequence(unpruned, sequence.risk * self.risk, sequence.error * self.risk)
        held_out = None if pruned.held_out is None else pruned.held_out.in_unit(self.size)
        return Pruned(tree, None if table is None else self._table(table), largest, held_out)

    def leave_tree(self, tree: Tree) -> Tree:
        """A tree in the user's unit."""
        return with_fields(
            tree,
            response=tree.response * self.size,
            mean=tree.mean * self.size,
            arrived=tree.arrived * self.size,
            impurity=tree.impurity * self.risk,
            gain=tree.gain * self.risk,
        )

    def _table(self, table: PruningTable) -> PruningTable:
        names = ("alpha", "error", "tested_error", "standard_error")
        return replace(table, **{name: getattr(table, name) * self.risk for name in names})
