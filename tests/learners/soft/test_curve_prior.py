"""Columns by evidence: the prior of each curve in independent directions, few for each input, of each fold its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood import SoftTreeRegressor
from softwood.kernels.contracts.expansion import expand
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.curve_prior import CurvePrior
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.evidence.priors import curve_priors
from softwood.learners.soft.evidence.steep import curves_with_jumps
from softwood.learners.soft.evidence.strengths import JUMPS, STEPS
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.params.other_columns import over_columns
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.params.tree_kinds import EVIDENCE
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import make_sample_engine
from softwood.learners.soft.search.penalty_tuning import FIRST_STRENGTH
from softwood.learners.soft.specs import Folds


def peaks(n: int, scale: float = 1.0) -> Dataset:
    """A narrow peak of the first input, a smooth curve of the second, and an input of no use."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    y = 3.0 * (np.abs(X[:, 0] - 0.3) < 0.03) + np.sin(3.0 * X[:, 1]) + 0.3 * rng.standard_normal(n)
    return Dataset(X * scale, ((y - y.mean()) / y.std())[:, None], np.ones(n), [0] * 3, Loss.SQUARED)


def by_evidence(rows: Dataset) -> DesignMatrix:
    return build_design(rows.X, rows.n_levels, rows.weight, EVIDENCE, priors=curve_priors(rows, FIRST_STRENGTH))


def prior(variance: float = 1.0, rows: float = 1000.0) -> CurvePrior:
    """Eight independent heights."""
    moment = np.diag(np.full(8, 0.125)) - 1 / 64
    return CurvePrior(np.arange(8.0), variance * np.eye(8), moment, rows, 1.0)


def test_a_useless_input_has_its_line_alone() -> None:
    design = by_evidence(peaks(1000))
    n = [len(design.columns_of(f)) for f in range(3)]
    assert min(n[:2]) > n[2] == 1


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_they_depend_neither_on_units_nor_on_who_makes_them(scale: float) -> None:
    one, other = peaks(1000), peaks(1000, scale)
    design, here = by_evidence(other), by_evidence(one).make(one.X)
    np.testing.assert_allclose(design.make(other.X), here, atol=1e-6)
    np.testing.assert_allclose(expand(other.X, expansion_of(design, 3)), design.make(other.X), atol=1e-6)


def test_columns_have_the_covariance_of_the_prior_and_are_independent() -> None:
    one = prior()
    columns = one.columns()
    assert len(columns) == 7  # eight heights without the constant
    centred = np.eye(8) - 1 / 8
    np.testing.assert_allclose(centred @ columns.T @ columns @ centred, centred, atol=1e-6)  # heights are rounded
    np.testing.assert_allclose(columns @ one.moment @ columns.T, np.eye(7) / 8, atol=1e-6)


def test_the_ridge_with_which_a_search_begins_is_the_penalty_of_the_prior() -> None:
    one = prior()
    np.testing.assert_allclose(replace(one, ridge=1.1).columns(), np.sqrt(1.1) * one.columns(), atol=1e-6)  # rounded
    quiet, loud = curve_priors(peaks(500), 2.0)[0], curve_priors(peaks(500), 4.0)[0]
    assert loud.ridge == 2.0 * quiet.ridge


def test_directions_of_which_rows_know_little_are_dropped() -> None:
    assert len(prior(variance=1e-3, rows=100.0).columns()) == 0
    assert len(prior(variance=1e-3, rows=1e6).columns()) == 7


def test_each_fold_has_columns_by_its_own_training_rows() -> None:
    rows = peaks(400).in_order(0)
    folds = Folds.of(rows, None, JointOptions())
    spec = folds.specs()[-1]
    assert spec.basis_spec.evidence
    first, other = (by_evidence_on(folds.row_folds[k][0], rows) for k in (0, 3))
    np.testing.assert_array_equal(spec.columns(0).make(rows.X), first.make(rows.X))
    np.testing.assert_array_equal(spec.columns(3).make(rows.X), other.make(rows.X))
    np.testing.assert_array_equal(spec.columns(None).make(rows.X), by_evidence_on(rows, rows).make(rows.X))
    few = spec.only(np.array([True, False, False]))
    np.testing.assert_array_equal(few.columns(3).make(rows.X), other.only(np.array([True, False, False])).make(rows.X))


def by_evidence_on(train: Dataset, rows: Dataset) -> DesignMatrix:
    priors = curve_priors(train, FIRST_STRENGTH)
    return build_design(rows.X, rows.n_levels, rows.weight, EVIDENCE, priors=priors)


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
def test_a_tree_over_other_columns_predicts_nearly_the_same(slopes: str) -> None:
    rows, rng = peaks(600), np.random.default_rng(1)
    before, after = by_evidence(rows), by_evidence_on(rows.head(500), rows)
    root = SoftTreeParams.root(np.zeros(1), len(before), slopes, 1.0)  # type: ignore[arg-type]
    engine = make_sample_engine(rows, before, single=False)
    root = root.refine(engine, 1e-3, 50)[1]
    gate = np.append(0.1 * rng.normal(size=len(before)), 0.3)
    tree = root.split(0, gate, np.array([1.0]), np.array([-1.0])).refine(engine, 1e-2, 50)[1]
    moved = over_columns(tree, before, after, rows.X)
    there = make_sample_engine(rows, after, single=False)
    one, other = engine.output(tree.shape, tree.parameters), there.output(moved.shape, moved.parameters)
    assert np.std(one - other) < 0.1 * np.std(one)
    same = over_columns(tree, before, before, rows.X)
    np.testing.assert_allclose(engine.output(same.shape, same.parameters), one, atol=1e-6 * np.std(one))


def test_gates_on_few_inputs_stay_on_them_over_other_columns() -> None:
    rows = peaks(600)
    before, after = by_evidence(rows), by_evidence_on(rows.head(500), rows)
    gate = np.append(np.where(before.feature == 1, 1.0, 0.0), 0.0)
    tree = SoftTreeParams.root(np.zeros(1), len(before), "none").split(0, gate, np.ones(1), -np.ones(1), gate == 0.0)
    frozen = over_columns(tree, before, after, rows.X).frozen[0, :-1]
    np.testing.assert_array_equal(frozen, after.feature != 1)


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
    strength = curves.strength.value[:, 0]
    assert strength[JUMPS] < 0.01 * strength[STEPS]


def test_losses_without_a_likelihood_have_no_priors() -> None:
    assert curve_priors(replace(peaks(300), loss=Loss.ABSOLUTE), FIRST_STRENGTH) == {}


def test_several_outputs_have_no_priors() -> None:
    rows = peaks(300)
    assert curve_priors(replace(rows, target=np.tile(rows.target, 2)), FIRST_STRENGTH) == {}


def test_a_peak_at_one_value_is_found_where_rows_are_many() -> None:
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(0, 200, 8000), rng.normal(size=8000)].astype(np.float64)
    X[:400, 0] = 40.0
    y = 3.0 * (X[:, 0] == 40) + X[:, 1] + 0.5 * rng.normal(size=8000)
    model = SoftTreeRegressor(max_leaves=1).fit(X, y)
    at = model.predict(np.c_[[30.0, 40.0, 50.0], np.zeros(3)])
    np.testing.assert_allclose(at, [0.0, 3.0, 0.0], atol=0.3)


def test_few_rows_of_smooth_data_keep_few_knots() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250, 2))
    y = np.sin(X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=250)
    tree = SoftTreeRegressor(max_leaves=1).fit(X, y).tree_
    assert len(tree.basis) < 50
