"""Problems of hard and oblique trees with columns in the order of their names, and their results (column_order.py)."""

from __future__ import annotations

from dataclasses import replace

from softwood.kernels.contracts.growth import Growth
from softwood.learners.column_order import ColumnOrder
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import Pruned, Pruning


def enter_problem(order: ColumnOrder, problem: Problem) -> Problem:
    """The problem with the learner's columns."""
    return replace(problem, X=order.table(problem.X), n_levels=order.each(problem.n_levels))


def enter_growth(order: ColumnOrder, growth: Growth) -> Growth:
    """Monotone constraints for the learner's columns."""
    return replace(growth, monotone=order.each(growth.monotone))


def enter_pruning(order: ColumnOrder, pruning: Pruning) -> Pruning:
    """The validation rows."""
    rows = pruning.validation
    return pruning if rows is None else replace(pruning, validation=enter_problem(order, rows))


def leave_pruned(order: ColumnOrder, pruned: Pruned) -> Pruned:
    """The result, over the user's columns."""
    sequence = replace(pruned.sequence, tree=order.leave_tree(pruned.sequence.tree))
    tree = order.leave_tree(pruned.tree)
    return replace(pruned, tree=tree, sequence=sequence, held_out=order.leave_rows(pruned.held_out))
