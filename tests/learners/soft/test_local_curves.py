"""Local columns: knots where there are enough rows, ramps between them, chosen by held-out rows in large tables."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import SoftTreeRegressor
from softwood.kernels.contracts.expansion import expand
from softwood.learners.soft.columns.design import BasisSpec, build_design
from softwood.learners.soft.columns.local_curves import MIN_ROWS_PER_RAMP, local_knots, ramps_between
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.params.tree_kinds import (
    MANY_RAMPS,
    MIN_RAMPS,
    N_RAMPS,
    RAMPS_BESIDE_COSINES,
    basis_specs_for,
)
from softwood.learners.soft.regimes import MEDIUM_TABLE_MAX_ROWS, RAMPS_MIN_ROWS, ROWS_PER_RAMP

RAMPS = BasisSpec(linear=0.0, ramp=2.0, n_ramps=16)


def test_a_value_that_many_rows_share_has_a_knot_and_so_have_its_neighbours() -> None:
    mass = np.full(1000, 1.0)
    mass[500] = 9000.0
    knots = local_knots(mass, 16)
    assert {0, 499, 500, 501, 999} <= set(knots.tolist())


def test_rows_beside_a_shared_value_are_divided_as_finely_as_they_can_be() -> None:
    mass = np.r_[9000.0, np.ones(1000)]
    knots = local_knots(mass, 16)
    rows = np.diff(np.searchsorted(knots, np.arange(1, 1001)).astype(float))
    assert len(knots) >= 15
    assert np.count_nonzero(rows) >= 13
    assert len(local_knots(np.r_[9000.0, np.ones(int(3 * MIN_ROWS_PER_RAMP))], 16)) <= 6


def test_ramps_rise_one_after_the_other() -> None:
    ramps = ramps_between(np.arange(5.0), 2.0)
    assert [scale for scale, _ in ramps] == [1.0] * 4
    np.testing.assert_array_equal(sum(height for _, height in ramps), np.arange(5.0))


def test_ramps_hold_any_heights_at_the_knots_and_are_level_beyond() -> None:
    x = np.repeat(np.arange(10.0), 30)[:, None]
    design = build_design(x, [0], np.ones(300), RAMPS)
    phi = design.make(np.arange(10.0)[:, None])
    wanted = np.random.default_rng(0).normal(size=10)
    weight = np.linalg.lstsq(np.c_[phi, np.ones(10)], wanted, rcond=None)[0]
    np.testing.assert_allclose(np.c_[phi, np.ones(10)] @ weight, wanted, atol=1e-9)
    np.testing.assert_allclose(design.make(np.array([[9.0]])), design.make(np.array([[1e6]])), atol=1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_ramps_do_not_depend_on_units_nor_on_who_makes_them(scale: float) -> None:
    rng = np.random.default_rng(1)
    x = np.where(rng.random(3000) < 0.5, 0.0, rng.exponential(size=3000) ** 3)[:, None]
    design = build_design(x * scale, [0], np.ones(3000), MANY_RAMPS)
    np.testing.assert_allclose(
        design.make(x * scale), build_design(x, [0], np.ones(3000), MANY_RAMPS).make(x), atol=1e-6
    )
    np.testing.assert_allclose(expand(x * scale, expansion_of(design, 1)), design.make(x * scale), atol=1e-6)


def test_ramps_are_tried_where_rows_are_many_and_columns_are_not() -> None:
    enough = MEDIUM_TABLE_MAX_ROWS + 1
    assert basis_specs_for("auto", 10, enough)[-1] == MANY_RAMPS
    assert basis_specs_for("auto", 64, enough)[-1].n_ramps == 16
    assert basis_specs_for("auto", 10, MEDIUM_TABLE_MAX_ROWS)[-1].n_ramps == MEDIUM_TABLE_MAX_ROWS // ROWS_PER_RAMP
    assert basis_specs_for("auto", 7, RAMPS_MIN_ROWS)[-1] == RAMPS_BESIDE_COSINES
    assert basis_specs_for("auto", 7, RAMPS_MIN_ROWS, outputs=12)[-1].n_ramps == 0  # nor slopes than twice the rows
    assert (
        basis_specs_for("auto", RAMPS_MIN_ROWS // 20, RAMPS_MIN_ROWS)[-1].n_ramps == 10
    )  # no more columns than half the rows
    for gate, inputs, rows in (
        ("auto", 10, RAMPS_MIN_ROWS - 1),
        ("auto", RAMPS_MIN_ROWS // (2 * MIN_RAMPS) + 1, RAMPS_MIN_ROWS),
        ("linear", 10, 10**6),
        ("auto", 1000, 10**6),
    ):
        assert all(one.n_ramps == 0 for one in basis_specs_for(gate, inputs, rows))  # type: ignore[arg-type]
    assert MANY_RAMPS.n_ramps == N_RAMPS


def test_a_peak_at_one_value_is_found_where_rows_are_many() -> None:
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(0, 200, 8000), rng.normal(size=8000)].astype(np.float64)
    X[:400, 0] = 40.0
    y = 3.0 * (X[:, 0] == 40) + X[:, 1] + 0.5 * rng.normal(size=8000)
    model = SoftTreeRegressor(max_leaves=1).fit(X, y)
    at = model.predict(np.c_[[30.0, 40.0, 50.0], np.zeros(3)])
    np.testing.assert_allclose(at, [0.0, 3.0, 0.0], atol=0.3)


@pytest.mark.parametrize("n", [RAMPS_MIN_ROWS, 8000])
def test_smooth_data_keep_smooth_curves(n: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.sin(X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n)
    tree = SoftTreeRegressor(max_leaves=1).fit(X, y).tree_
    assert len(tree.basis) < 50
