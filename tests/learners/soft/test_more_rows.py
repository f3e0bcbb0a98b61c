"""More rows than the search sees: the tree is refined on all of them, and a penalty that counts as rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.engines import SumEngine
from softwood.engines.memory import from_inputs
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.more_rows import FinalTree, refined_on_all
from softwood.learners.soft.params.tree_kinds import ADDITIVE
from softwood.learners.soft.regimes import SAMPLE_ROWS
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import init_root, make_sample_engine
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.training.training_rows import TrainingRows

N = SAMPLE_ROWS + 5_000
NOISE = 0.3


@pytest.fixture(scope="module")
def rows() -> TrainingRows:
    """A step and noise."""
    rng = np.random.default_rng(5)
    X = rng.random((N, 3))
    y = 2.0 * (X[:, 0] > 0.4142) + NOISE * rng.normal(size=N)
    return TrainingRows.in_memory(Dataset(X, y[:, None], np.ones(N), [0, 0, 0], Loss.SQUARED), 0)


def searched(rows: TrainingRows) -> tuple[Candidate, DesignMatrix]:
    """A sum of curves, learned from the sample."""
    some = rows.sample
    design = build_design(some.X, some.n_levels, some.weight, ADDITIVE)
    engine = make_sample_engine(some, design)
    tree = init_root(engine, len(design), "shared").refine(engine, 2.0 / len(some), 100)[1]
    return replace(Candidate.nothing(), basis_spec=ADDITIVE, penalty=2.0 / len(some), tree=[tree]), design


def loss_of(final: FinalTree, rows: TrainingRows) -> float:
    tree, _, engine = final.with_engine(rows)
    return 2.0 * tree.loss(engine) * float(rows.scale[0]) ** 2


def test_all_rows_refine_the_tree(rows: TrainingRows) -> None:
    kept, design = searched(rows)
    refined = refined_on_all(kept, design, rows, 100, 1)
    assert refined.design is design
    assert loss_of(refined, rows) < loss_of(FinalTree(kept.tree[0], design), rows)


def test_a_penalty_counts_as_many_rows_as_it_was_tuned_on(rows: TrainingRows) -> None:
    kept, design = searched(rows)
    lighter = replace(kept, penalty=kept.penalty * SAMPLE_ROWS / N)
    counted = refined_on_all(kept, design, rows, 100, 1, tuned_on=float(SAMPLE_ROWS))
    assert np.array_equal(counted.tree.parameters, refined_on_all(lighter, design, rows, 100, 1).tree.parameters)


def test_very_many_rows_refine_the_tree_of_their_head(rows: TrainingRows) -> None:
    kept, design = searched(rows)

    def make_head_engine(expansion: Expansion) -> SumEngine:
        some = rows.sample
        return from_inputs(some.X, expansion, some.target, some.weight, some.loss, by_tables=True)

    headed = replace(rows, make_head_engine=make_head_engine)
    at_once, by_head = (refined_on_all(kept, design, one, 100, 1) for one in (rows, headed))
    assert by_head.engine is not None
    assert by_head.engine.total_weight == N
    assert loss_of(by_head, rows) == pytest.approx(loss_of(at_once, rows), rel=0.01)
