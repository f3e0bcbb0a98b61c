"""Budding trees through the public API: chunks and epochs, drift, hard cases, clear errors, copies."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from softwood import BuddingTreeClassifier, BuddingTreeRegressor, to_text

QUICK: dict[str, Any] = {"learner": "online", "leafness_penalty": 1e-3, "learning_rate": 0.3, "max_epochs": 30}
ONCE: dict[str, Any] = {**QUICK, "max_epochs": 1, "shuffle": False}
JOINT: dict[str, Any] = {"learner": "joint", "leafness_penalty": 3e-3, "weight_penalty": 1e-3, "max_nodes": 7}


def mixed(n: int = 300) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers of all sizes, a category, missing values from the middle on, weights."""
    rng = np.random.default_rng(0)
    kind, size = rng.integers(0, 3, n), rng.normal(size=n)
    y = np.where(kind == 0, size > 0, kind == 1).astype(int)
    far = rng.standard_cauchy(n) * 1e6
    far[n // 2 :][rng.random(n - n // 2) < 0.2] = np.nan
    names = pd.Categorical.from_codes(kind, ["a", "b", "c"])
    return pd.DataFrame({"kind": names, "size": size * 1e-6, "far": far}), y, rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("options", [{}, {"optimizer": "adam"}, {"batch_size": 7, "leaf": "linear"}])
@pytest.mark.parametrize("chunk", [5, 37, 299])
def test_chunks_equal_one_epoch_to_the_last_bit(chunk: int, options: dict[str, Any]) -> None:
    X, y, weight = mixed()
    whole = BuddingTreeClassifier(**ONCE, **options).fit(X, y, weight)
    parts = BuddingTreeClassifier(**ONCE, **options)
    for begin in range(0, len(X), chunk):
        some = slice(begin, begin + chunk)
        parts.partial_fit(X[some], y[some], classes=[0, 1], sample_weight=weight[some])
    assert parts.tree_ == whole.tree_
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


def test_chunks_equal_one_epoch_for_numbers_too() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(1e3, 5.0, (200, 2))
    Y = np.c_[1e4 * np.sin(X[:, 0]), X[:, 1]]
    whole, parts = BuddingTreeRegressor(**ONCE).fit(X, Y), BuddingTreeRegressor(**ONCE)
    for some in np.array_split(np.arange(200), 9):
        parts.partial_fit(X[some], Y[some])
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))


def test_a_saved_stream_goes_on_exactly() -> None:
    X, y, _ = mixed()
    model = BuddingTreeClassifier(**ONCE).partial_fit(X[:100], y[:100], classes=[0, 1])
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(X[100:], y[100:])
    assert again.tree_ == model.tree_


@pytest.mark.parametrize("kind", [{"leaf": "constant"}, {"gate": "additive", "leaf": "linear"}])
def test_partial_fit_goes_on_from_a_joint_fit(kind: dict[str, Any]) -> None:
    X, y = load_iris(return_X_y=True)
    model = BuddingTreeClassifier(**JOINT, **kind).fit(X, y)
    before = model.score(X, y)
    assert before > 0.9
    order = np.random.default_rng(0).permutation(150)
    assert model.partial_fit(X[order], y[order]).score(X, y) > before - 0.05


@pytest.mark.fewer(2)
@pytest.mark.parametrize("seed", range(5))
def test_a_sinusoid_on_five_of_five_seeds(seed: int) -> None:
    """The authors' program ends between .0017 and .44, by seed."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3.14, 3.14, (300, 1))
    y = np.sin(2 * x[:, 0]) + 0.05 * rng.normal(size=300)
    model = BuddingTreeRegressor(learner="online", random_state=seed).fit(x, y)
    grid = np.linspace(-3.1, 3.1, 300)[:, None]
    assert np.mean((model.predict(grid) - np.sin(2 * grid[:, 0])) ** 2) < 0.003


def sines(rng: np.random.Generator, n: int, phase: float) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(-3.14, 3.14, (n, 1))
    return x, np.sin(x[:, 0] + phase) + 0.1 * rng.normal(size=n)


def test_recovers_when_the_phase_turns() -> None:
    rng = np.random.default_rng(0)
    model = BuddingTreeRegressor(learner="online", optimizer="adam", learning_rate=0.03)
    held = {phase: sines(rng, 500, phase) for phase in (0.0, np.pi)}
    for _ in range(40):
        model.partial_fit(*sines(rng, 250, 0.0))
    learned = model.score(*held[0.0])
    model.partial_fit(*sines(rng, 50, np.pi))
    turned = model.score(*held[np.pi])
    for _ in range(40):
        model.partial_fit(*sines(rng, 250, np.pi))
    assert learned > 0.9
    assert turned < 0.0
    assert model.score(*held[np.pi]) > 0.9


def test_recovers_when_a_prior_flips() -> None:
    rng = np.random.default_rng(1)
    model = BuddingTreeClassifier(learner="online", optimizer="adam", learning_rate=0.03)

    def chunk(part: float) -> tuple[np.ndarray, np.ndarray]:
        y = (rng.random(200) < part).astype(int)
        return rng.normal(y[:, None], 1.0, (200, 2)), y

    for part in [0.1] * 20 + [0.9] * 20:
        model.partial_fit(*chunk(part), classes=[0, 1])
    X, y = chunk(0.9)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(0.9, abs=0.1)
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize("how", [QUICK, JOINT], ids=["online", "joint"])
def test_categories_missing_values_and_far_numbers(how: dict[str, Any]) -> None:
    X, y, weight = mixed(600)
    model = BuddingTreeClassifier(**how).fit(X[:400], y[:400], weight[:400])
    assert model.score(X[400:], y[400:]) > 0.85
    assert np.isfinite(model.predict_proba(X.assign(size=np.nan, kind=None))).all()


@pytest.mark.parametrize("how", [QUICK, JOINT], ids=["online", "joint"])
def test_what_every_tree_offers(how: dict[str, Any]) -> None:
    X, y = load_iris(return_X_y=True)
    model = BuddingTreeClassifier(**how).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.n_nodes_ == model.tree_.n_nodes
    assert 1.0 <= model.effective_size_ <= model.n_nodes_
    assert model.decision_path(X).shape == (150, model.n_nodes_)
    assert model.apply(X).max() < model.n_nodes_
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.tree_.count[0] == pytest.approx(150)
    assert "150 rows" in to_text(model)
    assert {"loss", "n_nodes", "leafness", "first_child", "effective_size"} <= set(model.history_[-1])


def test_the_tree_answers_as_the_plant() -> None:
    X, y, _ = mixed()
    model = BuddingTreeClassifier(**QUICK).fit(X, y)
    stream = model._stream
    values = model._read(X)
    inside = stream.answer(stream.inputs.columns().make(values))
    np.testing.assert_allclose(model.tree_.output(values), inside, rtol=1e-4, atol=1e-4)


def test_weight_two_is_a_row_twice() -> None:
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, 150)
    for how in (QUICK, JOINT):
        once = BuddingTreeClassifier(**how).fit(X, y, weight)
        twice = BuddingTreeClassifier(**how).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        np.testing.assert_allclose(once.predict_proba(X), twice.predict_proba(X), atol=1e-6)


@pytest.mark.long
def test_the_price_of_leafness_controls_the_size() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (300, 2))
    y = np.sin(2 * X[:, 0]) + 0.5 * np.sign(X[:, 1]) + 0.05 * rng.normal(size=300)
    how = {**JOINT, "max_nodes": 15, "gate": "linear", "leaf": "constant"}
    sizes = []
    for leafness_penalty in (0.0, 0.01, 1.0):
        model = BuddingTreeRegressor(**{**how, "leafness_penalty": leafness_penalty}).fit(X, y)
        sizes.append(model.effective_size_)
        assert model.history_[-1]["effective_size"] == pytest.approx(model.effective_size_, rel=1e-5)
    # A bud never quite closes while its children can increase their responses instead: leafness is free for the tree.
    assert sizes[0] > sizes[1] > sizes[2]
    assert sizes[2] < 1.5


def test_the_tree_of_a_joint_fit_is_kept_in_double_precision() -> None:
    X, y = load_iris(return_X_y=True)
    model = BuddingTreeClassifier(**JOINT).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_ == model.tree_
    inside = model._stream.answer(model._stream.inputs.columns().make(X))
    np.testing.assert_allclose(model.tree_.output(X), inside, rtol=1e-3, atol=1e-3)


def test_rounded_buds() -> None:
    X, y = load_iris(return_X_y=True)
    model = BuddingTreeClassifier(**JOINT, round_buds=True).fit(X, y)
    assert set(np.unique(model.tree_.leafness)) <= {0.0, 1.0}
    assert model.score(X, y) > 0.9


def test_a_wild_step_is_halved_until_it_is_calm() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    model = BuddingTreeRegressor(**{**QUICK, "learning_rate": 1e6}, optimizer="sgd", leaf="linear").fit(X, X[:, 0])
    assert model.learning_rate_ < 1e6
    assert np.isfinite(model.predict(X)).all()
    with pytest.raises(ValueError, match="set a smaller learning_rate"):
        BuddingTreeRegressor(**{**QUICK, "learning_rate": 1e30}, optimizer="sgd", leaf="linear").fit(X, X[:, 0])


def test_never_more_nodes_than_allowed() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = np.sin(3 * X[:, 0]) * np.cos(3 * X[:, 1])
    for how in ({**QUICK, "leafness_penalty": 0.0}, {**JOINT, "leafness_penalty": 0.0}):
        assert BuddingTreeRegressor(**{**how, "max_nodes": 9}).fit(X, y).n_nodes_ <= 9


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("learner", "slow", "learner must be one of"),
        ("optimizer", "newton", "optimizer must be one of"),
        ("leafness_penalty", -0.1, "leafness_penalty must be"),
        ("leafness_penalty", "high", "leafness_penalty must be 'auto' or a number"),
        ("learning_rate", 0, "learning_rate must be 'auto' or a number > 0"),
        ("batch_size", 0, "batch_size must be"),
        ("max_nodes", 0, "max_nodes must be"),
        ("max_epochs", 0, "max_epochs must be"),
        ("leaf", "bent", "leaf must be one of"),
        ("gate", "additive", "needs learner='joint'"),
        ("shuffle", 1, "shuffle must be True or False"),
    ],
)
def test_options_are_checked(option: str, value: Any, message: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        BuddingTreeClassifier(**{**QUICK, option: value}).fit(X, y)


def test_errors_of_streams_are_clear() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="classes must be given in the first call"):
        BuddingTreeClassifier().partial_fit(X, y)
    model = BuddingTreeClassifier().partial_fit(X[:100], y[:100], classes=[0, 1])
    with pytest.raises(ValueError, match="labels that are not among the classes"):
        model.partial_fit(X[100:], y[100:])
    with pytest.raises(ValueError, match="classes must be those of the first call"):
        model.partial_fit(X[:50], y[:50], classes=[0, 1, 2])
    numbers = BuddingTreeRegressor().partial_fit(X, y)
    with pytest.raises(ValueError, match="1 targets as before, got 2"):
        numbers.partial_fit(X, np.c_[y, y])
