"""criterion="poisson", "quantile" and "huber" of CARTRegressor."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import mean_pinball_loss, mean_poisson_deviance

import softwood
from softwood import CARTRegressor

NEW: list[dict[str, Any]] = [
    {"criterion": "poisson"},
    {"criterion": "quantile", "quantile": 0.8},
    {"criterion": "huber", "delta": 0.7},
]


def counts(n: int = 600, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, rates (four steps), and counts."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    rate = np.exp(0.3 + 1.5 * (X[:, 0] > 0) - (X[:, 1] > 0.3))
    return X, rate, rng.poisson(rate).astype(float)


def steps(n: int, wild: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    truth = 2.0 * (X[:, 0] > 0) + (X[:, 1] > 0.3)
    y = truth + 0.2 * rng.normal(size=n)
    far = rng.random(n) < wild
    y[far] += 1e5 * rng.normal(size=far.sum())
    return X, truth, y


def assert_same_tree(one: Any, other: Any) -> None:
    for name in ("feature", "threshold", "first_child"):
        np.testing.assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name)


# -- what they make small ----------------------------------------------------------------------------------------------


def test_counts_find_the_rates() -> None:
    """If the spread increases with the mean, the deviance finds small steps that squared errors miss."""
    X, rate, y = counts(1_000)
    model = CARTRegressor(criterion="poisson").fit(X, y)
    assert model.get_n_leaves() == 4
    off, square = (np.mean(np.abs(m.predict(X) / rate - 1)) for m in (model, CARTRegressor().fit(X, y)))
    assert off < 0.1 < square
    impurity = model.tree_.impurity[0]
    assert impurity == pytest.approx(mean_poisson_deviance(y, np.full(len(y), y.mean())) / 2)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_a_leaf_answers_the_quantile_and_costs_the_pinball_loss(level: float) -> None:
    X, _, y = steps(400, 0.0)
    model = CARTRegressor(criterion="quantile", quantile=level, prune=None, max_depth=2).fit(X, y)
    answer = model.predict(X)
    assert mean_pinball_loss(y, answer, alpha=level) == pytest.approx(
        np.sum((model.tree_.impurity * model.tree_.count)[model.tree_.n_children == 0]) / len(y)
    )
    for leaf in np.unique(model.apply(X)):
        here = y[model.apply(X) == leaf]
        tried = [mean_pinball_loss(here, np.full(len(here), value), alpha=level) for value in here]
        assert mean_pinball_loss(here, answer[model.apply(X) == leaf], alpha=level) <= min(tried) + 1e-12


def test_a_quantile_covers_its_part_of_new_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (4_000, 2))
    y = (1 + 3.0 * (X[:, 0] > 0)) * rng.normal(size=4_000)
    model = CARTRegressor(criterion="quantile", quantile=0.9).fit(X[:2_000], y[:2_000])
    below = y[2_000:] <= model.predict(X[2_000:])
    for side in (X[2_000:, 0] > 0, X[2_000:, 0] <= 0):
        assert 0.86 < below[side].mean() < 0.94


def test_huber_answers_where_pulls_balance() -> None:
    X, _, y = steps(300, 0.0)
    model = CARTRegressor(criterion="huber", delta=0.5, prune=None, max_depth=2).fit(X, y)
    spread = 1.482602218505602 * np.median(np.abs(y - np.median(y)))
    for leaf in np.unique(model.apply(X)):
        here = model.apply(X) == leaf
        pull = np.clip(y[here] - model.predict(X[here]), -0.5 * spread, 0.5 * spread)
        assert abs(pull.sum()) < 1e-10


# -- how they relate ---------------------------------------------------------------------------------------------------


def test_the_half_quantile_is_the_absolute_error() -> None:
    X, _, y = steps(300, 0.02)
    for prune in (None, "cv"):
        half = CARTRegressor(criterion="quantile", quantile=0.5, prune=prune).fit(X, y)
        absolute = CARTRegressor(criterion="absolute_error", prune=prune).fit(X, y)
        assert_same_tree(half, absolute)
        np.testing.assert_array_equal(half.predict(X), absolute.predict(X))
        np.testing.assert_array_equal(2 * half.tree_.impurity, absolute.tree_.impurity)


def test_huber_is_squared_error_where_nothing_is_far() -> None:
    X, _, y = steps(300, 0.0)
    wide = CARTRegressor(criterion="huber", delta=1e3, prune=None, max_depth=6).fit(X, y)
    square = CARTRegressor(prune=None, max_depth=6).fit(X, y)
    assert_same_tree(wide, square)
    np.testing.assert_allclose(wide.predict(X), square.predict(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(2 * wide.tree_.impurity, square.tree_.impurity, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("how", [{"criterion": "quantile"}, {"criterion": "huber", "delta": 0.2}])
@pytest.mark.parametrize("prune", ["cv", "validation"])
def test_wild_targets_do_not_hide_the_tree(how: dict[str, Any], prune: str) -> None:
    X, truth, y = steps(1_500, 0.05)
    held = () if prune == "cv" else (X[1_000:], y[1_000:])
    model = CARTRegressor(**how, prune=prune).fit(X[:1_000], y[:1_000], None, *held)
    assert 3 <= model.get_n_leaves() <= 4
    assert np.abs(model.predict(X) - truth).mean() < 0.25


# -- laws --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", NEW, ids=str)
@pytest.mark.parametrize("missing", ["surrogate", "direction", "fraction", "mean", "category"])
def test_values_may_be_missing(how: dict[str, Any], missing: str) -> None:
    X, rate, y = counts()
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    answer = CARTRegressor(**how, missing=missing).fit(X, y).predict(X)
    assert np.corrcoef(answer, rate)[0, 1] > 0.7
    assert answer.min() >= 0


@pytest.mark.parametrize("how", NEW, ids=str)
def test_weight_two_is_a_row_twice(how: dict[str, Any]) -> None:
    X, _, y = counts(200)
    weight = np.random.default_rng(2).integers(0, 3, 200)
    twice = np.repeat(np.arange(200), weight)
    how = {**how, "delta": 1.0, "prune": None, "min_samples_leaf": 5}
    weighted = CARTRegressor(**how).fit(X, y, weight)
    repeated = CARTRegressor(**how).fit(X[twice], y[twice])
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)


@pytest.mark.parametrize("how", NEW, ids=str)
@pytest.mark.parametrize("prune", ["cv", "validation", "reduced_error", None])
def test_every_way_to_prune(how: dict[str, Any], prune: str | None) -> None:
    X, rate, y = counts()
    held = (X[400:], y[400:]) if prune in ("validation", "reduced_error") else ()
    model = CARTRegressor(**how, prune=prune, max_bins=64, min_samples_leaf=20).fit(X[:400], y[:400], None, *held)
    assert np.corrcoef(model.predict(X[400:]), rate[400:])[0, 1] > 0.6
    assert model.prune_to(n_leaves=2).get_n_leaves() == 2


@pytest.mark.parametrize("how", NEW, ids=str)
def test_files_keep_them(how: dict[str, Any], tmp_path: Path) -> None:
    X, _, y = counts(300)
    model = CARTRegressor(**how).fit(X, y)
    softwood.save(model, tmp_path / "model.tree")
    again = softwood.load(tmp_path / "model.tree")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_interval(X), model.predict_interval(X))


@pytest.mark.parametrize("how", NEW, ids=str)
def test_several_targets(how: dict[str, Any]) -> None:
    X, rate, y = counts()
    both = np.column_stack([y, 100.0 * (y + 1)])
    answer = CARTRegressor(**how, min_samples_leaf=20).fit(X, both).predict(X)
    assert answer.shape == (600, 2)
    assert all(np.corrcoef(answer[:, target], rate)[0, 1] > 0.8 for target in (0, 1))


def test_counts_are_never_answered_below_zero() -> None:
    X, _, y = counts()
    y *= np.random.default_rng(3).random(600) < 0.1  # few are not 0
    model = CARTRegressor(criterion="poisson", prune=None).fit(X, y)
    assert model.predict(X).min() > 0  # no leaf predicts a rate of 0
    assert CARTRegressor(criterion="poisson").fit(X, y).predict_interval(X).min() >= 0
    assert np.isfinite(CARTRegressor(criterion="poisson").fit(X, y).pruning_table_.tested_error).all()


def test_folds_without_a_count_are_finite() -> None:
    X, y = np.arange(40.0)[:, None], np.zeros(40)
    y[[3, 20]] = 4.0
    folds = [(np.setdiff1d(np.arange(40), test), test) for test in ([3, 20], [5, 6])]
    assert np.isfinite(CARTRegressor(criterion="poisson", cv=folds).fit(X, y).pruning_table_.tested_error).all()


def test_monotone_counts() -> None:
    X, _, y = counts()
    model = CARTRegressor(criterion="poisson", monotonic_cst=[1, 0, 0], prune=None).fit(X, y)
    low, high = X.copy(), X.copy()
    low[:, 0], high[:, 0] = -0.5, 0.5
    assert np.all(model.predict(high) >= model.predict(low))


# -- errors ------------------------------------------------------------------------------------------------------------

WRONG: list[tuple[dict[str, Any], float, str]] = [
    ({"criterion": "poisson"}, -1.0, "criterion='poisson' needs y >= 0, got -1."),
    ({"criterion": "quantile", "quantile": 1.0}, 1.0, "quantile must be between 0 and 1, such as 0.9, got 1.0."),
    ({"criterion": "huber", "delta": 0}, 1.0, "for the absolute error use criterion='absolute_error'."),
    ({"quantile": "high"}, 1.0, "quantile must be"),
]


@pytest.mark.parametrize(("how", "value", "message"), WRONG)
def test_bad_input_is_explained(how: dict[str, Any], value: float, message: str) -> None:
    X, _, y = counts(50)
    y[7] = value
    with pytest.raises(ValueError, match=re.escape(message)):
        CARTRegressor(**how).fit(X, y)


def test_counts_that_are_all_zero_and_bad_validation_rows_are_explained() -> None:
    X, _, y = counts(50)
    with pytest.raises(ValueError, match="but all are 0"):
        CARTRegressor(criterion="poisson").fit(X, 0 * y)
    with pytest.raises(ValueError, match="needs y_val >= 0"):
        CARTRegressor(criterion="poisson", prune="validation").fit(X, y, None, X, -y - 1)
