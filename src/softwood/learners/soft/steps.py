"""The steps by which a soft tree was learned: its splits, repeated, and the refinement after each.

The search grows many trees. After it has chosen, the first tree of the chosen kind is grown again from its root, on the
same rows and with the same penalty. After every split several trees are kept: with the new gate at its start, after a
few iterations on that gate alone, after a few on the whole tree, and at the end. Growth ends at the chosen number of
leaves. The final tree may differ, because branches were pruned and all parameters refined on all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from softwood.learners.soft.finish.to_tree import to_tree
from softwood.learners.soft.growth.grower import FINE_TOL, POLISH_ITER
from softwood.learners.soft.growth.split_step import split_step
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.search import ModelSearch
from softwood.learners.soft.search.spec import Trial
from softwood.learners.soft.search.trainer import Trainer
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.tree import Schema, Tree

YOUNG = ((0, 0, 0), (1, 0, 0), (2, 0, 0), (4, 0, 0), (8, 0, 0), (8, 4, 0), (8, 4, 5))  # iterations at which a step is
# kept: on a new gate alone, on the whole tree before candidates are compared, and after that
POLISH_ITERATIONS = (5, 20, POLISH_ITER)  # the same after the last split


def trees_on_the_way(search: ModelSearch, rows: TrainingRows, schema: Schema) -> tuple[Tree, ...]:
    """The trees on the way to the chosen one, in the user's units."""
    trial = search.chosen
    engine = trial.spec.fold(trial.spec.full).train
    return tuple(
        to_tree(params, trial.spec.columns(trial.spec.full), schema, rows.sample.loss, engine, rows.centre, rows.scale)
        for params in growth_steps(trial, search.trials.trainer)
    )


def growth_steps(trial: Trial, trainer: Trainer) -> Iterator[SoftTreeParams]:
    """The root of the chosen kind, and the tree at several moments after each split."""
    spec, candidate = trial.spec, trial.candidate
    at, penalty = spec.full, candidate.penalty
    fold = spec.fold(at)
    tree = trainer.root(spec, trial.slopes, penalty, at)
    how = replace(trainer.grow_options, penalty=penalty, gates=spec.gates)
    yield tree
    while len(tree.leaves) < len(candidate.tree[0].leaves):
        for iterations in YOUNG:
            young = split_step(tree, fold.train, fold.split_features, replace(how, iterations=iterations))
            if young is None:
                return
            yield young
        whole = split_step(tree, fold.train, fold.split_features, how)
        if whole is None:
            return
        tree = whole
        yield tree
    if tree.n_nodes > 1:
        yield from (tree.refine(fold.train, penalty, n, FINE_TOL)[1] for n in POLISH_ITERATIONS)
