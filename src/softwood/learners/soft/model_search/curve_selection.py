"""Selecting curves: with ramps or without, whichever makes the better root.

A root without gates is a sum of curves. It takes little time even on all rows of the search, and shows whether these
can tell more than smooth curves hold.
"""

from __future__ import annotations

from softwood.learners.soft.model_search.finer_knots import with_finer_knots
from softwood.learners.soft.model_search.penalty_tuning import BEGIN, STRENGTHS
from softwood.learners.soft.model_search.trials import Trials
from softwood.learners.soft.selection import clearly_worse
from softwood.learners.soft.spec import ModelSpec, Trial

SURELY = 1.0  # standard errors by which ramps must be better


def select_curves(trials: Trials) -> None:
    """Of the specs with smooth curves and with ramps keep one."""
    smooth, local = _best(trials, ramps=False), _best(trials, ramps=True)
    if smooth is None or local is None:
        return
    trials.smooth_curves = smooth.spec
    finer = with_finer_knots(trials, local, local.spec.full)
    kept = finer.spec if clearly_worse(smooth.candidate, finer.candidate, SURELY) else smooth.spec
    trials.specs = [kept if spec is smooth.spec else spec for spec in trials.specs if spec is not local.spec]


def _best(trials: Trials, ramps: bool) -> Trial | None:
    """The root of the spec whose curves have ramps, or have none, if there is one."""
    specs = [spec for spec in trials.specs if spec.basis_spec.curve and bool(spec.basis_spec.n_ramps) == ramps]
    return _root(trials, specs[0]) if specs else None


def _root(trials: Trials, spec: ModelSpec) -> Trial:
    """A sum of curves, on the rows of the full fold."""
    penalty = STRENGTHS[BEGIN] / spec.rows(spec.full) if trials.penalty is None else trials.penalty
    return trials.trainer.trial(spec, "shared", False, penalty, spec.full)
