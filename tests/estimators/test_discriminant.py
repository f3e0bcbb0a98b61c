"""Linear discriminant trees: scikit-learn's checks and the public API."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from softwood import LinearDiscriminantTreeClassifier, LinearDiscriminantTreeRegressor, to_text
from softwood.kernels.kinds import Score
from tests.estimators.sklearn_checks import parametrize_with_checks


@parametrize_with_checks(
    [
        LinearDiscriminantTreeClassifier(cv=3),
        LinearDiscriminantTreeClassifier(shrinkage=0, threshold="gain", univariate=True, cv=3),
        LinearDiscriminantTreeRegressor(cv=3),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def oblique(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(seed).normal(size=(n, 4))
    return X, (X @ [1.0, -2.0, 0.5, 0.0] > 0.3).astype(int)


def test_an_oblique_boundary_takes_one_gate() -> None:
    X, y = oblique(600, 0)
    model = LinearDiscriminantTreeClassifier().fit(X[:400], y[:400])
    assert model.tree_.n_nodes == 3
    assert model.score(X[400:], y[400:]) > 0.95
    assert model.tree_.score[0] == Score.LINEAR
    assert model.tree_.is_hard
    assert "·x1" in to_text(model)


def test_a_regression_cuts_along_its_direction() -> None:
    X, _ = oblique(600, 1)
    y = np.tanh(4 * (X @ [1.0, -2.0, 0.5, 0.0]))
    model = LinearDiscriminantTreeRegressor(min_samples_leaf=10, cv=3).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.85
    assert model.feature_importances_[1] == model.feature_importances_.max()
    two = LinearDiscriminantTreeRegressor(min_samples_leaf=10, cv=3).fit(X, np.c_[y, 2 * y])
    assert two.predict(X).shape == (600, 2)
    np.testing.assert_allclose(two.tree_.response[:, 1], 2 * two.tree_.response[:, 0], atol=1e-9)


def test_numbers_of_a_node_are_in_the_users_units() -> None:
    X, _ = oblique(200, 2)
    y = 1000.0 * (X[:, 0] > 0)
    tree = LinearDiscriminantTreeRegressor(prune=None).fit(X, y).tree_
    assert tree.impurity[0] == pytest.approx(y.var())
    assert tree.response[0, 0] == pytest.approx(y.mean())
    assert tree.gain.sum() == pytest.approx(tree.impurity[0] * 200)  # grown until nothing is left
    np.testing.assert_allclose(tree.count, tree.reach(X).sum(axis=0))


def test_units_of_the_target_do_not_matter() -> None:
    X, _ = oblique(150, 7)
    y = X[:, 0] - X[:, 1]
    trees = [LinearDiscriminantTreeRegressor(cv=3).fit(X, y * unit).tree_ for unit in (1.0, 2.0**-40, 2.0**40)]
    assert len({tree.n_nodes for tree in trees}) == 1
    np.testing.assert_allclose(trees[1].response * 2.0**40, trees[0].response)


def test_weight_two_is_a_row_twice_and_order_is_nothing() -> None:
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    twice = np.repeat(np.arange(len(y)), weight)
    mixed = np.random.default_rng(1).permutation(twice)
    trees = [
        LinearDiscriminantTreeClassifier(cv=4).fit(X, y, sample_weight=weight).tree_,
        LinearDiscriminantTreeClassifier(cv=4).fit(X[twice], y[twice]).tree_,
        LinearDiscriminantTreeClassifier(cv=4, n_jobs=3).fit(X[mixed], y[mixed]).tree_,
    ]
    assert trees[0] == trees[1]
    assert trees[0] == trees[2]


def test_units_of_inputs_do_not_matter() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    scale = 10.0 ** np.random.default_rng(0).integers(-6, 7, X.shape[1])
    plain, scaled = (LinearDiscriminantTreeClassifier(cv=3).fit(Z, y).predict(Z) for Z in (X, X * scale))
    assert np.mean(plain == scaled) > 0.995


def test_priors_and_costs_move_the_gates() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    plain = LinearDiscriminantTreeClassifier(max_depth=1, prune=None).fit(X, y)
    rare = LinearDiscriminantTreeClassifier(max_depth=1, prune=None, priors=[0.02, 0.98]).fit(X, y)
    dear = LinearDiscriminantTreeClassifier(max_depth=1, prune=None, costs={(0, 1): 50.0}).fit(X, y)
    mistaken = [int(np.sum(model.predict(X)[y == 0] == 1)) for model in (rare, plain, dear)]
    assert mistaken == sorted(mistaken, reverse=True)
    assert mistaken[0] > mistaken[2]
    np.testing.assert_allclose(rare.tree_.response[0], [0.02, 0.98])


def test_categories_and_missing_values() -> None:
    rng = np.random.default_rng(5)
    kind, size = rng.choice(["a", "b", "c"], 500), rng.normal(size=500)
    y = (size + np.where(kind == "a", 1.5, 0.0) > 0.5).astype(int)
    size[rng.random(500) < 0.1] = np.nan
    X = pd.DataFrame({"kind": pd.Categorical(kind), "size": size})
    model = LinearDiscriminantTreeClassifier().fit(X[:350], y[:350])
    assert model.score(X[350:], y[350:]) >= 0.85
    assert "[kind = a]" in to_text(model)
    unseen = pd.DataFrame({"kind": pd.Categorical([None, "b"], categories=["a", "b", "c"]), "size": [np.nan, 0.0]})
    assert np.isfinite(model.predict_proba(unseen)).all()


def test_a_univariate_question_wins_where_it_is_enough() -> None:
    X, _ = oblique(300, 3)
    y = X[:, 2] > 0.1
    tree = LinearDiscriminantTreeClassifier(univariate=True).fit(X, y).tree_
    assert tree.n_nodes == 3
    assert tree.score[0] == Score.THRESHOLD
    assert tree.feature[0] == 2


def test_sizes_are_chosen_as_carts_are() -> None:
    X, y = oblique(400, 4)
    y = np.where(np.random.default_rng(4).random(400) < 0.15, 1 - y, y)
    full = LinearDiscriminantTreeClassifier(prune=None).fit(X, y)
    pruned = LinearDiscriminantTreeClassifier(cv=5).fit(X, y)
    assert pruned.get_n_leaves() < full.get_n_leaves() / 3
    assert full.prune_to(n_leaves=2).get_n_leaves() == 2
    held = LinearDiscriminantTreeClassifier(prune="reduced_error").fit(X[:250], y[:250], X_val=X[250:], y_val=y[250:])
    assert held.get_n_leaves() < full.get_n_leaves()
    with pytest.raises(ValueError, match="needs validation rows"):
        LinearDiscriminantTreeClassifier(prune="validation").fit(X, y)


def test_pickle_and_importance() -> None:
    X, y = oblique(300, 6)
    model = LinearDiscriminantTreeClassifier().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.argmax() == 1


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("criterion", "variance", "criterion must be one of"),
        ("threshold", "middle", "threshold must be one of"),
        ("shrinkage", "much", "shrinkage must be 'auto' or a number"),
        ("shrinkage", -1.0, "shrinkage must be 'auto' or a number >= 0"),
        ("univariate", 1, "univariate must be True or False"),
        ("max_depth", -1, "max_depth must be"),
        ("min_samples_leaf", 0, "min_samples_leaf must be"),
        ("prune", "late", "prune must be one of"),
    ],
)
def test_options_are_checked(option: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LinearDiscriminantTreeClassifier(**{option: value}).fit([[0.0], [1.0]], [0, 1])


def test_a_linear_gate_of_numbers_pays_for_its_weights() -> None:
    """AIC: a sum of inputs is not chosen because of noise columns if one input is enough; a true sum is chosen."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 12))
    step = (X[:, 3] > 0.2) + 0.3 * rng.normal(size=120)
    tree = LinearDiscriminantTreeRegressor(prune=None, max_depth=1).fit(X, step).tree_
    assert (tree.score[0], tree.feature[0]) == (Score.THRESHOLD, 3)
    slope = X.sum(axis=1) + 0.3 * rng.normal(size=120)
    assert LinearDiscriminantTreeRegressor(prune=None, max_depth=1).fit(X, slope).tree_.score[0] == Score.LINEAR
    alone = LinearDiscriminantTreeRegressor(prune=None, max_depth=1, univariate=False).fit(X, step)
    assert alone.tree_.score[0] == Score.LINEAR
