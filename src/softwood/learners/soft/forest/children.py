"""The trees of a forest: each grows on its own rows, with the kind, columns and penalty that the search chose.

All grow from their roots to the same number of leaves, without validation rows, so that rows out of bag are new to
them. A mean gains most from trees that fit their rows more closely than the best single tree. So all trees continue
with a third of the penalty and more leaves, step by step, while the forest's error out of bag falls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats, Longs
from softwood.engines import SumEngine
from softwood.learners.soft.finish.importance import MeasuredTree, measure_tree
from softwood.learners.soft.finish.monotone_tree import hold_to_signs
from softwood.learners.soft.finish.refit import iterations_for
from softwood.learners.soft.finish.to_tree import to_tree
from softwood.learners.soft.forest.bags import bag_of, left_out
from softwood.learners.soft.growth.grower import FINE_TOL, POLISH_ITER, without_idle
from softwood.learners.soft.growth.split_batch import split_leaves
from softwood.learners.soft.growth.split_step import ROUGH_TOL, SPLIT_ITER
from softwood.learners.soft.growth.temperature_scaling import response_scale_on
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.result import Recipe
from softwood.learners.soft.search.fold import Fold
from softwood.learners.soft.search.trainer import Trainer
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.tree import Schema


@dataclass(frozen=True)
class Step:
    """How far all trees of a forest grow: factors on the penalty and the number of leaves that the search chose."""

    penalty: float
    leaves: float
    least_leaves: int


STEPS = (Step(1.0, 1.0, 1), Step(0.3, 1.5, 3), Step(0.1, 2.0, 4))


@dataclass(frozen=True)
class Child:
    """A tree of a forest during growth.

    fold : its rows, and those out of bag.  row : indices of the latter in the sample.
    params : as grown.  scaled : with outputs scaled on the rows out of bag (temperature_scaling.py); the tree to keep.
    output : for the rows out of bag, in the learner's units.  penalty : of the last refinement.
    """

    fold: Fold
    row: Longs
    params: SoftTreeParams
    scaled: SoftTreeParams
    output: Floats
    penalty: float


@dataclass(frozen=True)
class ForestGrower:
    """Grows the trees of a forest independently, so that they may grow in parallel."""

    recipe: Recipe
    rows: TrainingRows
    schema: Schema
    how: JointOptions
    n_trees: int

    def begin(self, number: int) -> Child:
        """The tree with this number after the first step."""
        sample, trial, recipe = self.rows.sample, self.recipe.trial, self.recipe
        out = left_out(sample, number, self.n_trees)
        folds = [bag_of(sample, out)] * (trial.spec.full + 1)
        spec = trial.spec.over_all_rows()
        spec = replace(spec, design=recipe.design, row_folds=folds, n_threads=1, fold_cache={}, binned={})
        trainer = Trainer(recipe.grow_options, self.how.max_iter, recipe.full_leaves)
        root = trainer.root(spec, trial.slopes, trial.candidate.penalty, spec.full)
        if trial.slopes == "own" and not trial.grown:
            root = root.refine(spec.fold(spec.full).train, trial.candidate.penalty, self.how.max_iter)[1]
        return self._grown(root, spec.fold(spec.full), np.flatnonzero(out), STEPS[0])

    def go_on(self, child: Child, step: Step) -> Child:
        """The tree after another step."""
        penalty = step.penalty * self.recipe.trial.candidate.penalty
        params = child.params.refine(child.fold.train, penalty, SPLIT_ITER, ROUGH_TOL)[1]
        return self._grown(params, child.fold, child.row, step)

    def leaves_after(self, step: Step) -> int:
        """The number of leaves that trees grow to; at most the caller's limit, unless that is for small tables only."""
        options, own = self.recipe.grow_options, len(self.recipe.params.leaves)
        most = options.max_leaves if not self.how.more_leaves else max(options.max_leaves, round(step.leaves * own))
        return min(most, max(step.least_leaves, round(step.leaves * own)))

    def _grown(self, params: SoftTreeParams, fold: Fold, row: Longs, step: Step) -> Child:
        trial, leaves = self.recipe.trial, self.leaves_after(step)
        penalty = step.penalty * trial.candidate.penalty
        in_batches = self.recipe.full_leaves is not None and (trial.spec.full > 0 or params.slopes == "mixed")
        how = replace(
            self.recipe.grow_options,
            penalty=penalty,
            gates=trial.spec.gates,
            max_leaves=leaves,
            batch_splits=in_batches,
        )
        while len(params.leaves) < leaves:
            larger = split_leaves(params, fold.train, fold.split_features, how)
            if larger is None:
                break
            params = larger
        if params.n_nodes > 1:
            params = params.refine(fold.train, penalty, POLISH_ITER, FINE_TOL)[1]
        scaled = params.scale_output(response_scale_on(fold.valid, params)) if len(row) else params
        output = fold.valid.output(scaled.shape, scaled.parameters)[: len(row)]
        return Child(fold, row, params, scaled, output, penalty)

    def described(self, child: Child) -> MeasuredTree:
        """The tree in the user's units, without idle branches; refined on all rows of a large table.

        Its nodes count all rows, those out of its bag, too, so that the trees' counts are of the same rows.
        """
        rows, design = self.rows, self.recipe.design
        params, counted = child.scaled, rows.engine_of(design)
        engine: SumEngine = child.fold.train
        if rows.are_sampled:
            engine, penalty = counted, child.penalty * rows.sample.total_weight / counted.total_weight
            params = params.refine(engine, penalty, iterations_for(engine.total_weight, SPLIT_ITER), ROUGH_TOL)[1]
        params = without_idle(params, engine)
        tree = to_tree(params, design, self.schema, rows.sample.loss, counted, rows.centre, rows.scale)
        if self.how.is_monotone:
            tree = hold_to_signs(tree, self.how.signs)
        return measure_tree(tree, params, design, rows.sample, rows.centre, rows.scale, brief=True)
