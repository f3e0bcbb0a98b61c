"""More rows than those that trees grew on: the selected one is refined on all of them, and its curves become finer.

All rows tell of steps that those of a fold cannot: ramps are divided (finer_curves.py), round after round, each
refined by passes over all rows. That needs no held-out rows, since a knot must be told of by more than chance, and
costs little where passes go by tables (native/soft/form_tables.hpp). A penalty counts as rows: as many as when it was
tuned. Where rows are very many (HEAD_ROWS), a part of them comes first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from softwood.engines import SumEngine
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.refit import iterations_for, refitted
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.regimes import PROPORTIONAL_RAMPS_MAX_ROWS, RAMPS_MIN_ROWS
from softwood.learners.soft.search.finer_curves import MakeEngine, divide_where_told, find_ramps
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.training.training_rows import TrainingRows

ROUNDS = 6  # of dividing ramps
LAST_ROUNDS = 1  # of these on all rows, where the others were on the first of them
ITERATIONS = 100  # of a round, where rows are not very many


class FinalTree(NamedTuple):
    """A tree, the columns that it is over, and the engine of all rows where there is one already."""

    tree: SoftTreeParams
    design: DesignMatrix
    engine: SumEngine | None = None

    def with_engine(self, rows: TrainingRows) -> tuple[SoftTreeParams, DesignMatrix, SumEngine]:
        """With the engine."""
        return self.tree, self.design, self.engine or rows.engine_of(self.design)


def refined_on_all(
    kept: Candidate,
    design: DesignMatrix,
    rows: TrainingRows,
    max_iter: int,
    n_threads: int,
    tuned_on: float | None = None,
) -> FinalTree:
    """The trees of the candidate refined on all rows, the best of them; with finer curves where that can be.

    Where rows are very many that is done on a part of them first, which takes less time and leaves little to do.

    tuned_on : weight of the rows that the penalty was tuned on, of which it counts as many now; None: as it is.
    """
    engine = rows.engine_of_head(design)
    of_rows = replace(kept, penalty=_penalty_on(engine, kept.penalty, tuned_on))
    tree = refitted(of_rows, engine, max_iter, n_threads)
    # Folds were of all rows, and no knots were refined there.
    are_few = RAMPS_MIN_ROWS <= rows.n_rows <= PROPORTIONAL_RAMPS_MAX_ROWS
    can_be_finer = (rows.are_sampled or are_few) and rows.are_in_memory and not rows.sample.is_sparse
    if not can_be_finer or (rows.make_head_engine is None and not len(find_ramps(design).column)):
        return FinalTree(tree, design, engine)
    del engine  # there is one at a time
    tree, design, last = _with_finer_curves(tree, design, rows, rows.engine_of_head, of_rows.penalty, ROUNDS, are_few)
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
    """A tree that was refined on a part of the rows, on all of them."""
    engine = rows.engine_of(design)
    penalty = _penalty_on(engine, kept.penalty, tuned_on)
    tree = tree.refine(engine, penalty, iterations_for(engine.total_weight, max_iter))[1]
    del engine
    return _with_finer_curves(tree, design, rows, rows.engine_of, penalty, LAST_ROUNDS)


def _with_finer_curves(
    tree: SoftTreeParams,
    design: DesignMatrix,
    rows: TrainingRows,
    make_engine: MakeEngine,
    penalty: float,
    rounds: int,
    are_few: bool = False,
) -> FinalTree:
    """The tree refined with its ramps divided in so many rounds."""
    engine: SumEngine | None = None
    for _ in range(rounds):
        engine = None
        finer = divide_where_told(tree, design, rows.sample, make_engine, are_few)
        if finer is None:
            break
        tree, design = finer.spread(tree), finer.design
        engine = make_engine(design)
        tree = tree.refine(engine, penalty, iterations_for(engine.total_weight, ITERATIONS))[1]
    return FinalTree(tree, design, engine)


def _penalty_on(engine: SumEngine, penalty: float, tuned_on: float | None) -> float:
    """The penalty that counts as many of the engine's rows as it was tuned on."""
    return penalty if tuned_on is None else penalty * tuned_on / engine.total_weight
