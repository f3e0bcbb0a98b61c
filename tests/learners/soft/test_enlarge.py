"""One split more: in one native call, or step by step, it is the same tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softwood.kernels import soft
from softwood.kernels.enlarge import Enlarging, Plant, enlarge, make_axes
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns import Recipe, build_columns
from softwood.learners.soft.enlarge import Growing, in_one_go, step_by_step
from softwood.learners.soft.ground import Ground, judge_engine, plant_root
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.sapling import Gates, Sapling, Slopes

N, LEVELS = 300, 6
KINDS = {
    "a number": (Loss.SQUARED, 1),
    "two numbers": (Loss.SQUARED, 2),
    "two classes": (Loss.LOGISTIC, 1),
    "four classes": (Loss.SOFTMAX, 4),
}


def table(kind: str, noise: float = 0.1) -> SoftProblem:
    """Curves, a product, a category and missing values."""
    rng = np.random.default_rng(0)
    loss, k = KINDS[kind]
    X = rng.normal(size=(N, 4))
    X[:, 3] = rng.integers(0, LEVELS, N)
    signal = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] % 2 + noise * rng.normal(size=N)
    if loss == Loss.SQUARED:
        target = np.outer(signal, np.arange(1, k + 1)) + X[:, :k]
    elif loss == Loss.LOGISTIC:
        target = (signal[:, None] > 0.5).astype(np.float64)
    else:
        target = np.eye(k)[np.digitize(signal, [-0.5, 0.5, 1.5])]
    X[rng.random(X.shape) < 0.05] = np.nan
    return SoftProblem(X, target, rng.uniform(0.5, 2.0, N), [0, 0, 0, LEVELS], loss)


def ground_of(rows: SoftProblem) -> tuple[Ground, int]:
    columns = build_columns(rows.X, rows.n_levels, rows.weight, Recipe())
    return Ground.make(rows, rows, columns, single=False), len(columns)


def both_ways(tree: Sapling, ground: Ground, how: Growing) -> Sapling:
    """One split more, in one call and by steps: the same."""
    whole, steps = (make(tree, ground.learn, ground.axes, how) for make in (in_one_go, step_by_step))
    assert whole is not None
    assert steps is not None
    for name in ("first_child", "closed", "steep", "n_iter"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(steps, name), err_msg=name)
    np.testing.assert_allclose(whole.parameters, steps.parameters, atol=1e-6)
    return whole


@pytest.mark.parametrize("gates", ["open", "axis", "steep", "either"])
@pytest.mark.parametrize("slopes", ["none", "shared", "own"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_call_equals_the_steps(kind: str, slopes: Slopes, gates: Gates) -> None:
    ground, columns = ground_of(table(kind))
    how = Growing(1e-3, gates=gates, tries=2)
    tree = plant_root(ground.learn, columns, slopes)
    for _ in range(4):
        tree = both_ways(tree, ground, how)
    assert tree.n_nodes == 9


@pytest.mark.parametrize("most", [1, 2])
def test_gates_of_few_inputs(most: int) -> None:
    ground, columns = ground_of(table("a number"))
    tree = both_ways(plant_root(ground.learn, columns, "none"), ground, Growing(1e-3, max_gate_features=most))
    assert len(set(ground.axes.place[~tree.closed[0, :-1]])) == most


def test_nothing_to_split_is_none() -> None:
    rows = table("a number")
    ground, columns = ground_of(replace(rows, target=np.zeros((N, 1))))
    root = plant_root(ground.learn, columns, "none")
    assert in_one_go(root, ground.learn, ground.axes, Growing(1e-3)) is None
    assert step_by_step(root, ground.learn, ground.axes, Growing(1e-3)) is None


def test_an_engine_without_histograms_does_not_enlarge() -> None:
    rows = table("a number")
    columns = build_columns(rows.X, rows.n_levels, rows.weight, Recipe())
    assert not judge_engine(rows, columns).enlarges
    assert ground_of(rows)[0].learn.enlarges == (soft.native is not None)


RULES = Enlarging(0, 0, 1e-3, 0.1, 0.0, 1, 1.5, 5.0, 2.0, 2.5, 8, 4, 25, 1e-4)


def plant() -> Plant:
    shape = soft.make_shape(np.full(1, -1, np.int32), np.full(1, -1, np.int32), 0, 2, 1)
    nothing = np.zeros((0, 3), np.bool_)
    return Plant(shape, np.zeros(1), 0, nothing, np.zeros(0, np.bool_), np.zeros(1), np.zeros((1, 2)))


@pytest.mark.parametrize(
    ("change", "bins", "told"),
    [
        ({"parameters": np.zeros(2)}, 4, "wrong number of parameters"),
        ({"origin": np.zeros(3)}, 4, "wrong number of parameters"),
        ({"closed": np.zeros((1, 3), np.bool_)}, 4, "wrong number of parameters"),
        ({}, 1, "more cuts than bins"),
    ],
)
def test_wrong_sizes_are_refused(change: dict[str, np.ndarray], bins: int, told: str) -> None:
    rows = soft.make_rows(np.zeros((5, 2)), np.zeros((5, 1)), np.ones(5), Loss.SQUARED)
    axes = make_axes([2, 2], np.arange(2, dtype=np.int32), [np.zeros(2)] * 2, np.arange(2), [])
    with pytest.raises(ValueError, match=told):
        enlarge(rows, replace(plant(), **change), np.zeros((5, 2), np.uint8), bins, axes, RULES, 5.0, 1)


@pytest.mark.parametrize(
    ("line", "place", "levels", "told"),
    [
        ([0, 1, 1], [0, 1], [], "one entry an input"),
        ([0, 7], [0, 1], [], "needs a line column"),
        ([0, 1], [0, 9], [], "none of the inputs"),
        ([0, 1], [0, 1], [(0, [0], [5], [1.0], [0.0])], "a level needs"),
    ],
)
def test_wrong_axes_are_refused(line: list[int], place: list[int], levels: list[tuple], told: str) -> None:
    made = [(f, np.array(b), np.array(c), np.array(h), np.array(e)) for f, b, c, h, e in levels]
    with pytest.raises(ValueError, match=told):
        make_axes([1, 1], np.array(line, np.int32), [np.zeros(1)] * 2, np.array(place), made)
