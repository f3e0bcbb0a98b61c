"""Soft trees satisfy their monotone constraints for every value of the other inputs, including missing ones.

The law is that of test_monotone.py, for smooth predictions: up to the rounding of doubles.
"""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import SoftTreeClassifier, SoftTreeRegressor, load, save
from tests.examples import examples
from tests.laws.test_monotone import Case, worst_step

seeds = st.integers(0, 2**32 - 1)
ROUNDING = 1e-9


def draw_case(
    seed: int, regressor: Any = SoftTreeRegressor, classifier: Any = SoftTreeClassifier, **rules: Any
) -> Case:
    """Correlated inputs, some with missing values, one possibly a category; signs that the data do not follow."""
    rng = np.random.default_rng(seed)
    n, n_features = int(rng.integers(40, 150)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, 1)) + rng.choice([0.5, 2.0], n_features) * rng.normal(size=(n, n_features))
    if rng.random() < 0.3:
        X = np.round(X * 2)
    signal = X @ rng.normal(size=n_features) + 2 * np.sin(3 * X[:, 0]) + X[:, 0] * X[:, 1] + rng.normal(size=n) / 2
    signs = rng.integers(-1, 2, n_features)
    signs[0] = rng.choice([-1, 1])
    categories = [n_features - 1] if rng.random() < 0.3 else None
    if categories:
        X[:, -1], signs[-1] = np.digitize(X[:, -1], [-1.0, 0.0, 1.0]), 0
    X[rng.random(X.shape) < rng.choice([0.0, 0.2], n_features)] = np.nan
    rules |= {"monotonic_cst": signs.tolist(), "categorical_features": categories}
    weight = rng.integers(1, 4, n) if rng.random() < 0.3 else None
    if rng.random() < 0.5:
        return Case(X, signal, signs, regressor(**rules).fit(X, signal, weight))
    y = (signal > np.median(signal)).astype(int)
    return Case(X, y, signs, classifier(**rules).fit(X, y, weight))


@pytest.mark.parametrize("leaf", ["constant", "linear"])
@pytest.mark.parametrize("gate", ["axis", "linear", "quadratic", "additive"])
@examples(4)
@given(seed=seeds)
def test_every_kind_of_tree_obeys(gate: str, leaf: str, seed: int) -> None:
    case = draw_case(seed, gate=gate, leaf=leaf, weight_penalty=0.01)
    assert case.model.monotonic_certificate_.holds
    assert worst_step(case, case.model, seed) <= ROUNDING
    assert worst_step(case, case.model.harden(), seed) <= ROUNDING


@examples(6)
@given(seed=seeds)
def test_the_chosen_tree_obeys_and_so_does_its_file(seed: int) -> None:
    case = draw_case(seed)
    with tempfile.TemporaryDirectory() as folder:
        save(case.model, f"{folder}/model.softwood")
        again = load(f"{folder}/model.softwood")
    assert again.monotonic_certificate_ == case.model.monotonic_certificate_
    assert again.monotonic_certificate_.holds
    assert worst_step(case, again, seed) <= ROUNDING


def test_a_thousand_pairs_obey_several_targets_too() -> None:
    """Every target keeps the same signs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.column_stack([X[:, 0] + np.sin(2 * X[:, 2]), np.tanh(3 * X[:, 0]) - X[:, 1]])
    model = SoftTreeRegressor(monotonic_cst={0: 1, 1: -1}, random_state=1).fit(X, y)
    rows = rng.normal(size=(1000, 3)) * 2
    more = rows + np.column_stack([rng.exponential(size=1000), np.zeros((1000, 2))])
    less = rows - np.column_stack([np.zeros(1000), rng.exponential(size=1000), np.zeros(1000)])
    assert np.all(model.predict(more) >= model.predict(rows) - ROUNDING)
    assert np.all(model.predict(less) >= model.predict(rows) - ROUNDING)


def test_a_missing_constrained_value_answers_as_one_that_is_there() -> None:
    """Its prediction is within the range of those for known values."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    y = 2 * X[:, 0] + X[:, 1]
    y[:40] += 30.0
    X[:40, 0] = np.nan
    model = SoftTreeRegressor(monotonic_cst=[1, 0]).fit(X, y)
    line = np.column_stack([np.linspace(-5, 5, 101), np.zeros(101)])
    known, gone = model.predict(line), model.predict([[np.nan, 0.0]])[0]
    assert known.min() <= gone <= known.max()
