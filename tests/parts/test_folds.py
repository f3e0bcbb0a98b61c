"""Laws of dealing rows to folds: by content and weight, independent of their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood.kernels.row_hash import hash_rows
from softwood.parts.folds import RowFolds, deal, deal_rows, raise_light


def held_of(folds: RowFolds, X: Any, y: Any) -> dict[tuple[float, ...], list[float]]:
    """By distinct row: its weight in every fold."""
    key = [(*row, float(code)) for row, code in zip(X.tolist(), y, strict=True)]
    found = {one: [0.0] * len(folds) for one in key}
    for k, (_, test) in enumerate(folds):
        for one, weight in zip(key, test, strict=True):
            found[one][k] += float(weight)
    return found


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    X = rng.integers(0, draw(st.integers(1, 6)), (n, 2)).astype(float)
    return X, rng.integers(0, 2, n), rng.integers(1, draw(st.integers(2, 30)), n).astype(float)


@given(tables(), st.integers(2, 10))
def test_all_weight_is_held_out_once_and_learned_from_otherwise(table: Any, n_folds: int) -> None:
    X, y, weight = table
    folds = deal_rows(X, y, weight, n_folds, seed=1)
    whole = held_of(folds, X, y)
    total = dict.fromkeys(whole, 0.0)
    for row, code, w in zip(X.tolist(), y, weight, strict=True):
        total[(*row, float(code))] += w
    assert {one: pytest.approx(sum(parts)) for one, parts in whole.items()} == total
    for learn, test in folds:
        assert learn.min() >= 0
        assert learn.sum() + test.sum() == pytest.approx(weight.sum())


@given(tables(), st.integers(2, 10))
def test_weight_is_the_row_so_many_times_and_order_does_not_matter(table: Any, n_folds: int) -> None:
    X, y, weight = table
    once = held_of(deal_rows(X, y, weight, n_folds, seed=1), X, y)
    mixed = np.random.default_rng(0).permutation(np.repeat(np.arange(len(X)), weight.astype(int)))
    often = held_of(deal_rows(X[mixed], y[mixed], np.ones(len(mixed)), n_folds, seed=1), X[mixed], y[mixed])
    assert once == often


@given(tables(), st.integers(2, 10))
def test_inputs_with_several_answers_are_dealt_row_by_row(table: Any, n_folds: int) -> None:
    X, y, weight = table
    answers: dict[tuple[float, ...], set[float]] = {}
    for row, code in zip(X.tolist(), y, strict=True):
        answers.setdefault(tuple(row), set()).add(float(code))
    for one, parts in held_of(deal_rows(X, y, weight, n_folds, seed=1), X, y).items():
        if len(answers[one[:-1]]) > 1:
            assert max(parts) - min(parts) <= 1
            assert all(part == round(part) for part in parts)


@pytest.mark.parametrize("numbers", [False, True])
def test_distinct_rows_are_dealt_in_turn_by_hash_within_their_class(numbers: bool) -> None:
    rng = np.random.default_rng(0)
    X, code = rng.normal(size=(101, 2)), rng.integers(0, 3, 101)
    y: Any = code[:, None].astype(float) if numbers else code
    number = hash_rows(X, code[:, None].astype(float), 7)
    order = np.lexsort((number,) if numbers else (number, code))
    for k, (learn, test) in enumerate(deal_rows(X, y, np.ones(101), 10, seed=7)):
        assert set(np.flatnonzero(test)) == set(order[k::10])
        np.testing.assert_array_equal(learn, 1.0 - test)


FOUR: dict[str, Any] = {
    "numbers": lambda rng: rng.normal(size=(300, 4)),
    "whole numbers": lambda rng: rng.integers(0, 5, (300, 4)).astype(float),
    "ties": lambda rng: np.repeat(rng.normal(size=(100, 4)), 3, axis=0),
    "an outlier": lambda rng: np.vstack([[1e12, -1e12, 1e9, 0.0], rng.normal(size=(299, 4))]),
}


@pytest.mark.parametrize("rows", FOUR.values(), ids=FOUR.keys())
@pytest.mark.parametrize("n_classes", [0, 2])
def test_noise_in_the_last_digits_moves_no_row_to_another_fold(rows: Any, n_classes: int) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rows(rng)
        y = np.zeros((len(X), 1)) if n_classes == 0 else (X[:, 0] > 1).astype(np.int64)
        noisy = X * (1 + 1e-13 * rng.normal(size=X.shape))
        before, after = ([test for _, test in deal_rows(each, y, np.ones(len(X)), 10, seed)] for each in (X, noisy))
        for one, other in zip(before, after, strict=True):
            total: dict[tuple[float, ...], float] = {}  # copies beyond three are observations, each in its own fold
            for row, weight in zip(X, one - other, strict=True):
                total[tuple(row)] = total.get(tuple(row), 0.0) + weight
            assert all(abs(weight) < 1e-9 for weight in total.values())


@pytest.mark.parametrize("rows", [FOUR["numbers"], FOUR["ties"], FOUR["an outlier"]])
def test_rows_that_noise_tells_apart_stay_side_by_side(rows: Any) -> None:
    rng = np.random.default_rng(0)
    X = rows(rng)
    twice = np.vstack([X, X * (1 + 1e-13 * rng.normal(size=X.shape))])
    number = hash_rows(twice, np.zeros((600, 0)), 0)
    place = np.argsort(np.argsort(number))
    assert np.max(np.abs(place[:300] - place[300:])) <= 5  # three rows that were equal are six now
    assert len(np.unique(number)) == len(np.unique(twice, axis=0))


def test_the_order_of_the_columns_does_not_matter_to_rows_that_cells_tell_apart() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 5)), np.zeros((500, 1))
    mixed = X[:, rng.permutation(5)]
    np.testing.assert_array_equal(hash_rows(X, y, 3), hash_rows(mixed, y, 3))


KEPT_WHOLE: list[tuple[str, Any]] = [
    ("resampled", np.random.default_rng(1).integers(0, 4, 200).astype(float)),
    ("fractions", np.random.default_rng(1).lognormal(0.0, 0.7, size=200)),
    ("large fractions", np.random.default_rng(1).lognormal(7.0, 0.5, size=200)),
]


@pytest.mark.parametrize("weight", [weight for _, weight in KEPT_WHOLE], ids=[name for name, _ in KEPT_WHOLE])
def test_no_part_of_a_weighted_row_is_learned_from_while_it_is_held_out(weight: Any) -> None:
    X, y = np.random.default_rng(0).normal(size=(200, 2)), np.arange(200) % 2
    for learn, test in deal_rows(X, y, weight, 10, seed=0):
        assert not np.any((learn > 0) & (test > 0))


def test_large_whole_weights_of_many_distinct_rows_are_weights() -> None:
    """Survey weights are whole numbers in the thousands, and 600 people are not a few distinct rows."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(600, 2)), rng.integers(1_000, 9_000, 600).astype(float)
    for learn, test in deal_rows(X, np.arange(600) % 2, weight, 10, seed=0):
        assert not np.any((learn > 0) & (test > 0))


def test_few_distinct_rows_are_in_every_fold() -> None:
    y = np.repeat([0, 1], 200)
    for learn, test in deal_rows((y == 1)[:, None].astype(float), y, np.ones(400), 10, seed=0):
        assert np.bincount(y, test).tolist() == [20.0, 20.0]
        assert np.bincount(y, learn).tolist() == [180.0, 180.0]


def test_a_huge_weight_is_everywhere() -> None:
    weight = np.array([1e300, 1.0, 2.0])
    dealt = deal(weight, np.array([True, True, False]), 10)
    assert all(dealt.held_out(weight, k)[0] == pytest.approx(1e299) for k in range(10))


@given(tables(), st.floats(1e-6, 1e-2))
def test_light_weights_are_raised_to_the_distinct_rows(table: Any, scale: float) -> None:
    X, y, weight = table
    distinct = len(np.unique(np.column_stack([X, y]), axis=0))
    raised, was_raised = raise_light(X, y, weight * scale / weight.sum())
    assert was_raised
    assert raised.sum() == pytest.approx(distinct)
    np.testing.assert_allclose(raised / raised.sum(), weight / weight.sum())
    again = np.repeat(np.arange(len(X)), 2)
    halved, _ = raise_light(X[again], y[again], np.repeat(weight * scale / weight.sum(), 2) / 2)
    np.testing.assert_allclose(np.bincount(again, halved), raised)


def test_equal_light_weights_of_distinct_rows_are_ones() -> None:
    X, y = np.arange(49.0)[:, None], np.zeros(49, np.int32)
    assert raise_light(X, y, np.full(49, 1 / 49))[0].tolist() == [1.0] * 49
    assert raise_light(X, y, np.ones(49))[1] is False
