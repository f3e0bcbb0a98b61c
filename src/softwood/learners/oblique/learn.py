"""Grow an oblique tree, then prune it like CART: cost-complexity, with the size chosen on held-out rows.

Every fold has its own columns and its own tree.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.arrays import Floats
from softwood.learners.column_order import ColumnOrder
from softwood.learners.hard.by_name import enter_problem, enter_pruning, leave_pruned
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import Pruned, Pruning, choose_size, smooth_pruned
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.unit import Unit
from softwood.learners.oblique.grow import Finder, Limits, grow_oblique
from softwood.learners.oblique.rows import Rows
from softwood.learners.soft.columns.design import PLAIN, BasisSpec
from softwood.learners.soft.regimes import IMPORTANCE_ROWS
from softwood.tree import Schema, Tree, cut_tree
from softwood.tree.gain import Arrivals, Sample

MAX_CELLS = 20_000_000  # of the table of rows and nodes that effects are measured on


def learn_oblique(
    problem: Problem,
    schema: Schema,
    find: Finder,
    limits: Limits,
    pruning: Pruning,
    *,
    basis_spec: BasisSpec = PLAIN,
    n_jobs: int = 1,
) -> Pruned:
    """Grow, choose, prune.

    Parameters
    ----------
    problem, schema : rows and their meaning.
    find : the finder of splits.
    limits, pruning : of the growth.
    basis spec : the columns of linear gates.
    n_jobs : folds in parallel.
    """
    order = ColumnOrder.of(schema)
    if not order.is_given:
        own, names, pruning = enter_problem(order, problem), order.schema(schema), enter_pruning(order, pruning)
        learned = learn_oblique(own, names, find, limits, pruning, basis_spec=basis_spec, n_jobs=n_jobs)
        return leave_pruned(order, learned)
    dealt = isinstance(pruning.folds, int)  # by content and weight, so equal rows are merged once
    if dealt:
        problem = problem.in_order()
    folds, unit = pruning.folds_of(problem), Unit.of(problem)
    problem, pruning = unit.enter(problem), unit.enter_pruning(pruning)
    limits = replace(limits, min_impurity_decrease=limits.min_impurity_decrease / unit.risk)

    def grow(weight: Floats) -> Tree:
        at = np.flatnonzero(weight)
        some = problem.some(at, weight[at])
        if not dealt:
            return grow_oblique(Rows.make(some, basis_spec), find, limits, schema)
        mine = None if piece is None else piece[at]  # a part of a row comes in pieces as all of it does
        return grow_oblique(replace(Rows.of(some, basis_spec), piece=mine), find, limits, schema)

    whole = (Rows.of if dealt else Rows.make)(problem, basis_spec)
    full, piece = _with_effects(grow_oblique(whole, find, limits, schema), whole.problem), whole.piece
    del whole  # its columns are as large as the table, and folds have their own
    sequence = PruningSequence.of(full, problem)
    choice = choose_size(sequence, grow, problem, pruning, folds, n_jobs)
    pruned = Pruned(cut_tree(full, choice.is_leaf), choice.table, sequence, choice.held_out)
    return unit.leave(smooth_pruned(pruned, pruning.smoothing))


def _with_effects(tree: Tree, rows: Problem) -> Tree:
    """The tree with the effects of its terms, from some of the rows, which are in the order of their content."""
    if not len(tree.weight):
        return tree
    some = slice(min(IMPORTANCE_ROWS, max(1, MAX_CELLS // tree.n_nodes)))
    sample = Sample(rows.X[some], np.zeros((0, 1)), rows.weight[some])
    return Arrivals(tree, sample).with_effects()
