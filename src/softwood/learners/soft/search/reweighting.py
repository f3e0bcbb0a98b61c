"""Reweighting features: the best trial again, on the same folds, with inputs weighted by relevance (relevance.py).

The first trial is kept unless the second is simpler, or better by more than chance (selection.py). For large tables
no new tree is grown: the tree is refined as it is, round after round while the held-out loss falls.
"""

from __future__ import annotations

from dataclasses import replace

from softwood.learners.soft.search.spec import Trial
from softwood.learners.soft.search.trials import MAX_ROUNDS, Trials


def reweight_features(trials: Trials) -> None:
    """Add the reweighted trial if its loss is lower than that of the best one."""
    if not (able := _able(trials)):
        return
    best = min(able, key=lambda trial: trial.loss)
    reweighted = _reweighted(trials, best)
    if reweighted.loss < best.loss:
        trials.add(reweighted)


def reweight_refined(trials: Trials, fold_index: int) -> None:
    """The best trial of a fold, refined with inputs weighted by relevance, repeatedly while its loss falls."""
    if not (able := _able(trials)):
        return
    best = start = min(able, key=lambda trial: trial.loss)
    for _ in range(MAX_ROUNDS):
        refined = trials.trainer.reweight_refined(best, fold_index)
        if not refined.loss < best.loss:
            break
        best = refined
    if best is not start:
        trials.add(best)


def _able(trials: Trials) -> list[Trial]:
    """Trials whose inputs may be reweighted; none if columns by evidence, which are weighted already, are the best."""
    if trials.best.spec.basis_spec.evidence:
        return []
    able = [trial for trial in trials.found if trial.spec.gates == "open" and trial.candidate.inputs > 1]
    return [trial for trial in able if not trial.spec.basis_spec.evidence]


def _reweighted(trials: Trials, trial: Trial) -> Trial:
    """Trees of all folds so far, each reweighted by the tree of its fold; over the columns of the first fold."""
    trainer = trials.trainer
    plain = [(trainer.on_fold(trial, fold_index), fold_index) for fold_index in range(len(trial.candidate.tree))]
    first, *others = trials.parallel_map(lambda pair: trainer.reweighted(*pair), plain)
    for other in others:
        first = replace(first, candidate=first.candidate.with_folds(other.rescale_columns(first.spec).candidate))
    return first
