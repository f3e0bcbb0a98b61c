"""The race: the best trials on the other folds, one fold after the other.

A trial that is clearly worse than the best on all held-out rows so far drops out. In large tables the first fold is
small, for screening: on the first fold of full size the screened tree is grown further, and the result replaces it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from softwood.learners.soft.search.many_leaves import add_mixed, kinds_with_many_leaves, not_replaced
from softwood.learners.soft.search.selection import CLEAR_SE, compare
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trials import Trials

# Trials that are trained on the other folds, whatever their kinds. On 82 tables of 600 rows 8 have .999 (± .002) of the
# error in 1.06 times the time.
N_FINALISTS = 5
# Standard errors by which a trial must be worse to drop out, before the race, too. On the same tables with 1 the error
# is 1.007 (± .004) of this in .91 of the time, with 2 .998 (± .005) in 1.05.
DROP_SE = 1.5
N_START_FOLDS = 3  # for a single trial with validation rows, as starts of the last refinement


def race(trials: Trials) -> None:
    """Replace the trials by those that remain after all folds."""
    n_folds = len(trials.specs[0].row_folds)
    if not trials.specs[0].full:
        add_mixed(trials)
    if n_folds == 1:
        return
    if trials.keep_first_fold_tree:
        trials.found = _contenders(trials.found, CLEAR_SE)
    runners, kinds = finalists(trials), kinds_with_many_leaves(trials)
    for fold_index in range(1, n_folds):
        if len(runners) == 1:
            last = N_START_FOLDS if trials.keep_first_fold_tree else n_folds
            if fold_index >= last:
                break
            _train_ahead(trials, runners[0], range(fold_index, min(last, n_folds)))
        best = min(trial.loss for trial in runners)
        at_full = kinds if fold_index == trials.specs[0].full else []
        many = [tree for kind in at_full for tree in kind.grown(trials, best)]
        runners = not_replaced(runners, many)
        specs = list({id(trial.spec.fold_cache): trial.spec for trial in runners}.values())
        # Build folds before the runners need them.
        list(trials.parallel_map(partial(ModelSpec.fold, fold_index=fold_index), specs))
        runners = list(trials.parallel_map(partial(_on_fold, trials, fold_index=fold_index), runners))
        trials.found = runners = _contenders([*runners, *many], DROP_SE)
    for trial in runners:
        trials.report(trial.candidate)


def finalists(trials: Trials) -> list[Trial]:
    """The best few, if the first fold's rows leave a doubt; the current choice; the best with penalized gates.

    If unpenalized gates happen to separate a few rows without error, no other loss comes near.
    """
    few = sorted(trials.found, key=lambda trial: trial.loss)[:N_FINALISTS]
    few = [*_contenders(few, DROP_SE), trials.chosen]
    penalized = (trial for trial in trials.found if trial.spec.gates in ("open", "axis"))
    few += sorted(penalized, key=lambda trial: trial.loss)[:1]
    return [trial for trial in trials.found if trial in few]


def _contenders(trials: list[Trial], max_se: float) -> list[Trial]:
    """The trials that are not worse than the best by more than this number of standard errors."""
    best = min((trial.candidate for trial in trials), key=lambda candidate: candidate.loss)
    return [trial for trial in trials if not compare(trial.candidate, best).is_clear(max_se)]


def _train_ahead(trials: Trials, trial: Trial, folds: range) -> None:
    """Grow the trees of the only trial in the race in parallel; the trainer keeps them."""
    if trial.spec.full not in folds:
        list(trials.parallel_map(partial(trials.trainer.on_fold, trial), folds))


def _on_fold(trials: Trials, trial: Trial, fold_index: int) -> Trial:
    """The trial with its tree of one more fold; the tree of the first fold of full size replaces the screened tree."""
    trainer, spec, penalty = trials.trainer, trial.spec, trial.candidate.penalty
    if fold_index != spec.full:
        return replace(trial, candidate=trial.candidate.with_folds(trainer.on_fold(trial, fold_index).candidate))
    if trials.penalty is None:
        penalty *= spec.rows(0) / spec.rows(fold_index)
    if trial.grown:
        return trainer.grown_further(trial, penalty, fold_index)
    return trainer.trial(spec, trial.slopes, False, penalty, fold_index)
