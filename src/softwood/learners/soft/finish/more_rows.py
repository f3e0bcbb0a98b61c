"""Tables with more rows than the growth sample: the selected tree is refined on all rows, and its curves become finer.

All rows show steps that those of a fold do not: ramps are split (finer_curves.py), round after round, each refined by
passes over all rows. That needs no held-out rows, since a knot must pass a score test, and costs little if passes use
tables (native/soft/form_tables.hpp). A penalty counts as rows: as many as when it was tuned. Very large tables (above
HEAD_ROWS) begin with a sample of their rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from softwood.engines import SumEngine
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.refit import iterations_for, refitted
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.search.finer_curves import ROUND_ITER, MakeEngine, find_ramps, split_ramps_by_score_test
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.training.training_rows import TrainingRows

MAX_ROUNDS = 6  # of splitting ramps
MAX_ROUNDS_ON_ALL_ROWS = 1  # if the others were on the first HEAD_ROWS


class FinalTree(NamedTuple):
    """A tree, its columns, and the engine of all rows if there is one already."""

    tree: SoftTreeParams
    design: DesignMatrix
    engine: SumEngine | None = None

    def with_engine(self, rows: TrainingRows) -> tuple[SoftTreeParams, DesignMatrix, SumEngine]:
        """The candidate with its engine."""
        return self.tree, self.design, self.engine or rows.engine_of(self.design)


def refined_on_all(
    kept: Candidate,
    design: DesignMatrix,
    rows: TrainingRows,
    max_iter: int,
    n_threads: int,
    tuned_on: float | None = None,
) -> FinalTree:
    """The best of the candidate's trees, each refined on all rows; with finer curves if possible.

    Very large tables begin with a sample of their rows, which takes less time and leaves little to do on all.

    tuned_on : weight of the rows that the penalty was tuned on, used to rescale it; None: leave it as it is.
    """
    engine = rows.engine_of_head(design)
    of_rows = replace(kept, penalty=_penalty_on(engine, kept.penalty, tuned_on))
    tree = refitted(of_rows, engine, max_iter, n_threads)
    can_be_finer = rows.are_sampled and rows.are_in_memory and not rows.sample.is_sparse
    if not can_be_finer or (rows.make_head_engine is None and not len(find_ramps(design).column)):
        return FinalTree(tree, design, engine)
    del engine  # only one at a time
    tree, design, last = _with_finer_curves(tree, design, rows, rows.engine_of_head, of_rows.penalty, MAX_ROUNDS)
    if rows.make_head_engine is None:
        return FinalTree(tree, design, last)
    del last
    return _refined_further(tree, design, kept, rows, max_iter, tuned_on)


def _refined_further(
    tree: SoftTreeParams,
    design: DesignMatrix,
    kept: Candidate,
    rows: TrainingRows,
    max_iter: int,
    tuned_on: float | None,
) -> FinalTree:
    """A tree that was refined on some of the rows, refined on all of them."""
    engine = rows.engine_of(design)
    penalty = _penalty_on(engine, kept.penalty, tuned_on)
    tree = tree.refine(engine, penalty, iterations_for(engine.total_weight, max_iter))[1]
    del engine
    return _with_finer_curves(tree, design, rows, rows.engine_of, penalty, MAX_ROUNDS_ON_ALL_ROWS)


def _with_finer_curves(
    tree: SoftTreeParams,
    design: DesignMatrix,
    rows: TrainingRows,
    make_engine: MakeEngine,
    penalty: float,
    rounds: int,
) -> FinalTree:
    """The tree refined with its ramps split, at most `rounds` times."""
    engine: SumEngine | None = None
    for _ in range(rounds):
        engine = None
        finer = split_ramps_by_score_test(tree, design, rows.sample, make_engine)
        if finer is None:
            break
        tree, design = finer.transfer(tree), finer.design
        engine = make_engine(design)
        tree = tree.refine(engine, penalty, iterations_for(engine.total_weight, ROUND_ITER))[1]
    return FinalTree(tree, design, engine)


def _penalty_on(engine: SumEngine, penalty: float, tuned_on: float | None) -> float:
    """The penalty, rescaled to count as many rows in the engine as when it was tuned."""
    return penalty if tuned_on is None else penalty * tuned_on / engine.total_weight
