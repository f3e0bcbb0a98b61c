"""The whole procedure of Dvořák & Savický: CART, its pruning sequence, softening by annealing, choice.

1. The rows are split 2:1, CART grows on the larger part, the smaller one selects the tree of the pruning sequence with
   the lowest error. That tree and the smaller ones (except the root alone), largest first, are softened.
2. Step i = 1, 2, ... softens the i largest of them, with different random numbers, by annealing on all rows. A
   softening counts if the loss decreases by a factor of at least MIN_LOSS_RATIO.
3. After `n_successes` that counted (or MAX_TRIES_FACTOR times as many tries) the one with the smallest training error
   on all rows is kept (on ties, the first).

Differs from the paper: the split is made three times, each third held out once, to say how much to prune; the trees are
then those of a sequence grown on all rows (`n_splits=1` is the paper's one split, and its trees of two thirds of the
rows). The sequence begins with the best tree, not with the overgrown one, and widths are annealed on all rows, not only
those the tree was grown on. Rows are split by their content and weight (parts/folds.py), so a weight of two is the row
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count, islice

import numpy as np

from softwood import kernels
from softwood.arrays import Floats
from softwood.kernels.contracts.growth import Growth
from softwood.learners.column_order import ColumnOrder
from softwood.learners.hard.by_name import enter_growth, enter_problem
from softwood.learners.hard.grow import grow_tree
from softwood.learners.hard.problem import Problem
from softwood.learners.hard.prune import choose_by_cv, choose_by_validation, deal_folds
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.table import PruningTable
from softwood.learners.hard.unit import Unit
from softwood.learners.softening.anneal import PATIENCE, Annealed, anneal_tree
from softwood.learners.softening.arrived import with_arrivals
from softwood.learners.softening.gates import SofteningRows, with_widths
from softwood.learners.softening.ramps import ALPHA
from softwood.parts.folds import Fold
from softwood.parts.parallel import parallel_map
from softwood.tree import Schema, Tree, cut_tree

MIN_LOSS_RATIO = 1.01  # before to after; a smaller decrease of the loss does not count
MAX_TRIES_FACTOR = 3
N_PARTS = 3  # of the rows: two to grow on, one to choose by; so there are three such splits
N_SPLITS = (1, N_PARTS)


@dataclass(frozen=True)
class SoftenedTree:
    """The chosen tree, its hard tree, the tree selected by held-out rows alone, and the tries.

    interrupted : whether an interrupt ended the work early.
    """

    tree: Tree
    hard: Tree
    best_hard: Tree
    n_softened: int
    interrupted: bool = False


def learn_softened(
    problem: Problem,
    schema: Schema,
    growth: Growth,
    *,
    seed: int,
    n_successes: int = 10,
    alpha: float = ALPHA,
    patience: int = PATIENCE,
    n_splits: int = N_PARTS,
    mean_widths: bool = False,
    n_jobs: int = 1,
    keep: bool = False,
    report: Callable[[int, int], None] | None = None,
) -> SoftenedTree:
    """Grow, soften, choose.

    Parameters
    ----------
    problem, schema, growth : rows, their meaning, and how CART grows.
    seed : of split and annealing, the only source of randomness.
    n_successes : softenings that must count before the best is taken.
    alpha, patience : of the annealing.
    n_splits : 1 or 3, see above.
    mean_widths : the chosen tree gets the mean widths of all its softenings that counted, not those of the best one.
    n_jobs : softenings in parallel; does not affect the result.
    keep : whether an interrupt ends the work with the best tree so far; otherwise it is raised.
    report : called with the softenings done and those that counted.
    """
    order = ColumnOrder.of(schema)
    if not order.is_given:
        found = learn_softened(
            enter_problem(order, problem), order.schema(schema), enter_growth(order, growth), seed=seed,
            n_successes=n_successes, alpha=alpha, patience=patience, n_splits=n_splits, mean_widths=mean_widths,
            n_jobs=n_jobs, keep=keep, report=report,
        )  # fmt: skip
        tree, hard, best_hard = map(order.leave_tree, (found.tree, found.hard, found.best_hard))
        return replace(found, tree=tree, hard=hard, best_hard=best_hard)
    problem = problem.in_order()
    unit = Unit.of(problem)
    problem, growth = unit.enter(problem), unit.enter_growth(growth)
    trees = hard_trees(problem, schema, growth, seed, n_splits)
    rows = SofteningRows(problem.X, problem.y, problem.weight)
    if trees[0].n_nodes == 1:
        root = unit.leave_tree(trees[0])
        return SoftenedTree(root, root, root, 0)

    def soften(task: tuple[int, int]) -> Annealed:
        number, at = task
        return anneal_tree(trees[at], rows, seed + number, alpha=alpha, patience=patience)

    tasks, done, interrupted = enumerate(staircase(len(trees))), 0, False
    kept: list[tuple[float, Tree, Tree]] = []
    try:
        while len(kept) < n_successes and done < MAX_TRIES_FACTOR * n_successes:
            batch = list(islice(tasks, n_successes - len(kept)))
            for (_, at), soft in zip(batch, parallel_map(soften, batch, n_jobs), strict=True):
                done += 1
                if soft.loss_before >= MIN_LOSS_RATIO * soft.loss_after:
                    kept.append((training_error(soft.tree, problem), soft.tree, trees[at]))
                if report is not None:
                    report(done, len(kept))
    except KeyboardInterrupt:
        if not keep:
            raise
        interrupted = True
    _, tree, hard = min(kept, key=lambda entry: entry[0], default=(np.inf, trees[0], trees[0]))
    if mean_widths and kept:
        tree = with_widths(hard, np.mean([soft.softness for _, soft, of in kept if of is hard], axis=0))
    tree, hard, best_hard = map(unit.leave_tree, (with_arrivals(tree, rows), hard, trees[0]))
    return SoftenedTree(tree, hard, best_hard, done, interrupted)


def hard_trees(problem: Problem, schema: Schema, growth: Growth, seed: int, n_splits: int = N_PARTS) -> list[Tree]:
    """The trees to soften, largest first: the one with the lowest held-out error in a sequence, and smaller ones."""
    folds = list(deal_folds(problem, N_PARTS, seed))
    if len(folds) < 2 or not all(weight.any() for fold in folds for weight in fold):  # too few rows to split
        folds = [(problem.weight, problem.weight)] * N_PARTS
    if n_splits == 1:
        sequence, table = choose_by_a_third(problem, schema, growth, folds[0])
    else:
        grower, sequence = grow_sequence(problem, schema, growth)

        def grow(weight: Floats) -> Tree:
            return grow_tree(grower, problem, growth, schema, weight)

        table, _ = choose_by_cv(sequence, grow, problem, folds=folds, one_se=False, n_jobs=1)
    alphas = table.alpha[table.chosen : 0 : -1] if table.chosen else table.alpha[:1]  # without the root alone
    return [cut_tree(sequence.tree, sequence.is_leaf(alpha)) for alpha in alphas]


def choose_by_a_third(
    problem: Problem, schema: Schema, growth: Growth, fold: Fold
) -> tuple[PruningSequence, PruningTable]:
    """A sequence grown on the larger part of a split, and its errors on the smaller."""
    train, test = fold
    _, sequence = grow_sequence(problem.with_rows(problem.X, problem.y, train), schema, growth)
    held = np.flatnonzero(test)
    rows = problem.with_rows(problem.X[held], problem.y[held], test[held])
    return sequence, choose_by_validation(sequence, rows, one_se=False)


def grow_sequence(problem: Problem, schema: Schema, growth: Growth) -> tuple[kernels.HardGrower, PruningSequence]:
    """CART and its pruning sequence on all rows of positive weight."""
    grower = kernels.Grower(problem.X, problem.n_levels, problem.weight, 0, 1)
    return grower, PruningSequence.of(grow_tree(grower, problem, growth, schema), problem)


def staircase(n: int) -> Iterator[int]:
    """0, then 0, 1, then 0, 1, 2, ... and 0 .. n - 1 again and again.

    Examples
    --------
    >>> list(islice(staircase(2), 7))
    [0, 0, 1, 0, 1, 0, 1]
    """
    for step in count(1):
        yield from range(min(step, n))


def training_error(tree: Tree, problem: Problem) -> float:
    """Weighted training error over all rows."""
    loss = problem.loss(tree.predict(problem.X), np.arange(len(problem.X)))
    return float((problem.row_weight() * loss).sum() / problem.row_weight().sum())
