"""`mix="probability"`: the prediction is the mean of the leaves' predictions, everywhere."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import softwood
from softwood import Batches, SoftTreeClassifier, SoftTreeRegressor, Tree
from softwood.explain import explain
from softwood.intake.cells import sparse_rows
from softwood.kernels.kinds import Link

SMALL: dict[str, Any] = {"mix": "probability", "max_leaves": 5, "max_iter": 60}


@cache
def table() -> tuple[np.ndarray, np.ndarray]:
    """Rows with missing values, and a score with a bend and a product."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(260, 4))
    score = X[:, 0] + np.abs(X[:, 1]) + X[:, 0] * X[:, 2] + 0.6 * rng.normal(size=260)
    X[rng.random(X.shape) < 0.04] = np.nan
    return X, score


@cache
def fitted(kind: str) -> Any:
    """A model with a few leaves and its targets."""
    X, score = table()
    if kind == "two":
        return SoftTreeClassifier(gate="linear", **SMALL).fit(X, score > 0.8)
    if kind == "three":
        return SoftTreeClassifier(gate="axis", **SMALL).fit(X, np.digitize(score, [0.0, 1.5]))
    counts = np.random.default_rng(0).poisson(np.exp(np.minimum(score, 2.5)))
    if kind == "targets":
        return SoftTreeRegressor(loss="tweedie", **SMALL).fit(X, np.column_stack([counts, counts[::-1] + 1.0]))
    return SoftTreeRegressor(loss=kind, gate="linear", **SMALL).fit(X, counts + float(kind == "gamma"))


KINDS = ("two", "three", "poisson", "gamma", "tweedie", "targets")
each = pytest.mark.parametrize("kind", KINDS)


def answers_of(model: Any, X: Any) -> np.ndarray:
    return model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X).reshape(len(X), -1)


@each
def test_an_answer_is_the_sum_of_reach_times_what_leaves_answer(kind: str) -> None:
    model, X = fitted(kind), table()[0]
    tree: Tree = model.tree_
    leaf = tree.n_children == 0
    assert tree.link == Link.IDENTITY
    assert leaf.sum() > 1
    assert not len(tree.slope)
    by_hand = tree.reach(X)[:, leaf] @ tree.response[leaf]
    np.testing.assert_allclose(answers_of(model, X), by_hand, rtol=1e-12, atol=1e-14)
    assert (tree.response >= 0).all()
    if hasattr(model, "classes_"):
        np.testing.assert_allclose(tree.response.sum(axis=1), 1.0, rtol=1e-12)
        np.testing.assert_allclose(answers_of(model, X).sum(axis=1), 1.0, rtol=1e-12)


@each
def test_a_branch_answers_the_mean_of_its_children_by_what_arrives(kind: str) -> None:
    tree: Tree = fitted(kind).tree_
    for m in np.flatnonzero(tree.n_children):
        children = tree.children(int(m))
        share = tree.count[list(children)] / tree.count[list(children)].sum()
        np.testing.assert_allclose(tree.response[m], share @ tree.response[list(children)], rtol=1e-6)


@each
def test_it_learned_something_and_is_calibrated_on_its_rows(kind: str) -> None:
    model, (X, score) = fitted(kind), table()
    told = answers_of(model, X)
    if kind == "two":
        assert model.score(X, score > 0.8) > 0.8
        np.testing.assert_allclose(told[:, 1].mean(), (score > 0.8).mean(), atol=0.03)
    elif kind == "three":
        code = np.digitize(score, [0.0, 1.5])
        assert model.score(X, code) > np.bincount(code).max() / len(code) + 0.1
    else:
        assert np.corrcoef(told[:, 0], np.exp(np.minimum(score, 2.5)))[0, 1] > 0.5


def test_a_row_of_weight_two_is_the_row_twice() -> None:
    X, score = table()
    for kind, y in ((SoftTreeClassifier, score > 0.8), (SoftTreeRegressor, np.round(np.exp(score / 2)))):
        how = {**SMALL, **({} if kind is SoftTreeClassifier else {"loss": "poisson"}), "gate": "linear"}
        twice, weight = np.r_[np.arange(260), np.arange(0, 260, 3)], np.ones(260)
        weight[::3] = 2.0
        assert kind(**how).fit(X, y, sample_weight=weight).tree_ == kind(**how).fit(X[twice], y[twice]).tree_


def test_output_is_the_default_and_without_a_link_mix_makes_no_difference() -> None:
    X, score = table()
    plain = SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=3).fit(X, score > 0.8)
    assert SoftTreeClassifier().mix == "output"
    assert (
        plain.tree_
        == SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=3, mix="output").fit(X, score > 0.8).tree_
    )
    assert plain.tree_.link == Link.SIGMOID
    for loss in ("squared_error", "absolute_error", "huber", "quantile"):
        how = {"loss": loss, "gate": "linear", "max_leaves": 3, "weight_penalty": 0.01}
        assert (
            SoftTreeRegressor(**how).fit(X, score).tree_
            == SoftTreeRegressor(mix="probability", **how).fit(X, score).tree_
        )


@pytest.mark.parametrize("gate", ["linear", "additive", pytest.param("axis", marks=pytest.mark.long)])
def test_monotone_constraints_hold_and_are_proved(gate: str) -> None:
    X, score = table()
    models = [
        SoftTreeClassifier(gate=gate, monotonic_cst=[1, -1, 0, 0], **SMALL).fit(X, score > 0.8),
        SoftTreeRegressor(gate=gate, monotonic_cst=[1, -1, 0, 0], loss="poisson", **SMALL).fit(
            X, np.round(np.exp(score / 2))
        ),
    ]
    for model in models:
        assert model.monotonic_certificate_.holds
        for f, sign in ((0, 1), (1, -1)):
            rows = np.repeat(X[:20], 30, axis=0)
            rows[:, f] = np.tile(np.linspace(-4, 4, 30), 20)
            told = answers_of(model, rows)[:, -1].reshape(20, 30)
            assert (sign * np.diff(told, axis=1) >= -1e-12).all()


@each
def test_it_is_saved_and_loaded(kind: str, tmp_path: Any) -> None:
    model, X = fitted(kind), table()[0]
    softwood.save(model, tmp_path / "model")
    again = softwood.load(tmp_path / "model")
    assert again.mix == "probability"
    assert again.tree_ == model.tree_
    np.testing.assert_array_equal(answers_of(again, X), answers_of(model, X))


@pytest.mark.parametrize("kind", ["two", "three", "poisson"])
def test_contributions_add_up_to_the_answer(kind: str) -> None:
    model, X = fitted(kind), table()[0][:6]
    told = explain(model, X)
    total = np.asarray(told.base) + np.asarray(told.contributions).sum(axis=1)
    np.testing.assert_allclose(total, answers_of(model, X), atol=1e-9)


def test_log_odds_of_what_is_answered() -> None:
    X = table()[0]
    two, three = fitted("two"), fitted("three")
    p = two.predict_proba(X)
    np.testing.assert_allclose(two.decision_function(X), np.log(p[:, 1] / p[:, 0]), atol=1e-9)
    np.testing.assert_array_equal(three.decision_function(X).argmax(axis=1), three.predict_proba(X).argmax(axis=1))


def test_an_offset_is_an_exposure_and_intervals_stay_above_nothing() -> None:
    X = table()[0]
    model = fitted("poisson")
    np.testing.assert_allclose(model.predict(X, offset=np.log(2.0)), 2.0 * model.predict(X))
    assert (model.predict_interval(X) >= 0.0).all()
    rng = np.random.default_rng(0)
    exposure = rng.uniform(1.0, 5.0, 260)
    learned = SoftTreeRegressor(loss="poisson", **SMALL).fit(X, rng.poisson(2.0 * exposure), offset=np.log(exposure))
    assert learned.predict(X).mean() == pytest.approx(2.0, rel=0.1)


def test_it_goes_on_from_a_tree_that_mixes_the_same_and_from_no_other() -> None:
    X, score = table()
    model = SoftTreeClassifier(gate="linear", warm_start=True, **SMALL).fit(X[:200], score[:200] > 0.8)
    model.fit(X, score > 0.8)
    assert model.tree_.link == Link.IDENTITY
    with pytest.raises(ValueError, match="the same mix as in the previous fit"):
        model.set_params(mix="output").fit(X, score > 0.8)
    numbers = SoftTreeRegressor(loss="poisson", warm_start=True, **SMALL).fit(X, np.round(np.exp(score / 2)))
    with pytest.raises(ValueError, match="the same mix as in the previous fit"):
        numbers.set_params(loss="squared_error").fit(X, np.round(np.exp(score / 2)))


def test_batches_give_the_tree_of_memory() -> None:
    X, score = table()
    held = SoftTreeClassifier(gate="linear", **SMALL).fit(X, score > 0.8)
    halves = Batches(lambda: iter([(X[:130], score[:130] > 0.8), (X[130:], score[130:] > 0.8)]))
    assert SoftTreeClassifier(gate="linear", **SMALL).fit(halves).tree_ == held.tree_


def test_sums_over_batches_are_those_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the sample has only some of the rows, the last refinement uses passes over all."""
    from softwood.learners.soft.training import batched_rows

    monkeypatch.setattr(batched_rows, "SAMPLE_ROWS", 150)
    X, score = table()
    halves = Batches(lambda: iter([(X[:130], score[:130] > 0.8), (X[130:], score[130:] > 0.8)]))
    model = SoftTreeClassifier(gate="linear", **SMALL).fit(halves)
    assert model.tree_.link == Link.IDENTITY
    assert model.score(X, score > 0.8) > 0.75


def test_sparse_rows_are_learned_from_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_rows, "is_worth_keeping", sparse.issparse)
    monkeypatch.setattr("softwood.estimators.soft.shared.is_worth_keeping", sparse.issparse)
    rng = np.random.default_rng(1)
    X = np.where(rng.random((200, 20)) < 0.8, 0.0, rng.normal(size=(200, 20)))
    y = (X[:, 0] + X[:, 1] > 0.1) | (X[:, 2] > 0.5)
    model = SoftTreeClassifier(gate="linear", **SMALL).fit(sparse.csr_array(X), y)
    assert model.tree_.link == Link.IDENTITY
    assert model.score(sparse.csr_array(X), y) > 0.85


def test_a_readable_tree_takes_it() -> None:
    X, score = table()
    model = SoftTreeClassifier(readable=True, **SMALL).fit(X, score > 0.8)
    assert model.tree_.link == Link.IDENTITY
    assert not len(model.tree_.slope)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"leaf": "linear"}, "mix='probability' needs leaf='constant', got leaf='linear'"),
        ({"learner": "incremental"}, "mix='probability' needs learner='joint', got learner='incremental'"),
        ({"engine": "torch"}, "mix='probability' needs engine='memory', 'batches' or 'dask', got engine='torch'"),
        ({"device": "cpu"}, "mix='probability' needs engine='memory', 'batches' or 'dask', got engine='torch'"),
        ({"mix": "both"}, "mix must be one of 'output', 'probability', got 'both'"),
    ],
    ids=str,
)
def test_what_does_not_go_with_it_is_refused(how: dict[str, Any], told: str) -> None:
    X, score = table()
    with pytest.raises(ValueError, match=told.replace("(", r"\(")):
        SoftTreeClassifier(**{"mix": "probability", **how}).fit(X, score > 0.8)
    if "engine" not in how and "device" not in how:
        with pytest.raises(ValueError, match=told):
            SoftTreeRegressor(**{"mix": "probability", "loss": "poisson", **how}).fit(X, np.round(np.exp(score)))


def test_one_class_and_one_row() -> None:
    X = table()[0]
    assert SoftTreeClassifier(**SMALL).fit(X, np.zeros(260)).predict_proba(X[:2]).tolist() == [[1.0], [1.0]]
    assert SoftTreeRegressor(loss="poisson", **SMALL).fit(X[:1], [3.0]).predict(X[:2]) == pytest.approx([3.0, 3.0])
    two = SoftTreeClassifier(**SMALL).fit(X[:2], [0, 1]).predict_proba(X[:2])
    np.testing.assert_allclose(two.sum(axis=1), 1.0)
