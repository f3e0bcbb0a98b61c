"""Choice of the size of a pruned tree: by cross-validation, by validation rows, or by reduced error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot
from softwood.kernels.row_hash import hash_rows
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.sequence import PathAnswers, PruningSequence, path_losses
from softwood.learners.hard.smoothing import Smoothing
from softwood.learners.hard.table import PruningTable
from softwood.parts.folds import Fold, deal_rows
from softwood.parts.groups import GroupFolds, deal_groups
from softwood.parts.held_out import MAX_HELD_OUT_ROWS, HeldOutRows
from softwood.parts.parallel import parallel_map
from softwood.tree import Tree, cut_tree

Pair = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]  # training rows, test rows
Grow = Callable[[Floats], Tree]  # the unpruned tree of the rows by these weights

ERROR_ROUNDING_SHARE = 1e-12  # relative difference of equal errors by rounding, because rows are added in another order


@dataclass(frozen=True)
class Pruning:
    """Options for the choice of the size: method "cv", "validation", "reduced_error" or None.

    smoothing : of the probabilities, after the size is chosen; None: proportions of the rows.
    """

    method: str | None = "cv"
    one_se: bool = True
    folds: int | Sequence[Pair] = 10  # number of folds, or the rows of each
    seed: int = 0
    validation: Problem | None = None
    smoothing: Smoothing | None = None

    def folds_of(self, problem: Problem) -> Sequence[Fold]:
        """The folds of these rows; empty if none are needed."""
        if self.method != "cv":
            return ()
        if isinstance(self.folds, int):
            return deal_folds(problem, self.folds, self.seed)
        return GivenFolds(problem, self.folds)


def deal_folds(problem: Problem, n_folds: int, seed: int) -> Sequence[Fold]:
    """Folds of the rows by their content, or by groups if there are any."""
    if problem.group is None:
        return deal_rows(problem.X, problem.y, problem.weight, n_folds, seed, problem.raised)
    return GroupFolds(problem.weight, deal_groups(problem.group, problem.code, problem.weight, n_folds, seed))


@dataclass(frozen=True)
class GivenFolds(Sequence[Fold]):
    """User-defined folds, as weights of all rows; repeated cross-validation holds out each row several times."""

    problem: Problem
    pairs: Sequence[Pair]

    @property
    def repeats(self) -> float:
        """How often a row is held out, averaged over the rows that are: its losses are one observation."""
        held = np.sum([test for _, test in self], axis=0)
        return float(held.sum() / self.problem.weight[held > 0].sum())

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, fold: Any) -> Any:
        learn, test = self.pairs[fold]
        return self.problem.weight_of(learn), self.problem.weight_of(test)


@dataclass(frozen=True)
class Pruned:
    """A learned tree, its pruning table, and the tree before pruning.

    table : None if nothing was held out; `plain_table` makes one from the sequence.
    held_out : some rows with predictions by trees of the chosen size that did not see them; None if there are none.
    """

    tree: Tree
    table: PruningTable | None
    sequence: PruningSequence
    held_out: HeldOutRows | None = None


@dataclass(frozen=True)
class Choice:
    """The held-out cost of every size, if any; the nodes of the unpruned tree that become leaves; and some held-out
    rows with their predictions.
    """

    table: PruningTable | None
    is_leaf: npt.NDArray[np.bool_]
    held_out: HeldOutRows | None = None


def choose_size(
    sequence: PruningSequence,
    grow: Grow,
    problem: Problem,
    pruning: Pruning,
    folds: Sequence[Fold],
    n_jobs: int,
) -> Choice:
    """Choose the size of the pruned tree."""
    if pruning.method == "cv" and sequence.tree.n_nodes > 1:
        table, held_out = choose_by_cv(
            sequence, grow, problem, folds=folds, one_se=pruning.one_se, n_jobs=n_jobs, smoothing=pruning.smoothing
        )
        return Choice(table, sequence.is_leaf(table.alpha[table.chosen]), held_out)
    rows = pruning.validation
    if pruning.method == "validation" and rows is not None:
        table = choose_by_validation(sequence, rows, pruning.one_se)
        is_leaf = sequence.is_leaf(table.alpha[table.chosen])
        return Choice(table, is_leaf, answered(sequence.tree, is_leaf, rows, pruning.smoothing))
    if pruning.method == "reduced_error" and rows is not None:
        is_leaf = reduce_error(sequence.tree, rows)
        return Choice(None, is_leaf, answered(sequence.tree, is_leaf, rows, pruning.smoothing))
    return Choice(None, np.zeros(sequence.tree.n_nodes, np.bool_))


def answered(
    tree: Tree, is_leaf: npt.NDArray[np.bool_], rows: Problem, smoothing: Smoothing | None = None
) -> HeldOutRows:
    """Some of the rows with the predictions of the pruned tree, which was not trained on them."""
    at = some_rows(rows, np.arange(len(rows.X)), MAX_HELD_OUT_ROWS)
    kept = cut_tree(tree, is_leaf) if smoothing is None else smoothing.smooth(cut_tree(tree, is_leaf))
    return HeldOutRows(rows.X[at], rows.y[at], kept.predict(rows.X[at]), rows.weight[at])


def smooth_pruned(pruned: Pruned, smoothing: Smoothing | None) -> Pruned:
    """The result with smoothed probabilities, in the tree and in all its pruned trees."""
    if smoothing is None:
        return pruned
    sequence = replace(pruned.sequence, tree=smoothing.smooth(pruned.sequence.tree))
    return replace(pruned, tree=smoothing.smooth(pruned.tree), sequence=sequence)


def some_rows(problem: Problem, rows: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
    """A sample of at most this number of rows, independent of their order."""
    if len(rows) <= n:
        return rows
    number = hash_rows(problem.X[rows], np.zeros((len(rows), 0)), 0)
    return rows[np.argsort(number, kind="stable")[:n]]


def plain_table(sequence: PruningSequence) -> PruningTable:
    """The table of a tree without held-out rows: the largest tree is kept."""
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
    smoothing: Smoothing | None = None,
) -> tuple[PruningTable, HeldOutRows | None]:
    """Cross-validated error of every tree of the sequence (Breiman et al. 1984, section 11.5), and some held-out rows
    with the predictions of the trees of the chosen size.
    """
    between, far = sequence.between(), problem.far_loss()
    few = -(-MAX_HELD_OUT_ROWS // max(len(folds), 1))

    def test_fold(k: int) -> tuple[Floats, PathAnswers | None]:
        learn, test = folds[k]
        if not learn.any() or not test.any():
            return np.zeros((4, len(between))), None
        held = np.flatnonzero(test)
        rows = problem.with_rows(problem.X[held], problem.y[held], test[held])
        tree = grow(learn)
        own = PruningSequence.of(tree, problem)
        total, squares = (own.sum_leaves(losses, between) for losses in path_losses(tree, rows, far[held]))
        at = some_rows(problem, held, few)
        answers = tree.response if smoothing is None else smoothing.answers(tree)
        held_out = PathAnswers.of(own, problem.some(at, test[at]), answers)
        known = rows.row_weight()
        sums = [np.full(len(between), number) for number in (known.sum(), dot(known, far[held]))]
        return np.array([total, squares, *sums]), held_out

    tested = list(parallel_map(test_fold, range(len(folds)), n_jobs))
    total, squares, weight, unavoidable = np.sum([sums for sums, _ in tested], axis=0)
    if not weight.any():
        return plain_table(sequence), None
    repeats = folds.repeats if isinstance(folds, GivenFolds) else 1.0
    total, squares, weight, unavoidable = (sums / repeats for sums in (total, squares, weight, unavoidable))
    table = choose_by_losses(sequence, total, squares, weight, one_se, "cv", unavoidable)
    alpha = between[len(between) - 1 - table.chosen]
    return table, HeldOutRows.joined([held_out.at(alpha) for _, held_out in tested if held_out is not None])


def choose_by_validation(sequence: PruningSequence, rows: Problem, one_se: bool) -> PruningTable:
    """Error of every tree of the sequence on rows that were not trained on."""
    far, weight = rows.far_loss(), rows.row_weight()
    total, squares = path_losses(sequence.tree, rows, far)
    total, squares = sequence.sum_leaves(total), sequence.sum_leaves(squares)
    return choose_by_losses(sequence, total, squares, weight.sum(), one_se, "validation", dot(weight, far))


def reduce_error(tree: Tree, rows: Problem) -> npt.NDArray[np.bool_]:
    """The branches to collapse, bottom-up: those that are not worse than their subtree on the given rows."""
    as_leaf, _ = path_losses(tree, rows)
    best = as_leaf.copy()
    cut = np.zeros(tree.n_nodes, np.bool_)
    room = ERROR_ROUNDING_SHARE * as_leaf[0]
    for node in np.flatnonzero(tree.n_children)[::-1]:
        below = best[tree.children(node)].sum()
        cut[node] = as_leaf[node] <= below + room
        best[node] = min(as_leaf[node], below)
    return cut


def choose_by_losses(
    sequence: PruningSequence,
    total: Floats,
    squares: Floats,
    weight: float | Floats,
    one_se: bool,
    tested_by: str,
    unavoidable: float | Floats = 0.0,
) -> PruningTable:
    """Mean losses, their standard errors, and the choice: the lowest error, or the smallest tree within one se of it.

    unavoidable : the total subtracted from the losses (`Problem.far_loss`); means include it, standard errors do not.
    """
    mean = total / weight
    standard_error = np.sqrt(np.maximum(squares / weight - mean * mean, 0.0) / weight)
    mean = mean + unavoidable / weight
    equal = mean <= mean.min() + ERROR_ROUNDING_SHARE * np.abs(mean).max()
    least = int(np.flatnonzero(equal)[-1])  # on ties the smaller tree
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
