"""Local columns: the part of a curve's prior that smooth columns cannot express, for inputs that clearly need it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood import SoftTreeRegressor
from softwood.kernels.contracts.expansion import expand
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.curve_prior import CLEAR_SE, MAX_VARIANCE, CurvePrior
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.evidence.priors import curve_priors
from softwood.learners.soft.evidence.steep import curves_with_jumps
from softwood.learners.soft.evidence.strengths import JUMPS, STEPS
from softwood.learners.soft.params.tree_kinds import ADDITIVE
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.penalty_tuning import FIRST_STRENGTH


def peaks(n: int, scale: float = 1.0) -> Dataset:
    """A narrow peak of the first input, a smooth curve of the second, and an input of no use."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    y = 3.0 * (np.abs(X[:, 0] - 0.3) < 0.03) + np.sin(3.0 * X[:, 1]) + 0.3 * rng.standard_normal(n)
    return Dataset(X * scale, ((y - y.mean()) / y.std())[:, None], np.ones(n), [0] * 3, Loss.SQUARED)


def prior(variance: float = 1.0, rows: float = 1000.0) -> CurvePrior:
    """Eight independent heights, and a fitted curve that alternates."""
    knot = np.arange(8.0)
    moment = np.diag(np.full(8, 0.125)) - 1 / 64
    alternating = np.where(knot % 2 > 0, 1.0, -1.0)
    return CurvePrior(knot, variance * np.eye(8), moment, np.array([rows]), 1.0, alternating[None])


def test_only_inputs_with_local_structure_have_local_columns() -> None:
    rows = peaks(1000)
    smooth = build_design(rows.X, rows.n_levels, rows.weight, ADDITIVE)
    local = build_design(rows.X, rows.n_levels, rows.weight, ADDITIVE, priors=curve_priors(rows, FIRST_STRENGTH))
    more = [len(local.columns_of(f)) - len(smooth.columns_of(f)) for f in range(3)]
    assert more[0] > 0
    assert more[1:] == [0, 0]


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_they_depend_neither_on_units_nor_on_who_makes_them(scale: float) -> None:
    one, other = peaks(1000), peaks(1000, scale)
    design = build_design(other.X, [0] * 3, other.weight, ADDITIVE, priors=curve_priors(other, FIRST_STRENGTH))
    here = build_design(one.X, [0] * 3, one.weight, ADDITIVE, priors=curve_priors(one, FIRST_STRENGTH)).make(one.X)
    np.testing.assert_allclose(design.make(other.X), here, atol=1e-6)
    np.testing.assert_allclose(expand(other.X, expansion_of(design, 3)), design.make(other.X), atol=1e-6)


def test_columns_are_what_smooth_ones_cannot_express_and_have_the_prior() -> None:
    one, smooth = prior(), np.stack([np.arange(8.0), np.arange(8.0) ** 2])
    local = one.local(smooth)
    assert len(local) == 5  # eight heights, without the constant and two smooth columns
    np.testing.assert_allclose(local @ one.moment @ smooth.T, 0.0, atol=1e-9)
    np.testing.assert_allclose(local @ one.moment @ local.T, np.eye(5) / 8, atol=1e-9)


def test_the_ridge_with_which_a_search_begins_is_the_penalty_of_the_prior() -> None:
    one, smooth = prior(), np.arange(8.0)[None]
    quieter = replace(one, ridge=1.1 * one.ridge)
    np.testing.assert_allclose(quieter.local(smooth), np.sqrt(1.1) * one.local(smooth))
    quiet, loud = curve_priors(peaks(500), 2.0)[0], curve_priors(peaks(500), 4.0)[0]
    assert loud.ridge == 2.0 * quiet.ridge


def test_their_variance_is_limited() -> None:
    local = prior(variance=100.0).local(np.arange(8.0)[None])
    one = prior()
    assert np.trace(local @ one.moment @ local.T) == pytest.approx(MAX_VARIANCE)


def test_a_curve_that_is_not_clearly_beyond_the_smooth_ones_has_none() -> None:
    smooth = np.arange(8.0)[None]
    few, many = prior(rows=0.5 * CLEAR_SE**2), prior(rows=2.0 * CLEAR_SE**2)
    assert len(few.local(smooth)) == 0
    assert len(many.local(smooth)) > 0
    assert len(replace(many, fitted=smooth).local(smooth)) == 0


def test_a_step_becomes_a_jump_between_close_knots() -> None:
    rng = np.random.default_rng(1)
    x = rng.random((5000, 1))
    y = np.where(x > 0.4142, 1.0, -1.0) + 0.3 * rng.standard_normal((5000, 1))
    curves = curves_with_jumps(Dataset(x, y, np.ones(5000), [0], Loss.SQUARED))
    assert curves is not None
    (hats,) = curves.basis.inputs
    assert hats.jumps.any()
    at = np.flatnonzero(hats.jumps)
    assert hats.knot[at[0]] < 0.4142 < hats.knot[at[-1] + 1] < hats.knot[at[0]] + 0.02
    strength = curves.outputs[0].strength.value[:, 0]
    assert strength[JUMPS] < 0.01 * strength[STEPS]


def test_losses_without_a_likelihood_have_no_priors() -> None:
    assert curve_priors(replace(peaks(300), loss=Loss.ABSOLUTE), FIRST_STRENGTH) == {}


def test_a_peak_at_one_value_is_found_where_rows_are_many() -> None:
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(0, 200, 8000), rng.normal(size=8000)].astype(np.float64)
    X[:400, 0] = 40.0
    y = 3.0 * (X[:, 0] == 40) + X[:, 1] + 0.5 * rng.normal(size=8000)
    model = SoftTreeRegressor(max_leaves=1).fit(X, y)
    at = model.predict(np.c_[[30.0, 40.0, 50.0], np.zeros(3)])
    np.testing.assert_allclose(at, [0.0, 3.0, 0.0], atol=0.3)


@pytest.mark.parametrize("n", [250, 8000])
def test_smooth_data_keep_smooth_curves(n: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.sin(X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n)
    tree = SoftTreeRegressor(max_leaves=1).fit(X, y).tree_
    assert len(tree.basis) < 50
