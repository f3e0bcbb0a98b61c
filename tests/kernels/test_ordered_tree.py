"""Trees with ordered predictions, refined within bounds: the order holds, slopes are correct, native equals NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from softwood.kernels import _native
from softwood.kernels.formulas.bounded_lbfgs import minimise_within
from softwood.kernels.formulas.node_order import NodeOrder, middles_between
from softwood.kernels.kinds import Loss
from softwood.kernels.reference import gradient as reference
from tests.kernels.test_soft import random_tree

seeds = st.integers(0, 2**32 - 1)


def random_order(rng: np.random.Generator, every: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, NodeOrder]:
    """A tree, its ordered gates, nodes with answers (leaves, or all of them), and the order."""
    child = random_tree(rng, int(rng.integers(0, 8)))
    ordered = (child >= 0) & (rng.random(len(child)) < 0.7)
    has = np.ones(len(child), np.bool_) if every else child < 0
    return child, ordered, has, NodeOrder.of(child, ordered, has, low=bool(rng.random() < 0.5), high=False)


def under(child: np.ndarray, node: int) -> list[int]:
    return [node] + ([] if child[node] < 0 else under(child, child[node]) + under(child, child[node] + 1))


@given(seed=seeds, every=st.booleans())
def test_whatever_the_numbers_within_bounds_answers_are_in_order(seed: int, every: bool) -> None:
    rng = np.random.default_rng(seed)
    child, ordered, has, order = random_order(rng, every)
    low, high = order.bounds(2)
    z = np.clip(rng.normal(size=low.shape) * 3, low, high)
    answer = np.full((len(child), 2), np.nan)
    answer[has] = order.values(z, np.array([[-1.0, 0.5], [0.0, 0.0]]))[order.n_middles :]
    for m in np.flatnonzero(ordered):
        first, second = (answer[[n for n in under(child, child[m] + i) if has[n]]] for i in (0, 1))
        assert np.all(first.min(axis=0) >= second.max(axis=0))


@given(seed=seeds, every=st.booleans())
def test_answers_in_order_are_told_exactly(seed: int, every: bool) -> None:
    rng = np.random.default_rng(seed)
    child, ordered, has, order = random_order(rng, every)
    ends = np.array([[-1.0], [0.0]])
    low, high = order.bounds(1)
    values = order.values(np.clip(np.abs(rng.normal(size=low.shape)), low, high), ends)
    answer = np.zeros((len(child), 1))
    answer[has] = values[order.n_middles :]
    start = order.start(middles_between(child, ordered, has, answer), answer[has], ends)
    assert np.allclose(order.values(start, ends)[order.n_middles :], values[order.n_middles :], atol=1e-9)
    assert np.all((start >= low) & (start <= high))


@given(seed=seeds, every=st.booleans())
def test_slopes_are_those_of_finite_differences(seed: int, every: bool) -> None:
    rng = np.random.default_rng(seed)
    *_, order = random_order(rng, every)
    ends, shape = np.array([[-1.0, 0.5], [0.0, 0.0]]), (len(order), 2)
    z, by_value = rng.uniform(0.1, 0.9, shape), rng.normal(size=shape)
    by_value[: order.n_middles] = 0.0
    found = order.slopes(z, order.values(z, ends), by_value, ends)
    for i in range(len(order)):
        for k in range(2):
            step = np.zeros(shape)
            step[i, k] = 1e-6
            change = order.values(z + step, ends) - order.values(z - step, ends)
            assert np.isclose(found[i, k], np.sum(by_value * change) / 2e-6, atol=1e-6)


@given(seed=seeds)
def test_the_least_of_a_bowl_within_bounds_is_that_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    A = rng.normal(size=(n, n))
    A, b = A @ A.T + 0.1 * np.eye(n), rng.normal(size=n) * 3
    low, high = -rng.random(n), rng.random(n)
    bowl = lambda x: (float(0.5 * x @ A @ x - b @ x), A @ x - b)  # noqa: E731
    value, at, _ = minimise_within(bowl, np.zeros(n), low, high, 500, 1e-14)
    wanted = minimize(bowl, np.zeros(n), jac=True, bounds=list(zip(low, high, strict=True)), method="L-BFGS-B")
    assert np.all((at >= low) & (at <= high))
    assert value <= wanted.fun + 1e-6 * max(1.0, abs(wanted.fun))


@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
@pytest.mark.parametrize(("loss", "outputs"), [(Loss.SQUARED, 1), (Loss.SQUARED, 2), (Loss.LOGISTIC, 1)])
def test_native_equals_reference(loss: Loss, outputs: int, slopes: str) -> None:
    rng = np.random.default_rng(3)
    child = random_tree(rng, 5)
    leaf, n_columns = child < 0, 4
    row = {"none": np.full(6, -1), "shared": np.zeros(6), "own": np.arange(6)}[slopes].astype(np.int32)
    n_slopes = {"none": 0, "shared": 1, "own": 6}[slopes]
    phi, target = rng.normal(size=(200, n_columns)), rng.normal(size=(200, outputs))
    rows = phi, (target > 0).astype(float) if loss == Loss.LOGISTIC else target, np.ones(200), int(loss.kind)
    shapes = [kind.make(child, row, n_slopes, n_columns, outputs) for kind in (reference.SoftShape, _native.SoftShape)]
    made = [kind.make(*rows) for kind in (reference.SoftRows, _native.SoftRows64)]
    ordered = ~leaf & (np.arange(len(child)) % 4 != 2)
    order = NodeOrder.of(child, ordered, leaf, low=True)
    size = shapes[0].parameters + order.n_middles * outputs
    low, high = np.full(size, -np.inf), np.full(size, np.inf)
    gates, items = 5 * (n_columns + 1), len(order) * outputs
    low[: gates - 1 : n_columns + 1] = 0.0
    low[gates : gates + items], high[gates : gates + items] = (part.ravel() for part in order.bounds(outputs))
    free = np.clip(rng.normal(size=size), low, high)
    n = shapes[0].parameters
    penalty = np.full(n, 0.01), np.zeros(n), np.full(n, 0.5)
    penalty[0][3] = -1.0  # a weight that stays
    numbers: Any = (order.low, order.high, np.full((2, outputs), -1.0), low, high, free, *penalty)
    for max_iter in (1, 12):
        (value, at, passes), (twin, twin_at, twin_passes) = (
            one.refine_ordered(shape, *numbers, max_iter, 1e-12) for one, shape in zip(made, shapes, strict=True)
        )
        assert passes == twin_passes
        assert np.isclose(value, twin, rtol=1e-8)
        assert np.allclose(at, twin_at, atol=1e-5)
    assert at[3] == free[3]


def test_native_refuses_an_order_that_is_none() -> None:
    rng = np.random.default_rng(0)
    shape = _native.SoftShape.make(np.array([1, -1, -1], np.int32), np.full(2, -1, np.int32), 0, 1, 1)
    rows = _native.SoftRows64.make(rng.normal(size=(9, 1)), rng.normal(size=(9, 1)), np.ones(9), int(Loss.SQUARED.kind))
    penalty = [np.zeros(shape.parameters)] * 3
    low, high, free = np.full(5, -np.inf), np.full(5, np.inf), np.zeros(5)
    for below, message in (([-1, 2, 3], "middles that come before"), ([-1], "an item for each leaf")):
        places = np.array(below), np.full(len(below), -1)
        with pytest.raises(ValueError, match=message):
            rows.refine_ordered(shape, *places, np.zeros((2, 1)), low, high, free, *penalty, 5, 1e-9)
    places = np.array([-1, 2, -1]), np.array([-1, -1, 2])
    with pytest.raises(ValueError, match="free numbers"):
        rows.refine_ordered(shape, *places, np.zeros((2, 1)), low[:4], high, free, *penalty, 5, 1e-9)
