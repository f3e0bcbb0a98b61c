"""Columns computed in every pass equal stored columns; passes over them give the same sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.kernels import make_expanded_rows, make_rows, make_shape
from softwood.kernels.contracts.expansion import expand
from softwood.kernels.dispatch import kernels
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns import piecewise
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.rows.moments import STEPS_PER_SPREAD

BASIS_SPECS = {
    "linear": BasisSpec(),
    "quadratic": BasisSpec(square=0.5),
    "additive": BasisSpec(normal_score=0.7, curve=(0.7, 0.35, 0.23), quadratic=0.35),
}
LEVELS = [0, 5, 0, 0, 0, 3]


@pytest.fixture
def table() -> np.ndarray:
    """Numbers of all sizes, few values, a constant, categories, and missing values."""
    rng, n = np.random.default_rng(0), 300
    X = np.column_stack(
        [
            rng.normal(size=n) * 3 + 50,
            rng.integers(0, 5, n),
            np.exp(4 * rng.normal(size=n)),
            np.full(n, 3.0),
            1e-9 * rng.integers(0, 2, n),
            rng.integers(0, 2, n),  # code 2 is never seen
        ]
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.fixture
def exact_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables before they are rounded to STEPS_PER_SPREAD steps per spread."""
    monkeypatch.setattr(piecewise, "round_off", lambda values: values)


@pytest.fixture(params=BASIS_SPECS)
def columns(request: pytest.FixtureRequest, table: np.ndarray) -> DesignMatrix:
    return build_design(table, LEVELS, np.ones(len(table)), BASIS_SPECS[request.param])


def test_tables_are_rounded_by_half_a_step_at_most(columns: DesignMatrix, monkeypatch: pytest.MonkeyPatch) -> None:
    rounded = expansion_of(columns, 6)
    monkeypatch.setattr(piecewise, "round_off", lambda values: values)
    exact = expansion_of(columns, 6)
    for name in piecewise.HEIGHTS:
        assert np.abs(getattr(rounded, name) - getattr(exact, name)).max(initial=0.0) <= 0.5 / STEPS_PER_SPREAD


@pytest.mark.usefixtures("exact_tables")
def test_expanded_columns_are_the_columns(columns: DesignMatrix, table: np.ndarray) -> None:
    beyond = np.vstack([table, table[0] * 4, -table[1] * 4, np.full(6, np.nan)])
    beyond[:, [1, 5]] = np.vstack([table, table[:3]])[:, [1, 5]]
    beyond[0, [1, 5]] = 4, 2  # the last code, and one that was never seen
    assert np.allclose(expand(beyond, expansion_of(columns, 6)), columns.make(beyond), rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("exact_tables")
@pytest.mark.parametrize("single", [False, True])
def test_passes_over_expanded_rows_are_passes_over_columns(
    columns: DesignMatrix, table: np.ndarray, single: bool
) -> None:
    rng = np.random.default_rng(1)
    target, weight = rng.normal(size=(len(table), 2)), rng.random(len(table))
    kept = make_rows(columns.make(table), target, weight, Loss.SQUARED, single)
    made = make_expanded_rows(table, expansion_of(columns, 6), target, weight, Loss.SQUARED, single)
    shape = make_shape(np.array([1, -1, 3, -1, -1], np.int32), np.array([0, -1, 1], np.int32), 2, len(columns), 2)
    at = 0.3 * rng.normal(size=shape.parameters)
    tolerance = 1e-5 if single else 1e-10
    for one, other in zip(kept.gradient(shape, at), made.gradient(shape, at), strict=True):
        assert np.allclose(one, other, rtol=tolerance, atol=tolerance)
    assert np.allclose(kept.mean_reach(shape, at), made.mean_reach(shape, at), rtol=tolerance)
    assert np.allclose(weight @ kept.answers(shape, at)[1] / weight.sum(), kept.mean_reach(shape, at), rtol=tolerance)


@pytest.mark.parametrize("single", [False, True])
def test_columns_that_are_kept_are_those_made_in_every_pass(
    columns: DesignMatrix, table: np.ndarray, single: bool
) -> None:
    how, target, weight = expansion_of(columns, 6), table[:, :1] > 50, np.ones(len(table))
    given = (table, how, target.astype(float), weight, Loss.LOGISTIC, single)
    made, kept = (make_expanded_rows(*given, keep=keep) for keep in (False, True))
    shape = make_shape(np.array([1, -1, -1], np.int32), np.array([-1, -1], np.int32), 0, len(columns), 1)
    at = np.linspace(-1, 1, shape.parameters)
    assert np.array_equal(made.gradient(shape, at)[1], kept.gradient(shape, at)[1])


@pytest.mark.parametrize("slopes", [0, 1, 3])
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("gates", [2, 5, 17])
def test_passes_by_tables_are_passes_over_columns(
    columns: DesignMatrix, table: np.ndarray, single: bool, slopes: int, gates: int
) -> None:
    rng = np.random.default_rng(gates)
    X = table[rng.integers(0, len(table), 2500)]  # several pieces, the last one with rows to spare
    target, weight = rng.normal(size=(len(X), 2)), rng.random(len(X))
    given = (X, expansion_of(columns, 6), target, weight, Loss.SQUARED, single)
    kept, by_tables = (make_expanded_rows(*given, keep=True, by_tables=tables) for tables in (False, True))
    first_child = np.full(2 * gates + 1, -1, np.int32)
    first_child[: 2 * gates : 2] = 1 + 2 * np.arange(gates)  # each second child is a branch
    row = np.full(gates + 1, -1, np.int32)
    row[:slopes] = np.arange(slopes)
    own = [0, len(columns) - 1] if slopes == 1 else []  # mixed slopes
    shape = make_shape(first_child, row, slopes, len(columns), 2, own)
    at = 0.3 * rng.normal(size=shape.parameters)
    tolerance = 1e-5 if single else 1e-11
    found = [
        (*rows.gradient(shape, at), *rows.answers(shape, at), *rows.split_direction(shape, at, 2 * gates))
        for rows in (kept, by_tables)
    ]
    for one, other in zip(*found, strict=True):
        assert np.allclose(one, other, rtol=tolerance, atol=tolerance * np.abs(one).max())
    threads = make_expanded_rows(*given, by_tables=True)
    assert np.array_equal(threads.gradient(shape, at, 3)[1], by_tables.gradient(shape, at, 1)[1])


def test_rows_may_be_taken_in_another_order(columns: DesignMatrix, table: np.ndarray) -> None:
    how, place = expansion_of(columns, 6), np.random.default_rng(2).permutation(len(table))[: len(table) // 2]
    target, weight = np.ones((len(place), 1)), np.ones(len(place))
    shape = make_shape(np.array([1, -1, -1], np.int32), np.array([-1, -1], np.int32), 0, len(columns), 1)
    at = np.linspace(-1, 1, shape.parameters)
    copied = make_expanded_rows(table[place], how, target, weight, Loss.SQUARED)
    placed = make_expanded_rows(table, how, target, weight, Loss.SQUARED, place=place)
    assert np.array_equal(copied.gradient(shape, at)[1], placed.gradient(shape, at)[1])


def test_places_and_targets_that_do_not_fit_are_refused(columns: DesignMatrix, table: np.ndarray) -> None:
    how, one = expansion_of(columns, 6), np.ones((1, 1))
    for row in (-1, len(table)):
        with pytest.raises(ValueError, match="a place must be a row of X"):
            make_expanded_rows(table, how, one, np.ones(1), Loss.SQUARED, place=np.array([row]))
    with pytest.raises(ValueError, match="a target for each row"):
        make_expanded_rows(table, how, one, np.ones(1), Loss.SQUARED, place=np.array([0, 1]))


def test_one_thread_and_three_make_the_same_sums(columns: DesignMatrix, table: np.ndarray) -> None:
    target, weight, how = np.ones((len(table), 1)), np.ones(len(table)), expansion_of(columns, 6)
    rows = [make_expanded_rows(table, how, target, weight, Loss.SQUARED, n_threads=n) for n in (1, 3)]
    shape = make_shape(np.array([1, -1, -1], np.int32), np.array([-1, -1], np.int32), 0, len(columns), 1)
    at = np.linspace(-1, 1, shape.parameters)
    assert np.array_equal(rows[0].gradient(shape, at, 1)[1], rows[1].gradient(shape, at, 3)[1])


def test_tables_that_do_not_fit_the_knots_are_refused(columns: DesignMatrix, table: np.ndarray) -> None:
    how = expansion_of(columns, 6)
    short = replace(how, table_begin=how.table_begin - (np.arange(len(how.table_begin)) == 1))
    with pytest.raises(ValueError, match="one entry a segment"):
        make_expanded_rows(table, short, np.ones((len(table), 1)), np.ones(len(table)), Loss.SQUARED)


def test_very_many_rows_are_summed_in_the_order_they_come() -> None:
    rng = np.random.default_rng(3)
    X = rng.random((140_000, 1))  # more than are put in the order of their segments
    design = build_design(X[:500], np.zeros(1, np.int32), np.ones(500), BASIS_SPECS["additive"])
    expansion, y = expansion_of(design, 1), np.sin(9.0 * X)
    first_child, none = np.array([1, -1, -1], np.int32), np.full(2, -1, np.int32)
    shape = make_shape(first_child, none, 0, len(design), 1)
    at = rng.normal(size=shape.parameters)
    parts = [slice(0, 70_000), slice(70_000, 140_000), slice(0, 140_000)]
    weight = np.ones(len(X))
    one, other, both = (
        make_expanded_rows(X[part], expansion, y[part], weight[part], Loss.SQUARED, by_tables=True).gradient(shape, at)[
            1
        ]
        for part in parts
    )
    np.testing.assert_allclose(both, 0.5 * (one + other), rtol=1e-9, atol=1e-12)


EMPTY, NEGATIVE = np.zeros(0, np.int64), np.array([0, -1], np.int64)


@pytest.mark.skipif(kernels != "native", reason="what native code reads")
@pytest.mark.parametrize(
    "broken",
    [
        {"table_begin": EMPTY},
        {"table_begin": NEGATIVE},
        {"column_begin": EMPTY},
        {"column_begin": np.array([0, 9, 9, 9, 9, 9, 9], np.int64)},
        {"knot_begin": EMPTY},
        {"knot_begin": np.array([0, 4, 2, 2, 2, 2, 2], np.int64)},
        {"knot": np.zeros(0)},
        {"height": np.zeros(1)},
        {"slope": np.zeros(0)},
        {"square": np.zeros(0)},
        {"width": np.zeros(0)},
    ],
    ids=lambda one: next(iter(one)),
)
def test_tables_whose_sizes_do_not_agree_are_refused(table: np.ndarray, broken: dict[str, np.ndarray]) -> None:
    how = expansion_of(build_design(table, LEVELS, np.ones(len(table)), BasisSpec()), 6)
    with pytest.raises(ValueError, match=r"the same inputs|that table_begin says|one entry a segment"):
        make_expanded_rows(table, replace(how, **broken), table[:, :1].copy(), np.ones(len(table)), Loss.SQUARED)
