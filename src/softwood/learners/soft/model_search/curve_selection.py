"""Selecting curves: with ramps or without, whichever makes the better root, or the better tree.

A root without gates is a sum of curves. It takes little time even on all rows of the search, and shows whether these
can tell more than smooth curves hold. Where rows are not many, so that trees take little time, too, ramps that make
the better root must make the better tree: a sum of curves may be far from what gates find.
"""

from __future__ import annotations

from softwood.learners.soft.model_search.finer_knots import at_best_penalty, with_finer_knots
from softwood.learners.soft.model_search.penalty_tuning import BEGIN, STRENGTHS
from softwood.learners.soft.model_search.trials import Trials
from softwood.learners.soft.selection import clearly_worse
from softwood.learners.soft.spec import ModelSpec, Trial

SURELY = 1.0  # standard errors by which ramps must be better


def select_curves(trials: Trials) -> None:
    """Of the specs with smooth curves and with ramps keep one; both if trees are to tell."""
    smooth, local = _best(trials, ramps=False), _best(trials, ramps=True)
    if smooth is None or local is None:
        return
    trials.smooth_curves = smooth.spec
    if not smooth.spec.full:
        smooth = at_best_penalty(trials, smooth, 0)  # as ramps are; it matters where rows are few
    finer = with_finer_knots(trials, local, local.spec.full)
    kept = [smooth.spec]
    if clearly_worse(smooth.candidate, finer.candidate, SURELY):
        kept = [finer.spec] if local.spec.full else [smooth.spec, finer.spec]
    trials.specs = [spec for spec in trials.specs if spec not in (smooth.spec, local.spec)] + kept


def keep_better_curves(trials: Trials, screened: list[Trial]) -> list[Trial]:
    """Of the screened trials of one kind of leaves, those to go on with: if both kinds of curves are among them and one
    is clearly worse, neither that one nor its spec.
    """
    curved = sorted((trial for trial in screened if trial.spec.basis_spec.curve), key=lambda trial: trial.loss)
    if len(curved) < 2 or not clearly_worse(curved[1].candidate, curved[0].candidate, SURELY):
        return screened
    trials.specs = [spec for spec in trials.specs if spec is not curved[1].spec]
    return [trial for trial in screened if trial is not curved[1]]


def _best(trials: Trials, ramps: bool) -> Trial | None:
    """The root of the spec whose curves have ramps, or have none, if there is one."""
    specs = [spec for spec in trials.specs if spec.basis_spec.curve and bool(spec.basis_spec.n_ramps) == ramps]
    return _root(trials, specs[0]) if specs else None


def _root(trials: Trials, spec: ModelSpec) -> Trial:
    """A sum of curves, on the rows of the full fold."""
    penalty = STRENGTHS[BEGIN] / spec.rows(spec.full) if trials.penalty is None else trials.penalty
    return trials.trainer.trial(spec, "shared", False, penalty, spec.full)
