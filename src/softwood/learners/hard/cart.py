"""CART: classification and regression trees (Breiman, Friedman, Olshen, Stone 1984).

Grow by the largest decrease of impurity, then prune back: the sequence of trees by cost-complexity, the choice by
cross-validated error (or validation rows, or reduced error).

Differs from the book: ties go to the first feature by name and the lowest threshold; folds depend on the content of the
rows and their weights (parts/folds.py); categories with more than two classes are searched exactly up to ten levels;
there are four treatments of missing values besides surrogates; the pruning sequence of classes uses impurity (see
sequence.py); absolute error, quantiles, huber, counts and monotone constraints are added; with the first three,
outlying targets do not dominate the growth of a tree that is to be pruned (wild_targets.py).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood import kernels
from softwood.arrays import Floats, Mask
from softwood.kernels.contracts.growth import Growth
from softwood.kernels.kinds import Missing
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.column_order import ColumnOrder
from softwood.learners.hard.by_name import enter_growth, enter_problem, enter_pruning, leave_pruned
from softwood.learners.hard.grow import find_surrogates, grow_tree
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import Pruned, Pruning, choose_size, smooth_pruned
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.unit import Unit
from softwood.learners.hard.wild_targets import answer_wild, hold_wild
from softwood.tree import Schema, Tree, cut_tree, level_order, spread_surrogates
from softwood.tree.trusted import with_fields
from softwood.tree.views import CategoryGate


def learn_cart(
    problem: Problem,
    schema: Schema,
    growth: Growth,
    pruning: Pruning,
    *,
    max_bins: int = 0,
    fill: Floats | None = None,
    n_jobs: int = 1,
) -> Pruned:
    """Grow, choose, prune.

    Parameters
    ----------
    problem, schema : rows and their meaning.
    growth, pruning : the rules.
    max_bins : 0 for the exact search.
    fill : per feature the replacement of a missing value while learning; None: `growth.missing` applies.
    n_jobs : threads.
    """
    order = ColumnOrder.of(schema)
    if not order.is_given:
        growth, pruning, fill = enter_growth(order, growth), enter_pruning(order, pruning), _by_name(order, fill)
        own, names = enter_problem(order, problem), order.schema(schema)
        learned = learn_cart(own, names, growth, pruning, max_bins=max_bins, fill=fill, n_jobs=n_jobs)
        return leave_pruned(order, learned)
    if isinstance(pruning.folds, int):  # user-defined folds are row indices
        problem = order_rows(problem, growth, pruning)
    folds = pruning.folds_of(problem)  # before values are filled in: those carry rounding
    unit = Unit.of(problem)
    problem, growth, pruning = unit.enter(problem), unit.enter_growth(growth), unit.enter_pruning(pruning)
    growth = replace(growth, parameter=problem.parameter)
    if fill is not None:
        problem = replace(problem, X=fill_missing(problem.X, fill))
    grower = kernels.Grower(problem.X, problem.n_levels, problem.weight, max_bins, n_jobs)
    near = problem if pruning.method is None else hold_wild(problem)
    full = grow_tree(grower, near, growth, schema)
    if near is not problem and not len(growth.monotone):  # bounds are for the clipped targets
        full = answer_wild(full, problem, near)
    if fill is not None:
        full = send_missing_to(full, fill)
    sequence = PruningSequence.of(full, problem)

    def grow(weight: Floats) -> Tree:
        return grow_tree(grower, near, growth, schema, weight)

    choice = choose_size(sequence, grow, problem, pruning, folds, n_jobs)
    tree = cut_tree(full, choice.is_leaf)
    if growth.missing == Missing.SURROGATE and growth.max_surrogates > 0 and tree.n_nodes > 1:
        found = find_surrogates(grower, problem, tree, growth)
        sequence = sequence.with_tree(found if tree is full else _with_surrogates(full, choice.is_leaf, found))
        tree = found
    return unit.leave(smooth_pruned(Pruned(tree, choice.table, sequence, choice.held_out), pruning.smoothing))


def _by_name(order: ColumnOrder, fill: Floats | None) -> Floats | None:
    return None if fill is None else order.each(fill)


def _with_surrogates(full: Tree, is_leaf: Mask, pruned: Tree) -> Tree:
    """The tree before pruning with the surrogates of the pruned one."""
    kept = level_order(full.first_child, full.n_children, is_leaf)
    return spread_surrogates(full, kept, pruned.surrogates)


def order_rows(problem: Problem, growth: Growth, pruning: Pruning) -> Problem:
    """The rows in an order independent of the given one, if the order affects the last digit of a sum.

    Growing adds up targets and weights. Parts of rows with missing values, and errors of folds, depend on inputs, too.
    """
    if growth.missing == Missing.FRACTION or (pruning.method == "cv" and not problem.adds_exactly):
        return problem.in_order()
    return problem if problem.adds_exactly else problem.by_answer()


def fill_missing(X: Floats | SparseTable, fill: Floats) -> Floats | SparseTable:
    """The rows with one number per column, (columns,), in place of missing values."""
    return X.filled(fill) if isinstance(X, SparseTable) else np.where(np.isnan(X), fill, X)


def send_missing_to(tree: Tree, fill: Floats) -> Tree:
    """Each gate sends a missing value to the child of its replacement."""
    known = with_fields(tree, missing=np.full(tree.n_nodes, Missing.DIRECTION))
    default = tree.default.copy()
    for node in np.flatnonzero(tree.n_children):
        value, gate = fill[tree.feature[node]], tree.gate(int(node))
        if isinstance(gate, CategoryGate):
            slot = gate.slots[int(value)]
            default[node] = slot if slot >= 0 else default[node]
        else:
            default[node] = 0 if value <= tree.threshold[node] else 1
    return with_fields(known, default=default)
