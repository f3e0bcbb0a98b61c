"""`smoothing=`: probabilities of hard leaves are shrunk to a prior; classes, pruning and all else stay the same."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

import softwood
from softwood import (
    C45Classifier,
    CARTClassifier,
    LinearDiscriminantTreeClassifier,
    OmnivariateTreeClassifier,
)
from softwood.kernels.arithmetic import matmul
from softwood.learners.hard.smoothing import pull_to

KINDS = [CARTClassifier, C45Classifier, LinearDiscriminantTreeClassifier, OmnivariateTreeClassifier]
WAYS = ["laplace", "m_estimate", 0.3, 7]


def noisy(seed: int = 0, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(rng.random(n) < 0.2, rng.choice(3, n, p=[0.8, 0.15, 0.05]), (X[:, 0] + X[:, 1] > 0.8).astype(int))
    return X, y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_classes_and_gates_stay(kind, way):
    X, y = noisy()
    plain, smooth = kind().fit(X, y), kind(smoothing=way).fit(X, y)
    new = np.random.default_rng(1).normal(size=(2_000, 4))
    assert np.array_equal(plain.predict(new), smooth.predict(new))
    assert np.array_equal(plain.apply(new), smooth.apply(new))
    assert np.array_equal(plain.tree_.threshold, smooth.tree_.threshold, equal_nan=True)
    p = smooth.predict_proba(new)
    assert p.min() > 0.0
    assert np.allclose(p.sum(axis=1), 1.0)


def test_laplace_counts_one_more_row_of_each_class():
    X, y = noisy()
    model = CARTClassifier(smoothing="laplace", prune=None, max_depth=4).fit(X, y)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        count = np.bincount(y[leaf == node], minlength=3)
        assert np.allclose(model.tree_.response[node], (count + 1) / (count.sum() + 3))


def test_an_m_estimate_counts_m_rows_with_the_shares_of_all():
    X, y = noisy()
    model = CARTClassifier(smoothing=1e-3, prune=None, max_depth=3).fit(X, y)
    leaf, prior = model.apply(X), np.bincount(y) / len(y)
    for node in np.unique(leaf):
        count = np.bincount(y[leaf == node], minlength=3)
        assert np.allclose(model.tree_.response[node], (count + 1e-3 * prior) / (count.sum() + 1e-3))


def test_costs_choose_the_same_classes():
    X, y = noisy()
    costs = [[0, 1, 1], [7, 0, 1], [9, 2, 0]]
    for way in WAYS:
        plain, smooth = (CARTClassifier(costs=costs, smoothing=s, prune=None).fit(X, y) for s in (None, way))
        new = np.random.default_rng(1).normal(size=(2_000, 4))
        assert np.array_equal(plain.predict(new), smooth.predict(new))


def test_the_class_stays_for_any_shares_priors_and_costs():
    rng = np.random.default_rng(0)
    for _ in range(300):
        k = int(rng.integers(2, 6))
        share = rng.integers(0, 4, (20, k)) + np.eye(k)[rng.integers(0, k, 20)]  # many ties and zeros
        share = share / share.sum(axis=1, keepdims=True)
        prior = rng.dirichlet(np.ones(k))
        costs = None if rng.random() < 0.5 else rng.integers(0, 9, (k, k)) * (1 - np.eye(k))
        answer, part = pull_to(share, prior, rng.random(20), costs)
        merit = (lambda p: p) if costs is None else (lambda p, c=costs: -matmul(p, c))  # as classes are chosen
        assert np.array_equal(merit(answer).argmax(axis=1), merit(share).argmax(axis=1))
        assert np.all((part >= 0) & (part <= 1))


def test_other_sizes_and_files_are_smoothed_too(tmp_path):
    X, y = noisy()
    model = CARTClassifier(smoothing="laplace", one_se=False).fit(X, y)
    for n_leaves in (1, 2, 5):
        assert model.prune_to(n_leaves=n_leaves).predict_proba(X).min() > 0.0
    softwood.save(model, tmp_path / "m.softwood")
    again = softwood.load(tmp_path / "m.softwood")
    assert again.smoothing == "laplace"
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_sets_of_classes_are_made_of_smoothed_probabilities():
    X, y = noisy(n=900)
    model = CARTClassifier(smoothing="laplace").fit(X, y)
    new, truth = noisy(5, n=2_000)
    held = model.predict_set(new, coverage=0.9)
    assert held[np.arange(len(truth)), truth].mean() > 0.86


def test_a_weight_of_two_is_a_row_twice():
    X, y = noisy(n=80)
    twice = CARTClassifier(smoothing="m_estimate").fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    weighted = CARTClassifier(smoothing="m_estimate").fit(X, y, sample_weight=np.full(80, 2.0))
    assert np.array_equal(twice.predict_proba(X), weighted.predict_proba(X))


def test_batches_are_smoothed_alike():
    X, y = noisy()
    model = CARTClassifier(smoothing="laplace", engine="batches", missing="direction", prune=None, max_leaves=8)
    leaf = model.fit(X, y).apply(X)
    for node in np.unique(leaf):
        count = np.bincount(y[leaf == node], minlength=3)
        assert np.allclose(model.tree_.response[node], (count + 1) / (count.sum() + 3))


def test_log_loss_falls_on_breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    before, after = (
        log_loss(y, cross_val_predict(CARTClassifier(smoothing=way), X, y, cv=5, method="predict_proba"))
        for way in (None, "laplace")
    )
    assert after < 0.5 * before


@pytest.mark.parametrize("way", ["none", 0, -1, "m-estimate", True, float("nan"), [1]])
def test_what_it_cannot_be_is_refused(way):
    with pytest.raises(ValueError, match="smoothing must be"):
        CARTClassifier(smoothing=way).fit(*load_iris(return_X_y=True))


def test_what_it_cannot_be_joined_with_is_said():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="monotonic_cst"):
        CARTClassifier(smoothing="laplace", monotonic_cst=[1, 0, 0, 0]).fit(X, y)
    with pytest.raises(ValueError, match="soft=True"):
        OmnivariateTreeClassifier(smoothing="laplace", soft=True).fit(X, y)
