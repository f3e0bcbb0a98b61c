"""Loss, gradient, histograms and refinement of soft trees: as defined, and native equals the reference."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels import _native
from softwood.kernels.formulas.penalty import Penalty
from softwood.kernels.kinds import Link, Loss, LossKind
from softwood.kernels.reference import gradient as reference

ROWS, COLUMNS = 300, 5
NUMBERS = [Loss.SQUARED, Loss(LossKind.HUBER, 0.7), Loss.ABSOLUTE, Loss(LossKind.QUANTILE, 0.9)]
COUNTS = [Loss.POISSON, Loss.GAMMA, Loss(LossKind.TWEEDIE, 1.4)]
TASKS = [(Loss.SQUARED, 3), (Loss.LOGISTIC, 1), (Loss.SOFTMAX, 4), (Loss.POISSON, 2), (NUMBERS[1], 2)]
TASKS += [(loss, 1) for loss in NUMBERS + COUNTS]
MIXING = [(loss.mixing_answers, outputs) for loss, outputs in TASKS if loss.mixing_answers != loss]
SLOPES = ("none", "shared", "own", "mixed")
KINDS = [(*task, slopes) for slopes in SLOPES for task in TASKS] + [(*task, "none") for task in MIXING]


@dataclass
class Case:
    """A random tree and random rows, for both twins."""

    native: tuple[Any, Any]
    single: Any
    twin: tuple[Any, Any]
    parameters: np.ndarray
    bin: np.ndarray
    leaves: list[int]
    target: np.ndarray


def random_tree(rng: np.random.Generator, gates: int) -> np.ndarray:
    first_child = [-1]
    for _ in range(gates):
        leaf = rng.choice([m for m, child in enumerate(first_child) if child < 0])
        first_child[leaf] = len(first_child)
        first_child += [-1, -1]
    return np.array(first_child, np.int32)


@pytest.fixture(params=["everywhere", "here and there"])
def occupied(request: pytest.FixtureRequest) -> bool:
    """Whether columns are nonzero anywhere; otherwise passes skip them."""
    return bool(request.param == "everywhere")


@pytest.fixture(params=KINDS, ids=lambda kind: f"{kind[0].kind.name.lower()}-{kind[0].parameter}-{kind[1]}-{kind[2]}")
def case(request: pytest.FixtureRequest, occupied: bool) -> Case:
    loss, outputs, slopes = request.param
    rng = np.random.default_rng(7)
    first_child = random_tree(rng, 6)
    leaves = np.flatnonzero(first_child < 0)
    row = {"none": np.full(7, -1), "own": np.r_[-1, np.arange(6)]}.get(slopes, np.zeros(7)).astype(np.int32)
    own_columns = [1, 3] if slopes == "mixed" else []
    n_slopes = int(row.max()) + 1
    phi, weight = rng.normal(size=(ROWS, COLUMNS)), rng.random(ROWS)
    if not occupied:
        phi[np.arange(ROWS)[:, None] // 64 != np.arange(COLUMNS)] = 0.0  # a block of rows for each column
        phi[:, 0] = rng.normal(size=ROWS)
    target = {
        LossKind.LOGISTIC: (rng.random((ROWS, 1)) < 0.5).astype(float),
        LossKind.SOFTMAX: np.eye(4)[rng.integers(0, 4, ROWS)],
        LossKind.TWEEDIE: rng.poisson(2.0, (ROWS, outputs)) + float(loss == Loss.GAMMA),
    }.get(loss.mixing_outputs.kind, rng.normal(size=(ROWS, outputs)))[:, :outputs]
    target = np.ascontiguousarray(target)
    shapes = [
        kind.make(first_child, row, n_slopes, COLUMNS, outputs, own_columns)
        for kind in (_native.SoftShape, reference.SoftShape)
    ]
    return Case(
        (_native.SoftRows64.make(phi, target, weight, int(loss.kind), loss.parameter), shapes[0]),
        _native.SoftRows32.make(phi, target, weight, int(loss.kind), loss.parameter),
        (reference.SoftRows.make(phi, target, weight, int(loss.kind), loss.parameter), shapes[1]),
        rng.normal(size=shapes[1].parameters) * (0.4 if loss.link == Link.LOG else 1.0),  # exp(6) is 403
        rng.integers(0, 8, (ROWS, 3)).astype(np.uint8),
        [int(m) for m in leaves],
        target,
    )


@pytest.mark.fewer(24)
def test_gradient_equals_finite_differences(case: Case) -> None:
    rows, shape = case.twin
    _, gradient = rows.gradient(shape, case.parameters)
    step = 1e-5
    for i, along in enumerate(step * np.eye(len(gradient))):
        rise = rows.loss(shape, case.parameters + along) - rows.loss(shape, case.parameters - along)
        assert gradient[i] == pytest.approx(rise / (2 * step), abs=1e-8)


@pytest.mark.fewer(36)
def test_native_equals_reference(case: Case) -> None:
    (native, shape), (twin, twin_shape) = case.native, case.twin
    loss, gradient = native.gradient(shape, case.parameters)
    twin_loss, twin_gradient = twin.gradient(twin_shape, case.parameters)
    assert loss == pytest.approx(twin_loss, rel=1e-12)
    np.testing.assert_allclose(gradient, twin_gradient, rtol=1e-9, atol=1e-12)
    for ours, theirs in zip(
        native.answers(shape, case.parameters), twin.answers(twin_shape, case.parameters), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.fewer(36)
def test_single_precision_is_near(case: Case) -> None:
    loss, gradient = case.single.gradient(case.native[1], case.parameters)
    exact_loss, exact = case.native[0].gradient(case.native[1], case.parameters)
    assert loss == pytest.approx(exact_loss, rel=1e-5)
    np.testing.assert_allclose(gradient, exact, atol=1e-5)


@pytest.mark.fewer(36)
def test_histograms_of_the_twins_agree(case: Case) -> None:
    (native, shape), (twin, twin_shape) = case.native, case.twin
    ours = native.histograms(shape, case.parameters, case.bin, 8, case.leaves)
    np.testing.assert_allclose(ours, twin.histograms(twin_shape, case.parameters, case.bin, 8, case.leaves), atol=1e-12)


@pytest.mark.fewer(36)
def test_the_pull_of_the_twins_agrees(case: Case) -> None:
    (native, shape), (twin, twin_shape) = case.native, case.twin
    for node in (0, case.leaves[1]):
        wanted = twin.split_direction(twin_shape, case.parameters, node)
        for rows, tolerance in ((native, 1e-12), (case.single, 1e-5)):
            for ours, theirs in zip(rows.split_direction(shape, case.parameters, node), wanted, strict=True):
                np.testing.assert_allclose(ours, theirs, atol=tolerance)


def test_pull_is_mean_spread_and_the_gradient_of_a_leaf_with_a_slope() -> None:
    """Of a single leaf: columns' mean and deviation; a slope about that mean would be pulled by the covariance."""
    rng = np.random.default_rng(3)
    phi, target = rng.normal(size=(90, 4)) * [1, 2, 3, 4] + 5, rng.normal(size=(90, 2))
    none, zero = np.full(1, -1, np.int32), np.zeros(1, np.int32)
    rows = _native.SoftRows64.make(phi, target, np.ones(90), int(Loss.SQUARED.kind))
    about = _native.SoftRows64.make(phi - phi.mean(axis=0), target, np.ones(90), int(Loss.SQUARED.kind))
    response = np.array([0.3, -0.2])
    mean, spread, covariance = rows.split_direction(_native.SoftShape.make(none, none, 0, 4, 2), response, 0)
    sloped = _native.SoftShape.make(none, zero, 1, 4, 2)
    _, gradient = about.gradient(sloped, np.concatenate([response, np.zeros(8)]))
    np.testing.assert_allclose(mean, phi.mean(axis=0))
    np.testing.assert_allclose(spread, phi.std(axis=0))
    np.testing.assert_allclose(covariance.ravel(), gradient[2:], atol=1e-12)


@pytest.mark.fewer(36)
def test_one_thread_equals_five(case: Case) -> None:
    shape = case.native[1]
    many = _native.SoftRows64.make(
        np.random.default_rng(0).normal(size=(5_000, COLUMNS)),
        np.tile(case.target, (17, 1))[:5_000],
        np.ones(5_000),
        int(Loss.SQUARED.kind),
    )
    one, five = many.gradient(shape, case.parameters, 1), many.gradient(shape, case.parameters, 5)
    assert one[0] == five[0]
    assert np.array_equal(one[1], five[1])
    for ours, theirs in zip(
        *(many.split_direction(shape, case.parameters, 0, threads) for threads in (1, 5)), strict=True
    ):
        assert np.array_equal(ours, theirs)


@pytest.mark.fewer(36)
def test_a_subtree_in_a_leaf_sees_what_the_leaf_sees(case: Case) -> None:
    """A leaf's own response in its place gives the loss of the whole tree."""
    (native, shape), (twin, twin_shape) = case.native, case.twin
    leaf = case.leaves[2]
    response = twin_shape.unpack(case.parameters)[1][2]
    none = np.full(1, -1, np.int32)
    alone = _native.SoftShape.make(none, none, 0, COLUMNS, len(response))
    under = native.under(shape, case.parameters, leaf)
    assert under.loss(alone, np.ascontiguousarray(response)) == pytest.approx(native.loss(shape, case.parameters))
    twin_alone = reference.SoftShape.make(none, none, 0, COLUMNS, len(response))
    twin_under = twin.under(twin_shape, case.parameters, leaf)
    assert twin_under.loss(twin_alone, response) == pytest.approx(native.loss(shape, case.parameters))


@pytest.mark.fewer(24)
def test_refinement_lowers_the_objective_and_keeps_what_is_held(case: Case) -> None:
    for rows, shape in (case.native, case.twin):
        strength = np.full(len(case.parameters), 0.01)
        strength[3] = -1.0
        none = np.zeros_like(case.parameters)
        free = strength > 0

        def objective(at: np.ndarray, rows: Any = rows, shape: Any = shape, free: Any = free) -> float:
            return float(rows.loss(shape, at) + 0.005 * np.sum(at[free] ** 2))

        value, parameters, _ = rows.refine(shape, case.parameters, strength, none, none, 30, 0.0)
        assert value == pytest.approx(objective(parameters))
        assert value < objective(case.parameters)
        assert parameters[3] == case.parameters[3]


@pytest.mark.fewer(24)
def test_refinement_of_the_twins_meets(case: Case) -> None:
    strength, centre = np.full(len(case.parameters), 0.1), np.zeros_like(case.parameters)
    for log_penalty in (np.zeros_like(centre), np.linspace(0.0, 4.0, len(centre))):
        ours = case.native[0].refine(case.native[1], case.parameters, strength, centre, log_penalty, 8, 0.0)
        theirs = case.twin[0].refine(case.twin[1], case.parameters, strength, centre, log_penalty, 8, 0.0)
        assert ours[0] == pytest.approx(theirs[0], rel=1e-6)


def test_an_eased_penalty_begins_as_squares_and_lets_large_numbers_be() -> None:
    at = np.array([1e-4, 1.0, 30.0])
    plain, eased = (Penalty(np.ones(3), np.zeros(3), np.full(3, log_penalty)) for log_penalty in (0.0, 1.0))
    assert plain.at(at)[0] == pytest.approx(0.5 * np.sum(at**2))
    assert eased.at(at)[0] == pytest.approx(0.5 * np.sum(np.log1p(at**2)))
    assert eased.at(at)[1] == pytest.approx(plain.at(at)[1] * [1.0, 0.5, 1 / 901])
    ahead = np.array([(eased.at(at + 1e-6 * one)[0] - eased.at(at - 1e-6 * one)[0]) / 2e-6 for one in np.eye(3)])
    assert eased.at(at)[1] == pytest.approx(ahead, rel=1e-5)


def least_seconds(rows: Any, shape: Any, parameters: np.ndarray) -> float:
    """Of the processor, for a gradient."""
    times = []
    for _ in range(40):
        start = time.process_time()
        rows.gradient(shape, parameters)
        times.append(time.process_time() - start)
    return min(times)


def full_tree(columns: int) -> Any:
    """Seven gates, eight leaves."""
    first_child = np.full(15, -1, np.int32)
    first_child[:7] = np.arange(1, 15, 2)
    return kernels.make_shape(first_child, np.full(8, -1, np.int32), 0, columns, 1)


def test_steep_gates_take_no_longer_than_soft_ones() -> None:
    """Their shares are subnormal numbers, for which some machines take a hundred times as long."""
    rng, rows, shape = np.random.default_rng(0), 4000, full_tree(5)
    table = rng.normal(size=(rows, 5)), rng.normal(size=(rows, 1)), np.ones(rows)
    engine = kernels.make_rows(*table, Loss.SQUARED, single=True)
    parameters = rng.normal(size=shape.parameters)
    assert least_seconds(engine, shape, 30.0 * parameters) < 3.0 * least_seconds(engine, shape, parameters)


def test_columns_that_are_mostly_nothing_cost_little() -> None:
    """Indicators of 500 levels, of which a block of 64 rows has at most 64."""
    rng, rows, shape = np.random.default_rng(0), 4000, full_tree(500)
    target, weight, parameters = rng.normal(size=(rows, 1)), np.ones(rows), rng.normal(size=shape.parameters)
    dense, rare = rng.normal(size=(rows, 500)), np.eye(500)[rng.integers(0, 500, rows)]
    engines = [kernels.make_rows(phi, target, weight, Loss.SQUARED, single=True) for phi in (dense, rare)]
    assert least_seconds(engines[1], shape, parameters) < 0.5 * least_seconds(engines[0], shape, parameters)


def test_a_shape_tells_what_it_was_made_of() -> None:
    first, row = np.array([1, -1, 3, -1, -1], np.int32), np.array([-1, 0, 1], np.int32)
    for shape in (
        kernels.make_shape(first, row, 2, 5, 3, [1, 4]),
        reference.SoftShape.make(first, row, 2, 5, 3, [1, 4]),
    ):
        assert [list(shape.first_child), list(shape.slope_row)] == [first.tolist(), row.tolist()]
        assert (shape.slopes, shape.columns, shape.outputs) == (2, 5, 3)
        assert (shape.own_columns, shape.parameters) == ([1, 4], 2 * 6 + 3 * 3 + 2 * 3 * 5 + 3 * 3 * 2)


def test_own_columns_are_columns() -> None:
    none = np.full(1, -1, np.int32)
    with pytest.raises(ValueError, match="own_columns are outside the columns"):
        kernels.make_shape(none, none, 0, 2, 1, [2])
