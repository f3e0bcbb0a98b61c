"""Mixtures of experts: EM increases the likelihood, the Tree is the mixture, scikit-learn's checks pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge

from softwood import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from softwood.learners.mixture.em import MixtureRows, expect, maximise
from softwood.learners.mixture.shape import MixtureShape
from softwood.learners.mixture.start import draw_start
from tests.estimators.sklearn_checks import parametrize_with_checks

QUICK = {"max_iter": 15, "n_init": 2, "depth": 1}


@parametrize_with_checks(
    [
        MixtureOfExpertsClassifier(**QUICK),
        MixtureOfExpertsClassifier(learner="joint", branching=3, **QUICK),
        MixtureOfExpertsRegressor(**QUICK),
        MixtureOfExpertsRegressor(learner="joint", **QUICK),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(("depth", "branching", "n_classes"), [(1, 2, 0), (2, 2, 0), (2, 3, 0), (1, 2, 3), (2, 3, 4)])
def test_a_shape_has_every_expert_and_every_class_once(depth: int, branching: int, n_classes: int) -> None:
    shape = MixtureShape.make(depth, branching, n_classes)
    experts = branching**depth
    assert len(shape.leaves) == experts * max(n_classes, 1)
    assert len(shape.gating) == experts - 1
    assert sorted(set(shape.expert[shape.leaves].tolist())) == list(range(experts))
    for expert in range(experts if n_classes else 0):
        assert sorted(shape.label[(shape.expert == expert) & (shape.first_child < 0)].tolist()) == list(
            range(n_classes)
        )


@pytest.mark.parametrize("seed", range(6))
def test_no_step_of_em_lowers_the_likelihood(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, classes = 80, int(rng.integers(0, 4)) if seed % 2 else 0
    classes = 0 if classes == 1 else classes
    phi = np.column_stack([rng.normal(size=(n, 3)), np.ones(n)])
    target = rng.integers(0, classes, n) if classes else rng.normal(size=(n, 2)) + np.abs(phi[:, :2])
    rows = MixtureRows(phi, target, rng.random(n) + 0.1, float(rng.choice([0.0, 0.5])))
    shape = MixtureShape.make(2, int(rng.integers(2, 4)), classes)
    mixture = draw_start(shape, rows, 0 if classes else 2, rng)
    value, posterior = expect(mixture, rows)
    for _ in range(15):
        np.testing.assert_allclose(posterior[:, shape.leaves].sum(axis=1), 1.0)
        mixture = maximise(mixture, rows, posterior)
        before, (value, posterior) = value, expect(mixture, rows)
        assert value >= before - 1e-7 * abs(before)


def test_the_history_never_falls() -> None:
    X, y = load_iris(return_X_y=True)
    for model in (MixtureOfExpertsClassifier(depth=1).fit(X, y), MixtureOfExpertsRegressor().fit(X[:, :3], X[:, 3])):
        assert np.diff(model.log_likelihood_).min() >= -1e-7 * abs(model.log_likelihood_[0])
        assert model.log_likelihood_[-1] > model.log_likelihood_[0]


def test_one_expert_is_a_regression() -> None:
    X, y = load_iris(return_X_y=True)
    two = y < 2
    ours = MixtureOfExpertsClassifier(depth=0, weight_penalty=0.01, tol=1e-12).fit(X[two], y[two])
    Z = (X[two] - X[two].mean(axis=0)) / X[two].std(axis=0)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(Z, y[two])  # 100 rows * 0.01 = 1 / C
    np.testing.assert_allclose(ours.predict_proba(X[two]), theirs.predict_proba(Z), atol=2e-3)
    line = MixtureOfExpertsRegressor(depth=0, weight_penalty=0.01).fit(X[:, :3], X[:, 3])
    Z, t = (X[:, :3] - X[:, :3].mean(axis=0)) / X[:, :3].std(axis=0), X[:, 3]
    np.testing.assert_allclose(line.predict(X[:, :3]), Ridge(alpha=1.5).fit(Z, t).predict(Z), atol=1e-6)


def test_experts_divide_what_no_line_can_fit() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (400, 1))
    y = np.where(x[:, 0] < 0, -2 * x[:, 0], 3 * x[:, 0]) + 0.05 * rng.normal(size=400)
    for learner in ("em", "joint"):
        model = MixtureOfExpertsRegressor(depth=1, learner=learner).fit(x[:300], y[:300])
        assert model.score(x[300:], y[300:]) > 0.97
        assert model.tree_.n_nodes == 3
        assert (model.tree_.slope_row[1:] >= 0).all()


def test_xor_takes_two_experts() -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (500, 2))
    y = X[:, 0] * X[:, 1] > 0
    for learner in ("em", "joint"):
        assert MixtureOfExpertsClassifier(depth=1, learner=learner).fit(X[:350], y[:350]).score(X[350:], y[350:]) > 0.93


def test_class_probabilities_are_reaches() -> None:
    X, y = load_iris(return_X_y=True)
    model = MixtureOfExpertsClassifier(depth=1, branching=3).fit(X, y)
    tree, chance = model.tree_, model.predict_proba(X)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    leaf = tree.n_children == 0
    np.testing.assert_allclose(tree.reach(X)[:, leaf] @ tree.response[leaf], chance)
    assert np.isin(tree.response[leaf], (0.0, 1.0)).all()
    assert model.score(X, y) > 0.95


def test_weight_two_is_a_row_twice_and_order_is_nothing() -> None:
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    twice = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weight))
    one = MixtureOfExpertsClassifier(**QUICK).fit(X, y, sample_weight=weight).tree_
    assert one == MixtureOfExpertsClassifier(n_jobs=2, **QUICK).fit(X[twice], y[twice]).tree_


def test_categories_missing_values_and_targets() -> None:
    rng = np.random.default_rng(5)
    kind, size = rng.choice(["a", "b"], 300), rng.normal(size=300)
    Y = np.c_[np.where(kind == "a", size, -size), size]
    size = np.where(rng.random(300) < 0.1, np.nan, size)
    X = pd.DataFrame({"kind": pd.Categorical(kind), "size": size})
    model = MixtureOfExpertsRegressor(depth=1).fit(X, Y)
    known = ~np.isnan(size)
    assert model.predict(X).shape == Y.shape
    assert model.score(X[known], Y[known]) > 0.9
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert MixtureOfExpertsClassifier().fit([[0.0], [1.0]], ["a", "a"]).predict([[3.0]]).tolist() == ["a"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": -1}, "depth must be an integer >= 0"),
        ({"branching": 1}, "branching must be an integer >= 2"),
        ({"depth": 5, "branching": 10}, "make 100000 experts; the maximum is 256"),
        ({"learner": "mcmc"}, "learner must be one of 'em', 'joint'"),
        ({"weight_penalty": "none"}, "weight_penalty must be 'auto' or a number"),
        ({"n_init": 0}, "n_init must be an integer >= 1"),
        ({"tol": -1.0}, "tol must be a number >= 0"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MixtureOfExpertsClassifier(**options).fit([[0.0], [1.0]], [0, 1])
