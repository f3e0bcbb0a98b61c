"""The incremental learner: its inner loop by the formulas, and the paper's toy."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from softwood import CARTRegressor, SoftTreeRegressor
from softwood.kernels import _native
from softwood.kernels.kinds import Loss
from softwood.kernels.reference.descend import descend
from softwood.learners.soft.incremental import Incremental, learn_incremental
from softwood.learners.soft.rows.dataset import Dataset
from softwood.tree import Schema


@pytest.mark.parametrize("trials", [1, 8, 11])
@pytest.mark.parametrize(("loss", "outputs"), [(Loss.SQUARED, 2), (Loss.LOGISTIC, 1), (Loss.SOFTMAX, 3)])
def test_native_equals_reference(loss: Loss, outputs: int, trials: int) -> None:
    rng = np.random.default_rng(0)
    target = np.eye(3)[rng.integers(0, 3, 50)][:, :outputs]
    rows = (rng.normal(size=(50, 4)), np.ascontiguousarray(target), rng.random(50))
    seen = (rng.normal(size=(50, outputs)), np.where(rng.random(50) < 0.2, 1e-7, rng.random(50)), int(loss.kind))
    split, step = rng.normal(size=(trials, 5 + 2 * outputs)), rng.uniform(0.01, 0.2, trials)
    order = np.stack([rng.permutation(50) for _ in range(3)])
    theirs = descend(*rows, *seen, split, order, step, 0.1, 0.999)
    for n_threads in (1, 2):
        ours = _native.descend(*rows, *seen, split, order, step, 0.1, 0.999, n_threads)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def sinusoid(n: int, seed: int, periods: int = 1) -> Dataset:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 2 * np.pi * periods, (n, 1))
    return Dataset(x, np.sin(x) + 0.1 * rng.normal(size=(n, 1)), np.ones(n), [0], Loss.SQUARED)


GRID = np.linspace(0.1, 6.2, 300)[:, None]


def test_a_sinusoid_needs_few_nodes() -> None:
    """The paper's toy (a hard tree of 37 nodes, a soft one of 7), on twelve tables (on 36: 8.8 nodes)."""
    found = []
    for seed in range(12):
        rows = sinusoid(200, seed)
        how = Incremental(least_gain=0.004)
        tree = learn_incremental(rows, Schema.plain(1, 1), how, sinusoid(200, 100 + seed)).tree
        error = np.mean((tree.output(GRID) - np.sin(GRID)) ** 2)
        assert error < 0.012
        found.append((error, tree.n_nodes, nodes_of_cart(rows, error)))
    error, nodes, hard_nodes = np.mean(found, axis=0)
    assert error < 0.01
    assert nodes <= 9
    assert hard_nodes >= 25


def nodes_of_cart(rows: Dataset, error: float) -> int:
    """How many nodes CART needs to be as good; 61 if 60 do not do."""
    for leaves in range(2, 31):
        model = CARTRegressor(max_leaves=leaves, prune=None).fit(rows.X, rows.target[:, 0])
        if np.mean((model.predict(GRID) - np.sin(GRID[:, 0])) ** 2) <= error:
            return 2 * leaves - 1
    return 61


@pytest.mark.parametrize("seed", range(6))
def test_two_periods_are_found(seed: int) -> None:
    """A gate wider than a period gains nothing; one with a large start slope does."""
    rows, valid = (sinusoid(200, seed + one, periods=2) for one in (0, 100))
    tree = learn_incremental(rows, Schema.plain(1, 1), Incremental(), valid).tree
    assert np.mean((tree.output(2 * GRID) - np.sin(2 * GRID)) ** 2) < 0.02


def test_rows_are_parted_as_in_a_fold_and_a_heavy_row_goes_both_ways() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(23, 2)), (rng.random((23, 1)) < 0.5).astype(float)
    alike = Dataset(X, y, np.ones(23), [0, 0], Loss.LOGISTIC).in_order(0)
    train, valid = alike.parted()
    out = alike.held_out()[0] > 0
    np.testing.assert_array_equal(valid.X, alike.X[out])
    np.testing.assert_array_equal(train.X, alike.X[~out])
    heavy = Dataset(X, y, np.r_[np.full(3, 40.0), np.ones(20)], [0, 0], Loss.LOGISTIC).in_order(0)
    train, valid = heavy.parted()
    assert train.total_weight + valid.total_weight == 140.0
    assert abs(valid.total_weight - 28.0) <= 1.0
    assert np.sum(valid.weight > 1) == np.sum(train.weight > 1) == 3


def test_few_rows_that_are_many_times_there_are_no_luck() -> None:
    """Three blobs on a grid of 34 places: a fifth of the places would be useless for the others."""
    X, label = make_blobs(n_samples=300, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X = np.round(X - X.min())
    dataset = Dataset(X, np.eye(3)[label], np.ones(300), [0, 0], Loss.SOFTMAX)
    for seed in range(8):
        tree = learn_incremental(dataset, Schema.plain(2, 3), Incremental(seed=seed), None).tree
        assert np.mean(tree.output(X).argmax(axis=1) == label) > 0.9


def test_random_start_learns_two_groups() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    y = (X.sum(axis=1) > 0).astype(float)[:, None]
    dataset = Dataset(X, y, np.ones(200), [0, 0], Loss.LOGISTIC)
    tree = learn_incremental(dataset, Schema.plain(2, 2, "classification"), Incremental(start="random"), None).tree
    assert np.mean((tree.output(X) > 0) == y) > 0.95


@pytest.mark.parametrize("seed", [0, 6])
def test_a_tree_has_no_more_leaves_than_there_are_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 20))
    y = X[:, 0] * X[:, 1] + rng.normal(size=50)
    model = SoftTreeRegressor(learner="incremental", tol=0.0).fit(X, y)
    assert 5 < model.tree_.n_leaves <= 50  # without a bound it went on for hundreds
