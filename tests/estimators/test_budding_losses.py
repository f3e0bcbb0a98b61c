"""Losses of BuddingTreeRegressor: minimisers, links, offsets, streams, and errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softwood
from softwood import BuddingTreeRegressor
from softwood.estimators.base.losses import LOSSES
from softwood.formats.python import to_python
from softwood.kernels.kinds import Link

ALL: list[dict[str, Any]] = [{"loss": name} for name in LOSSES[1:]] + [{"loss": "quantile", "quantile": 0.9}]
LOGS = ("poisson", "gamma", "tweedie")
LIKE_ANOTHER = ({"loss": "absolute_error"}, {"loss": "quantile"}, {"loss": "gamma"}, {"loss": "tweedie"})
SOME = [pytest.param(how, marks=[pytest.mark.long] * (how in LIKE_ANOTHER)) for how in ALL]
FAST: dict[str, Any] = {"gate": "linear", "leaf": "constant", "weight_penalty": 1e-3, "max_nodes": 7}


def table(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, means that depend on them, counts of these means less one plus one."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3))
    rate = np.exp(0.5 + 1.5 * (X[:, 0] > 0) + 0.5 * X[:, 1])
    return X, rate + 1.0, rng.poisson(rate) + 1.0


@pytest.mark.parametrize("how", ALL, ids=str)
def test_one_leaf_answers_what_the_loss_is_least_at(how: dict[str, Any]) -> None:
    y = np.random.default_rng(3).gamma(2.0, size=301) + 0.1
    answer = BuddingTreeRegressor(max_nodes=1, leaf="constant", **how).fit(np.zeros((301, 1)), y).predict([[0.0]])[0]
    wanted = {"absolute_error": np.median(y), "quantile": np.quantile(y, how.get("quantile", 0.5))}
    if how["loss"] == "huber":
        assert np.median(y) < answer < y.mean()
    else:
        assert answer == pytest.approx(wanted.get(how["loss"], y.mean()), rel=1e-6)


@pytest.mark.parametrize("how", SOME, ids=str)
def test_means_are_found_and_counts_never_negative(how: dict[str, Any]) -> None:
    X, mean, y = table(600)
    model = BuddingTreeRegressor(**{**FAST, "leaf": "linear"}, **how).fit(X, y)
    assert (model.tree_.link == Link.LOG) == (how["loss"] in LOGS)
    assert np.corrcoef(model.predict(X), mean)[0, 1] > 0.9
    if how["loss"] in LOGS:
        far = 100.0 * np.random.default_rng(2).normal(size=(500, 3))
        assert model.predict(far).min() >= 0.0
        assert np.abs(model.predict(X) - mean).mean() < 0.12 * mean.mean()
        assert model.predict_interval(X).min() >= 0.0


@pytest.mark.parametrize("loss", ["absolute_error", "huber"])
def test_a_few_wild_targets_hardly_move_a_robust_tree(loss: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 3))
    truth = np.where(X[:, 0] > 0, 3.0, 0.0) + X[:, 1]
    y = truth + 0.1 * rng.normal(size=400)
    y[rng.random(400) < 0.05] += 1e4
    robust = BuddingTreeRegressor(loss=loss, gate="linear", max_nodes=7).fit(X, y)
    assert np.abs(robust.predict(X) - truth).mean() < 0.5


@pytest.mark.parametrize("how", SOME, ids=str)
def test_a_stream_goes_on_by_the_loss_of_fit(how: dict[str, Any], tmp_path: Path) -> None:
    """In chunks of any size, and after loading, to the last bit; and with rows of another distribution."""
    X, _, y = table()
    model = BuddingTreeRegressor(**FAST, **how).fit(X, y)
    softwood.save(model, tmp_path / "model.tree")
    again = softwood.load(tmp_path / "model.tree")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    before = model.predict(X)
    for part in (slice(0, 100), slice(100, 300)):
        again.partial_fit(X[part], 2.0 * y[part])
    model.partial_fit(X, 2.0 * y)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert model.tree_.link == again.tree_.link
    assert model.predict(X).mean() > 1.1 * before.mean()


def test_an_offset_is_the_log_of_the_exposure() -> None:
    X, _, y = table()
    exposure = np.random.default_rng(4).uniform(0.5, 4.0, len(y))
    how = {**FAST, "loss": "poisson", "leaf": "linear", "max_nodes": 1}
    offset = BuddingTreeRegressor(**how).fit(X, y, offset=np.log(exposure))
    rates = BuddingTreeRegressor(**how).fit(X, y / exposure, sample_weight=exposure)
    np.testing.assert_allclose(offset.predict(X), rates.predict(X), rtol=0.03)
    np.testing.assert_allclose(offset.predict(X, offset=np.log(exposure)), offset.predict(X) * exposure, rtol=1e-12)
    with pytest.raises(ValueError, match="calibrate"):
        offset.predict_interval(X)


def test_exports_have_the_link() -> None:
    X, _, y = table()
    model = BuddingTreeRegressor(**FAST, loss="poisson").fit(X, y)
    space: dict[str, Any] = {}
    exec(to_python(model), space)
    answers = [float(np.ravel(space["predict"](row))[0]) for row in X[:5].tolist()]
    np.testing.assert_allclose(answers, model.predict(X[:5]), rtol=1e-12)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"loss": "poisson", "learner": "online"}, "call fit with learner='joint'; partial_fit continues from there"),
    ({"loss": "nonsense"}, "loss must be one of 'squared_error', 'absolute_error'"),
    ({"loss": "huber", "delta": 0.0}, "for the absolute error use loss='absolute_error'"),
]


@pytest.mark.parametrize(("how", "message"), REFUSED)
def test_bad_input_is_explained(how: dict[str, Any], message: str) -> None:
    X, _, y = table(50)
    with pytest.raises(ValueError, match=re.escape(message)):
        BuddingTreeRegressor(**how).fit(X, y)


def test_what_a_stream_cannot_do_is_explained() -> None:
    X, _, y = table(60)
    with pytest.raises(ValueError, match="call fit with learner='joint'"):
        BuddingTreeRegressor(loss="absolute_error").partial_fit(X, y)
    model = BuddingTreeRegressor(**FAST, loss="poisson").fit(X, y)
    with pytest.raises(ValueError, match="needs y of partial_fit >= 0, got -1"):
        model.partial_fit(X, -np.ones(60))
    with pytest.raises(ValueError, match="this tree was not started with loss="):
        model.set_params(loss="gamma").partial_fit(X, y)
