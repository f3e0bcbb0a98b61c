"""The sample for the search, and training rows on a PyTorch device."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss, class_loss
from softwood.kernels.row_hash import hash_rows
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.learn import learn_joint_from
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.training import training_rows
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.tree import Schema


def table(rows: int, distinct: int | None, weight: float = 1.0) -> Dataset:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(distinct or rows, 3))
    X = X[rng.integers(0, distinct, rows)] if distinct else X
    y = np.tanh(2 * X[:, :1]) + rng.integers(0, 2, (rows, 1))
    return Dataset(X, y, weight * rng.integers(0, 3, rows), [0, 0, 0], Loss.SQUARED)


@pytest.mark.parametrize("n", [1, 50, 700, 10_000])
@pytest.mark.parametrize("distinct", [40, None])
def test_the_first_rows_in_order_are_those_of_all_rows_in_order(distinct: int | None, n: int) -> None:
    dataset = table(3000, distinct)
    first, whole = dataset.first_in_order(n, seed=3), dataset.in_order(3).head(n)
    for name in ("X", "target", "weight"):
        np.testing.assert_array_equal(getattr(first, name), getattr(whole, name))


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample of 400 rows; more are too many to be put in order."""
    monkeypatch.setattr(training_rows, "SAMPLE_ROWS", 400)


@pytest.mark.parametrize("rows", [300, 2000])
def test_a_device_learns_the_tree_of_memory(few_are_many: None, rows: int) -> None:
    """From the same sample, and all rows by the same sums; after some twenty iterations rounding is still small."""
    dataset = table(rows, None)
    how = JointOptions("linear", "constant", max_leaves=4, penalty=1e-3, max_iter=20, single=False)
    kept = TrainingRows.in_memory(dataset, 0, single=False), TrainingRows.on_device(dataset, 0, "cpu", single=False)
    for here, there in ((kept[0].sample.X, kept[1].sample.X), (kept[0].sample.target, kept[1].sample.target)):
        np.testing.assert_array_equal(here, there)
    assert kept[0].are_sampled == kept[1].are_sampled == (rows > 400)
    memory, device = (learn_joint_from(one, Schema.plain(3, 1), how, None).tree for one in kept)
    assert memory.n_nodes > 1
    np.testing.assert_array_equal(device.first_child, memory.first_child)
    np.testing.assert_allclose(device.output(dataset.X), memory.output(dataset.X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(device.count, memory.count, rtol=1e-7)


def test_light_weights_are_raised_on_a_device_too(few_are_many: None) -> None:
    dataset = table(2000, None, weight=1e-6)
    here, there = TrainingRows.in_memory(dataset, 0), TrainingRows.on_device(dataset, 0, "cpu")
    engines = [rows.make_engine(_expansion(rows)) for rows in (here, there)]
    assert engines[1].total_weight == pytest.approx(engines[0].total_weight, rel=1e-9)


def _expansion(rows: TrainingRows) -> Expansion:
    sample = rows.sample
    return expansion_of(build_design(sample.X, sample.n_levels, sample.weight, BasisSpec()), 3)


def test_the_hash_of_rows_does_not_depend_on_threads() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 7)), rng.integers(0, 2, (500, 1)).astype(float)
    X[:, 2], X[::3, 4] = 1.0, np.nan
    for threads in (2, 5, 16):
        np.testing.assert_array_equal(hash_rows(X, y, 5, threads), hash_rows(X, y, 5))


def test_the_head_of_very_many_rows_is_the_first_of_them_and_copies_no_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = table(3000, None)
    assert TrainingRows.in_memory(dataset, 0).make_head_engine is None
    monkeypatch.setattr(training_rows, "HEAD_ROWS", 700)
    rows = TrainingRows.in_memory(dataset, 0)
    assert rows.make_head_engine is not None
    expansion = expansion_of(build_design(dataset.X, [0] * 3, np.ones(3000), BasisSpec()), 3)
    engine, first = rows.make_head_engine(expansion), rows.sample.head(700)
    assert engine.total_weight == first.total_weight
    ordered = dataset.in_order(0)
    np.testing.assert_array_equal(ordered.first(700).X[ordered.first(700).place], ordered.head(700).X)
    assert ordered.first(700).X is ordered.X


@pytest.mark.parametrize("classes", [False, True])
def test_noise_in_the_last_digits_moves_no_row_to_another_fold(classes: bool) -> None:
    """Nor where it makes rows that were equal several."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (400, 3)) + np.repeat(rng.random((200, 1)), 2, axis=0)
    target = rng.integers(0, 2, (400, 1)).astype(float)
    noisy = X * (1 + 1e-13 * rng.normal(size=X.shape))
    held = []
    for each in (X, noisy):
        rows = Dataset(each, target, np.ones(400), [0, 0, 0], class_loss(2) if classes else Loss.SQUARED).in_order(3)
        own = rows.X[np.argsort(rows.X[:, 0], kind="stable")].round(6)
        fold = [np.bincount(np.unique(rows.X.round(6), axis=0, return_inverse=True)[1], out) for out in rows.held_out()]
        held.append((np.unique(own, axis=0), fold))
    np.testing.assert_array_equal(held[0][0], held[1][0])
    np.testing.assert_allclose(held[0][1], held[1][1])
