"""The budding tree as one problem on all rows: gates, responses and leafness by a deterministic optimiser.

    minimise  mean loss + leafness_penalty sum_m (1 - leafness[m]) + weight_penalty * (log penalty of weights + ...)

    grow    a soft tree, by the soft learner's search among kinds and weight penalties (learners/soft/search/)
    bud     its branches become buds with the same outputs; then all parameters, including leafness, are refined jointly
            for a path of leafness penalties; buds whose leafness reaches 1 become leaves again
    select  on held-out rows the smallest tree that is not clearly worse than the best, including the soft tree

The caller may give held-out rows, which are never trained on; otherwise there are folds, as in the soft learner, and
the selected tree is refined on all rows. A budding tree represents no more functions than a soft tree (fold_buds.py);
leafness shrinks the outputs below a bud and shows which branches the loss does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from softwood.arrays import Floats, Signs
from softwood.engines import SumEngine
from softwood.kernels.arithmetic import exp, log
from softwood.kernels.contracts.growth import UNCONSTRAINED
from softwood.learners.budding.fold_buds import fold_buds, params_of, shape_of
from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.refine import BuddingPenalty, round_buds, settle
from softwood.learners.soft import learn as soft
from softwood.learners.soft import options as soft_options
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.held_out import held_out_answers_by
from softwood.learners.soft.finish.refit import from_best_start, refitted
from softwood.learners.soft.growth.temperature_scaling import output_scale_on
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.params.tree_kinds import Gate, Leaf
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import Fold
from softwood.learners.soft.search.selection import Candidate, FoldTrees, near_best
from softwood.learners.soft.search.spec import ModelSpec
from softwood.learners.soft.steps import growth_steps
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.parts.held_out import HeldOutRows
from softwood.parts.interruptible import Interruptible

LEAFNESS_PENALTIES = (1e-3, 3e-3, 1e-2, 3e-2)  # leafness penalties, each tree from the one before
START_LEAFNESS = 0.3  # of a branch that becomes a bud
SETTLE_ITER, SETTLE_TOL = 60, 1e-7  # iterations along the path, and the part of the objective that each must save
STEPS_KEPT = (1, 2, 4, 8, 16, 32)  # iterations along the path at which a step is kept
FINISH_ITER, FINISH_TOL = 200, 1e-7  # of the tree that is kept


@dataclass(frozen=True)
class JointOptions:
    """Options. None tunes a penalty; `report` is called with an entry of the history for every tree.

    keep : whether an interrupt ends the fit with the best tree so far; otherwise it is raised.
    keep_steps : whether the result has the trees on the way to the selected one.
    signs : 1 or -1 for a monotone input, else 0; empty if there is none.
    """

    leafness_penalty: float | None = None
    weight_penalty: float | None = None
    gate: Gate = "auto"
    leaf: Leaf = "auto"
    max_nodes: int = 63
    round_buds: bool = False
    n_threads: int = 1
    seed: int = 0
    keep: bool = False
    report: Callable[[dict[str, Any]], None] = lambda entry: None
    signs: Signs = field(default_factory=lambda: UNCONSTRAINED)
    keep_steps: bool = False

    def grow_options(self) -> soft_options.JointOptions:
        """Options of the soft tree."""
        return soft_options.JointOptions(
            self.gate, self.leaf, (self.max_nodes + 1) // 2, self.weight_penalty,
            n_threads=self.n_threads, seed=self.seed, keep=self.keep, signs=self.signs,
            report=lambda candidate: self.report(soft_history_entry(candidate)),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PathPoint(FoldTrees[BuddingParams]):
    """Budding trees with one leafness penalty."""

    leafness_penalty: float


@dataclass(frozen=True)
class FitResult:
    """The tree in scaled columns, these columns, its penalties, and the trees it was chosen from.

    interrupted : whether an interrupt ended the fit early.
    held_out : some rows with predictions by trees of the chosen kind that did not see them.
    steps : the trees on the way to this one, as `params`; empty unless requested.
    """

    params: BuddingParams
    design: DesignMatrix
    centre: Floats
    scale: Floats
    penalties: BuddingPenalty
    history: list[dict[str, Any]]
    interrupted: bool = False
    held_out: HeldOutRows | None = None
    steps: tuple[BuddingParams, ...] = ()


def learn_joint(dataset: Dataset, how: JointOptions, validation: Dataset | None) -> FitResult:
    """Learn a budding tree from rows in memory; `validation` rows are never trained on."""
    return learn_joint_from(TrainingRows.in_memory(dataset, how.seed, how.n_threads), how, validation)


def learn_joint_from(rows: TrainingRows, how: JointOptions, validation: Dataset | None) -> FitResult:
    """Learn a budding tree with any engine: the search uses a sample, the last refinement all rows."""
    held = soft.held_out_rows(rows, validation, how.seed)
    search = soft.run_search(rows, held, how.grow_options(), None)
    refit = held is None or rows.are_sampled
    trial, work = search.chosen, Interruptible(how.keep, search.interrupted)
    if not (refit or work.interrupted):
        kept = work.result(trial.candidate, from_best_start, trial, FINISH_ITER, how.n_threads)
        trial = replace(trial, candidate=kept)
    trial = replace(trial, spec=trial.spec.over_all_rows(), candidate=trial.over(None))
    buds = Budding(trial.spec, trial.candidate, how)
    point = buds.as_found() if work.interrupted else work.result(buds.as_found(), buds.selected)
    design, params = trial.spec.design, point.tree[0]
    held_out = buds.answered(point, rows.centre, rows.scale)
    grew = growth_steps(trial, search.trials.trainer) if how.keep_steps else ()
    steps = (*(params_of(tree, np.ones(tree.n_nodes), 0.0) for tree in grew), *buds.steps)
    if refit:
        search.trials.clear()  # before all rows are loaded
        everything = rows.make_engine(trial.spec.expansion)
        params = work.result(params, buds.refitted, point, everything)
    else:
        everything = buds.fold(0).train
    penalties = buds.penalties(point.leafness_penalty)
    if how.round_buds:
        params = work.result(params, round_buds, params, everything, penalties, FINISH_ITER, FINISH_TOL)
    if rows.sample.centre_is_best:
        params = params.at_mean_if_alone()
    history = [soft_history_entry(trial.candidate) for trial in search.found] + buds.history
    history.append(history_entry(params, point.loss, penalties))
    return FitResult(params, design, rows.centre, rows.scale, penalties, history, work.interrupted, held_out, steps)


class Budding:
    """From the selected soft tree to a budding tree."""

    def __init__(self, spec: ModelSpec, grown: Candidate, how: JointOptions) -> None:
        self.spec, self.grown, self.how = spec, grown, how
        self.history: list[dict[str, Any]] = []
        self.steps: list[BuddingParams] = []

    def fold(self, index: int) -> Fold:
        """The fold that a tree was grown on; the folds for screening, before the first full one, have been dropped."""
        return self.spec.fold(self.spec.full + index)

    def penalties(self, leafness_penalty: float) -> BuddingPenalty:
        """The weight penalty of the soft tree, and its origin."""
        tree = self.grown.tree[0]
        return BuddingPenalty(leafness_penalty, self.grown.penalty, tree.origin, tree.origin_slope, tree.log_penalty)

    def selected(self) -> PathPoint:
        """The smallest of the soft tree and those along the path that is not clearly worse than the best."""
        if all(tree.n_nodes == 1 for tree in self.grown.tree):
            return self.unbudded()
        if self.how.leafness_penalty is not None:
            path = list(self._path(0, (self.how.leafness_penalty,)))
            return self._everywhere(path[0])
        first = select(list(self._path(0, LEAFNESS_PENALTIES)))
        return select([self.unbudded(), self._everywhere(first)])

    def _everywhere(self, point: PathPoint) -> PathPoint:
        """The trial with trees of the other folds."""
        for index in range(1, len(self.grown.tree)):
            for other in self._path(index, (point.leafness_penalty,)):
                point = point.with_folds(other)
        return point

    def _path(self, index: int, path: tuple[float, ...]) -> Iterator[PathPoint]:
        """Trees along the path of leafness penalties, each from the previous one."""
        fold, tree = self.fold(index), self.grown.tree[index]
        unscaled = self.grown.as_learned[index]
        start = params_of(unscaled, fold.train.mean_reach(tree.shape, tree.parameters), START_LEAFNESS)
        for leafness_penalty in path:
            penalties = self.penalties(leafness_penalty)
            params = settle(start, fold.train, penalties, SETTLE_ITER, SETTLE_TOL)[1]
            if self.how.keep_steps and index == 0:
                early = (settle(start, fold.train, penalties, n, SETTLE_TOL)[1] for n in STEPS_KEPT)
                self.steps += [start, *early, params]
            point = scored(params, leafness_penalty, fold)
            self.history.append(history_entry(params, point.loss, self.penalties(leafness_penalty)))
            self.how.report(self.history[-1])
            yield point
            if params.n_nodes == 1:
                return

    def unbudded(self) -> PathPoint:
        """The soft tree without buds."""
        losses = [self.fold(i).valid.row_loss(tree.shape, tree.parameters) for i, tree in enumerate(self.grown.tree)]
        return replace(self.as_found(), row_loss=np.concatenate(losses))

    def as_found(self) -> PathPoint:
        """The soft tree with its held-out losses; an interrupted search may have ended during screening."""
        leafness_penalty = self.how.leafness_penalty or 0.0
        whole = [params_of(tree, np.ones(tree.n_nodes), 0.0) for tree in self.grown.tree]
        return PathPoint(
            leafness_penalty=leafness_penalty,
            tree=whole,
            row_loss=self.grown.row_loss,
            weight=self.grown.weight,
            output_scale=self.grown.output_scale,
        )

    def answered(self, point: PathPoint, centre: Floats, scale: Floats) -> HeldOutRows | None:
        """Held-out rows with the predictions of the trees of their folds."""
        outputs = [
            lambda fold, params=params: fold.valid.output(shape_of(params), fold_buds(params)) for params in point.tree
        ]
        return held_out_answers_by(self.spec, outputs, centre, scale)

    def refitted(self, point: PathPoint, everything: SumEngine) -> BuddingParams:
        """The trees of the folds refined on all rows; the one with the lowest objective, outputs scaled as before."""
        if point.leafness_penalty == 0.0 and self.how.leafness_penalty is None:
            return self._soft_refitted(everything)
        penalties = self.penalties(point.leafness_penalty)
        refined = [settle(params, everything, penalties, FINISH_ITER, FINISH_TOL) for params in point.as_learned]
        return min(refined, key=lambda pair: pair[0])[1].scale_output(_mean(point.output_scale))

    def _soft_refitted(self, everything: SumEngine) -> BuddingParams:
        tree = refitted(self.grown, everything, FINISH_ITER, self.how.n_threads)
        return params_of(tree, everything.mean_reach(tree.shape, tree.parameters), 0.0)


def scored(params: BuddingParams, leafness_penalty: float, fold: Fold) -> PathPoint:
    """Its loss on each held-out row, after temperature scaling."""
    valid, shape = fold.valid, shape_of(params)
    factor = output_scale_on(valid, shape, fold_buds(params))
    params = params.scale_output(factor)
    return PathPoint(
        leafness_penalty=leafness_penalty,
        tree=[params],
        row_loss=valid.row_loss(shape, fold_buds(params)),
        weight=valid.weight * valid.total_weight,
        output_scale=[factor],
    )


def select(points: list[PathPoint]) -> PathPoint:
    """The smallest tree whose held-out loss is near the best (learners/soft/search/selection.py)."""
    return min(near_best(points), key=lambda point: (point.nodes, point.loss))


def history_entry(params: BuddingParams, loss: float, penalties: BuddingPenalty) -> dict[str, Any]:
    """An entry of the history: a tree and its penalties."""
    return {
        "leafness_penalty": penalties.leafness,
        "weight_penalty": penalties.weight,
        "loss": loss,
        "n_nodes": params.n_nodes,
        "effective_size": params.effective_size,
        "leafness": params.leafness,
        "first_child": params.first_child,
    }


def soft_history_entry(candidate: Candidate) -> dict[str, Any]:
    """The same for a soft tree of the search."""
    tree: SoftTreeParams = candidate.tree[0]
    penalties = BuddingPenalty(0.0, candidate.penalty, tree.origin, log_penalty=tree.log_penalty)
    return history_entry(params_of(tree, np.ones(tree.n_nodes), 0.0), candidate.loss, penalties)


def _mean(factors: list[float]) -> float:
    """Geometric mean."""
    return float(exp(np.mean(log(factors))))
