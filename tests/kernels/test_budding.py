"""Kernels of budding trees: they follow the definition; native equals the reference, for any rule, loss and batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood import kernels
from softwood.kernels.contracts.online_state import (
    LANES,
    OnlineOptions,
    OnlineState,
    Rule,
    init_state,
    pad_rows,
    padded,
    widen,
)
from softwood.kernels.kinds import Link, Loss, LossKind
from softwood.kernels.reference import budding as reference

ROWS, COLUMNS = 60, 6
CLASSIC = [(Loss.SQUARED, 1), (Loss.SQUARED, 3), (Loss.LOGISTIC, 1), (Loss.SOFTMAX, 4)]
NUMBERS = [Loss(LossKind.HUBER, 0.7), Loss(LossKind.QUANTILE, 0.6), Loss.POISSON, Loss.GAMMA]
TASKS = [*CLASSIC, *((loss, 1) for loss in NUMBERS), (Loss(LossKind.TWEEDIE, 1.4), 3)]
NATIVE = pytest.mark.skipif(kernels.kernels != "native", reason="the native kernels are not built")


def make_rows(loss: Loss, outputs: int, dtype: Any) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    phi = rng.normal(size=(ROWS, COLUMNS))
    numbers = np.sin(2 * phi[:, :outputs])
    target = {
        Loss.SQUARED: numbers,
        Loss.LOGISTIC: (phi[:, :1] * phi[:, 1:2] > 0).astype(float),
        Loss.SOFTMAX: np.eye(4)[rng.integers(0, 4, ROWS)],
    }.get(loss, numbers if loss.link == Link.IDENTITY else np.exp(numbers))
    return pad_rows(phi, dtype), np.ascontiguousarray(target, dtype), rng.uniform(0.5, 2.0, ROWS).astype(dtype)


def grown(outputs: int, options: OnlineOptions, linear: bool, dtype: Any, room: int = 15) -> OnlineState:
    return init_state(COLUMNS, outputs, room=room, linear=linear, options=options, seed=11, dtype=dtype)


@pytest.fixture(params=[False, True], ids=["constant", "linear"])
def linear(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=TASKS, ids=lambda task: f"{task[0].kind.name.lower()}-{task[0].parameter}-{task[1]}")
def task(request: pytest.FixtureRequest) -> tuple[Loss, int]:
    return request.param  # type: ignore[no-any-return]


def grown_state(task: tuple[Loss, int], linear: bool) -> tuple[OnlineState, tuple[Any, Any, Any]]:
    """A state with buds, grown a little, and rows."""
    loss, outputs = task
    rows, options = make_rows(loss, outputs, np.float64), OnlineOptions(loss, 1e-4)
    state = grown(outputs, options, linear, np.float64)
    for _ in range(3):
        kernels.train_buds(state, *rows, np.arange(ROWS), options)
    assert state.n_nodes > 5
    return state, rows


def summed(state: OnlineState, rows: tuple[Any, Any, Any], loss: Loss, slope: Any) -> float:
    """The loss of all rows; its gradient is added to `slope`."""
    free = OnlineOptions(loss, 0.0)
    return sum(reference.add_gradient(state, x, t, float(w), free, slope) for x, t, w in zip(*rows, strict=True))


@pytest.mark.fewer(8)
def test_gradient_equals_finite_differences(task: tuple[Loss, int], linear: bool) -> None:
    state, rows = grown_state(task, linear)
    rows = tuple(part[:12] for part in rows)
    state.leafness[:] = np.where(state.first_child[: state.n_nodes] >= 0, 0.3, 1.0)
    slope = np.zeros_like(state.number)
    summed(state, rows, task[0], slope)
    rng, step = np.random.default_rng(0), 1e-5
    leafness = state.number.size - padded(state.room)  # a leaf keeps everything: its slope is the effect of a bud
    buds = leafness + np.flatnonzero(state.first_child >= 0)
    for i in [*rng.permutation(leafness)[:20], *buds[:4]]:
        values = []
        for sign in (1, -1):
            moved = state.copy()
            moved.number[i] += sign * step
            values.append(summed(moved, rows, task[0], np.zeros_like(slope)))
        assert slope[i] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-6)


@pytest.mark.fewer(40)
@NATIVE
@pytest.mark.parametrize("rule", list(Rule))
@pytest.mark.parametrize(("batch", "weight_penalty"), [(1, 0.0), (1, 1e-3), (7, 1e-3)])
def test_native_equals_reference(
    task: tuple[Loss, int], linear: bool, rule: Rule, batch: int, weight_penalty: float
) -> None:
    """Nodes are added and removed on the way: equal structure, parameters up to rounding."""
    loss, outputs = task
    options = OnlineOptions(loss, 1e-3, weight_penalty, rule, 0.05, batch)
    rows, order = make_rows(loss, outputs, np.float64), np.random.default_rng(1).permutation(ROWS)
    ours, theirs = (grown(outputs, options, linear, np.float64) for _ in range(2))
    loss_sum = kernels.train_buds(ours, *rows, order, options)
    assert loss_sum == pytest.approx(reference.train_buds(theirs, *rows, order, options), rel=1e-9)
    np.testing.assert_array_equal(ours.count, theirs.count)
    np.testing.assert_array_equal(ours.first_child[: ours.n_nodes], theirs.first_child[: ours.n_nodes])
    for mine, wanted in zip(ours.parts(ours.number), theirs.parts(theirs.number), strict=True):
        np.testing.assert_allclose(mine[: ours.n_nodes], wanted[: ours.n_nodes], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        kernels.evaluate_buds(ours, rows[0]), reference.evaluate_buds(theirs, rows[0]), rtol=1e-6, atol=1e-8
    )


@NATIVE
def test_one_thread_equals_five(task: tuple[Loss, int], linear: bool) -> None:
    state, rows = grown_state(task, linear)
    many = np.concatenate([rows[0]] * 60)
    np.testing.assert_array_equal(kernels.evaluate_buds(state, many, 1), kernels.evaluate_buds(state, many, 5))


@NATIVE
def test_single_precision_is_near() -> None:
    options = OnlineOptions(Loss.SQUARED, 1e-3)
    plants = [grown(1, options, False, dtype) for dtype in (np.float32, np.float64)]
    for state in plants:
        kernels.train_buds(state, *make_rows(Loss.SQUARED, 1, state.number.dtype), np.arange(ROWS), options)
    assert plants[0].n_nodes == plants[1].n_nodes
    np.testing.assert_allclose(plants[0].number, plants[1].number, atol=2e-3)


def test_a_step_of_adagrad_is_as_long_as_it_should_be() -> None:
    """Also in single precision, where the inverse root is approximate: within 5e-6 of its length."""
    options = OnlineOptions(Loss.SQUARED, 0.0, step=1.0)
    one = np.ones(1, np.float32)
    for squares in np.geomspace(1e-10, 1e10, 500):
        state = grown(1, options, False, np.float32, room=1)
        memory = state.parts(state.memory)[1]
        memory[0] = squares
        kernels.train_buds(state, pad_rows(np.zeros((1, COLUMNS))), one[:, None], one, np.arange(1), options)
        assert state.response[0, 0, 0] == pytest.approx(1 / np.sqrt(float(memory[0, 0, 0])), rel=5e-6)


@pytest.mark.parametrize("batch", [1, 7])
def test_pieces_of_rows_equal_all_rows(task: tuple[Loss, int], batch: int) -> None:
    """To the last bit, also where a piece ends in the middle of a batch."""
    loss, outputs = task
    options = OnlineOptions(loss, 1e-3, batch=batch)
    rows = make_rows(loss, outputs, np.float32)
    whole, parts = (grown(outputs, options, False, np.float32) for _ in range(2))
    kernels.train_buds(whole, *rows, np.arange(ROWS), options)
    for piece in np.split(np.arange(ROWS), [1, 2, 17, 40]):
        kernels.train_buds(parts, *(part[piece] for part in rows), np.arange(len(piece)), options)
    np.testing.assert_array_equal(whole.number, parts.number)
    np.testing.assert_array_equal(whole.count, parts.count)


def test_a_plant_never_outgrows_its_room() -> None:
    options = OnlineOptions(Loss.SQUARED, 0.0, step=0.5)
    state = grown(1, options, False, np.float32, room=7)
    rows = make_rows(Loss.SQUARED, 1, np.float32)
    for _ in range(5):
        kernels.train_buds(state, *rows, np.arange(ROWS), options)
        assert state.n_nodes <= 7


def test_structure_stays_sound() -> None:
    """Parents before children, children adjacent, one parent per node but the root, leafness 1 in leaves."""
    options = OnlineOptions(Loss.SQUARED, 3e-3, step=0.5)
    state = grown(1, options, False, np.float32, room=31)
    rows, sizes = make_rows(Loss.SQUARED, 1, np.float32), set()
    for row in range(ROWS):
        kernels.train_buds(state, *rows, np.array([row]), options)
        child = state.first_child[: state.n_nodes]
        branch = np.flatnonzero(child >= 0)
        assert (child[branch] > branch).all()
        assert sorted(np.r_[child[branch], child[branch] + 1]) == list(range(1, state.n_nodes))
        assert (state.leafness[child < 0] == 1).all()
        assert ((state.leafness >= 0) & (state.leafness <= 1)).all()
        sizes.add(state.n_nodes)
    assert len(sizes) > 2


def test_a_high_price_keeps_one_leaf() -> None:
    options = OnlineOptions(Loss.SQUARED, 100.0)
    state = grown(1, options, False, np.float32)
    kernels.train_buds(state, *make_rows(Loss.SQUARED, 1, np.float32), np.arange(ROWS), options)
    assert state.n_nodes == 1


def test_widening_changes_no_answer(linear: bool) -> None:
    state, rows = grown_state((Loss.SQUARED, 3), linear)
    wide = widen(state, COLUMNS + 3)
    phi = np.c_[rows[0][:, 1 : COLUMNS + 1], np.zeros((ROWS, 3))]
    np.testing.assert_array_equal(
        kernels.evaluate_buds(wide, pad_rows(phi, np.float64)), kernels.evaluate_buds(state, rows[0])
    )


def test_random_numbers_are_uniform_and_counted() -> None:
    state = grown(1, OnlineOptions(Loss.SQUARED, 0.0), False, np.float32)
    drawn = np.array([reference.draw(state) for _ in range(4000)])
    assert state.count[2] == 4000
    assert abs(drawn.mean()) < 0.05
    assert drawn.var() == pytest.approx(1 / 3, abs=0.02)
    assert -1 <= drawn.min() < drawn.max() < 1


@NATIVE
def test_native_refuses_what_does_not_fit() -> None:
    options = OnlineOptions(Loss.SQUARED, 0.0)
    state, (x, target, weight) = grown(1, options, False, np.float32), make_rows(Loss.SQUARED, 1, np.float32)
    with pytest.raises(ValueError, match="sizes of state and rows"):
        kernels.train_buds(state, np.ascontiguousarray(x[:, :LANES]), target, weight, np.arange(3), options)
    with pytest.raises(ValueError, match="order names a row"):
        kernels.train_buds(state, x, target, weight, np.array([ROWS]), options)
    with pytest.raises(ValueError, match="another rule or batch"):
        kernels.train_buds(state, x, target, weight, np.arange(3), OnlineOptions(Loss.SQUARED, 0.0, rule=Rule.ADAM))
