"""Costs of soft and budding trees: the class of least expected cost, from the tree learned without costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softwood import Batches, BuddingTreeClassifier, SoftTreeClassifier, export, load, save

R = np.random.default_rng(0)
X = R.normal(size=(240, 3))
Y = np.array(["ill", "poor", "well"])[np.digitize(X[:, 0] + 0.8 * R.normal(size=240), [-0.5, 0.5])]
COSTS = {("ill", "well"): 20.0, ("poor", "well"): 4.0}
PRICE = np.array([[0.0, 1.0, 20.0], [1.0, 0.0, 4.0], [1.0, 1.0, 0.0]])

QUICK: dict[str, Any] = {"gate": "linear", "leaf": "constant", "weight_penalty": 0.01}
LEARNERS: dict[str, Callable[..., Any]] = {
    "soft": lambda **more: SoftTreeClassifier(**QUICK, max_leaves=3, **more),
    "incremental": lambda **more: SoftTreeClassifier(learner="incremental", max_leaves=3, **more),
    "budding": lambda **more: BuddingTreeClassifier(**QUICK, max_nodes=5, leafness_penalty=1e-3, **more),
    "online": lambda **more: BuddingTreeClassifier(learner="online", max_epochs=3, learning_rate=0.3, **more),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_the_class_of_least_expected_cost_is_predicted(name: str, tmp_path: Path) -> None:
    plain, model = LEARNERS[name]().fit(X, Y), LEARNERS[name](costs=COSTS).fit(X, Y)
    said = model.predict_proba(X)
    assert np.array_equal(said, plain.predict_proba(X))
    least = model.classes_[(said @ PRICE).argmin(axis=1)]
    assert model.predict(X).tolist() == least.tolist()
    assert np.mean(least != plain.predict(X)) > 0.05
    assert model.tree_.schema.costs == tuple(map(tuple, PRICE.tolist()))
    save(model, tmp_path / "model.softwood")
    again = load(tmp_path / "model.softwood")
    assert again.predict(X).tolist() == least.tolist()
    assert again.get_params()["costs"] == COSTS
    scorer: dict[str, Any] = {}
    exec(export(model, to="python"), scorer)
    assert [scorer["predict"](row) for row in X[:40].tolist()] == least[:40].tolist()


def test_a_hardened_tree_keeps_the_costs() -> None:
    hard = LEARNERS["soft"](costs=PRICE).fit(X, Y).harden()
    assert hard.predict(X).tolist() == hard.classes_[(hard.predict_proba(X) @ PRICE).argmin(axis=1)].tolist()


@pytest.mark.parametrize("name", ["soft", "budding", "online"])
def test_costs_in_batches(name: str) -> None:
    model = LEARNERS[name](costs=COSTS).fit(Batches(lambda: iter([(X[:120], Y[:120]), (X[120:], Y[120:])])))
    assert model.predict(X).tolist() == model.classes_[(model.predict_proba(X) @ PRICE).argmin(axis=1)].tolist()
    assert model.tree_.schema.costs is not None


def test_costs_in_a_stream() -> None:
    model = BuddingTreeClassifier(costs=COSTS).partial_fit(X[:120], Y[:120], classes=["ill", "poor", "well"])
    model.partial_fit(X[120:], Y[120:])
    assert model.predict(X).tolist() == model.classes_[(model.predict_proba(X) @ PRICE).argmin(axis=1)].tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_costs_are_checked_by_label(name: str) -> None:
    with pytest.raises(ValueError, match="costs must have keys"):
        LEARNERS[name](costs={("sick", "well"): 2.0}).fit(X, Y)
