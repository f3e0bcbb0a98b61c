"""The steps of the model search, in order, and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.search.feature_selection import FeatureSelection
from softwood.learners.soft.search.penalty_tuning import tune_penalties, tune_penalty
from softwood.learners.soft.search.race import race
from softwood.learners.soft.search.reweighting import reweight_features, reweight_refined
from softwood.learners.soft.search.screening import screen, screen_axis_gates
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.stored_columns import StoredSelection
from softwood.learners.soft.search.trials import Trials, with_gates


@dataclass(frozen=True)
class SearchSteps:
    """Which optional steps are taken. bench/ablation leaves out one at a time."""

    select_features: bool = True
    try_axis_gates: bool = True
    reweight_features: bool = True
    evidence: bool = True
    tune_on_all: bool = True
    grow_best_root: bool = True


@dataclass
class ModelSearch:
    """Runs the steps. Trials are kept up to date, so that an interrupted search has the best so far."""

    trials: Trials
    selection: FeatureSelection | StoredSelection
    steps: SearchSteps = SearchSteps()
    interrupted: bool = False

    def run(self) -> None:
        """All steps, in order."""
        trials, wide = self.trials, self.trials.specs[0]
        self._screen()
        while self.steps.select_features and self.selection.select():
            self._screen()
        if self.steps.try_axis_gates:
            tune_penalties(trials, screen_axis_gates(trials, wide))
        race(trials)
        self._improve_best(trials.specs[0])

    def _screen(self) -> None:
        """Every kind of tree at one penalty, and those near the best at others."""
        tune_penalties(self.trials, screen(self.trials))

    def _improve_best(self, spec: ModelSpec) -> None:
        """If no penalty is given: tune it on more rows than the kinds were screened on; reweight inputs."""
        trials = self.trials
        if trials.penalty is not None:
            return
        if spec.full:
            if self.steps.tune_on_all:
                trials.add(*tune_penalty(trials, trials.best, spec.full))
            if self.steps.grow_best_root:
                self._grow_best_root(spec.full)
            if self.steps.reweight_features:
                reweight_refined(trials, spec.full)
        elif self.steps.reweight_features and not trials.keep_first_fold_tree:
            reweight_features(trials)

    def _grow_best_root(self, fold_index: int) -> None:
        """Grow the best root, if it is near the best trial: fewer rows may have been too few for gates on it."""
        trials = self.trials
        roots = [trial for trial in trials.near(trials.found) if not trial.grown]
        if roots:
            best = min(roots, key=lambda trial: trial.loss)
            trials.add(*with_gates(trials.trainer.on_fold(replace(best, grown=True), fold_index)))

    def resume(self, tree: SoftTreeParams) -> None:
        """Grow an existing tree further instead: refine it on these rows, then grow it while that helps."""
        trials = self.trials
        if trials.penalty is None:
            raise ValueError("warm_start continues with the same weight_penalty.")
        trials.add(trials.trainer.resumed(tree, trials.specs[0], trials.penalty))

    @property
    def found(self) -> list[Trial]:
        """The remaining trials, in the order in which they were found."""
        return self.trials.found

    @property
    def chosen(self) -> Trial:
        """The simplest trial that is not clearly worse than the best so far."""
        return self.trials.chosen.from_full_fold()
