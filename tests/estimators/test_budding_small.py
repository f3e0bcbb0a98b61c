"""Budding trees on small tables: seeds found by a random search, and their causes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood import BuddingTreeClassifier, BuddingTreeRegressor


@pytest.mark.parametrize("leaf", ["constant", "linear"])
@pytest.mark.parametrize("model", [BuddingTreeClassifier(), BuddingTreeRegressor()])
def test_constant_inputs_round_to_a_leaf(model: Any, leaf: str) -> None:
    y = np.arange(12) % 3
    model.set_params(round_buds=True, leaf=leaf).fit(np.ones((12, 2)), y)
    assert model.tree_.n_nodes == 1
    assert np.isfinite(model.predict([[1.0, 1.0]])).all()


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adagrad"])
@pytest.mark.parametrize("leaf", ["constant", "linear"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_weights_of_every_size_give_an_answer(seed: int, leaf: str, optimizer: str) -> None:
    r = np.random.default_rng(seed)
    X, y, weight = r.normal(size=(40, 2)), r.normal(size=40), 10.0 ** r.integers(-12, 13, 40)
    model = BuddingTreeRegressor(learner="online", optimizer=optimizer, leaf=leaf, max_epochs=5, max_nodes=7)
    model.fit(X, y, sample_weight=weight)
    model.partial_fit(X, y, sample_weight=weight)
    assert np.isfinite(model.predict(X)).all()


def test_weights_too_small_for_single_precision_are_no_error() -> None:
    X = np.arange(6.0)[:, None]
    model = BuddingTreeRegressor().partial_fit(X, X[:, 0], sample_weight=np.full(6, 1e-60))
    assert np.isfinite(model.predict(X)).all()
