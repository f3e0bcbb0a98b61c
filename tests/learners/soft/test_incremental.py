"""The incremental learner: its inner loop as the formulas say, and the paper's toy."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.kernels import _native
from softwood.kernels.kinds import Loss
from softwood.kernels.reference.descend import descend
from softwood.learners.soft.incremental import Incremental, learn_incremental
from softwood.learners.soft.problem import SoftProblem
from softwood.tree import Schema


@pytest.mark.parametrize(("loss", "outputs"), [(Loss.SQUARED, 2), (Loss.LOGISTIC, 1), (Loss.SOFTMAX, 3)])
def test_native_equals_reference(loss: Loss, outputs: int) -> None:
    rng = np.random.default_rng(0)
    target = np.eye(3)[rng.integers(0, 3, 50)][:, :outputs]
    rows = (rng.normal(size=(50, 4)), np.ascontiguousarray(target), rng.random(50))
    seen = (rng.normal(size=(50, outputs)), rng.random(50), int(loss))
    split = (rng.normal(size=5), rng.normal(size=outputs), rng.normal(size=outputs))
    order = np.stack([rng.permutation(50) for _ in range(3)])
    ours = _native.descend(*rows, *seen, *split, order, 0.1, 0.1, 0.999)
    theirs = descend(*rows, *seen, *split, order, 0.1, 0.1, 0.999)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def sinusoid(n: int, seed: int) -> SoftProblem:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 6.28, (n, 1))
    return SoftProblem(x, np.sin(x) + 0.1 * rng.normal(size=(n, 1)), np.ones(n), [0], Loss.SQUARED)


def test_a_sinusoid_needs_few_nodes() -> None:
    learned = learn_incremental(sinusoid(300, 0), Schema.plain(1, 1), Incremental(), sinusoid(300, 1))
    grid = np.linspace(0.1, 6.2, 200)[:, None]
    assert np.mean((learned.tree.output(grid) - np.sin(grid)) ** 2) < 0.02
    assert learned.tree.n_nodes <= 13


def test_random_start_learns_two_groups() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    y = (X.sum(axis=1) > 0).astype(float)[:, None]
    problem = SoftProblem(X, y, np.ones(200), [0, 0], Loss.LOGISTIC)
    tree = learn_incremental(problem, Schema.plain(2, 2), Incremental(start="random"), None).tree
    assert np.mean((tree.output(X) > 0) == y) > 0.95
