"""The sparse matrix from terms to columns: equal to a dense one, in memory that grows as the columns do."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from softwood.learners.soft.columns import design as module
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix

CURVES = BasisSpec(normal_score=1.0, curve=(0.5, 0.3, 0.2), quadratic=0.5)


def draw(n_inputs: int, n_rows: int = 60) -> tuple[Any, list[int], Any]:
    """Numbers, some missing, and a category of five levels behind them."""
    rng = np.random.default_rng(n_inputs)
    X = rng.normal(size=(n_rows, n_inputs))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, -1] = rng.integers(0, 5, n_rows)
    return X, [0] * (n_inputs - 1) + [5], rng.random(n_rows) + 0.5


def make(n_inputs: int) -> DesignMatrix:
    return build_design(*draw(n_inputs), CURVES)


def test_every_column_has_terms_of_its_own_input() -> None:
    columns = make(6)
    mix = columns.mix
    np.testing.assert_array_equal(columns.basis.feature[mix.term], columns.feature[mix.column])
    dense = mix.dense()
    for f in range(6):
        terms, mine = columns.terms_of(f), columns.columns_of(f)
        np.testing.assert_array_equal(columns.mix_of(f), dense[np.ix_(terms, mine)])
        np.testing.assert_array_equal(mix.block(terms, mine[1:]), dense[np.ix_(terms, mine[1:])])


def test_parts_and_multiples_are_those_of_the_dense_matrix() -> None:
    columns = make(6)
    factor = np.linspace(0.5, 2.0, len(columns))
    np.testing.assert_array_equal(columns.scaled(factor).mix.dense(), columns.mix.dense() * factor)
    inputs = np.array([True, False, True, True, False, True])
    term, column = inputs[columns.basis.feature], inputs[columns.feature]
    np.testing.assert_array_equal(columns.only(inputs).mix.dense(), columns.mix.dense()[np.ix_(term, column)])


@pytest.mark.parametrize("lead", [(), (3,), (2, 1), (2, 3)])
def test_input_by_input_is_all_at_once(monkeypatch: pytest.MonkeyPatch, lead: tuple[int, ...]) -> None:
    """Weights over columns and in user units give the same scores, for any number of columns."""
    columns = make(7)
    weight = np.random.default_rng(0).normal(size=(*lead, len(columns)))
    few = columns.in_user_units(weight, np.zeros(lead))
    monkeypatch.setattr(module, "MAX_NUMBERS_AT_ONCE", 0)
    many = columns.in_user_units(weight, np.zeros(lead))
    np.testing.assert_allclose(many[0], few[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(many[1], few[1])


@pytest.mark.long
def test_memory_grows_as_the_columns_do() -> None:
    """A dense matrix of 600 inputs with curves would take half a gigabyte, of 1,200 two."""
    peaks = []
    for n_inputs in (600, 1200):
        X, n_levels, weight = draw(n_inputs)
        tracemalloc.start()
        columns = build_design(X, n_levels, weight, CURVES)
        columns.only(np.ones(n_inputs, np.bool_)).scaled(np.ones(len(columns)))
        columns.in_user_units(np.ones((3, len(columns))), np.zeros(3))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.5 * peaks[0]
    assert peaks[1] < 60e6
