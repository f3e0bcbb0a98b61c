"""Statistics of a tree from the rows that arrive: mean predictions and effects of terms, by definition and by law."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from softwood import (
    BuddingTreeClassifier,
    CARTClassifier,
    LinearDiscriminantTreeClassifier,
    MixtureOfExpertsRegressor,
    SoftTreeClassifier,
    SoftTreeRegressor,
    soften,
)
from softwood.kernels.formulas.equation import expand
from softwood.tree import Tree, cut_tree
from softwood.tree.effect import mean_answers, slope_effects, weight_effects
from softwood.tree.gain import Arrivals, Sample
from softwood.tree.harden import harden
from tests.strategies import random_rows, trees

CANCER, IRIS, DIABETES = (load(return_X_y=True) for load in (load_breast_cancer, load_iris, load_diabetes))


@given(trees(), st.integers(0, 10**6))
def test_the_mean_of_the_root_is_the_mean_prediction(tree: Tree, seed: int) -> None:
    X = np.nan_to_num(random_rows(seed, 40), posinf=3.0, neginf=-3.0, nan=np.nan)
    weight = np.random.default_rng(seed).integers(1, 4, len(X)).astype(float)
    mean = mean_answers(tree, expand(tree.basis, X), tree.reach(X) * weight[:, None])
    np.testing.assert_allclose(mean[0], np.average(tree.predict(X), axis=0, weights=weight), rtol=1e-9, atol=1e-12)
    leaf = (tree.n_children == 0) & (tree.slope_row < 0)
    np.testing.assert_array_equal(mean[leaf], tree.answers[leaf])


@pytest.mark.parametrize("leaf", ["constant", "linear"])
@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["two", "three"])
def test_all_rows_answer_the_mean_and_not_an_intercept(leaf: str, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    model = SoftTreeClassifier(gate="linear", leaf=leaf, max_leaves=3).fit(X, y)
    np.testing.assert_allclose(model.tree_.mean[0], model.predict_proba(X).mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(model.tree_.mean[0], np.bincount(y) / len(y), atol=0.02)


def test_regressors_buds_mixtures_and_softened_trees_know_their_means() -> None:
    X, y = DIABETES
    for model in (SoftTreeRegressor(max_leaves=3), MixtureOfExpertsRegressor()):
        tree = model.fit(X, y).tree_
        np.testing.assert_allclose(tree.mean[0], tree.predict(X).mean(axis=0), rtol=1e-9)
    bud = BuddingTreeClassifier().fit(*IRIS)
    np.testing.assert_allclose(bud.tree_.mean[0], bud.predict_proba(IRIS[0]).mean(axis=0), rtol=1e-6)
    hard = CARTClassifier(one_se=False).fit(*CANCER)
    soft = soften(hard, *CANCER).tree_
    np.testing.assert_allclose(soft.mean[0], soft.predict(CANCER[0]).mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(soft.count, soft.reach(CANCER[0]).sum(axis=0), rtol=1e-9)
    assert not np.allclose(soft.count, hard.tree_.count)


def test_a_hardened_tree_has_its_own_counts() -> None:
    soft = SoftTreeClassifier(gate="linear", leaf="constant").fit(*CANCER)
    hard = soft.harden().tree_
    np.testing.assert_allclose(hard.count, hard.reach(CANCER[0]).sum(axis=0))
    assert not np.allclose(hard.count, soft.tree_.count)
    np.testing.assert_allclose(hard.mean[0], hard.predict(CANCER[0]).mean(axis=0), rtol=1e-9)
    bare = harden(soft.tree_)  # without rows nothing is known but how many there were
    assert np.isnan(bare.count[1:]).all()
    assert not bare.mean.size


def contributions(tree: Tree, weight: np.ndarray, column: np.ndarray, X: np.ndarray) -> np.ndarray:
    """What each input adds to a sum, (rows, inputs)."""
    term = expand(tree.basis, X)[:, column] * weight
    return np.stack([term[:, tree.basis.feature[column] == f].sum(axis=1) for f in range(tree.n_features)], axis=1)


def spread(values: np.ndarray, part: np.ndarray) -> np.ndarray:
    mean = np.average(values, axis=0, weights=part)
    return np.sqrt(np.average((values - mean) ** 2, axis=0, weights=part))


@given(trees(smooth=True), st.integers(0, 10**6))
def test_effects_of_an_input_add_up_to_the_spread_of_what_it_adds(tree: Tree, seed: int) -> None:
    X = np.nan_to_num(random_rows(seed, 50), posinf=3.0, neginf=-3.0, nan=np.nan)
    reach = tree.reach(X)
    effect = weight_effects(tree, expand(tree.basis, X), reach)
    for m in np.flatnonzero(tree.weight_begin[1:] > tree.weight_begin[:-1]):
        at = slice(tree.weight_begin[m], tree.weight_begin[m + 1])
        column, part = tree.weight_column[at], reach[:, m] if reach[:, m].any() else np.ones(len(X))
        want = spread(contributions(tree, tree.weight[at], column, X), part)
        got = np.bincount(tree.basis.feature[column], effect[at], tree.n_features)
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-9 * max(1.0, np.abs(tree.weight[at]).max()))


def test_effects_do_not_depend_on_the_unit_of_an_input() -> None:
    X, y = CANCER
    in_metres = X * np.where(np.arange(30) % 2, 1e3, 1e-3)
    one, other = (LinearDiscriminantTreeClassifier().fit(x, y).tree_ for x in (X, in_metres))
    assert len(one.weight_effect) == len(one.weight) > 0
    np.testing.assert_allclose(one.weight_effect, other.weight_effect, rtol=1e-6)


def test_linear_responses_have_effects_too() -> None:
    X, y = DIABETES
    tree = SoftTreeRegressor(gate="linear", leaf="linear", max_leaves=1).fit(X, y).tree_
    assert tree.slope_effect.shape == tree.slope.shape
    want = np.abs(tree.slope[0, :, 0]) * X[:, tree.basis.feature].std(axis=0)
    np.testing.assert_allclose(tree.slope_effect[0, :, 0], want, rtol=1e-9)
    np.testing.assert_allclose(slope_effects(tree, expand(tree.basis, X), tree.reach(X)), tree.slope_effect, rtol=1e-9)


def test_effects_of_very_many_slopes_are_of_a_part_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = DIABETES
    tree = SoftTreeRegressor(leaf="linear", random_state=0).fit(X, y).tree_
    reach, phi = tree.reach(X), expand(tree.basis, X)
    monkeypatch.setattr("softwood.tree.effect.FEWER_ROWS", len(X) // 2)
    every = slope_effects(tree, phi, reach)
    monkeypatch.setattr("softwood.tree.effect.MANY_SUMS", 0)
    np.testing.assert_array_equal(slope_effects(tree, phi, reach), slope_effects(tree, phi[::2], reach[::2]))
    np.testing.assert_allclose(slope_effects(tree, phi, reach).sum(axis=1), every.sum(axis=1), rtol=0.2)


def test_very_many_slopes_are_described_by_the_covariances_of_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).standard_normal((300, 3))
    y = np.sign(X[:, 0]) * X[:, 1] + np.sin(3.0 * X[:, 2])
    tree = SoftTreeRegressor(gate="additive", leaf="linear", max_leaves=3, random_state=0).fit(X, y).tree_
    seen = Arrivals(tree, Sample(X, y[:, None], np.ones(len(X))))
    assert len(tree.slope) > 1
    by_rows, mean, importances = (
        slope_effects(tree, seen.phi, seen.reach),
        mean_answers(tree, seen.phi, seen.reach),
        seen.importances(),
    )
    monkeypatch.setattr("softwood.tree.effect.MANY_SUMS", 0)
    monkeypatch.setattr("softwood.tree.effect.FEWER_ROWS", len(X))
    np.testing.assert_allclose(slope_effects(tree, seen.phi, seen.reach), by_rows, rtol=1e-7, atol=1e-9 * by_rows.max())
    np.testing.assert_allclose(mean_answers(tree, seen.phi, seen.reach), mean, rtol=1e-9)
    np.testing.assert_allclose(seen.importances(), importances, rtol=1e-9)


def test_a_cut_and_a_pickle_keep_them() -> None:
    tree = LinearDiscriminantTreeClassifier(prune=None).fit(*CANCER).tree_
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert again != tree.replace(weight_effect=tree.weight_effect * 2)
    some = cut_tree(tree, np.arange(tree.n_nodes) > 0)
    np.testing.assert_array_equal(some.weight_effect, tree.weight_effect[: len(some.weight)])
    soft = soften(CARTClassifier(prune=None).fit(*IRIS), *IRIS).tree_
    assert soft != soft.replace(mean=())
    cut = cut_tree(soft, np.arange(soft.n_nodes) == 2)
    np.testing.assert_array_equal(cut.mean[2], cut.answers[2])  # a leaf now: it answers itself
    np.testing.assert_array_equal(cut.mean[0], soft.mean[0])


def test_order_and_copies_of_rows_change_nothing() -> None:
    X, y = CANCER
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 3, len(y))
    order = rng.permutation(np.repeat(np.arange(len(y)), weight))
    for make in (
        lambda: SoftTreeClassifier(gate="linear", leaf="linear", max_leaves=2),
        LinearDiscriminantTreeClassifier,
    ):
        assert make().fit(X, y, sample_weight=weight).tree_ == make().fit(X[order], y[order]).tree_
