"""The joint learner of soft trees: best-first growth, all gates and responses refined together, kind, penalty and size
selected on held-out rows.

    minimise  mean loss + penalty * (log penalty of weights + 1/20 |responses - root's|^2 + 1/2 |slopes - root's|^2)

A tree grows one split at a time (growth/). A new gate starts from the best axis split or from the split direction of
the loss, and after each split all parameters are refined together (L-BFGS). A small weight costs its square and a large
one less (kernels/formulas/penalty.py). The model search (search/) tries kinds of gates and leaves and a path of
penalties; search/selection.py keeps the simplest tree that is not clearly worse than the best.
Held-out rows are the caller's validation rows, which are never trained on. Without them the learner makes folds, or
holds out one part of a large table, and refines the selected tree on all rows. regimes.py lists what depends on the
number of rows.

References: soft trees, İrsoy, Yıldız and Alpaydın (ICPR 2012); curves in a gate as in generalised additive models,
Hastie and Tibshirani (1990); linear responses as in model trees, Quinlan (1992).
"""

from __future__ import annotations

from dataclasses import replace

from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.held_out import held_out_answers
from softwood.learners.soft.finish.importance import MeasuredTree, measure_tree
from softwood.learners.soft.finish.monotone_tree import hold_to_signs
from softwood.learners.soft.finish.more_rows import FinalTree, refined_on_all
from softwood.learners.soft.finish.refit import from_best_start
from softwood.learners.soft.finish.to_tree import to_tree
from softwood.learners.soft.growth.grower import without_idle
from softwood.learners.soft.growth.split_step import GrowOptions
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.params.tree_kinds import slopes_for
from softwood.learners.soft.regimes import MAX_LEAVES_OF_LARGE_TABLE, ROWS_PER_LEAF
from softwood.learners.soft.result import FitResult, Recipe
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search import (
    BREADTH,
    FIRST_STRENGTH,
    FeatureSelection,
    ModelSearch,
    StoredSelection,
    Trials,
)
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.search.spec import Trial
from softwood.learners.soft.search.trainer import Trainer
from softwood.learners.soft.specs import Folds
from softwood.learners.soft.steps import trees_on_the_way
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.learners.soft.warm_start import WarmStart
from softwood.parts.interruptible import Interruptible
from softwood.tree import Schema, Tree


def learn_joint(
    dataset: Dataset, schema: Schema, how: JointOptions, validation: Dataset | None, before: WarmStart | None = None
) -> FitResult:
    """Learn a soft tree from rows in memory; validation rows are never trained on. `before` : a tree to continue."""
    return learn_joint_from(training_rows(dataset, how), schema, how, validation, before)


def training_rows(dataset: Dataset, how: JointOptions) -> TrainingRows:
    """The rows, summed in memory or on a device."""
    if how.engine == "torch":
        return TrainingRows.on_device(dataset, how.seed, how.device, how.n_threads, how.single)
    return TrainingRows.in_memory(dataset, how.seed, how.n_threads, how.single)


def learn_joint_from(
    rows: TrainingRows, schema: Schema, how: JointOptions, validation: Dataset | None, before: WarmStart | None = None
) -> FitResult:
    """Learn a soft tree from rows of any source: the search uses a sample, the last refinement all rows."""
    how = how.settled(rows.sample.loss)
    if before is not None:
        before.check_inputs(rows.sample, schema)
        before = before.in_units(rows.centre, rows.scale)
    held = held_out_rows(rows, validation, how.seed)
    search = run_search(rows, held, how, before)
    trial = search.chosen
    chosen, refit = trial.candidate, held is None or rows.are_sampled
    last = Interruptible(how.keep and not search.interrupted)
    kept = chosen if refit else last.result(chosen, from_best_start, trial, how.max_iter, how.n_threads)
    held_out = held_out_answers(replace(trial, candidate=kept), rows.centre, rows.scale)
    steps = trees_on_the_way(search, rows, schema) if how.keep_steps else ()
    at = None if refit else trial.spec.full
    design, kept = trial.spec.columns(at), replace(trial, candidate=kept).over(at)
    if design is trial.spec.design and "expansion" in vars(trial.spec):
        rows.know(design, trial.spec.expansion)
    search.trials.clear()  # before all rows are loaded
    final = FinalTree(kept.tree[0], design)
    if refit:
        tuned_on = trial.spec.rows(trial.spec.full) if how.counts_penalty(rows) else None
        final = last.result(final, refined_on_all, kept, design, rows, how.max_iter, how.n_threads, tuned_on)
    params, tree = _in_user_units(final, rows, schema, how)
    design = final.design
    del final  # with its engine of all rows
    return FitResult(
        described=_described(tree, params, design, rows, how),
        candidates=[trial.candidate for trial in search.found],
        chosen=chosen,
        n_iter=max(params.n_iter, 1),
        grown=None if how.is_monotone else _warm_start(params, design, chosen, rows),
        interrupted=search.interrupted or last.interrupted,
        held_out=held_out,
        loss_of_centre=rows.sample.loss_of_centre(),
        is_squared=rows.sample.loss == Loss.SQUARED,
        steps=(*steps, tree) if how.keep_steps else (),
        recipe=_recipe(replace(trial, candidate=kept), search, params, design) if how.keep_recipe else None,
    )


def _recipe(trial: Trial, search: ModelSearch, params: SoftTreeParams, design: DesignMatrix) -> Recipe:
    trainer = search.trials.trainer
    return Recipe(trial, trainer.grow_options, trainer.full_leaves, params, design)


def _in_user_units(
    final: FinalTree, rows: TrainingRows, schema: Schema, how: JointOptions
) -> tuple[SoftTreeParams, Tree]:
    """The tree without branches that make no difference, in the learner's units and in the user's."""
    params, design, engine = final.with_engine(rows)
    params = without_idle(params, engine)
    if rows.sample.centre_is_best:
        params = params.at_mean_if_alone()
    tree = to_tree(params, design, schema, rows.sample.loss, engine, rows.centre, rows.scale)
    return params, hold_to_signs(tree, how.signs) if how.is_monotone else tree


def _described(
    tree: Tree, params: SoftTreeParams, design: DesignMatrix, rows: TrainingRows, how: JointOptions
) -> MeasuredTree:
    """The tree with its gains and importances, measured on some of the rows."""
    return measure_tree(
        tree,
        params,
        design,
        rows.sample.head(BREADTH[how.effort].importance_rows),
        rows.centre,
        rows.scale,
        n_threads=how.n_threads,
        brief=how.effort == "quick",
    )


def _warm_start(params: SoftTreeParams, design: DesignMatrix, chosen: Candidate, rows: TrainingRows) -> WarmStart:
    return WarmStart(
        tree=params,
        basis_spec=chosen.basis_spec,
        design=design,
        gates=chosen.gates,
        penalty=chosen.penalty,
        centre=rows.centre,
        scale=rows.scale,
    )


def held_out_rows(rows: TrainingRows, validation: Dataset | None, seed: int) -> Dataset | None:
    """The validation rows in order, targets scaled as those of the training rows."""
    return None if validation is None else validation.in_order(seed, copied=False).scaled(rows.centre, rows.scale)


def run_search(rows: TrainingRows, held: Dataset | None, how: JointOptions, before: WarmStart | None) -> ModelSearch:
    """Run the model search. With `how.keep`, an interrupted search that has found a tree is returned."""
    search = make_search(rows, held, how, before)
    try:
        if before is None:
            search.run()
        else:
            search.resume(before.tree)
    except KeyboardInterrupt:
        if not (how.keep and search.found):
            raise
        search.interrupted = True
    return search


def make_search(rows: TrainingRows, held: Dataset | None, how: JointOptions, before: WarmStart | None) -> ModelSearch:
    """The search on these rows, ready to run."""
    gate_features = 1 if how.gate == "axis" else how.max_gate_features
    leaves = min(how.max_leaves, rows.n_rows)
    grow_options = GrowOptions(
        penalty=0.0,
        max_leaves=leaves,
        patience=min(how.patience, BREADTH[how.effort].max_patience),
        least_gain=how.least_gain,
        max_gate_features=gate_features,
    )
    folds = Folds.of(rows.sample, held, how)
    specs = folds.specs(before)
    penalty = FIRST_STRENGTH / specs[0].rows(0) if how.effort == "quick" and how.penalty is None else how.penalty
    trials = Trials(
        specs,
        slopes_for(how.leaf, rows.sample.target.shape[1], how.is_monotone),
        Trainer(grow_options, how.max_iter, leaves_for(len(rows.sample), leaves) if how.more_leaves else None),
        penalty if before is None else before.penalty,
        how.report,
        keep_first_fold_tree=held is not None and not specs[0].full,
    )
    is_sparse = rows.sample.is_sparse
    steps = replace(
        how.steps,
        select_features=how.steps.select_features or is_sparse,
        try_axis_gates=how.steps.try_axis_gates
        and how.gate in (("axis",) if is_sparse else ("auto", "axis"))
        and how.max_leaves > 1,
        reweight_features=how.steps.reweight_features and gate_features is None,
    )
    if is_sparse:
        return ModelSearch(trials, StoredSelection(trials), steps)
    return ModelSearch(trials, FeatureSelection(trials, folds.columns), steps)


def leaves_for(n_rows: int, least: int) -> int:
    """The maximum number of leaves for `n_rows` rows, at least `least`.

    Examples
    --------
    >>> leaves_for(6_500, 16), leaves_for(12_000, 16), leaves_for(20_000, 16)
    (32, 60, 64)
    """
    return max(least, min(n_rows // ROWS_PER_LEAF, MAX_LEAVES_OF_LARGE_TABLE))
