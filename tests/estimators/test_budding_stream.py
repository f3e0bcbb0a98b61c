"""Streams of budding trees: a chunk that is refused leaves no trace, and what is remembered has a bound."""

from __future__ import annotations

import numpy as np
import pytest

from softwood import BuddingTreeClassifier, BuddingTreeRegressor

R = np.random.default_rng(2)
X = R.normal(size=(60, 2))
Y = X[:, 0] - X[:, 1]


@pytest.mark.parametrize("where", ["X", "y"])
def test_a_refused_chunk_leaves_no_trace(where: str) -> None:
    model, twin = BuddingTreeRegressor().partial_fit(X, Y), BuddingTreeRegressor().partial_fit(X, Y)
    huge = np.full((2, 2), 1e155), np.full(2, 1e155)
    for _ in range(2):
        with pytest.raises(ValueError, match="so large that their squares overflow"):
            model.partial_fit(*((huge[0], Y[:2]) if where == "X" else (X[:2], huge[1])))
    model.partial_fit(X[::-1], Y[::-1])
    twin.partial_fit(X[::-1], Y[::-1])
    assert np.array_equal(model.predict(X), twin.predict(X))
    assert len(model.history_) == len(twin.history_) == 2


def test_a_refused_first_chunk_leaves_no_trace() -> None:
    model = BuddingTreeClassifier()
    with pytest.raises(ValueError, match="so large"):
        model.partial_fit([[1e155], [1.0]], [0, 1], classes=[0, 1])
    assert not hasattr(model, "classes_")
    model.partial_fit(X, (Y > 0).astype(int), classes=[0, 1])
    assert model.n_features_in_ == 2


def test_history_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softwood.estimators.budding_tree.REMEMBERED", 5)
    model = BuddingTreeRegressor()
    for row in range(20):
        model.partial_fit(X[row : row + 1], Y[row : row + 1])
    assert [line["epoch"] for line in model.history_] == [16, 17, 18, 19, 20]
    assert model.n_iter_ == 20


def test_a_chunk_that_needs_a_smaller_step_does_not_slow_those_after_it() -> None:
    model = BuddingTreeRegressor(optimizer="sgd", learning_rate=8.0, leaf="linear")
    wild, calm = np.where(R.random((200, 20)) < 0.5, -1.0, 1.0), 0.01 * R.normal(size=(20, 20))
    model.partial_fit(wild, wild.sum(axis=1))
    assert model.learning_rate_ == 8.0
    assert model.partial_fit(calm, calm.sum(axis=1)).learning_rate_ == 8.0
