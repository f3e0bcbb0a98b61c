"""CART: classification and regression trees (Breiman, Friedman, Olshen, Stone 1984).

Grow by the largest decrease of impurity, then prune back: the sequence of trees by cost-complexity, the choice by
cross-validated error (or validation rows, or reduced error).

Differs from the book: ties go to the lowest feature and threshold; folds are dealt by the content of the rows, so
equal rows are never on both sides; categories of more than two classes are searched exactly up to ten levels; missing
values have four ways beside surrogates; the pruning sequence of classes goes by impurity (sequence.py says why);
absolute error and monotone constraints are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from softwood import kernels
from softwood.kernels.growth import Growth
from softwood.kernels.kinds import Missing
from softwood.learners.hard.grow import find_surrogates, grow_tree
from softwood.learners.hard.problem import Floats, Problem
from softwood.learners.hard.prune import Fold, choose_by_cv, choose_by_validation, deal_rows, plain_table, reduce_error
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.table import PruningTable
from softwood.tree import Schema, Tree, cut_tree, level_order, spread_surrogates


@dataclass(frozen=True)
class Pruning:
    """How to choose the size: method "cv", "validation", "reduced_error" or None."""

    method: str | None = "cv"
    one_se: bool = True
    folds: int | Sequence[Fold] = 10  # how many, dealt by content, or which
    seed: int = 0
    validation: Problem | None = None

    def folds_of(self, problem: Problem) -> Sequence[Fold]:
        """The folds of these rows; none where none are asked for."""
        if self.method != "cv":
            return ()
        return deal_rows(problem, self.folds, self.seed) if isinstance(self.folds, int) else self.folds


@dataclass(frozen=True)
class Cart:
    """A learned tree, how it was chosen, and the tree before pruning."""

    tree: Tree
    table: PruningTable
    sequence: PruningSequence


def learn_cart(
    problem: Problem,
    schema: Schema,
    growth: Growth,
    pruning: Pruning,
    *,
    max_bins: int = 0,
    fill: Floats | None = None,
    n_jobs: int = 1,
) -> Cart:
    """Grow, choose, prune.

    Parameters
    ----------
    problem, schema : rows and what they stand for.
    growth, pruning : the rules.
    max_bins : 0 for the exact search.
    fill : per feature what stands for a missing value while learning; None: `growth.missing` sees to them.
    n_jobs : threads.
    """
    folds = pruning.folds_of(problem)  # before values are filled in: those carry rounding
    if fill is not None:
        problem = problem.with_rows(np.where(np.isnan(problem.X), fill, problem.X), problem.y, problem.weight)
    grower = kernels.Grower(problem.X, problem.n_levels, problem.weight, max_bins, n_jobs)
    full = grow_tree(grower, problem, growth, schema)
    if fill is not None:
        full = send_missing_to(full, fill)
    sequence = PruningSequence.of(full, problem)
    table = plain_table(sequence, problem)
    is_leaf = np.zeros(full.n_nodes, np.bool_)
    if pruning.method == "cv" and full.n_nodes > 1:
        table = choose_by_cv(
            sequence,
            grower,
            problem,
            growth,
            folds=folds,
            one_se=pruning.one_se,
            n_jobs=n_jobs,
        )
    elif pruning.method == "validation" and pruning.validation is not None:
        table = choose_by_validation(sequence, problem, pruning.validation, pruning.one_se)
    elif pruning.method == "reduced_error" and pruning.validation is not None:
        is_leaf = reduce_error(full, pruning.validation)
    if pruning.method in ("cv", "validation"):
        is_leaf = sequence.is_leaf(table.alpha[table.chosen])
    tree = cut_tree(full, is_leaf)
    if growth.missing == Missing.SURROGATE and growth.max_surrogates > 0 and tree.n_nodes > 1:
        tree = find_surrogates(grower, problem, tree, growth.max_surrogates)
        kept = level_order(full.first_child, full.n_children, is_leaf)
        sequence = replace(sequence, tree=spread_surrogates(full, kept, tree.surrogates))
    return Cart(tree, table, sequence)


def send_missing_to(tree: Tree, fill: Floats) -> Tree:
    """Each gate sends a missing value where it sends the value that stands for it."""
    known = tree.replace(missing=np.full(tree.n_nodes, Missing.DIRECTION))
    default = tree.default.copy()
    for node in np.flatnonzero(tree.n_children):
        value = fill[tree.feature[node]]
        if tree.group_begin[node + 1] > tree.group_begin[node]:
            slot = tree.group[tree.group_begin[node] + int(value)]
            default[node] = slot if slot >= 0 else default[node]
        else:
            default[node] = 0 if value <= tree.threshold[node] else 1
    return known.replace(default=default)
