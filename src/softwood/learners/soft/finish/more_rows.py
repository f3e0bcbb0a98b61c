"""Tables with more rows than the growth sample: the selected tree is refined on all rows.

A penalty counts as rows: as many as when it was tuned. Very large tables (above HEAD_ROWS) begin with a sample of
their rows, which takes less time and leaves little to do on all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from softwood.engines import SumEngine
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.refit import iterations_for, refitted
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.training.training_rows import TrainingRows


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
    """The best of the candidate's trees, each refined on all rows.

    tuned_on : weight of the rows that the penalty was tuned on, used to rescale it; None: leave it as it is.
    """
    engine = rows.engine_of_head(design)
    of_rows = replace(kept, penalty=_penalty_on(engine, kept.penalty, tuned_on))
    tree = refitted(of_rows, engine, max_iter, n_threads)
    if rows.make_head_engine is None:
        return FinalTree(tree, design, engine)
    del engine  # only one at a time
    engine = rows.engine_of(design)
    penalty = _penalty_on(engine, kept.penalty, tuned_on)
    tree = tree.refine(engine, penalty, iterations_for(engine.total_weight, max_iter))[1]
    return FinalTree(tree, design, engine)


def _penalty_on(engine: SumEngine, penalty: float, tuned_on: float | None) -> float:
    """The penalty, rescaled to count as many rows in the engine as when it was tuned."""
    return penalty if tuned_on is None else penalty * tuned_on / engine.total_weight
