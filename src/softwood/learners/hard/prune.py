"""Choosing how much of a grown tree to keep: by cross-validation, by validation rows, or by reduced error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.kernels.growth import Growth
from softwood.learners.hard.grow import grow_tree
from softwood.learners.hard.problem import Floats, Problem
from softwood.learners.hard.sequence import PruningSequence, node_error, node_weight, path_losses
from softwood.learners.hard.table import PruningTable
from softwood.parts.folds import deal_folds
from softwood.tree import Tree

T = TypeVar("T")
Fold = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]  # rows to learn from, rows to test on


def plain_table(sequence: PruningSequence, problem: Problem) -> PruningTable:
    """The table of a tree that nothing was held out for: the largest tree is kept."""
    unknown = np.full(len(sequence.alpha), np.nan)
    return _table(sequence, problem, unknown, unknown, chosen=len(unknown) - 1)


def choose_by_cv(
    sequence: PruningSequence,
    grower: kernels.HardGrower,
    problem: Problem,
    growth: Growth,
    *,
    folds: Sequence[Fold],
    one_se: bool,
    n_jobs: int,
) -> PruningTable:
    """Cross-validated error of every tree of the sequence (Breiman et al. 1984, section 11.5)."""
    between = sequence.between()

    def test_fold(k: int) -> Floats:
        trained, held = folds[k]
        weight = np.zeros_like(problem.weight)
        weight[trained] = problem.weight[trained]
        rows = problem.with_rows(problem.X[held], problem.y[held], problem.weight[held])
        if not rows.weight.any() or not weight.any():
            return np.zeros((3, len(between)))
        tree = grow_tree(grower, problem, growth, sequence.tree.schema, weight)
        own = PruningSequence.of(tree, problem)
        total, squares = (own.sum_leaves(losses, between) for losses in path_losses(tree, rows))
        return np.array([total, squares, np.full(len(between), rows.row_weight().sum())])

    total, squares, weight = np.sum(run(test_fold, len(folds), n_jobs), axis=0)
    if not weight.any():
        return plain_table(sequence, problem)
    return _tested(sequence, problem, total, squares, weight, one_se, "cv")


def deal_rows(problem: Problem, n_folds: int, seed: int) -> list[Fold]:
    """Folds by the content of the rows; rows of weight 0 are in none, so that removing them changes nothing."""
    row = np.flatnonzero(problem.weight > 0)
    fold = deal_folds(problem.X[row], problem.y[row], n_folds, seed)
    return [(row[fold != k], row[fold == k]) for k in range(n_folds)]


def choose_by_validation(sequence: PruningSequence, problem: Problem, rows: Problem, one_se: bool) -> PruningTable:
    """Error of every tree of the sequence on rows that were not trained on."""
    total, squares = path_losses(sequence.tree, rows)
    total, squares = sequence.sum_leaves(total), sequence.sum_leaves(squares)
    return _tested(sequence, problem, total, squares, rows.row_weight().sum(), one_se, "validation")


def reduce_error(tree: Tree, rows: Problem) -> npt.NDArray[np.bool_]:
    """Which branches to make leaves, bottom-up: those that are no worse than their subtree on the given rows."""
    as_leaf, _ = path_losses(tree, rows)
    best = as_leaf.copy()
    cut = np.zeros(tree.n_nodes, np.bool_)
    for node in np.flatnonzero(tree.n_children)[::-1]:
        below = best[tree.children(node)].sum()
        cut[node] = as_leaf[node] <= below
        best[node] = min(as_leaf[node], below)
    return cut


def run(work: Callable[[int], T], n: int, n_jobs: int) -> list[T]:
    """work(0) ... work(n - 1), by threads: the grower lets go of the interpreter's lock."""
    if n_jobs == 1:
        return [work(k) for k in range(n)]
    with ThreadPoolExecutor(n_jobs) as pool:
        return list(pool.map(work, range(n)))


def _tested(
    sequence: PruningSequence,
    problem: Problem,
    total: Floats,
    squares: Floats,
    weight: float | Floats,
    one_se: bool,
    tested_by: str,
) -> PruningTable:
    """Mean losses, their standard errors, and the choice: the least error, or the smallest tree within one se of it."""
    mean = total / weight
    standard_error = np.sqrt(np.maximum(squares / weight - mean * mean, 0.0) / weight)
    least = len(mean) - 1 - int(np.argmin(mean[::-1]))  # of equal errors the smaller tree
    chosen = int(np.flatnonzero(mean <= mean[least] + standard_error[least])[-1]) if one_se else least
    return _table(sequence, problem, mean, standard_error, chosen=len(mean) - 1 - chosen, tested_by=tested_by)


def _table(
    sequence: PruningSequence,
    problem: Problem,
    tested: Floats,
    standard_error: Floats,
    chosen: int,
    tested_by: str = "cv",
) -> PruningTable:
    weight = node_weight(sequence.tree, problem)
    error = sequence.sum_leaves(weight / weight[0] * node_error(sequence.tree, problem))
    leaves = sequence.n_leaves().astype(np.int64)
    up = slice(None, None, -1)  # the table goes from the root alone to the largest tree
    return PruningTable(sequence.alpha[up], leaves[up], error[up], tested[up], standard_error[up], chosen, tested_by)
