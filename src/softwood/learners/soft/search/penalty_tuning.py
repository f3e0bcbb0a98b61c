"""Penalty tuning: from a screened tree to heavier and lighter penalties, while the held-out loss falls.

The screened tree is refined at each penalty only to find the direction; at the best penalty a new tree is grown,
unless hardly any loss was saved.
"""

from __future__ import annotations

import numpy as np

from softwood.kernels.arithmetic import log
from softwood.learners.soft.growth.split_step import MIN_GAIN_SHARE
from softwood.learners.soft.search.spec import Trial
from softwood.learners.soft.search.trials import Trials, with_gates

STRENGTHS = (2000.0, 600.0, 200.0, 60.0, 20.0, 6.0, 2.0, 0.6, 0.2)  # penalties to try (penalty × rows)
FIRST_STRENGTH = 2.0  # where the search begins


def first_penalty(trials: Trials) -> float:
    """The penalty for screening: the fixed one, or the first to try."""
    return FIRST_STRENGTH / trials.specs[0].rows(0) if trials.penalty is None else trials.penalty


def tune_penalties(trials: Trials, screened: list[Trial]) -> None:
    """Add trials with other penalties for the screened trees near the best; none if the penalty is fixed."""
    if trials.penalty is None:
        for found in trials.parallel_map(lambda trial: tune_penalty(trials, trial), trials.near(screened)):
            trials.add(*found)


def tune_penalty(trials: Trials, screened: Trial, fold_index: int = 0) -> list[Trial]:
    """Neighbouring penalties in both directions, each continued while the loss falls; a tree is grown at the end."""
    trainer, candidate = trials.trainer, screened.candidate
    rows, penalty = screened.spec.rows(fold_index), candidate.penalty
    begin = int(np.argmin(np.abs(log(np.array(STRENGTHS) / (penalty * rows)))))
    start = trainer.scored(candidate.as_learned[0], screened.spec, screened.grown, penalty, fold_index)
    found: list[Trial] = []
    for step in (-1, 1):
        best, end = start, begin
        while 0 <= end + step < len(STRENGTHS):
            refined = trainer.at_penalty(best, STRENGTHS[end + step] / rows, fold_index)
            found += [trial for trial in refined if not trial.grown]
            trial = min(refined, key=lambda trial: trial.loss, default=best)
            if not trial.loss < best.loss:
                break
            best, end = trial, end + step
        if best.loss < (1.0 - MIN_GAIN_SHARE) * start.loss:
            found += with_gates(trainer.from_root(screened.spec, screened.slopes, STRENGTHS[end] / rows, fold_index))
    return found
