"""Omnivariate trees: the right gate at each node, also printed; scikit-learn's checks; soft trees from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from softwood import OmnivariateTreeClassifier, OmnivariateTreeRegressor, to_text
from softwood.kernels.kinds import Score, Squash
from softwood.tree import cut_tree
from softwood.tree.harden import harden
from tests.estimators.sklearn_checks import parametrize_with_checks


@parametrize_with_checks(
    [
        OmnivariateTreeClassifier(candidates=["threshold", "linear"]),
        OmnivariateTreeClassifier(select="aic", candidates=["linear", "mlp"], soft=True),
        OmnivariateTreeRegressor(select="validation"),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def planes(n: int = 300) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, 3))


X = planes()
SHAPES = {"threshold": X[:, 1] > 0.2, "linear": X @ [1.0, 1.0, -1.0] > 0.2, "quadratic": np.sum(X**2, axis=1) < 2.4}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("select", ["f_test", "aic", "bic", "validation"])
def test_the_simplest_gate_that_fits_wins(kind: str, select: str) -> None:
    """For any seed; with a single held-out part, a richer gate may sometimes win by chance."""
    chosen = []
    for seed in range(5):
        model = OmnivariateTreeClassifier(select=select, max_depth=1, random_state=seed).fit(X, SHAPES[kind])
        chosen.append(model.tree_.note[0].split(",")[0])
        assert model.score(X, SHAPES[kind]) > 0.93
    assert chosen.count(kind) >= (4 if select == "validation" else 5)


def test_the_printed_tree_says_who_won_and_by_what() -> None:
    model = OmnivariateTreeClassifier().fit(X, SHAPES["linear"])
    assert model.tree_.note[0].startswith("linear, p = ")
    assert "linear, p = " in to_text(model)
    assert "[linear, p = " in str(model.tree_)
    p = float(model.tree_.note[0].split("p = ")[1].split()[0])
    assert 0.0 <= p <= 1.0
    against = model.tree_.note[0].rsplit(" ", 1)[1]
    assert (p < 0.05) == (against == "threshold")  # a simpler gate was refuted, a richer one is no better


def test_alpha_decides_how_much_a_simpler_gate_may_lose() -> None:
    strict = OmnivariateTreeClassifier(alpha=0.0, max_depth=1).fit(X, SHAPES["linear"])
    assert strict.tree_.score[0] == Score.THRESHOLD  # no p-value is below 0: the simplest always stays


def test_a_perceptron_sees_what_single_gates_do_not() -> None:
    rng = np.random.default_rng(1)
    Z = rng.uniform(-1, 1, (500, 2))
    y = Z[:, 0] * Z[:, 1] > 0
    model = OmnivariateTreeClassifier(candidates=["threshold", "linear", "mlp"], max_depth=2).fit(Z[:350], y[:350])
    assert model.tree_.note[0].startswith("mlp, p = ")
    assert model.tree_.n_nodes == 7
    assert model.score(Z[350:], y[350:]) > 0.9


def test_noise_is_not_split() -> None:
    y = np.random.default_rng(2).integers(0, 2, 300)
    assert OmnivariateTreeClassifier().fit(X, y).tree_.n_nodes <= 3
    assert OmnivariateTreeClassifier(prune=None, select="aic").fit(X, y).tree_.n_nodes > 50


def test_soft_gates_keep_the_structure_and_answer_no_worse() -> None:
    hard = OmnivariateTreeClassifier().fit(X[:200], SHAPES["linear"][:200])
    soft = OmnivariateTreeClassifier(soft=True).fit(X[:200], SHAPES["linear"][:200])
    np.testing.assert_array_equal(hard.tree_.first_child, soft.tree_.first_child)
    assert hard.tree_.note == soft.tree_.note
    assert (soft.tree_.squash[soft.tree_.n_children > 0] == Squash.SIGMOID).all()
    held, truth = X[200:], SHAPES["linear"][200:]
    chance = [model.predict_proba(held)[np.arange(100), truth.astype(int)] for model in (hard, soft)]
    assert np.mean((1 - chance[1]) ** 2) <= np.mean((1 - chance[0]) ** 2) + 0.01
    assert soft.feature_importances_.sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match="prune_to needs a hard tree"):
        soft.prune_to(n_leaves=1)


@pytest.mark.parametrize("kind", [OmnivariateTreeClassifier, OmnivariateTreeRegressor])
def test_soft_gates_start_as_the_hard_ones_with_every_kind(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an iteration of the refinement the larger share of every row goes where the hard gate sends it."""
    rng = np.random.default_rng(3)
    level = rng.choice(["a", "b", "c"], 400)
    frame = pd.DataFrame({"level": pd.Categorical(level), "u": rng.normal(size=400), "v": rng.normal(size=400)})
    y = np.where(level == "a", frame.u > 0, frame.u + frame.v < 0.5).astype(int)
    hard = kind(prune=None, max_depth=3).fit(frame, y)
    monkeypatch.setattr("softwood.learners.oblique.soften.MAX_ITER", 0)
    soft = kind(prune=None, max_depth=3, soft=True).fit(frame, y)
    kinds = {type(hard.tree_.gate(m)).__name__ for m in np.flatnonzero(hard.tree_.n_children)}
    assert len(kinds) > 1
    rows = np.c_[frame.level.cat.codes, frame.u, frame.v].astype(float)
    np.testing.assert_array_equal(harden(soft.tree_).apply(rows), hard.tree_.apply(rows))


def test_soft_gates_find_their_columns_whatever_classes_weigh() -> None:
    """With very many levels, the most frequent ones depend on the weights of classes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": pd.Categorical(rng.integers(0, 600, 1500).astype(str))})
    X["one"], X["other"] = rng.normal(size=1500), rng.normal(size=1500)
    y = (X["one"] + X["other"] + 0.3 * rng.normal(size=1500) > 1).astype(int)
    assert OmnivariateTreeClassifier(soft=True, class_weight="balanced").fit(X, y).score(X, y) > 0.9


def test_regression_with_several_targets() -> None:
    Y = np.c_[X[:, 0] > 0, X[:, 0] > 1].astype(float)
    model = OmnivariateTreeRegressor().fit(X, Y)
    assert model.predict(X).shape == Y.shape
    assert model.score(X, Y) > 0.9
    assert model.tree_.note[0].startswith("threshold")


def test_weight_two_is_a_row_twice_and_order_is_nothing() -> None:
    A, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    twice = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weight))
    one = OmnivariateTreeClassifier().fit(A, y, sample_weight=weight).tree_
    assert one == OmnivariateTreeClassifier(n_jobs=2).fit(A[twice], y[twice]).tree_


def test_notes_follow_their_branches() -> None:
    A, y = load_iris(return_X_y=True)
    tree = OmnivariateTreeClassifier(prune=None).fit(A, y).tree_
    cut = cut_tree(tree, np.arange(tree.n_nodes) == 2)
    assert cut.note[0] == tree.note[0]
    assert [bool(text) for text in cut.note] == (cut.n_children > 0).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"candidates": "linear"}, "candidates must be a list of kinds among threshold, linear"),
        ({"candidates": []}, "candidates must be a list"),
        ({"candidates": ["linear", "cubic"]}, "candidates must be one of 'threshold'"),
        ({"select": "t_test"}, "select must be one of"),
        ({"alpha": 5}, "alpha must be at most 1"),
        ({"soft": 1}, "soft must be True or False"),
        ({"prune": "test"}, "prune must be one of 'prepruning', 'cv'"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OmnivariateTreeClassifier(**options).fit(X, SHAPES["linear"])
