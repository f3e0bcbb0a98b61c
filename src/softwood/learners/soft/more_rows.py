"""More rows than those that trees grew on: the selected one is refined on all of them, and its curves become finer.

All rows tell of steps that those of a fold cannot: ramps are divided (finer_curves.py), round after round, each
refined by passes over all rows. That needs no held-out rows, since a knot must be told of by more than chance, and
costs little where passes go by tables (native/soft/form_tables.hpp). A penalty counts as rows: as many as when it was
tuned.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from softwood.engines import SumEngine
from softwood.learners.soft.design import DesignMatrix
from softwood.learners.soft.finer_curves import divide_where_told
from softwood.learners.soft.params import SoftTreeParams
from softwood.learners.soft.refit import iterations_for, refitted
from softwood.learners.soft.selection import Candidate
from softwood.learners.soft.training_rows import TrainingRows
from softwood.learners.soft.tree_kinds import MANY_ROWS, SOME_ROWS

ROUNDS = 6  # of dividing ramps
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

    tuned_on : weight of the rows that the penalty was tuned on, of which it counts as many now; None: as it is.
    """
    engine: SumEngine | None = rows.engine_of(design)
    assert engine is not None
    total = engine.total_weight
    if tuned_on is not None:
        kept = replace(kept, penalty=kept.penalty * tuned_on / total)
    tree = refitted(kept, engine, max_iter, n_threads)
    are_few = SOME_ROWS <= rows.n_rows <= MANY_ROWS  # folds were of all rows, and no knots were refined there
    may_have_ramps = (rows.are_sampled or are_few) and rows.are_in_memory and not rows.sample.is_sparse
    for _ in range(ROUNDS if may_have_ramps else 0):
        engine = None  # there is one at a time
        finer = divide_where_told(tree, design, rows.sample, rows.engine_of, are_few)
        if finer is None:
            break
        tree, design = finer.spread(tree), finer.design
        engine = rows.engine_of(design)
        tree = tree.refine(engine, kept.penalty, iterations_for(total, ITERATIONS))[1]
    return FinalTree(tree, design, engine)
