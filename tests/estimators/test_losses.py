"""Losses of SoftTreeRegressor: minimisers, links, offsets, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import softwood
from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.estimators.base.losses import LOSSES

ALL: list[dict[str, Any]] = [{"loss": name} for name in LOSSES] + [{"loss": "quantile", "quantile": 0.9}]
LOGS = [{"loss": name} for name in ("poisson", "gamma", "tweedie")]
FAST: dict[str, Any] = {"gate": "linear", "leaf": "constant", "weight_penalty": 1e-3, "max_leaves": 4}


def table(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, rates that depend on them, counts of these rates plus one."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    rate = np.exp(0.5 + 1.5 * (X[:, 0] > 0) + 0.5 * X[:, 1])
    return X, rate, rng.poisson(rate) + 1.0


@pytest.mark.parametrize("kind", [SoftTreeRegressor, softwood.BuddingTreeRegressor])
def test_the_names_of_losses_are_those_of_scikit_learn(kind: Any, tmp_path: Path) -> None:
    """Names of earlier versions are still accepted, are stored as given, and are the same loss, also in files."""
    X, _, y = table(60)
    assert kind().get_params()["loss"] == "squared_error"
    for name, older in (("squared_error", "squared"), ("absolute_error", "absolute")):
        how = {"gate": "linear", "leaf": "constant", "weight_penalty": 1e-3}
        one, other = (kind(loss=loss, **how).fit(X, y) for loss in (name, older))
        assert one.tree_ == other.tree_
        assert getattr(one, "held_out_", None) == getattr(other, "held_out_", None)
        assert clone(other).loss == older
        softwood.save(other, tmp_path / "model.softwood")
        assert softwood.load(tmp_path / "model.softwood").loss == older
    batches = softwood.Batches([(X, y)])
    assert kind(loss="squared", **how).fit(batches).tree_ == kind(**how).fit(batches).tree_
    with pytest.raises(ValueError, match="loss='absolute' needs engine='memory'"):
        kind(loss="absolute").fit(batches)


@pytest.mark.parametrize("how", ALL, ids=lambda how: str(how))
def test_one_leaf_answers_what_the_loss_is_least_at(how: dict[str, Any]) -> None:
    y = np.random.default_rng(3).gamma(2.0, size=301) + 0.1
    answer = SoftTreeRegressor(max_leaves=1, leaf="constant", **how).fit(np.zeros((301, 1)), y).predict([[0.0]])[0]
    wanted = {"absolute_error": np.median(y), "quantile": np.quantile(y, how.get("quantile", 0.5))}
    if how["loss"] == "huber":
        assert np.median(y) < answer < y.mean()
    else:
        assert answer == pytest.approx(wanted.get(how["loss"], y.mean()), rel=1e-12)


@pytest.mark.parametrize("how", ALL, ids=lambda how: str(how))
def test_the_unit_of_y_does_not_matter(how: dict[str, Any]) -> None:
    X, _, y = table()
    small, large = (SoftTreeRegressor(**FAST, **how).fit(X, unit * y).predict(X) for unit in (1.0, 1024.0))
    np.testing.assert_allclose(large, 1024.0 * small, rtol=1e-5)


@pytest.mark.parametrize("how", ALL[1:], ids=lambda how: str(how))
def test_a_weight_of_two_is_the_row_twice(how: dict[str, Any]) -> None:
    X, _, y = table(120)
    weight = np.where(np.arange(120) % 3, 1.0, 2.0)
    twice = np.repeat(np.arange(120), weight.astype(int))
    weighted, repeated = SoftTreeRegressor(**FAST, **how), SoftTreeRegressor(**FAST, **how)
    weighted.fit(X, y, sample_weight=weight), repeated.fit(X[twice], y[twice])
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


@pytest.mark.parametrize("loss", ["absolute_error", "huber"])
def test_a_few_wild_targets_hardly_move_a_robust_tree(loss: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 3))
    truth = np.where(X[:, 0] > 0, 3.0, 0.0) + X[:, 1]
    y = truth + 0.1 * rng.normal(size=400)
    y[rng.random(400) < 0.05] += 1e4
    squared, robust = (SoftTreeRegressor(loss=name).fit(X, y) for name in ("squared_error", loss))
    far = {"absolute_error": 0.1, "huber": 0.4}[loss]  # wild targets on one side still pull by delta each
    assert np.abs(robust.predict(X) - truth).mean() < far < 10.0 < np.abs(squared.predict(X) - truth).mean()
    assert robust.held_out_ is not None
    assert robust.held_out_["measure"] == "D²"
    assert 0.2 < robust.held_out_["value"] < 1.0


@pytest.mark.parametrize("level", [0.1, 0.9])
def test_a_quantile_is_exceeded_as_often_as_asked_for(level: float) -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (1_000, 2))
    y = X[:, 0] + (0.2 + 0.8 * (X[:, 1] > 0)) * rng.normal(size=1_000)
    train, test = slice(0, 600), slice(600, None)
    model = SoftTreeRegressor(loss="quantile", quantile=level, gate="linear").fit(X[train], y[train])
    assert abs(np.mean(y[test] <= model.predict(X[test])) - level) < 0.05
    wide = np.abs(model.predict(X[test]) - X[test, 0])
    assert wide[X[test, 1] > 0.2].mean() > 2.0 * wide[X[test, 1] < -0.2].mean()


@pytest.mark.parametrize("how", LOGS, ids=lambda how: str(how))
def test_rates_are_found_and_never_negative(how: dict[str, Any]) -> None:
    X, rate, y = table(600)
    model = SoftTreeRegressor(gate="linear", **how).fit(X, y)
    far = 100.0 * np.random.default_rng(2).normal(size=(500, 3))
    assert model.predict(far).min() >= 0.0
    assert np.abs(model.predict(X) - rate - 1.0).mean() < 0.1 * rate.mean()
    assert model.predict_interval(X).min() >= 0.0


@pytest.mark.parametrize("how", LOGS, ids=lambda how: str(how))
def test_an_offset_is_the_log_of_the_exposure(how: dict[str, Any]) -> None:
    X, _, y = table()
    exposure = np.random.default_rng(4).uniform(0.5, 4.0, len(y))
    power = {"poisson": 1.0, "gamma": 0.0, "tweedie": 0.5}[how["loss"]]
    one_leaf = {**FAST, "leaf": "linear", "max_leaves": 1}  # folds differ, and so may the size of a tree
    offset = SoftTreeRegressor(**one_leaf, **how).fit(X, y, offset=np.log(exposure))
    rates = SoftTreeRegressor(**one_leaf, **how).fit(X, y / exposure, sample_weight=exposure**power)
    np.testing.assert_allclose(offset.predict(X), rates.predict(X), rtol=0.03)
    np.testing.assert_allclose(offset.predict(X, offset=np.log(exposure)), offset.predict(X) * exposure, rtol=1e-12)
    with pytest.raises(ValueError, match="calibrate"):
        offset.predict_interval(X)


def test_without_a_link_an_offset_is_added() -> None:
    X, _rate, y = table()
    offset = np.floor(10.0 * X[:, 2])
    with_offset = SoftTreeRegressor(**FAST).fit(X, y + offset, offset=offset)
    np.testing.assert_array_equal(with_offset.predict(X), SoftTreeRegressor(**FAST).fit(X, y).predict(X))
    np.testing.assert_array_equal(with_offset.predict(X, offset=offset), with_offset.predict(X) + offset)


def test_validation_rows_have_offsets_too() -> None:
    X, _, y = table()
    exposure = np.where(np.arange(300) % 2, 1.0, 50.0)
    held = (X[200:], y[200:] * exposure[200:])
    model = SoftTreeRegressor(loss="poisson", gate="linear")
    model.fit(X[:200], y[:200], None, *held, offset_val=np.log(exposure[200:]))
    assert model.held_out_ is not None
    assert model.held_out_["value"] > 0.4
    model.fit(X[:200], y[:200], None, *held)
    assert model.held_out_ is not None
    assert model.held_out_["value"] < 0.0


def test_two_targets_have_a_link_each() -> None:
    X, _rate, y = table()
    model = SoftTreeRegressor(**FAST, loss="poisson").fit(X, np.c_[y, 100.0 * y[::-1]])
    assert model.predict(X).shape == (300, 2)
    assert model.predict(X, offset=np.ones(300)).shape == (300, 2)
    np.testing.assert_allclose(model.predict(X).mean(axis=0), [y.mean(), 100.0 * y.mean()], rtol=0.1)


@pytest.mark.parametrize("how", ALL, ids=lambda how: str(how))
def test_a_file_keeps_loss_and_link(how: dict[str, Any], tmp_path: Path) -> None:
    X, _, y = table(80)
    model = SoftTreeRegressor(**FAST, **how).fit(X, y)
    softwood.save(model, tmp_path / "model.softwood")
    loaded = softwood.load(tmp_path / "model.softwood")
    assert loaded.get_params() == model.get_params() == clone(model).get_params()
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.held_out_ == model.held_out_
    np.testing.assert_array_equal(softwood.from_json(softwood.to_json(model)).predict(X)[:, 0], model.predict(X))


def test_what_is_printed_says_that_it_is_a_logarithm() -> None:
    X, _, y = table(150)
    linear = SoftTreeRegressor(loss="poisson", leaf="linear", gate="linear", max_leaves=1).fit(X, y)
    assert "log mean of y = " in softwood.to_text(linear)
    assert "log mean " in str(linear.tree_)
    assert softwood.explain(linear, X[:3]).outputs == ("log mean of y",)


def test_a_warm_start_goes_on_with_a_loss_of_the_same_link() -> None:
    X, _, y = table(150)
    model = SoftTreeRegressor(**FAST, warm_start=True).fit(X, y)
    model.set_params(loss="absolute_error").fit(X, y)
    with pytest.raises(ValueError, match="the same link"):
        model.set_params(loss="poisson").fit(X, y)


REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"loss": "l1"}, {}, "loss must be one of 'squared_error'"),
    ({"loss": "quantile", "quantile": 1.0}, {}, "quantile must be between 0 and 1"),
    ({"loss": "huber", "delta": 0.0}, {}, "delta must be a number > 0"),
    ({"loss": "tweedie", "power": 3.0}, {}, "power must be 1"),
    ({"loss": "poisson"}, {"y": np.r_[-1.0, np.ones(9)]}, "loss='poisson' needs y >= 0, got -1"),
    ({"loss": "poisson"}, {"y": np.zeros(10)}, "needs some y > 0"),
    ({"loss": "gamma"}, {"y": np.arange(10.0)}, "needs y > 0, got 0. If some amounts are 0, use loss='tweed"),
    ({"loss": "poisson"}, {"offset": np.full(10, 365.0)}, "it is the logarithm of the exposure"),
    ({"loss": "poisson"}, {"offset": np.ones(9)}, "inconsistent numbers of samples"),
    ({}, {"offset": ["a"] * 10}, "offset"),
    ({"loss": "absolute_error", "learner": "incremental"}, {}, "needs learner='joint'"),
    ({"loss": "poisson", "engine": "batches"}, {}, "needs engine='memory'"),
    ({"engine": "batches"}, {"offset": np.ones(10)}, "offset needs engine='memory'"),
]  # fmt: skip


@pytest.mark.parametrize(("params", "given", "told"), REFUSED)
def test_what_is_not_taken_is_refused_in_words(params: dict[str, Any], given: dict[str, Any], told: str) -> None:
    rows = {"X": np.arange(10.0)[:, None], "y": np.arange(10.0), **given}
    with pytest.raises(ValueError, match=told):
        SoftTreeRegressor(**params).fit(**rows)


def test_rows_to_choose_by_must_suit_the_loss_too() -> None:
    X, _, y = table(60)
    with pytest.raises(ValueError, match="needs y_val >= 0, got -1"):
        SoftTreeRegressor(loss="poisson").fit(X, y, None, X[:2], [-1.0, 2.0])


def test_classifiers_have_no_loss_to_choose() -> None:
    assert "loss" not in SoftTreeClassifier().get_params()
