"""Yardsticks: other libraries' methods, run as documented."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from bench.papers import methods
from bench.papers.yardsticks import BoostedClassifier, ForestRegressor, PrunedClassifier, PrunedRegressor
from softwood.datasets import make_friedman, make_xor


def test_the_pruned_tree_is_no_worse_on_the_other_half_than_the_whole() -> None:
    X, y = make_xor(600, flip=0.2)
    pruned = PrunedClassifier().fit(X[:300], y[:300], X[300:], y[300:])
    whole = DecisionTreeClassifier(random_state=0).fit(X[:300], y[:300])
    assert pruned.model.score(X[300:], y[300:]) >= whole.score(X[300:], y[300:])
    assert pruned.n_nodes == 2 * pruned.n_leaves - 1 < whole.tree_.node_count


def test_sizes_of_forests_and_trees_are_counted() -> None:
    X, y = make_friedman(120)
    forest = ForestRegressor().fit(X, y)
    assert forest.n_nodes == sum(2 * tree.get_n_leaves() - 1 for tree in forest.model.estimators_)
    tree = PrunedRegressor().fit(X[:60], y[:60], X[60:], y[60:])
    assert np.isfinite(tree.predict(X)).all()


class FakeBooster:
    """Says which parameters it was given; 7 leaves a tree are better by the loss."""

    seen: list[dict[str, Any]] = []  # noqa: RUF012  # one list for all, on purpose

    def __init__(self, **parameters: Any) -> None:
        self.parameters = parameters
        self.num_leaves = parameters["num_leaves"]
        self.best_score_ = {"valid_0": {"loss": float(parameters["num_leaves"])}}
        self.best_iteration_ = 2
        self.booster_ = SimpleNamespace(dump_model=lambda num_iteration: {"tree_info": [{"num_leaves": 3}] * 2})

    def fit(self, X: Any, y: Any, **more: Any) -> Self:
        self.seen.append(self.parameters | more)
        return self


def test_of_two_sizes_of_boosted_trees_the_better_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(LGBMClassifier=FakeBooster, early_stopping=lambda rounds, verbose: rounds)
    monkeypatch.setitem(sys.modules, "lightgbm", library)
    X, y = make_xor(20)
    labels = np.array(["no", "yes"])[y]
    model = BoostedClassifier(categorical_features=[1], step=0.1).fit(X, labels, X, labels)
    assert model.model.parameters["num_leaves"] == 7
    assert model.model.parameters["learning_rate"] == 0.1
    assert (model.n_leaves, model.n_nodes) == (6, 10)
    assert [call["num_leaves"] for call in FakeBooster.seen] == [7, 31]
    assert all(call["categorical_feature"] == [1] and call["n_jobs"] == 1 for call in FakeBooster.seen)
    np.testing.assert_array_equal(FakeBooster.seen[0]["eval_y"], y)  # codes, not labels
    assert model.classes_.tolist() == ["no", "yes"]


def test_without_x_val_a_fifth_chooses_and_all_rows_are_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SimpleNamespace(LGBMClassifier=FakeBooster, early_stopping=lambda rounds, verbose: rounds)
    monkeypatch.setitem(sys.modules, "lightgbm", library)
    monkeypatch.setattr(FakeBooster, "seen", [])
    X, y = make_xor(50)
    labels = np.where(np.arange(50) == 7, 2, y)  # one row of a third class: it must not be held out
    model = BoostedClassifier().fit(X, labels)
    assert (model.model.parameters["num_leaves"], model.model.parameters["n_estimators"]) == (7, 2)
    assert len(FakeBooster.seen) == 3
    assert 8 <= len(FakeBooster.seen[0]["eval_y"]) <= 10
    assert 2 not in FakeBooster.seen[0]["eval_y"]
    assert "eval_y" not in FakeBooster.seen[2]


def test_lightgbm_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods.importlib.util, "find_spec", lambda name: None)
    assert "lightgbm is not installed" in methods.absence(methods.BY_NAME["lightgbm"])
