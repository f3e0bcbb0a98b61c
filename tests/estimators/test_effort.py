"""`effort=` of soft trees: quick is one kind, one penalty and one fold."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_friedman1

import softwood
from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.learners.soft.search.trainer import Trainer


def rows(n: int = 300, seed: int = 0):
    return make_friedman1(n, random_state=seed, noise=1.0)


def kinds(model) -> set:
    return {(one["gate"], one["leaf"], one["weight_penalty"]) for one in model.history_}


def test_quick_is_one_kind_and_one_penalty():
    X, y = rows()
    assert {one[:2] for one in kinds(SoftTreeRegressor(effort="quick").fit(X, y))} == {("additive", "linear")}
    assert len(kinds(SoftTreeRegressor(effort="quick").fit(X, y))) == 1
    X, y = load_breast_cancer(return_X_y=True)
    model = SoftTreeClassifier(effort="quick").fit(X, y)
    assert {one[:2] for one in kinds(model)} == {("linear", "linear")}
    assert np.mean(model.predict(X) == y) > 0.96


def test_what_is_asked_for_is_heeded():
    X, y = rows()
    model = SoftTreeRegressor(effort="quick", gate="axis", leaf="constant", weight_penalty=0.01, max_leaves=3).fit(X, y)
    assert kinds(model) == {("axis", "constant", 0.01)}
    assert model.get_n_leaves() <= 3


def test_quick_tries_less(monkeypatch):
    X, y = rows(150)
    tried, scored = {}, Trainer.scored
    for effort in ("quick", "normal"):
        trials = tried[effort] = []
        monkeypatch.setattr(Trainer, "scored", lambda *given, of=trials: (of.append(1), scored(*given))[1])
        SoftTreeRegressor(effort=effort, max_leaves=3, max_iter=30).fit(X, y)
    assert 0 < len(tried["quick"]) < len(tried["normal"]) / 4


def test_quick_answers_all_that_others_do(tmp_path):
    X, y = rows(400)
    model = SoftTreeRegressor(effort="quick").fit(X, y)
    ends = model.predict_interval(X)
    assert np.all(ends[:, 0] < ends[:, 1])
    assert model.feature_importances_.argmax() == 3
    softwood.save(model, tmp_path / "m.softwood")
    again = softwood.load(tmp_path / "m.softwood")
    assert again.effort == "quick"
    assert np.array_equal(again.predict(X), model.predict(X))


def test_quick_on_many_rows_learns_from_all():
    X, y = rows(20_000)
    new, truth = rows(2_000, seed=1)
    few = SoftTreeRegressor(effort="quick").fit(X[:300], y[:300])
    many = SoftTreeRegressor(effort="quick").fit(X, y)
    assert np.mean((many.predict(new) - truth) ** 2) < np.mean((few.predict(new) - truth) ** 2)


def test_a_weight_of_two_is_a_row_twice_and_threads_change_nothing():
    X, y = rows(120)
    twice = SoftTreeRegressor(effort="quick").fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    weighted = SoftTreeRegressor(effort="quick", n_jobs=2).fit(X, y, sample_weight=np.full(120, 2.0))
    assert np.array_equal(twice.predict(X), weighted.predict(X))


def test_another_effort_is_refused():
    X, y = rows(50)
    with pytest.raises(ValueError, match="effort must be one of 'quick', 'normal', got 'lazy'"):
        SoftTreeRegressor(effort="lazy").fit(X, y)
