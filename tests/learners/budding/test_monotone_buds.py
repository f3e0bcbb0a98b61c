"""The parameters of the refinement of a monotone budding tree: always in order, with correct slopes."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.learners.budding.monotone_buds import MonotoneBuds
from softwood.learners.budding.params import BuddingParams

FIRST = np.array([1, 3, 5, -1, -1, -1, -1], np.int32)
RISING = np.array([True, False])


def buds(outputs: int, slopes: str) -> tuple[BuddingParams, MonotoneBuds, np.ndarray]:
    """A tree of three buds, the last of which does not use the monotone input, and its parameters."""
    rng = np.random.default_rng(outputs)
    n_slopes = {"none": 0, "shared": 1}[slopes]
    frozen = np.zeros((7, 3), np.bool_)
    frozen[2, 0] = True
    params = BuddingParams(
        FIRST, np.where(FIRST >= 0, 0.4, 1.0), rng.normal(size=(7, 3)), rng.normal(size=(7, outputs)), slopes,
        rng.normal(size=(n_slopes, outputs, 2)), frozen, np.zeros(7, np.bool_), RISING,
    )  # fmt: skip
    gate = params.gate[params.branches].ravel()
    numbers = np.concatenate([gate, np.zeros(3), params.response.ravel(), params.slope.ravel()])
    return params, MonotoneBuds.of(params, RISING), numbers


def within(order: MonotoneBuds, numbers: np.ndarray, seed: int) -> np.ndarray:
    """A random feasible point."""
    low, high = order.bounds(numbers, np.zeros(len(numbers), np.bool_))
    draws = np.random.default_rng(seed).exponential(size=len(low))
    return np.clip(order.start(numbers) + 0.3 * draws, low, high)


@pytest.mark.parametrize("slopes", ["none", "shared"])
@pytest.mark.parametrize("outputs", [1, 2])
def test_responses_under_the_first_child_are_never_less(outputs: int, slopes: str) -> None:
    params, order, numbers = buds(outputs, slopes)
    for seed in range(20):
        values = order.values(within(order, numbers, seed))
        response = values[order.begin : order.end].reshape(7, outputs)
        assert np.all(response[[1, 3, 4]].min(axis=0) >= response[[2, 5, 6]].max(axis=0))  # the root's children
        assert np.all(response[3] >= response[4])
        assert values.shape == numbers.shape
        gates = values[: 3 * 3].reshape(3, 3)
        assert np.all(gates[:, 0] >= 0)
        assert np.all(values[order.end :].reshape(-1, 2)[:, 0] >= 0) or not params.slope.size


@pytest.mark.parametrize("outputs", [1, 2])
def test_slopes_equal_finite_differences(outputs: int) -> None:
    _, order, numbers = buds(outputs, "shared")
    at, step = within(order, numbers, 1), 1e-6
    pull = np.random.default_rng(3).normal(size=len(numbers))
    slope = order.slopes(at, pull)
    for i in range(len(at)):
        move = np.eye(len(at))[i] * step
        change = pull @ (order.values(at + move) - order.values(at - move)) / (2 * step)
        assert slope[i] == pytest.approx(change, abs=1e-6)


def test_a_tree_in_order_is_where_it_begins() -> None:
    _, order, numbers = buds(1, "none")
    numbers[order.begin : order.end] = [0.0, 2.0, -2.0, 3.0, 1.0, -1.0, -3.0]
    np.testing.assert_allclose(order.values(order.start(numbers)), numbers, atol=1e-12)
