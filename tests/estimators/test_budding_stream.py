"""Streams of budding trees: a refused chunk has no effect, and the memory is bounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from softwood import BuddingTreeClassifier, BuddingTreeRegressor
from tests.faults.learners import fingerprint

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
    monkeypatch.setattr("softwood.estimators.budding.shared.REMEMBERED", 5)
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


NAMES = ["one", "two"]
FORMS: dict[str, Callable[[Any], Any]] = {
    "array": lambda rows: rows,
    "lists": lambda rows: rows.tolist(),
    "frame": lambda rows: pd.DataFrame(rows, columns=NAMES),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [BuddingTreeClassifier, BuddingTreeRegressor])
def test_rows_one_by_one_in_any_form_give_the_bits_of_one_call(form: str, kind: type) -> None:
    rows, as_given = np.where(R.random(X.shape) < 0.1, np.nan, X), FORMS[form]
    y = (Y > 0).astype(int) if kind is BuddingTreeClassifier else Y
    more = {"classes": [0, 1]} if kind is BuddingTreeClassifier else {}
    one, whole = kind(), kind()
    for i in range(len(rows)):
        label = pd.Series(y[i : i + 1]) if form == "frame" else y[i : i + 1]
        one.partial_fit(as_given(rows[i : i + 1]), label, **more)
    whole.partial_fit(as_given(rows), y, **more)
    assert fingerprint(one) == fingerprint(whole)
    for i in range(9):  # a row alone is answered as among many
        assert one.predict(as_given(rows[i : i + 1])) == whole.predict(as_given(rows))[i]


def test_a_buffer_that_is_filled_anew_for_every_row_is_no_part_of_the_model() -> None:
    one, whole, buffer = BuddingTreeRegressor(), BuddingTreeRegressor().partial_fit(X, Y), np.empty((1, 2))
    for row, y in zip(X, Y, strict=True):
        buffer[:] = row
        one.partial_fit(buffer, np.array([y]))
    buffer[:] = 1e9
    assert fingerprint(one) == fingerprint(whole)
    assert np.array_equal(one.feature_importances_, whole.feature_importances_)


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "decision_function"])
def test_answers_are_the_same_before_anybody_asks_for_the_tree(ask: str) -> None:
    model = BuddingTreeClassifier().partial_fit(X, Y > 0, classes=[False, True])
    before = getattr(model, ask)(X)
    assert "tree" not in vars(model._lazy_tree)
    assert model.tree_.count[0] == len(X)
    assert np.array_equal(getattr(model, ask)(X), before)


@pytest.mark.parametrize("names", [["two", "one"], ["one", "other"], ["one"], ["one", "two", "three"]])
def test_a_row_of_other_columns_is_refused(names: list[str]) -> None:
    model = BuddingTreeRegressor().partial_fit(pd.DataFrame(X, columns=NAMES), Y)
    with pytest.raises(ValueError, match=r"feature names|features"):
        model.partial_fit(pd.DataFrame(np.ones((1, len(names))), columns=names), Y[:1])


@pytest.mark.parametrize("bad", [np.ones((1, 3)), [[1.0, 2.0, 3.0]], np.ones((1, 1)), [[1.0]]])
def test_a_row_of_more_or_fewer_columns_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="features"):
        BuddingTreeRegressor().partial_fit(X, Y).partial_fit(bad, Y[:1])


@pytest.mark.parametrize("bad", [[[1.0, "a"]], [[1.0, [2.0]]], [[1.0, np.inf]], [[1, 10**400]], [1.0, 2.0]])
def test_a_row_that_is_no_numbers_is_refused(bad: Any) -> None:
    model = BuddingTreeRegressor().partial_fit(X, Y)
    with pytest.raises((ValueError, TypeError, OverflowError)):
        model.partial_fit(bad, Y[:1])
    with pytest.raises(ValueError, match="not among the classes"):
        BuddingTreeClassifier().partial_fit(X, Y > 0, classes=[False, True]).partial_fit(X[:1], [2])
