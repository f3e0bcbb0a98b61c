"""Selection of curves: with or without ramps, by the better root.

A root without gates is a sum of curves. It takes little time even on all rows of the search, and shows whether there
are steps that smooth curves miss. Where ramps make the better root of a small or medium table, trees of both kinds of
curves are tried: a sum of curves may be far from what gates find. On small tables, roots are fitted on all five folds
and compared input by input (ramped_inputs.py).
"""

from __future__ import annotations

from dataclasses import replace

from softwood.learners.soft.search.finer_knots import at_best_penalty, with_finer_knots
from softwood.learners.soft.search.penalty_tuning import FIRST_STRENGTH
from softwood.learners.soft.search.ramped_inputs import with_some_ramps
from softwood.learners.soft.search.selection import clearly_worse
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trials import Trials


def select_curves(trials: Trials) -> None:
    """Keep the spec with smooth curves or the one with ramps; both if trees are to be compared.

    A sum of curves is one node and mixes nothing: specs of trees that mix answers are compared by outputs.
    """
    loss = trials.specs[0].row_folds[0][0].loss
    if not loss.mixes_answers:
        _select_curves(trials)
        return
    plain = {spec.with_loss(loss.mixing_outputs): spec for spec in trials.specs}
    of_outputs = replace(trials, specs=list(plain))
    _select_curves(of_outputs)

    def mixing(spec: ModelSpec) -> ModelSpec:
        spec.fold_cache.clear()
        return plain[spec] if spec in plain else spec.with_loss(loss)

    trials.specs = [mixing(spec) for spec in of_outputs.specs]
    smooth = of_outputs.smooth_curves
    trials.smooth_curves = None if smooth is None else mixing(smooth)


def _select_curves(trials: Trials) -> None:
    smooth, local = _best(trials, ramps=False), _best(trials, ramps=True)
    if smooth is None or local is None:
        return
    trials.smooth_curves = smooth.spec
    if local.spec.full:
        finer = with_finer_knots(trials, local, local.spec.full)
        kept = [finer.spec] if clearly_worse(smooth.candidate, finer.candidate) else [smooth.spec]
    elif _folds_hold_out_all_rows(local.spec):
        ramped = with_some_ramps(*(_on_folds(trials, root) for root in (smooth, local)))
        kept = [smooth.spec] if ramped is None else [smooth.spec, ramped]
    else:
        smooth = at_best_penalty(trials, smooth, 0)  # as ramps are
        finer = with_finer_knots(trials, local, 0)
        is_worse = clearly_worse(smooth.candidate, finer.candidate)
        kept = [smooth.spec, finer.spec] if is_worse else [smooth.spec]
    trials.specs = [spec for spec in trials.specs if spec not in (smooth.spec, local.spec)] + kept


def _best(trials: Trials, ramps: bool) -> Trial | None:
    """The root of the spec whose curves have (or do not have) ramps, if there is one."""
    specs = [spec for spec in trials.specs if spec.basis_spec.curve and bool(spec.basis_spec.n_ramps) == ramps]
    return _root(trials, specs[0]) if specs else None


def _root(trials: Trials, spec: ModelSpec) -> Trial:
    """A sum of curves, on the rows of the full fold."""
    penalty = FIRST_STRENGTH / spec.rows(spec.full) if trials.penalty is None else trials.penalty
    return trials.trainer.trial(spec, "shared", False, penalty, spec.full)


def _on_folds(trials: Trials, root: Trial) -> list[Trial]:
    """The root with its best penalty, on each fold; rows of all folds but the first are released."""
    best = at_best_penalty(trials, root, 0) if trials.penalty is None else root

    def on_fold(fold_index: int) -> Trial:
        trial = trials.trainer.on_fold(best, fold_index)
        root.spec.fold_cache.pop(fold_index, None)
        return trial

    return [best, *trials.parallel_map(on_fold, range(1, len(root.spec.row_folds)))]


def _folds_hold_out_all_rows(spec: ModelSpec) -> bool:
    """Whether there are five folds, which together hold out all rows, so that inputs can be compared one by one."""
    return not spec.full and len(spec.row_folds) > 2
