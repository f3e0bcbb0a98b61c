"""Columns are exact combinations of the user's inputs, in any unit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood import SoftTreeClassifier
from softwood.kernels.formulas.equation import expand
from softwood.learners.soft.columns import build as build_module
from softwood.learners.soft.columns import design as design_module
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import MAX_LEVELS, PLAIN, BasisSpec, DesignMatrix
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.params.tree_kinds import basis_specs_for

ALL = BasisSpec(square=0.5, normal_score=0.7, curve=(0.7, 0.35, 0.2), quadratic=0.3)


def random_inputs(scale: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(3, 2, 200), rng.integers(0, 3, 200), rng.exponential(size=200) ** 4, np.full(200, 7.0)] * scale
    X[:20, 0] = np.nan
    return X


def rounding_of(columns: DesignMatrix, X: np.ndarray) -> np.ndarray:
    """Largest rounding error of each entry: a curve is a sum of hinges, which are much larger."""
    sizes = np.abs(expand(columns.basis, X)) @ np.abs(columns.mix.dense()) + np.abs(columns.shift)
    return np.asarray(len(columns.basis) * np.finfo(np.float64).eps * sizes)


@pytest.mark.parametrize("basis_spec", [BasisSpec(), ALL])
def test_columns_are_what_the_basis_expands_to(basis_spec: BasisSpec) -> None:
    X = random_inputs()
    columns = build_design(X, [0, 3, 0, 0], np.ones(len(X)), basis_spec)
    wanted = expand(columns.basis, X) @ columns.mix.dense() + columns.shift
    assert np.all(np.abs(columns.make(X) - wanted) <= rounding_of(columns, X))


def test_linear_columns_and_their_tables_are_made_in_one_go_with_the_same_bits() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 30)) * 10.0 ** rng.integers(-5, 6, 30) + rng.normal(size=30)
    X[:, 3], X[:, 5] = 7.0, 1e300
    whole = build_design(X, [0] * 30, np.ones(60), PLAIN)
    X[::7, 2] = np.nan
    for design in (whole, whole.only(np.arange(30) % 3 == 0), whole.scaled(rng.random(len(whole)))):
        assert design.is_linear
        one_by_one = replace(design)
        vars(one_by_one)["is_linear"] = False
        for f in range(30):
            mine = design.columns_of(f)
            assert np.array_equal(design.of_input(f, X[:, f], mine), one_by_one.of_input(f, X[:, f], mine))
        tables, wanted = expansion_of(design, 30), expansion_of(one_by_one, 30)
        for name, table in vars(wanted).items():
            assert np.array_equal(getattr(tables, name), table), name


def test_columns_of_some_inputs_are_made_alone_with_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    X, some = random_inputs(), np.array([False, True, True, False])
    levels, made, number = [0, 0, 0, 3], [], build_module.add_number
    for basis_spec in (PLAIN, BasisSpec(curve=(0.7, 0.35))):
        wanted = build_design(X, levels, np.ones(len(X)), basis_spec).only(some)
        with monkeypatch.context() as patch:
            patch.setattr(build_module, "add_number", lambda *given: (made.append(given[1]), number(*given)))
            found = build_design(X, levels, np.ones(len(X)), basis_spec, inputs=some)
        assert len(found)
        np.testing.assert_array_equal(found.make(X), wanted.make(X))
        np.testing.assert_array_equal(found.feature, wanted.feature)
        np.testing.assert_array_equal(found.mix.dense(), wanted.mix.dense())
    assert set(made) == {1, 2}


def test_a_column_of_one_term_is_made_of_that_term_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts of thousands of inputs are placed on linear columns, whatever curves there are beside them."""
    X = random_inputs()[:, :1]
    design = build_design(X, [0], np.ones(len(X)), BasisSpec(curve=(0.7, 0.35), limit=np.inf))
    wanted = design.of_input(0, X[:, 0], design.columns_of(0))
    assert len(design.basis) > 5
    made, terms = [], design_module._terms
    monkeypatch.setattr(design_module, "_terms", lambda basis, at, x: (made.append(len(at)), terms(basis, at, x))[1])
    np.testing.assert_array_equal(design.of_input(0, X[:, 0], np.array([0])), wanted[:, :1])
    assert made == [1]


def test_columns_are_centred_on_the_training_rows() -> None:
    X = random_inputs()[20:]
    phi = build_design(X, [0, 3, 0, 0], np.ones(len(X)), ALL).make(X)
    np.testing.assert_allclose(phi.mean(axis=0), 0.0, atol=1e-8)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_columns_do_not_depend_on_units(scale: float) -> None:
    X, weight = random_inputs()[:, [0, 2]], np.ones(200)
    design = build_design(X, [0, 0], weight, ALL)
    other = build_design(X * scale, [0, 0], weight, ALL).make(X * scale)
    assert np.all(np.abs(design.make(X) - other) <= 1e-9 + 4 * rounding_of(design, X))


def test_a_constant_input_has_no_column() -> None:
    columns = build_design(random_inputs(), [0, 3, 0, 0], np.ones(200), ALL)
    assert 3 not in columns.feature


def test_far_values_move_lines_and_curves_no_further() -> None:
    rng = np.random.default_rng(0)
    x = np.r_[rng.normal(size=500), 1e6][:, None]
    columns = build_design(x, [0], np.ones(501), BasisSpec(curve=(0.7, 0.35), quadratic=0.3))
    near, far = columns.make(np.array([[1e6]])), columns.make(np.array([[1e8]]))
    np.testing.assert_allclose(near, far, atol=1e-6)


def test_the_score_is_bell_shaped_whatever_the_input_is() -> None:
    x = np.random.default_rng(0).exponential(size=2000)[:, None] ** 4
    score = build_design(x, [0], np.ones(2000), BasisSpec(normal_score=0.7)).make(x)[:, 1] / 0.7
    order = np.argsort(x[:, 0])
    assert np.all(np.diff(score[order]) >= 0)
    np.testing.assert_allclose(score.std(), 1.0, atol=1e-9)
    wanted = [-1.28, -0.67, 0.0, 0.67, 1.28]
    np.testing.assert_allclose(np.quantile(score, [0.1, 0.25, 0.5, 0.75, 0.9]), wanted, atol=0.1)


def test_where_inputs_are_many_they_have_fewer_curves() -> None:
    few, some, many, too_many = (basis_specs_for("additive", n, 10_000)[0] for n in (8, 60, 200, 300))
    assert (few.normal_score, len(few.curve)) == (0.7, 6)
    assert (some.normal_score, len(some.curve)) == (0.7, 2)
    assert (many.normal_score, len(many.curve), many.quadratic) == (0.7, 2, 0.35)
    assert not too_many.is_nonlinear
    assert basis_specs_for("additive", 300, 1_000)[0] == many


def test_weights_are_rows() -> None:
    X = random_inputs()[20:, [0, 2]]
    twice = np.r_[X, X[:50]]
    weight = np.r_[np.full(50, 2.0), np.ones(len(X) - 50)]
    one = build_design(X, [0, 0], weight, ALL).make(X)
    np.testing.assert_allclose(one, build_design(twice, [0, 0], np.ones(len(twice)), ALL).make(X), atol=1e-8)


def test_the_levels_of_a_category_vary_together_as_much_as_one_number() -> None:
    x = np.repeat([0.0, 1.0, 2.0], [50, 30, 20])[:, None]
    phi = build_design(x, [3], np.ones(100), BasisSpec()).make(x)
    assert phi.shape == (100, 3)
    np.testing.assert_allclose(np.square(phi).mean(axis=0).sum(), 1.0)


def test_of_very_many_levels_the_most_frequent_have_a_column() -> None:
    x = np.concatenate([np.tile(np.arange(1000.0), 2), np.repeat([3.0, 700.0], 50)])
    columns = build_design(x[:, None], [1000], np.ones(len(x)), BasisSpec())
    assert len(columns) == MAX_LEVELS
    assert {3.0, 700.0} <= set(columns.basis.parameter)
    seen = columns.make(x[:, None])
    assert np.isfinite(seen).all()
    np.testing.assert_array_equal(seen[998], seen[999])  # two that have none


def test_a_level_of_one_row_has_no_column_but_that_of_weight_two_has() -> None:
    x = np.array([0.0, 0.0, 1.0, 1.0, 2.0, 3.0])[:, None]
    weight = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 2.0])
    assert build_design(x, [4], weight, BasisSpec()).basis.parameter.tolist() == [0.0, 1.0, 3.0]


def test_a_rare_level_is_not_blown_up() -> None:
    x = np.r_[np.zeros(999), 1.0][:, None]
    phi = build_design(x, [2], np.ones(1000), BasisSpec()).make(x)
    assert np.ptp(phi, axis=0).max() <= 2.0 + 1e-12


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_end_value_that_many_rows_share_has_a_column_of_its_own(sign: float) -> None:
    rng = np.random.default_rng(0)
    some = sign * np.r_[np.zeros(60), rng.uniform(1, 9, 140)][:, None]
    none = rng.uniform(1, 9, 200)[:, None]
    basis_spec = BasisSpec(curve=(0.7, 0.35))
    with_atom = build_design(some, [0], np.ones(200), basis_spec)
    assert len(with_atom) == len(build_design(none, [0], np.ones(200), basis_spec)) + 1
    peak = with_atom.make(some)[:, -1]
    assert np.ptp(peak[:60]) < 1e-12
    assert np.ptp(peak[60:]) < 1e-9
    assert abs(peak[0] - peak[-1]) > 0.5


def test_a_level_that_all_rows_have_weighs_no_more_than_all() -> None:
    """Sums in different orders: the part of the rows that have it may round to more than 1."""
    for seed in range(40):
        weight = np.random.default_rng(seed).random(73)
        assert len(build_design(np.zeros((73, 1)), [1], weight, BasisSpec())) == 0


def test_an_input_of_which_only_the_absence_counts_may_have_any_size() -> None:
    X = np.repeat([[np.nan], [-3.5e154]], 20, axis=0)  # a square overflows, and in single precision the value itself
    model = SoftTreeClassifier(max_leaves=4).fit(X, np.repeat([0, 3], 20))
    assert np.isfinite(model.predict_proba(X)).all()
    assert model.predict(X[[0, -1]]).tolist() == [0, 3]


def test_curves_have_digits_where_values_are_of_very_different_sizes() -> None:
    """Knots 1e-25 apart in a range of 1e-5 (fuzz seed 403467): sums of hinges were 1e24 where curves are about 1."""
    x = np.array([1e-26, 3e-26, 1e-25, 1e-20, 1e-16, 1e-9, 3e-5, 2e-5, 1e-5])[:, None]
    for shift in (0.0, 1e-5):
        columns = build_design(x + shift, [0], np.ones(len(x)), ALL)
        assert np.abs(columns.make(x + shift)).max() < 10
