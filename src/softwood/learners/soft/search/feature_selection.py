"""Feature selection: a tree without the least useful inputs, kept if it is clearly better on held-out rows.

Inputs are ranked twice by ablation: on the training rows, and on the held-out rows of a second fold, because the rows
that select the inputs favour the selection. A selection is confirmed on a third fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from softwood.arrays import Floats
from softwood.learners.soft.search.ablation import ablation_importance
from softwood.learners.soft.search.penalty_tuning import STRENGTHS
from softwood.learners.soft.search.selection import CLEAR_SE, compare
from softwood.learners.soft.search.spec import Columns, Inputs, ModelSpec, Trial
from softwood.learners.soft.search.trials import Trials

MIN_IMPORTANCE_SHARE = 0.95  # proportion of total ablation importance covered by the kept inputs, on training rows
MIN_HELD_OUT_IMPORTANCE_SHARE = 0.99  # and on held-out rows


@dataclass
class FeatureSelection:
    """Makes trials with fewer inputs.

    prepare : maps the inputs to use to the kinds of columns to try.
    restricted : specs with a subset of the inputs, each made once, so that the trainer finds its trials again.
    """

    trials: Trials
    prepare: Callable[[Inputs], list[Columns]]
    restricted: dict[tuple[ModelSpec, bytes], ModelSpec] = field(default_factory=dict)

    def select(self) -> bool:
        """Whether fewer inputs are clearly better; if so, the specs of the search keep only these."""
        trials = self.trials
        best = begin = min((one for one in trials.found if one.spec in trials.specs), key=lambda trial: trial.loss)
        while (smaller := self._with_fewer_features(best)) is not None:
            trials.clear()  # matrices of all columns are large; they are rebuilt if the race needs them
            trials.add(smaller)
            best = smaller
        if best is begin:
            return False
        spec = best.spec
        inputs = np.isin(np.arange(spec.n_inputs), spec.design.feature)
        fresh = [spec.with_columns(*columns) for columns in self.prepare(inputs)]
        trials.specs = [spec if one.basis_spec == spec.basis_spec else one for one in fresh]
        return True

    def _with_fewer_features(self, best: Trial) -> Trial | None:
        """The kind of tree with only the relevant inputs, if that is clearly better."""
        for kept in self._relevant_inputs(best):
            if kept.sum() < best.candidate.inputs and not self._needs_other_inputs(best, kept):
                for trial in self._at_lighter_penalties(best, self._restricted_spec(best.spec, kept)):
                    if compare(best.candidate, trial.candidate).is_clear():
                        if self._is_confirmed(best, trial):
                            return trial
                        if not best.spec.second_confirmation_fold:
                            self.trials.add(trial)  # it may race
        return None

    def _relevant_inputs(self, trial: Trial) -> Iterator[Inputs]:
        """The relevant inputs: on the training rows, then on the held-out rows of another fold."""
        spec, tree = trial.spec, trial.candidate.tree[0]
        rows = spec.row_folds[0][0]
        yield most_important(ablation_importance(tree, spec.design, rows), MIN_IMPORTANCE_SHARE)
        if at := spec.confirmation_fold:
            trial = self.trials.trainer.on_fold(trial, at)
        tree, rows = trial.candidate.tree[0], spec.row_folds[at][1]
        increase = ablation_importance(tree, spec.columns(at), rows)
        yield most_important(increase, MIN_HELD_OUT_IMPORTANCE_SHARE)

    def _needs_other_inputs(self, trial: Trial, inputs: Inputs) -> bool:
        """Whether the tree is clearly worse when refined with only these inputs."""
        alone = self.trials.trainer.restricted(trial, self._restricted_spec(trial.spec, inputs), inputs)
        return compare(alone.candidate, trial.candidate).is_clear()

    def _at_lighter_penalties(self, trial: Trial, spec: ModelSpec) -> Iterator[Trial]:
        """The kind of tree with another spec at its penalty, then at lighter penalties while the loss falls.

        With useless inputs the best penalty is heavy, and at it a tree without them is hardly better or worse.
        """
        penalty, rows, before = trial.candidate.penalty, spec.rows(0), np.inf
        is_fixed = self.trials.penalty is not None
        lighter = [] if is_fixed else [one / rows for one in STRENGTHS if one / rows < 0.99 * penalty]
        for one in (penalty, *lighter):
            smaller = self.trials.trainer.trial(spec, trial.slopes, trial.grown, one, 0)
            yield smaller
            if not smaller.loss < before or compare(smaller.candidate, trial.candidate).is_clear():
                return
            before = smaller.loss

    def _is_confirmed(self, best: Trial, smaller: Trial) -> bool:
        """Whether fewer inputs are clearly better on one more fold, which was not used to select them.

        If there is no such fold, they must be better by twice as many standard errors.
        """
        fold_index = best.spec.second_confirmation_fold
        if not fold_index:
            return compare(best.candidate, smaller.candidate).is_clear(2 * CLEAR_SE)
        again = [self.trials.trainer.on_fold(trial, fold_index).candidate for trial in (best, smaller)]
        return compare(best.candidate.with_folds(again[0]), smaller.candidate.with_folds(again[1])).is_clear()

    def _restricted_spec(self, spec: ModelSpec, inputs: Inputs) -> ModelSpec:
        """The spec with only some inputs; made once per subset."""
        return self.restricted.setdefault((spec, inputs.tobytes()), spec.only(inputs))


def most_important(importance: Floats, part: float) -> Inputs:
    """The fewest inputs that together have this proportion of total importance; all inputs if the total is 0.

    Examples
    --------
    >>> most_important(np.array([1.0, -0.5, 8.0, 1.0]), 0.85)
    array([ True, False,  True, False])
    """
    order = np.argsort(-importance, kind="stable")
    share = np.cumsum(np.maximum(importance[order], 0.0))
    kept = np.full(len(importance), not share[-1] > 0)
    kept[order[: int(np.searchsorted(share, part * share[-1])) + 1]] = True
    return kept
