"""Selecting curves: with ramps or without, whichever makes the better root, or the better tree.

A root without gates is a sum of curves. It takes little time even on all rows of the search, and shows whether these
can tell more than smooth curves hold. Where rows are not many, so that trees take little time, too, ramps that make
the better root must make the better tree: a sum of curves may be far from what gates find. Where rows are few, roots
are made on all five folds and tell input by input (ramped_inputs.py), and trees must not tell otherwise.
"""

from __future__ import annotations

from softwood.learners.soft.search.finer_knots import at_best_penalty, with_finer_knots
from softwood.learners.soft.search.penalty_tuning import BEGIN, STRENGTHS
from softwood.learners.soft.search.ramped_inputs import with_some_ramps
from softwood.learners.soft.search.selection import clearly_worse
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trials import Trials

SURELY = 1.0  # standard errors by which ramps must be better
TWO = 2  # folds, too few to tell input by input


def select_curves(trials: Trials) -> None:
    """Of the specs with smooth curves and with ramps keep one; both if trees are to tell."""
    smooth, local = _best(trials, ramps=False), _best(trials, ramps=True)
    if smooth is None or local is None:
        return
    trials.smooth_curves = smooth.spec
    if local.spec.full:
        finer = with_finer_knots(trials, local, local.spec.full)
        kept = [finer.spec] if clearly_worse(smooth.candidate, finer.candidate, SURELY) else [smooth.spec]
    elif _has_many_folds(local.spec):
        ramped = with_some_ramps(*(_on_folds(trials, root) for root in (smooth, local)))
        kept = [smooth.spec] if ramped is None else [smooth.spec, ramped]
    else:
        smooth = at_best_penalty(trials, smooth, 0)  # as ramps are
        finer = with_finer_knots(trials, local, 0)
        is_worse = clearly_worse(smooth.candidate, finer.candidate, SURELY)
        kept = [smooth.spec, finer.spec] if is_worse else [smooth.spec]
    trials.specs = [spec for spec in trials.specs if spec not in (smooth.spec, local.spec)] + kept


def keep_better_curves(trials: Trials, screened: list[Trial]) -> list[Trial]:
    """Of the screened trials of one kind of leaves, those to go on with: if both kinds of curves are among them and one
    is clearly worse, neither that one nor its spec.

    Where all folds told of ramps, these go on alone unless they are worse.
    """
    curved = [trial for trial in screened if trial.spec.basis_spec.curve]
    if len(curved) < 2:
        return screened
    smooth, local = sorted(curved, key=lambda trial: trial.spec.basis_spec.n_ramps)
    if clearly_worse(local.candidate, smooth.candidate, SURELY):
        worse = local
    elif _has_many_folds(local.spec) or clearly_worse(smooth.candidate, local.candidate, SURELY):
        worse = smooth
    else:
        return screened
    trials.specs = [spec for spec in trials.specs if spec is not worse.spec]
    return [trial for trial in screened if trial is not worse]


def _best(trials: Trials, ramps: bool) -> Trial | None:
    """The root of the spec whose curves have ramps, or have none, if there is one."""
    specs = [spec for spec in trials.specs if spec.basis_spec.curve and bool(spec.basis_spec.n_ramps) == ramps]
    return _root(trials, specs[0]) if specs else None


def _root(trials: Trials, spec: ModelSpec) -> Trial:
    """A sum of curves, on the rows of the full fold."""
    penalty = STRENGTHS[BEGIN] / spec.rows(spec.full) if trials.penalty is None else trials.penalty
    return trials.trainer.trial(spec, "shared", False, penalty, spec.full)


def _on_folds(trials: Trials, root: Trial) -> list[Trial]:
    """The root under its best penalty, on each of the folds; the rows of other folds than the first are released."""
    best = at_best_penalty(trials, root, 0) if trials.penalty is None else root

    def on_fold(fold_index: int) -> Trial:
        trial = trials.trainer.on_fold(best, fold_index)
        root.spec.fold_cache.pop(fold_index, None)
        return trial

    return [best, *trials.parallel_map(on_fold, range(1, len(root.spec.row_folds)))]


def _has_many_folds(spec: ModelSpec) -> bool:
    """Whether folds together hold out all rows, so that they tell input by input."""
    return not spec.full and len(spec.row_folds) > TWO
