"""The last refinement of the selected candidate: the trees of its folds, refined on the same rows; the best is kept."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from softwood.engines import SumEngine
from softwood.kernels.arithmetic import exp, log
from softwood.learners.soft.growth.split_step import SPLIT_ITER
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.regimes import FULL_REFINEMENT_MAX_ROWS
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.search.spec import Trial
from softwood.parts.parallel import parallel_map

NODE_PENALTY_ROWS = 3.0  # rows whose mean objective one node must save when trees are refined on all rows


def iterations_for(rows: float, max_iter: int) -> int:
    """Iterations of the last refinement: fewer for large tables, where the tree is near its end and passes are slow.

    Examples
    --------
    >>> iterations_for(20_000, 200), iterations_for(250_000, 200), iterations_for(4_000_000, 200)
    (200, 80, 25)
    """
    share = FULL_REFINEMENT_MAX_ROWS / max(rows, FULL_REFINEMENT_MAX_ROWS)
    return min(max_iter, max(SPLIT_ITER, int(max_iter * share)))


def refitted(chosen: Candidate, whole: SumEngine, max_iter: int, n_threads: int = 1) -> SoftTreeParams:
    """The trees of the folds refined on all rows; the one with the lowest objective, with scaled outputs as before.

    Larger trees would otherwise have lower objectives, and folds selected trees of different sizes, so each node has a
    penalty.
    """
    refined = _all_refined(chosen, whole, iterations_for(whole.total_weight, max_iter), n_threads)
    node_penalty = NODE_PENALTY_ROWS / whole.total_weight
    best = min(refined, key=lambda pair: pair[0] * (1.0 + node_penalty * pair[1].n_nodes))[1]
    return best.scale_output(float(exp(np.mean(log(chosen.output_scale)))))


def from_best_start(trial: Trial, max_iter: int, n_threads: int = 1) -> Candidate:
    """The candidate with a better first tree: trees of all folds are refined on the rows of the first and scored there.

    Refinement ends in a local minimum: a tree grown on four fifths of the rows often leads to a better one.
    """
    chosen, fold = trial.over(trial.spec.full), trial.spec.fold(trial.spec.full)
    refined = _all_refined(chosen, fold.train, max_iter, n_threads)
    found = [chosen.tree[0], *(tree.scale_output(chosen.output_scale[0]) for _, tree in refined)]
    best = min(found, key=lambda tree: tree.loss(fold.valid))
    return replace(trial.candidate, tree=[best, *trial.candidate.tree[1:]])


def _all_refined(
    chosen: Candidate, engine: SumEngine, max_iter: int, n_threads: int
) -> list[tuple[float, SoftTreeParams]]:
    """Objective and tree per fold, all refined on the same rows."""
    refine = partial(SoftTreeParams.refine, engine=engine, penalty=chosen.penalty, max_iter=max_iter)
    return list(parallel_map(refine, chosen.as_learned, n_threads))
