"""Finer knots: ramps are split where the score test finds steps in the rows of the full fold (finer_curves.py), round
after round while the held-out loss falls.

Kinds of trees gain differently, because gates can model steps and own slopes cannot: the best of each kind of leaves
is tried, if it is near the overall best.
"""

from __future__ import annotations

from softwood.engines import SampleEngine
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.params.params import Slopes, SoftTreeParams
from softwood.learners.soft.search.finer_curves import ROUND_ITER, split_ramps_by_score_test
from softwood.learners.soft.search.fold import make_sample_engine
from softwood.learners.soft.search.spec import ModelSpec, Trial
from softwood.learners.soft.search.trials import CLOSE_SHARE, MAX_ROUNDS, Trials

PENALTY_FACTOR = 3.0  # factor between two penalties to try


def refine_knots(trials: Trials, fold_index: int) -> None:
    """The best trial of each kind of leaves with finer knots, which replaces it if its held-out loss is lower."""
    best: dict[tuple[Slopes, bool], Trial] = {}
    for trial in sorted(trials.near(trials.found, CLOSE_SHARE), key=lambda trial: trial.loss):
        if trial.spec.basis_spec.n_ramps:
            best.setdefault((trial.slopes, trial.grown), trial)
    coarse = list(best.values())
    made = list(trials.parallel_map(lambda trial: with_finer_knots(trials, trial, fold_index), coarse))
    trials.found = [trial for trial in trials.found if trial not in coarse or trial in made]
    trials.add(*made)


def with_finer_knots(trials: Trials, trial: Trial, fold_index: int) -> Trial:
    """The trial with finer knots and the penalty that suits them; the trial itself if they do not help."""
    best = at_best_penalty(trials, trial, fold_index)
    for _ in range(MAX_ROUNDS):
        finer = _with_ramps_split_once(trials, best, fold_index)
        if finer is None or not finer.loss < best.loss:
            break
        best = finer
    return best


def at_best_penalty(trials: Trials, trial: Trial, fold_index: int) -> Trial:
    """The tree refined at heavier or lighter penalties, while the held-out loss falls."""
    for factor in (PENALTY_FACTOR, 1.0 / PENALTY_FACTOR):
        best = trial
        while True:
            other = _refined(
                trials, best, best.spec, best.candidate.as_learned[0], factor * best.candidate.penalty, fold_index
            )
            if not other.loss < best.loss:
                break
            best = other
        if best is not trial:
            return best
    return trial


def _with_ramps_split_once(trials: Trials, trial: Trial, fold_index: int) -> Trial | None:
    """The trial with its ramps split once; None if the score test finds no step."""
    spec, candidate, rows = trial.spec, trial.candidate, trial.spec.row_folds[fold_index][0]
    (tree,) = candidate.as_learned

    def make_engine(design: DesignMatrix) -> SampleEngine:
        return make_sample_engine(rows, design, spec.n_threads, spec.single, by_tables=True)

    finer = split_ramps_by_score_test(tree, spec.design, rows, make_engine)
    if finer is None:
        return None
    return _refined(trials, trial, spec.finer(finer), finer.transfer(tree), candidate.penalty, fold_index)


def _refined(
    trials: Trials, trial: Trial, spec: ModelSpec, tree: SoftTreeParams, penalty: float, fold_index: int
) -> Trial:
    """The trial's tree, or one with the same predictions over finer columns, refined."""
    tree = tree.refine(spec.fold(fold_index).train, penalty, ROUND_ITER)[1]
    return trials.trainer.scored(tree, spec, trial.grown, penalty, fold_index, trial.selection_bias(fold_index))
