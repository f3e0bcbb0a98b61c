"""River's interface: its validation runs, rows are learned as in `partial_fit`, labels may come late."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

pytest.importorskip("river", reason="river is not installed: softwood.river stands on it.")

from river import compose, datasets, evaluate, metrics, preprocessing, tree

from softwood import BuddingTreeClassifier, BuddingTreeRegressor
from softwood.river import REMEMBERED_ROWS, RiverClassifier, RiverRegressor


def test_progressive_validation_learns_three_of_rivers_data_sets() -> None:
    for rows, error in ((datasets.Phishing(), 0.15), (datasets.Bananas(), 0.45), (datasets.ImageSegments(), 0.5)):
        found = evaluate.progressive_val_score(rows.take(600), RiverClassifier(), metrics.Accuracy())
        assert found.get() > 1 - error, type(rows).__name__


def test_a_row_is_learned_as_partial_fit_learns_it() -> None:
    rows = list(datasets.Phishing().take(80))
    model = RiverClassifier(classes=[False, True])
    for x, y in rows:
        model.learn_one(x, y)
    X = np.array([list(x.values()) for x, _ in rows], float)
    plain = BuddingTreeClassifier(learner="online", random_state=0)
    plain.partial_fit(X, [y for _, y in rows], classes=[False, True])
    chance = model.predict_proba_one(rows[3][0])
    assert list(chance) == [False, True]
    assert chance[True] == plain.predict_proba(X[3:4])[0, 1]
    assert model.predict_one(rows[3][0]) == bool(plain.predict(X[3:4])[0])
    number = RiverRegressor()
    for x, y in rows:
        number.learn_one(x, float(y))
    target = BuddingTreeRegressor(learner="online", random_state=0).partial_fit(X, [float(y) for _, y in rows])
    assert number.predict_one(rows[0][0]) == target.predict(X[:1])[0]


def test_a_class_that_comes_late_begins_the_tree_anew_with_the_last_rows() -> None:
    model = RiverClassifier()
    assert model.predict_one({"x": 1.0}) is None
    model.learn_one({"x": 1.0}, "a")
    assert model.predict_proba_one({"x": 1.0}) == {"a": 1.0}
    for value in range(40):
        model.learn_one({"x": value % 2}, "ab"[value % 2])
    model.learn_one({"x": 2.0}, "c")
    assert list(model.predict_proba_one({"x": 2.0})) == ["a", "b", "c"]
    rows = [[1.0], *([float(value % 2)] for value in range(40)), [2.0]]
    labels = ["a", *("ab"[value % 2] for value in range(40)), "c"]
    anew = BuddingTreeClassifier(learner="online", random_state=0).partial_fit(rows, labels, classes=["a", "b", "c"])
    assert list(model.predict_proba_one({"x": 0.0}).values()) == anew.predict_proba([[0.0]])[0].tolist()
    assert len(model._recent) == 42 < REMEMBERED_ROWS


def test_names_come_in_any_order_and_may_be_missing() -> None:
    model = RiverClassifier(classes=[0, 1])
    for value in range(60):
        model.learn_one({"x": value % 7, "z": value % 3}, int(value % 7 > 3))
    told = model.predict_proba_one({"x": 5, "z": 1})
    assert model.predict_proba_one({"z": 1, "new": 3, "x": 5}) == told
    assert sum(model.predict_proba_one({"z": 1}).values()) == pytest.approx(1.0)
    assert model.predict_proba_one({"z": 1, "x": None}) == model.predict_proba_one({"z": 1})
    copy = pickle.loads(pickle.dumps(model))
    copy.learn_one({"x": 1, "z": 1}, 0)
    assert copy.clone().tree_model is None


def test_text_is_refused_and_a_scaler_of_river_may_stand_before_the_tree() -> None:
    with pytest.raises(ValueError, match="'town' is 'Oslo', and rows must have numbers"):
        RiverClassifier().learn_one({"age": 3, "town": "Oslo"}, 1)
    pipe = compose.Discard("town") | preprocessing.StandardScaler() | RiverClassifier(classes=[0, 1])
    pipe.learn_one({"age": 3, "town": "Oslo"}, 1)
    assert set(pipe.predict_proba_one({"age": 3, "town": "Rome"})) == {0, 1}


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(TypeError, match="model must be a BuddingTreeClassifier or None, got HoeffdingTree"):
        RiverClassifier(tree.HoeffdingTreeClassifier())
    with pytest.raises(TypeError, match="model must be a BuddingTreeRegressor or None"):
        RiverRegressor(BuddingTreeClassifier())
    with pytest.raises(ValueError, match="'maybe' is not one of the classes"):
        RiverClassifier(classes=["no", "yes"]).learn_one({"x": 1}, "maybe")
    with pytest.raises(ValueError, match="the first row is empty"):
        RiverRegressor().learn_one({}, 1.0)
    assert RiverRegressor().predict_one({"x": 1}) == 0.0


@pytest.mark.parametrize("label", [None, float("nan"), "text"])
def test_a_bad_row_leaves_the_stream_as_it_was(label: Any) -> None:
    ours, other = RiverClassifier(), RiverClassifier()
    for i in range(40):
        ours.learn_one({"a": float(i % 7)}, i % 2)
        other.learn_one({"a": float(i % 7)}, i % 2)
        if i == 20:
            with pytest.raises((TypeError, ValueError)):
                ours.learn_one({"a": 1.0}, label)
    assert ours.predict_proba_one({"a": 3.0}) == other.predict_proba_one({"a": 3.0})
    with pytest.raises(TypeError, match=r"x must be a dict of the inputs by name, .*, got \[1, 2\]"):
        ours.learn_one([1, 2], 0)
    with pytest.raises(ValueError, match="y must be a finite number, got 'x'; leave out rows without one"):
        RiverRegressor().learn_one({"a": 1.0}, "x")
