"""Soft trees through the public API: scikit-learn's checks, hard cases with a required accuracy, copies."""

from __future__ import annotations

import pickle
import re
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from softwood import SoftForestClassifier, SoftForestRegressor, SoftTreeClassifier, SoftTreeRegressor
from tests.estimators.sklearn_checks import parametrize_with_checks

QUICK = {"gate": "linear", "leaf": "constant", "weight_penalty": 0.003, "max_leaves": 6}


STEPWISE = {"learner": "incremental"}
SMALL = {"learner": "incremental", "max_leaves": 3}
ESTIMATORS = [kind(**how) for kind in (SoftTreeClassifier, SoftTreeRegressor) for how in (QUICK, {}, STEPWISE, SMALL)]
FORESTS = [kind(n_trees=2, **QUICK) for kind in (SoftForestClassifier, SoftForestRegressor)]


@parametrize_with_checks(ESTIMATORS + FORESTS)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def two_circles(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, 2))
    return X, (np.sum(X**2, axis=1) < 1.4).astype(int)


def spiral(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    y = rng.integers(0, 2, n)
    t = 0.25 + 1.5 * rng.random(n)
    angle = 2 * np.pi * t / 1.5 + np.pi * y
    return np.c_[t * np.cos(angle), t * np.sin(angle)] + 0.03 * rng.normal(size=(n, 2)), y


def xor(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.uniform(-1, 1, (n, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def linear(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, 4))
    return X, (X @ [1.0, -2.0, 0.5, 0.0] > 0).astype(int)


@pytest.mark.parametrize(
    ("make", "rows", "wanted"), [(xor, 400, 0.95), (spiral, 600, 0.95), (two_circles, 400, 0.95), (linear, 30, 0.8)]
)
def test_learns_shapes(make: Any, rows: int, wanted: float) -> None:
    rng = np.random.default_rng(0)
    X, y = make(rows, rng)
    held, answers = make(500, rng)
    assert SoftTreeClassifier().fit(X, y).score(held, answers) >= wanted


@pytest.mark.parametrize("change", ["1e9", "1e-9", "far", "twice", "noise"])
def test_never_collapses(change: str) -> None:
    rng = np.random.default_rng(1)
    X, y = linear(600, rng)
    X = {
        "1e9": lambda: X * 1e9,
        "1e-9": lambda: X * 1e-9,
        "far": lambda: X + np.array([1e6, 0, -1e5, 1e7]),
        "twice": lambda: np.c_[X, X, X],
        "noise": lambda: np.c_[X, rng.normal(size=(600, 200))],
    }[change]()
    model = SoftTreeClassifier().fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) >= 0.95


def test_one_in_a_hundred_is_found() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 3))
    y = (X[:, 0] > 2.33).astype(int)
    model = SoftTreeClassifier().fit(X[:2000], y[:2000])
    assert model.score(X[2000:], y[2000:]) >= 0.99


def test_target_units_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2
    small, large = (SoftTreeRegressor(**QUICK).fit(X, y * scale).predict(X) / scale for scale in (1.0, 1e8))
    np.testing.assert_allclose(small, large, atol=0.01)  # single precision on the way


def test_a_sinusoid_needs_few_nodes() -> None:
    """The ICPR 2012 toy: a hard tree takes about 37 nodes."""
    rng = np.random.default_rng(4)
    x = rng.uniform(0, 6.28, (300, 1))
    model = SoftTreeRegressor(gate="linear", leaf="constant").fit(x, np.sin(x[:, 0]) + 0.1 * rng.normal(size=300))
    grid = np.linspace(0.1, 6.2, 200)[:, None]
    assert np.mean((model.predict(grid) - np.sin(grid[:, 0])) ** 2) < 0.003
    assert model.tree_.n_nodes <= 13


@pytest.mark.parametrize("learner", ["joint", "incremental"])
def test_weights_that_sum_to_one_are_no_fewer_rows(learner: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(256, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1]
    plain, weighed = (SoftTreeRegressor(learner=learner, gate="linear") for _ in range(2))
    plain.fit(X, y)
    weighed.fit(X, y, sample_weight=np.full(256, 1 / 256))
    np.testing.assert_array_equal(weighed.predict(X), plain.predict(X))


def test_categories_and_missing_values() -> None:
    rng = np.random.default_rng(5)
    kind = rng.choice(["a", "b", "c"], 500)
    size = rng.normal(size=500)
    y = np.where(kind == "a", size > 0, kind == "b").astype(int)
    size[rng.random(500) < 0.1] = np.nan
    X = pd.DataFrame({"kind": pd.Categorical(kind), "size": size})
    model = SoftTreeClassifier().fit(X[:350], y[:350])
    assert model.score(X[350:], y[350:]) >= 0.9
    unseen = pd.DataFrame({"kind": pd.Categorical([None, "b"], categories=["a", "b", "c"]), "size": [np.nan, 0.0]})
    assert np.isfinite(model.predict_proba(unseen)).all()


def test_missing_only_at_predict() -> None:
    X, y = load_iris(return_X_y=True)
    assert np.isfinite(SoftTreeClassifier(**QUICK).fit(X, y).predict_proba(np.full((2, 4), np.nan))).all()


def test_many_targets() -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 2))
    Y = np.c_[X[:, 0], np.abs(X[:, 1])]
    model = SoftTreeRegressor().fit(X, Y)
    assert model.predict(X).shape == Y.shape
    assert model.score(X, Y) > 0.95


def test_hardened_rows_take_one_path() -> None:
    X, y = load_iris(return_X_y=True)
    soft = SoftTreeClassifier(**QUICK).fit(X, y)
    hard = soft.harden()
    assert hard.tree_.is_hard
    assert not soft.tree_.is_hard
    assert hard.tree_.n_nodes == soft.tree_.n_nodes
    assert set(np.unique(hard.decision_path(X).toarray())) == {0.0, 1.0}
    assert hard.score(X, y) > 0.9


def test_importance_finds_the_input_that_matters() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 4))
    model = SoftTreeRegressor(**QUICK).fit(X, np.tanh(3 * X[:, 2]))
    for importance in (model.feature_importances_, model.gain_importances_):
        assert importance.sum() == pytest.approx(1.0)
        assert importance[2] > 0.95


def test_inputs_that_count_only_together_are_both_important() -> None:
    X = np.random.default_rng(0).normal(size=(600, 4))
    model = SoftTreeClassifier().fit(X, X[:, 0] * X[:, 1] > 0)
    assert model.score(X, X[:, 0] * X[:, 1] > 0) > 0.97
    assert model.feature_importances_[:2].min() > 0.25
    assert model.feature_importances_[2:].max() < 0.01
    assert model.gain_importances_[:2].sum() > 0.9  # whichever gate is further down has it


@pytest.mark.parametrize("learner", ["joint", "incremental"])
def test_gates_tell_what_they_gain(learner: str) -> None:
    X = np.random.default_rng(0).normal(size=(400, 3))
    tree = SoftTreeRegressor(learner=learner, leaf="constant").fit(X, np.sin(2 * X[:, 0]) + X[:, 1]).tree_
    branch = tree.n_children > 0
    assert branch.any()
    assert np.all(tree.gain[branch] > 0)
    assert not tree.gain[~branch].any()
    assert tree.impurity[0] == pytest.approx(np.var(np.sin(2 * X[:, 0]) + X[:, 1]))


def test_incremental_learner_tells_irises_apart() -> None:
    X, y = load_iris(return_X_y=True)
    assert SoftTreeClassifier(learner="incremental").fit(X, y).score(X, y) > 0.93


def test_pickle_gives_the_same_answers() -> None:
    X, y = load_iris(return_X_y=True)
    model = SoftTreeClassifier(**QUICK).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("gate", "bent", "gate must be one of"),
        ("learner", "slow", "learner must be one of"),
        ("start", "warm", "start must be one of"),
        ("leaf", 3, "leaf must be one of"),
        ("max_leaves", 0, "max_leaves must be"),
        ("weight_penalty", -1.0, "weight_penalty must be 'auto' or a number >= 0, got -1.0"),
        ("weight_penalty", "heavy", "weight_penalty must be 'auto' or a number >= 0, got 'heavy'"),
        ("max_gate_features", 0, "max_gate_features must be"),
    ],
)
def test_options_are_checked(option: str, value: Any, message: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        SoftTreeClassifier(**{option: value}).fit(X, y)


def wave(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.05 * rng.normal(size=n)


def test_warm_start_goes_on_from_the_tree() -> None:
    X, y = wave(600)
    model = SoftTreeRegressor(gate="linear", leaf="constant", weight_penalty=0.001, max_leaves=3, warm_start=True)
    small = model.fit(X[:200], y[:200]).tree_
    larger = model.set_params(max_leaves=8).fit(X, y).tree_
    assert small.n_nodes <= 5 < larger.n_nodes
    assert np.mean((larger.predict(X)[:, 0] - y) ** 2) < np.mean((small.predict(X)[:, 0] - y) ** 2)
    with pytest.raises(ValueError, match="needs the columns and classes"):
        model.fit(X[:, :1], y)


def test_without_early_stopping_trees_reach_their_most_leaves() -> None:
    """Splits without a gain are undone at the end, so a few of the 19 nodes may be missing.

    How early a tree stops depends on the rows, and one of four may never stop: the four are compared together.
    """
    stopped, grown = np.zeros((4, 2)), np.zeros((4, 2))  # nodes, steps of the optimizer
    for seed in range(4):
        X = np.random.default_rng(seed).uniform(-1, 1, (300, 1))
        for sizes, stop in ((stopped, True), (grown, False)):
            model = SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=10, early_stopping=stop)
            model.set_params(weight_penalty=1e-4, n_iter_no_change=1, tol=0.2).fit(X, np.sin(10 * X[:, 0]))
            sizes[seed] = model.tree_.n_nodes, model.n_iter_
    assert grown[:, 0].min() >= 15
    assert np.median(stopped[:, 0]) <= 5
    assert stopped[:, 1].sum() < 0.6 * grown[:, 1].sum()


def test_an_interrupt_keeps_the_best_tree_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = []

    def interrupt(candidate: Any) -> None:
        heard.append(candidate)
        if len(heard) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr("softwood.estimators.soft.shared.search_bar", lambda shown: nullcontext(interrupt))
    X, y = wave(400)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = SoftTreeRegressor(keep_on_interrupt=True).fit(X, y)
    assert len(model.history_) == 4
    assert model.score(X, y) > 0.8
    heard.clear()
    with pytest.raises(KeyboardInterrupt):
        SoftTreeRegressor().fit(X, y)


def test_verbose_shows_what_was_tried(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = wave(100)
    SoftTreeRegressor(verbose=2, weight_penalty=0.01, max_leaves=4).fit(X, y)
    shown = capsys.readouterr().out
    assert "additive gates, constant leaves, 2 inputs, penalty 0.01" in shown
    assert "tried, lowest loss" in shown


@pytest.mark.parametrize("model", [SoftTreeClassifier(), SoftTreeRegressor()])
def test_an_error_in_validation_rows_names_them(model: Any) -> None:
    with pytest.raises(ValueError, match="X_val: X has 2 features"):
        model.fit([[1.0], [2.0], [3.0]], [0, 1, 0], X_val=[[1.0, 2.0]], y_val=[0])
    with pytest.raises(ValueError, match=r"X_val: .*infinity"):
        model.fit([[1.0], [2.0], [3.0]], [0, 1, 0], X_val=[[np.inf]], y_val=[0])


# -- monotone --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"monotonic_cst": [1]}, "monotonic_cst must have one sign for each of 4 features, got 1."),
        ({"monotonic_cst": {"age": 1}}, "monotonic_cst names 'age', which is not a feature"),
        ({"monotonic_cst": {0: 1}, "learner": "incremental"}, "monotonic_cst cannot be combined with learner='incr"),
        ({"monotonic_cst": {0: 1}, "warm_start": True}, "monotonic_cst cannot be combined with warm_start=True"),
        ({"monotonic_cst": {0: 1}}, "monotonic_cst of a soft tree needs at most two classes, got 3"),
    ],
)
def test_monotone_constraints_are_refused_in_words(parameters: dict[str, Any], message: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=re.escape(message)):
        SoftTreeClassifier(**parameters).fit(X, y)


def test_without_constraints_there_is_no_certificate() -> None:
    X, y = load_iris(return_X_y=True)
    free = SoftTreeClassifier(gate="linear", leaf="constant", weight_penalty=0.01)
    assert free.fit(X, y).monotonic_certificate_ is None
    none = SoftTreeRegressor(leaf="constant", weight_penalty=0.1, monotonic_cst=[0, 0, 0, 0]).fit(X, y)
    assert none.monotonic_certificate_ is None
    assert none.tree_ == SoftTreeRegressor(leaf="constant", weight_penalty=0.1).fit(X, y).tree_


@pytest.mark.long
def test_where_constraints_are_true_the_error_is_no_larger() -> None:
    """Sums of curves on 250 rows, six tables; and the proof names the inputs."""
    truth = lambda X: 3 * np.tanh(4 * (X.income - 0.5)) - 2 * X.debts**2 + np.sin(6 * X.age)  # noqa: E731
    how: dict[str, Any] = {"gate": "additive", "leaf": "linear", "max_leaves": 1}
    error = np.zeros(2)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, fresh = (pd.DataFrame(rng.random((n, 3)), columns=["income", "debts", "age"]) for n in (250, 2000))
        y = truth(X) + rng.normal(size=250)
        held = SoftTreeRegressor(monotonic_cst={"income": 1, "debts": -1}, **how).fit(X, y)
        free = SoftTreeRegressor(**how).fit(X, y)
        error += [np.mean((model.predict(fresh) - truth(fresh)) ** 2) for model in (held, free)]
    assert error[0] <= error[1]
    assert held.monotonic_certificate_.signs == {"income": 1, "debts": -1}
    assert str(held.monotonic_certificate_).startswith(
        "proved: the prediction never decreases with income; the prediction"
    )
