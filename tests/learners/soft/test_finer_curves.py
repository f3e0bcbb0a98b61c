"""Finer curves: splitting a ramp changes no prediction, and knots are added at steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.engines import SumEngine
from softwood.engines.memory import from_inputs
from softwood.kernels.kinds import Loss, Term
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix, build_design
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.params.params import Slopes, SoftTreeParams
from softwood.learners.soft.params.tree_kinds import MANY_RAMPS
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.finer_curves import (
    find_ramps,
    medians_in_ramps,
    split_ramps,
    split_ramps_by_score_test,
)
from softwood.learners.soft.search.fold import init_root

STEP = 0.3137  # location of the step


def made_rows(n: int = 8_000, step: float = 2.0) -> Dataset:
    """Three numbers and a category; the target has a step at STEP of the first number."""
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.random(n), rng.normal(size=n), np.exp(rng.normal(size=n)), rng.integers(0, 3, n)])
    X[rng.random(n) < 0.05, 1] = np.nan
    y = step * (X[:, 0] > STEP) + 0.3 * (X[:, 3] == 1) + 0.5 * rng.normal(size=n)
    return Dataset(X, (y - y.mean())[:, None], np.ones(n), [0, 0, 0, 3], Loss.SQUARED)


def engine_of(rows: Dataset, design: DesignMatrix) -> SumEngine:
    expansion = expansion_of(design, rows.X.shape[1])
    return from_inputs(rows.X, expansion, rows.target, rows.weight, rows.loss, single=False, by_tables=True)


def design_of(rows: Dataset, n_ramps: int = 16) -> DesignMatrix:
    return build_design(rows.X, rows.n_levels, rows.weight, replace(MANY_RAMPS, n_ramps=n_ramps))


def random_tree(design: DesignMatrix, slopes: Slopes) -> SoftTreeParams:
    rng = np.random.default_rng(0)
    tree = SoftTreeParams.root(np.zeros(1), len(design), slopes)
    tree = tree.split(0, np.zeros(len(design) + 1), np.zeros(1), np.zeros(1))
    tree = tree.split(2, np.zeros(len(design) + 1), np.zeros(1), np.zeros(1))
    return tree.with_parameters(0.3 * rng.normal(size=len(tree.parameters)))


def test_ramps_are_all_that_were_made() -> None:
    rows = made_rows()
    with_ramps, without = (design_of(rows, n) for n in (16, 0))
    ramps = find_ramps(with_ramps)
    assert len(ramps.column) >= len(with_ramps) - len(without)
    values = np.linspace(-1.0, 2.0, 50)
    for c, begin, end, height in zip(ramps.column, ramps.begin, ramps.end, ramps.height, strict=True):
        column = with_ramps.of_input(int(with_ramps.feature[c]), values, np.array([c]))[:, 0]
        ramp = height * np.clip((values - begin) / (end - begin), 0.0, 1.0)
        assert np.allclose(np.diff(column), np.diff(ramp), atol=1e-9)


def test_linear_columns_have_no_ramps() -> None:
    rows = made_rows()
    clipped = build_design(rows.X, rows.n_levels, rows.weight, BasisSpec(limit=1.0))
    assert len(find_ramps(clipped).column) == 0


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_a_tree_over_divided_ramps_answers_as_before(slopes: Slopes) -> None:
    rows = made_rows()
    design = design_of(rows)
    tree = random_tree(design, slopes)
    before = engine_of(rows, design).loss(tree.shape, tree.parameters)
    for _ in range(2):  # a divided ramp can be divided again
        ramps = find_ramps(design)
        middle, _ = medians_in_ramps(ramps, design, rows.X)
        able = ~np.isnan(middle)
        assert able.sum() > 16
        finer = split_ramps(design, ramps.only(able), middle[able], rows)
        tree, design = finer.transfer(tree), finer.design
        after = engine_of(rows, design)
        assert np.isclose(after.loss(tree.shape, tree.parameters), before, rtol=1e-9)
    assert np.all(np.diff(design.basis.feature) >= 0)
    for f in range(3):
        hinge = design.basis.parameter[(design.basis.feature == f) & (design.basis.term == Term.HINGE)]
        assert np.all(np.diff(hinge) >= 0)


def refined_root(rows: Dataset, design: DesignMatrix) -> SoftTreeParams:
    engine = engine_of(rows, design)
    return init_root(engine, len(design), "shared").refine(engine, 2.0 / len(rows), 200)[1]  # type: ignore[arg-type]


def test_knots_come_where_the_step_is() -> None:
    rows = made_rows()
    design = design_of(rows)
    loss = np.inf
    for _ in range(3):
        tree = refined_root(rows, design)
        now = tree.loss(engine_of(rows, design))
        assert now < loss
        loss = now
        finer = split_ramps_by_score_test(tree, design, rows, lambda one: engine_of(rows, one))
        assert finer is not None
        new = np.setdiff1d(finer.design.basis.parameter, design.basis.parameter)
        assert np.abs(new - STEP).min() < 0.1
        design = finer.design
    ramps = find_ramps(design)
    around = (design.feature[ramps.column] == 0) & (ramps.begin <= STEP) & (ramps.end >= STEP)
    assert (ramps.end - ramps.begin)[around].min() < 0.02  # of 0.06 before


def test_no_knots_come_where_nothing_bends() -> None:
    rows = made_rows(step=0.0)
    design = design_of(rows)
    finer = split_ramps_by_score_test(refined_root(rows, design), design, rows, lambda one: engine_of(rows, one))
    assert finer is None or len(finer.design) - len(design) <= 3


def test_few_ramps_tell_nothing() -> None:
    rows = made_rows()
    design = build_design(rows.X, rows.n_levels, rows.weight, BasisSpec())
    assert split_ramps_by_score_test(refined_root(rows, design), design, rows, lambda one: engine_of(rows, one)) is None
