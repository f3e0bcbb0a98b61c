"""The joint learner of soft trees: best-first growth, all gates and responses refined together, kind, penalty and size
selected on held-out rows.

    minimise  mean loss + penalty * (log penalty of weights + 1/20 |responses - root's|^2 + 1/2 |slopes - root's|^2)

A tree grows one split at a time (grower.py). A new gate starts from the best axis split or from the split direction of
the loss, and after each split all parameters are refined together (L-BFGS). A small weight costs its square and a large
one less (kernels/penalty.py). The model search (model_search/) tries kinds of gates and leaves and a path of penalties;
selection.py keeps the simplest tree that is not clearly worse than the best.
Held-out rows are the caller's validation rows, which are never trained on; without them the learner makes folds (or
holds out one part where rows are many), and refines the selected tree on all rows.

The parts it stands on: soft trees, İrsoy, Yıldız and Alpaydın (ICPR 2012); curves in a gate as in generalised
additive models, Hastie and Tibshirani (1990); linear responses as in model trees, Quinlan (1992).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np

from softwood.arrays import Floats, Signs
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.design import UNCONSTRAINED, BasisSpec, DesignMatrix, build_design
from softwood.learners.soft.columns.sparse_design import stored_design
from softwood.learners.soft.columns.sparse_rows import has_stored_columns
from softwood.learners.soft.finish.held_out import answered
from softwood.learners.soft.finish.importance import MeasuredTree, measure_tree
from softwood.learners.soft.finish.monotone_tree import hold_to_signs
from softwood.learners.soft.finish.more_rows import FinalTree, refined_on_all
from softwood.learners.soft.finish.refit import from_best_start
from softwood.learners.soft.finish.to_tree import to_tree
from softwood.learners.soft.growth.grower import without_idle
from softwood.learners.soft.growth.split_step import LEAST_GAIN, GrowOptions
from softwood.learners.soft.params.params import Gates, SoftTreeParams
from softwood.learners.soft.params.tree_kinds import Gate, Leaf, basis_specs_for, slopes_for
from softwood.learners.soft.rows.binning import Binned
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search import (
    BEGIN,
    BREADTH,
    STRENGTHS,
    Effort,
    FeatureSelection,
    ModelSearch,
    SearchSteps,
    StoredSelection,
    Trials,
)
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.search.spec import Inputs, ModelSpec
from softwood.learners.soft.search.trainer import Trainer
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.parts.held_out import HeldOutRows
from softwood.parts.interruptible import Interruptible
from softwood.tree import Schema, Tree

MAX_ITER = 200  # iterations on a root, and on the tree that is chosen
FARTHEST = 1e15  # spreads of the rows before, for the inputs of a warm start: squares are numbers in single precision
OTHER_UNIT = 1e3  # times as large or small: a target that has changed its unit between two fits
FEW = 3_000  # rows up to which folds validate, too, beside validation rows
ROWS_A_LEAF, MOST_LEAVES = 200, 64  # leaves of a tree that is grown on many rows
SCREENING_ROWS = 6_000  # rows that kinds and penalties are tried on first,
SCREENING_ROWS_BY_INPUT = 60  # and at least so many for each input: on fewer, gates that weigh them all only overfit


@dataclass(frozen=True)
class JointOptions:
    """How to learn. `penalty` None tunes it; `report` is called with every candidate.

    effort : how broadly to search; "quick" is one kind of tree, one penalty and one division of the rows; "thorough" is
        for thorough.py, and here as "normal".
    more_leaves : whether `max_leaves` is a limit for few rows only: trees grown on more rows have up to MOST_LEAVES.
    keep : whether an interrupt ends the learning with the best tree so far; otherwise it is raised.
    steps : which of the steps that a search can do without are taken.
    engine : where all rows are summed; `device` is that of PyTorch, None the best there is.
    signs : 1 or -1 for an input that answers rise or fall with, else 0; empty where there is none.
    """

    gate: Gate = "auto"
    leaf: Leaf = "auto"
    max_leaves: int = 16
    penalty: float | None = None
    max_gate_features: int | None = None
    patience: int = 3
    least_gain: float = LEAST_GAIN
    max_iter: int = MAX_ITER
    n_threads: int = 1
    single: bool = True
    seed: int = 0
    keep: bool = False
    report: Callable[[Candidate], None] = lambda candidate: None
    steps: SearchSteps = SearchSteps()
    engine: Literal["memory", "torch"] = "memory"
    device: str | None = None
    more_leaves: bool = False
    signs: Signs = field(default_factory=lambda: UNCONSTRAINED)
    effort: Effort = "normal"

    @property
    def is_monotone(self) -> bool:
        """Whether there is a monotone input."""
        return len(self.signs) > 0

    def counts_penalty(self, rows: TrainingRows) -> bool:
        """Whether the penalty was found on fewer rows and should count as many of all: it was tuned, or is a guess."""
        return self.penalty is None and (self.effort == "quick" or rows.are_sampled)

    def settled(self, loss: Loss) -> JointOptions:
        """The same; where the effort is quick, with one kind of tree and no steps that can be done without.

        Numbers bend along their inputs more often than log odds do: they get curves.
        """
        if self.effort != "quick":
            return self
        curved: Gate = "linear" if loss in (Loss.LOGISTIC, Loss.SOFTMAX) else "additive"
        leaf: Leaf = "linear" if self.leaf == "auto" else self.leaf
        gate = curved if self.gate == "auto" else self.gate
        return replace(self, gate=gate, leaf=leaf, steps=SearchSteps(False, False, False))


@dataclass(frozen=True)
class WarmStart:
    """A learned tree in the learner's own columns and target units: what a later fit goes on from."""

    tree: SoftTreeParams
    basis_spec: BasisSpec
    design: DesignMatrix
    gates: Gates
    penalty: float
    centre: Floats
    scale: Floats

    def check_inputs(self, rows: Dataset, schema: Schema) -> None:
        """Refuse sparse rows after an array, and inputs that, in the spreads before, are beyond single precision."""
        if rows.is_sparse and not has_stored_columns(self.design):
            raise ValueError(
                "warm_start=True goes on with the columns of the tree before, which was learned from an array, and a "
                "large sparse matrix has others. Fit a new estimator, or set warm_start=False."
            )
        inputs = np.unique(self.design.feature).tolist()
        for f, ends in zip(inputs, rows.ends_of(inputs), strict=True):
            with np.errstate(over="ignore", invalid="ignore"):
                far = ~(np.abs(self.design.of_input(f, ends, self.design.columns_of(f))) < FARTHEST).all(axis=1)
            if far.any():
                raise ValueError(
                    "warm_start=True goes on with inputs in the spreads of the rows before, and "
                    f"{schema.features[f]!r} now holds {ends[far][0]:g}, more than {FARTHEST:g} of them away. Fit a "
                    "new estimator, or set warm_start=False."
                )

    def in_units(self, centre: Floats, scale: Floats) -> WarmStart:
        """The same for rows whose targets have another centre and scale: far ones would overflow in the old units.

        Where a target's scale is quite another, its unit is: then the tree answers as before in parts of the scale.
        """
        factor = self.scale / scale
        same = (factor < OTHER_UNIT) & (factor > 1.0 / OTHER_UNIT)
        shift = np.where(same, (self.centre - centre) / scale, 0.0)
        return replace(self, tree=self.tree.in_units(np.where(same, factor, 1.0), shift), centre=centre, scale=scale)


@dataclass(frozen=True)
class FitResult:
    """The tree in the user's units, described, and the candidates it was chosen from.

    n_iter : iterations of refinement that led to the tree.  grown : the same tree, to go on from.
    interrupted : whether an interrupt ended the learning early.
    held_out : some rows with what trees of the chosen kind answered that did not see them.
    loss_of_centre : mean loss of the best constant, in the learner's units.
    is_squared : whether the loss is the squared one.
    """

    described: MeasuredTree
    candidates: list[Candidate]
    chosen: Candidate
    n_iter: int = 1
    grown: WarmStart | None = None
    interrupted: bool = False
    held_out: HeldOutRows | None = None
    loss_of_centre: float = 0.5
    is_squared: bool = True

    @property
    def tree(self) -> Tree:
        return self.described.tree


def learn_joint(
    dataset: Dataset, schema: Schema, how: JointOptions, validation: Dataset | None, before: WarmStart | None = None
) -> FitResult:
    """Learn a soft tree from rows in memory; validation rows are never trained on. `before` is a tree to go on from."""
    return learn_joint_from(training_rows(dataset, how), schema, how, validation, before)


def training_rows(dataset: Dataset, how: JointOptions) -> TrainingRows:
    """The rows, summed in memory or on a device."""
    if how.engine == "torch":
        return TrainingRows.on_device(dataset, how.seed, how.device, how.n_threads, how.single)
    return TrainingRows.in_memory(dataset, how.seed, how.n_threads, how.single)


def learn_joint_from(
    rows: TrainingRows, schema: Schema, how: JointOptions, validation: Dataset | None, before: WarmStart | None = None
) -> FitResult:
    """Learn a soft tree from rows that may be anywhere: the search sees their sample, the last refinement all."""
    how = how.settled(rows.sample.loss)
    centre, scale = rows.centre, rows.scale
    if before is not None:
        before.check_inputs(rows.sample, schema)
        before = before.in_units(centre, scale)
    held = held_out_rows(rows, validation, how.seed)
    search = searched(rows, held, how, before)
    trial = search.chosen
    chosen, design = trial.candidate, trial.spec.design
    refit = held is None or rows.are_sampled
    last = Interruptible(how.keep and not search.interrupted)
    kept = chosen if refit else last.result(chosen, from_best_start, trial, how.max_iter, how.n_threads)
    held_out = answered(replace(trial, candidate=kept), centre, scale)
    if "expansion" in vars(trial.spec):
        rows.know(design, trial.spec.expansion)
    search.trials.clear()  # before all rows are taken in
    final = FinalTree(kept.tree[0], design)
    if refit:
        tuned_on = trial.spec.rows(trial.spec.full) if how.counts_penalty(rows) else None
        final = last.result(final, refined_on_all, kept, design, rows, how.max_iter, how.n_threads, tuned_on)
    tree, design, engine = final.with_engine(rows)
    expansion = None if rows.sample.is_sparse else rows.expansion_of(design)
    tree = without_idle(tree, engine)
    if rows.sample.centre_is_best:
        tree = tree.at_mean_if_alone()
    tree_in_user_units = to_tree(tree, design, schema, rows.sample.loss, engine, centre, scale)
    if how.is_monotone:
        tree_in_user_units = hold_to_signs(tree_in_user_units, how.signs)
    del engine, final  # all rows are no longer asked for
    some = rows.sample.head(BREADTH[how.effort].described_by)
    units = (centre, scale, how.n_threads, expansion, how.effort == "quick")
    described = measure_tree(tree_in_user_units, tree, design, some, *units)
    grown = None
    if not how.is_monotone:
        grown = WarmStart(tree, chosen.basis_spec, design, chosen.gates, chosen.penalty, centre, scale)
    candidates = [trial.candidate for trial in search.found]
    interrupted = search.interrupted or last.interrupted
    told = (grown, interrupted, held_out, rows.sample.loss_of_centre(), rows.sample.loss == Loss.SQUARED)
    return FitResult(described, candidates, chosen, max(tree.n_iter, 1), *told)


def held_out_rows(rows: TrainingRows, validation: Dataset | None, seed: int) -> Dataset | None:
    """The validation rows in order, targets scaled as those of the training rows."""
    return None if validation is None else validation.in_order(seed, copied=False).scaled(rows.centre, rows.scale)


def searched(rows: TrainingRows, held: Dataset | None, how: JointOptions, before: WarmStart | None) -> ModelSearch:
    """The search, done; where a tree is to be kept, an interrupted one if it has found a tree."""
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
    """The search that learns from these rows, ready to run."""
    gate_features = 1 if how.gate == "axis" else how.max_gate_features
    leaves = min(how.max_leaves, rows.n_rows)
    breadth = BREADTH[how.effort]
    patience = min(how.patience, breadth.most_patience)
    grow_options = GrowOptions(0.0, leaves, patience, how.least_gain, max_gate_features=gate_features)
    specs = list(_specs(rows.sample, held, how, before))
    penalty = STRENGTHS[BEGIN] / specs[0].rows(0) if how.effort == "quick" and how.penalty is None else how.penalty
    trials = Trials(
        specs,
        slopes_for(how.leaf, rows.sample.target.shape[1], how.is_monotone),
        Trainer(grow_options, how.max_iter, leaves_for(len(rows.sample), leaves) if how.more_leaves else None),
        penalty if before is None else before.penalty,
        how.report,
        keeps_first=held is not None and not specs[0].full,
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
    return ModelSearch(trials, FeatureSelection(trials, partial(_prepared, rows.sample, how)), steps)


def leaves_for(n_rows: int, least: int) -> int:
    """Leaves that a tree may have which is grown on so many rows.

    Examples
    --------
    >>> leaves_for(6_500, 16), leaves_for(12_000, 16), leaves_for(20_000, 16)
    (32, 60, 64)
    """
    return max(least, min(n_rows // ROWS_A_LEAF, MOST_LEAVES))


def _prepared(some: Dataset, how: JointOptions, inputs: Inputs) -> list[tuple[BasisSpec, DesignMatrix]]:
    """Basis specs, and columns of some inputs; the fewer they are, the more curves each has."""
    if some.is_sparse:
        return [(BasisSpec(), stored_design(some.X, some.weight).only(inputs))]
    found = []
    basis_specs = basis_specs_for(how.gate, int(inputs.sum()), len(some), some.target.shape[1])
    for basis_spec in basis_specs[:1] if how.effort == "quick" else basis_specs:
        design = build_design(some.X, some.n_levels, some.weight, basis_spec, how.signs)
        found.append((basis_spec, design.only(inputs)))
    return found


def _specs(some: Dataset, held: Dataset | None, how: JointOptions, before: WarmStart | None) -> Iterator[ModelSpec]:
    screened_rows = max(SCREENING_ROWS, SCREENING_ROWS_BY_INPUT * some.X.shape[1])
    if how.effort == "quick":
        some = some.head(screened_rows)
    row_folds = _row_folds(some, held)
    full = len(some) > screened_rows and not some.is_sparse
    if how.effort == "quick" or some.is_sparse:
        row_folds = row_folds[:1]
    elif full:
        valid_rows = None if held is None else held.head(screened_rows // 3)
        row_folds = [_row_folds(some.head(screened_rows), valid_rows)[0], row_folds[0]]
    if before is not None:
        yield ModelSpec(before.basis_spec, before.design, row_folds, int(full), how.n_threads, how.single, before.gates)
        return
    gates: Gates = "axis" if how.gate == "axis" else "open"
    binned: dict[int, Binned] = {}
    for basis_spec, design in _prepared(some, how, np.ones(some.X.shape[1], np.bool_)):
        yield ModelSpec(basis_spec, design, row_folds, int(full), how.n_threads, how.single, gates, binned=binned)


def _row_folds(some: Dataset, held: Dataset | None) -> list[tuple[Dataset, Dataset]]:
    """Training and held-out rows: the validation rows given, and folds of the others where these are few."""
    row_folds = [] if held is None else [(some, held)]
    if held is None or len(some) <= FEW:
        row_folds += [(some.part(some.weight - out), some.part(out)) for out in some.held_out()]
    return row_folds or [(some, some)]
