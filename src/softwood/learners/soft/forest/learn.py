"""A forest of soft trees: one search, then several trees of the kind that it chose, and their mean as one tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from softwood.arrays import Floats
from softwood.learners.soft.finish.held_out import held_out_part
from softwood.learners.soft.finish.importance import MeasuredTree
from softwood.learners.soft.forest.children import STEPS, Child, ForestGrower
from softwood.learners.soft.forest.out_of_bag import OutOfBag
from softwood.learners.soft.learn import learn_joint_from
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.result import FitResult
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.parts.held_out import MAX_HELD_OUT_ROWS, HeldOutRows
from softwood.parts.parallel import parallel_map
from softwood.tree import Schema, join_trees


@dataclass(frozen=True)
class ForestResult:
    """The result; its tree is the joined one.

    out_of_bag : None if no tree grew, or no row was left out.
    held_out : all rows left out by some tree, with the predictions of those trees; None as above.
    """

    learned: FitResult
    out_of_bag: OutOfBag | None = None
    held_out: HeldOutRows | None = None


def learn_forest(
    rows: TrainingRows, schema: Schema, how: JointOptions, validation: Dataset | None, n_trees: int
) -> ForestResult:
    """Learn a forest; with `how.keep`, an interrupt keeps the trees so far, or the tree of the search."""
    single = learn_joint_from(rows, schema, replace(how, keep_recipe=True), validation)
    if single.interrupted or single.recipe is None:
        return ForestResult(replace(single, grown=None))
    grower = ForestGrower(single.recipe, rows, schema, how, n_trees)
    children, interrupted = _grow_all(grower, rows.sample)
    if not children:
        return ForestResult(replace(single, grown=None, interrupted=True))
    described = list(parallel_map(grower.described, children, how.n_threads))
    found = OutOfBag.of(rows.sample, children)
    held_out = None if found is None else _held_out(rows, found)
    some = None if held_out is None else _head(held_out)
    learned = replace(
        single, described=join_measured(described), grown=None, interrupted=interrupted, held_out=some, recipe=None
    )
    return ForestResult(learned, found, held_out)


def _grow_all(grower: ForestGrower, sample: Dataset) -> tuple[list[Child], bool]:
    """The trees after the step with the lowest loss out of bag, and whether an interrupt ended their growth."""
    numbers, n_threads = range(grower.n_trees), grower.how.n_threads
    kept: list[Child] = []
    try:
        for child in parallel_map(grower.begin, numbers, n_threads):
            kept.append(child)
        best = _loss(sample, kept)
        for step in STEPS[1:]:
            if best is None:
                break
            larger = list(parallel_map(partial(grower.go_on, step=step), kept, n_threads))
            loss = _loss(sample, larger)
            if loss is None or not loss < best:
                break
            kept, best = larger, loss
    except KeyboardInterrupt:
        if not grower.how.keep:
            raise
        return kept, True
    return kept, False


def _loss(sample: Dataset, children: Sequence[Child]) -> float | None:
    found = OutOfBag.of(sample, children)
    return None if found is None else found.loss_to_choose_by


def join_measured(described: Sequence[MeasuredTree]) -> MeasuredTree:
    """The mean of trees, and of their importances."""
    return MeasuredTree(
        tree=join_trees([one.tree for one in described]),
        importance=_mean_importance([one.importance for one in described]),
        by_gain=_mean_importance([one.by_gain for one in described]),
        hardened=join_trees([one.hardened for one in described]),
    )


def _mean_importance(by_tree: Sequence[Floats]) -> Floats:
    """The mean, scaled to sum 1: a tree that uses no input has importances of 0."""
    total: Floats = np.sum(by_tree, axis=0)
    return total / total.sum() if total.sum() > 0 else total


def _held_out(rows: TrainingRows, found: OutOfBag) -> HeldOutRows:
    """The rows that some tree did not see, with the predictions of these trees, in the user's units."""
    seen = np.flatnonzero(found.count > 0)
    mask = found.count > 0
    return held_out_part(rows.sample.rows(mask), found.output[mask], rows.centre, rows.scale, len(seen))


def _head(rows: HeldOutRows) -> HeldOutRows:
    n = MAX_HELD_OUT_ROWS
    group = None if rows.group is None else rows.group[:n]
    return HeldOutRows(rows.X[:n], rows.target[:n], rows.answer[:n], rows.weight[:n], group)
