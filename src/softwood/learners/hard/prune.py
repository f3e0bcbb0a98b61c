"""Choosing how much of a grown tree to keep: by cross-validation, by validation rows, or by reduced error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.learners.hard.problem import Floats, Problem
from softwood.learners.hard.sequence import PruningSequence, path_losses
from softwood.learners.hard.table import PruningTable
from softwood.parts.folds import Fold, deal_rows
from softwood.parts.parallel import parallel_map
from softwood.tree import Tree

Pair = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]  # rows to learn from, rows to test on
Grow = Callable[[Floats], Tree]  # the unpruned tree of the rows by these weights

ROUNDING = 1e-12  # part of an error by which equal ones may differ: rows are added in another order


@dataclass(frozen=True)
class Pruning:
    """How to choose the size: method "cv", "validation", "reduced_error" or None."""

    method: str | None = "cv"
    one_se: bool = True
    folds: int | Sequence[Pair] = 10  # how many, dealt by content, or which rows
    seed: int = 0
    validation: Problem | None = None

    def folds_of(self, problem: Problem) -> Sequence[Fold]:
        """The folds of these rows; none where none are asked for."""
        if self.method != "cv":
            return ()
        if isinstance(self.folds, int):
            return deal_rows(problem.X, problem.y, problem.weight, self.folds, self.seed, problem.raised)
        return GivenFolds(problem, self.folds)


@dataclass(frozen=True)
class GivenFolds(Sequence[Fold]):
    """Folds that a user gave, as weights of all rows."""

    problem: Problem
    pairs: Sequence[Pair]

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, fold: Any) -> Any:
        learn, test = self.pairs[fold]
        return self.problem.weight_of(learn), self.problem.weight_of(test)


@dataclass(frozen=True)
class Pruned:
    """A learned tree, how it was chosen, and the tree before pruning.

    table : None where nothing was held out; `plain_table` makes one of the sequence.
    """

    tree: Tree
    table: PruningTable | None
    sequence: PruningSequence


def choose_size(
    sequence: PruningSequence,
    grow: Grow,
    problem: Problem,
    pruning: Pruning,
    folds: Sequence[Fold],
    n_jobs: int,
) -> tuple[PruningTable | None, npt.NDArray[np.bool_]]:
    """What every size costs on rows held out, if any are, and which nodes of the unpruned tree are to be leaves."""
    if pruning.method == "cv" and sequence.tree.n_nodes > 1:
        table = choose_by_cv(sequence, grow, problem, folds=folds, one_se=pruning.one_se, n_jobs=n_jobs)
    elif pruning.method == "validation" and pruning.validation is not None:
        table = choose_by_validation(sequence, pruning.validation, pruning.one_se)
    elif pruning.method == "reduced_error" and pruning.validation is not None:
        return None, reduce_error(sequence.tree, pruning.validation)
    else:
        return None, np.zeros(sequence.tree.n_nodes, np.bool_)
    return table, sequence.is_leaf(table.alpha[table.chosen])


def plain_table(sequence: PruningSequence) -> PruningTable:
    """The table of a tree that nothing was held out for: the largest tree is kept."""
    unknown = np.full(len(sequence.alpha), np.nan)
    return _table(sequence, unknown, unknown, chosen=len(unknown) - 1)


def choose_by_cv(
    sequence: PruningSequence,
    grow: Grow,
    problem: Problem,
    *,
    folds: Sequence[Fold],
    one_se: bool,
    n_jobs: int,
) -> PruningTable:
    """Cross-validated error of every tree of the sequence (Breiman et al. 1984, section 11.5)."""
    between = sequence.between()

    def test_fold(k: int) -> Floats:
        learn, test = folds[k]
        if not learn.any() or not test.any():
            return np.zeros((3, len(between)))
        held = np.flatnonzero(test)
        rows = problem.with_rows(problem.X[held], problem.y[held], test[held])
        tree = grow(learn)
        own = PruningSequence.of(tree, problem)
        total, squares = (own.sum_leaves(losses, between) for losses in path_losses(tree, rows))
        return np.array([total, squares, np.full(len(between), rows.row_weight().sum())])

    total, squares, weight = np.sum(list(parallel_map(test_fold, range(len(folds)), n_jobs)), axis=0)
    if not weight.any():
        return plain_table(sequence)
    return _tested(sequence, total, squares, weight, one_se, "cv")


def choose_by_validation(sequence: PruningSequence, rows: Problem, one_se: bool) -> PruningTable:
    """Error of every tree of the sequence on rows that were not trained on."""
    total, squares = path_losses(sequence.tree, rows)
    total, squares = sequence.sum_leaves(total), sequence.sum_leaves(squares)
    return _tested(sequence, total, squares, rows.row_weight().sum(), one_se, "validation")


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


def _tested(
    sequence: PruningSequence,
    total: Floats,
    squares: Floats,
    weight: float | Floats,
    one_se: bool,
    tested_by: str,
) -> PruningTable:
    """Mean losses, their standard errors, and the choice: the least error, or the smallest tree within one se of it."""
    mean = total / weight
    standard_error = np.sqrt(np.maximum(squares / weight - mean * mean, 0.0) / weight)
    equal = mean <= mean.min() + ROUNDING * np.abs(mean).max()
    least = int(np.flatnonzero(equal)[-1])  # of equal errors the smaller tree
    chosen = int(np.flatnonzero(equal | (mean <= mean[least] + standard_error[least]))[-1]) if one_se else least
    return _table(sequence, mean, standard_error, chosen=len(mean) - 1 - chosen, tested_by=tested_by)


def _table(
    sequence: PruningSequence,
    tested: Floats,
    standard_error: Floats,
    chosen: int,
    tested_by: str = "cv",
) -> PruningTable:
    error, leaves = sequence.sum_leaves(sequence.error), sequence.n_leaves().astype(np.int64)
    up = slice(None, None, -1)  # the table goes from the root alone to the largest tree
    return PruningTable(sequence.alpha[up], leaves[up], error[up], tested[up], standard_error[up], chosen, tested_by)
