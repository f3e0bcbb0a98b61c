"""The engine of PyTorch by torch's own operators, on the CPU: the sums of rows in memory, and the same tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from softwood.arrays import Floats
from softwood.engines import SumEngine, memory
from softwood.engines import torch as on_device
from softwood.engines.torch import operators
from softwood.kernels import make_shape
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.learn import learn_joint, learn_joint_from
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.tree import Schema

ROWS, LEVELS = 1500, [0, 0, 4, 0]
SPECS = {
    "linear": BasisSpec(),
    "quadratic": BasisSpec(square=0.5),
    "additive": BasisSpec(normal_score=0.7, curve=(0.7, 0.35, 0.23), quadratic=0.35),
}
TASKS = [(Loss.SQUARED, 1), (Loss.SQUARED, 2), (Loss.LOGISTIC, 1), (Loss.SOFTMAX, 3)]
FIRST_CHILD = np.array([1, 5, 3, -1, -1, -1, 7, -1, -1], np.int32)  # not breadth first


def inputs(gaps: bool) -> Floats:
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(ROWS, 2)), rng.integers(0, 4, ROWS), np.exp(rng.normal(size=ROWS))]
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X


def targets(loss: Loss, outputs: int) -> Floats:
    rng = np.random.default_rng(1)
    if loss == Loss.SQUARED:
        return rng.normal(size=(ROWS, outputs))
    return np.ascontiguousarray(np.eye(max(outputs, 2))[rng.integers(0, max(outputs, 2), ROWS)][:, :outputs])


def problem(spec: str, task: tuple[Loss, int], slopes: str = "none", gaps: bool = True) -> tuple[Any, ...]:
    """Inputs, expansion, targets, weights and loss; a shape and parameters."""
    rng = np.random.default_rng(2)
    X, weight = inputs(gaps), rng.uniform(0.2, 3.0, ROWS)
    design = build_design(X, LEVELS if spec == "additive" else [0] * 4, weight, SPECS[spec])
    row = {"none": [-1] * 5, "shared": [0] * 5, "own": [0, 1, 2, 3, 4], "some": [1, -1, 0, 1, -1]}.get(slopes, [0] * 5)
    own_columns = [0, len(design) - 1] if slopes == "mixed" else []
    shape = make_shape(FIRST_CHILD, np.array(row, np.int32), max(row) + 1, len(design), task[1], own_columns)
    given = (X, expansion_of(design, 4), targets(*task), weight, task[0])
    return given, shape, rng.normal(size=shape.parameters)


@pytest.mark.fewer(12)
@pytest.mark.parametrize("slopes", ["none", "shared", "own", "some", "mixed"])
@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task[0].kind.name.lower()}-{task[1]}")
@pytest.mark.parametrize("spec", SPECS)
def test_sums_are_those_of_memory(spec: str, task: tuple[Loss, int], slopes: str) -> None:
    given, shape, parameters = problem(spec, task, slopes)
    here, there = memory.from_inputs(*given, single=False), on_device.from_inputs(*given, single=False)
    assert there.total_weight == pytest.approx(here.total_weight, rel=1e-14)
    assert there.loss(shape, parameters) == pytest.approx(here.loss(shape, parameters), rel=1e-11)
    (loss, gradient), (expected_loss, expected) = (one.gradient(shape, parameters) for one in (there, here))
    assert loss == pytest.approx(expected_loss, rel=1e-11)
    np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        there.mean_reach(shape, parameters), here.mean_reach(shape, parameters), rtol=1e-10, atol=1e-13
    )


def test_a_tree_without_gates_has_a_gradient() -> None:
    given, _, _ = problem("additive", (Loss.SQUARED, 1))
    columns = len(build_design(given[0], LEVELS, given[3], SPECS["additive"]))
    shape = make_shape(np.array([-1], np.int32), np.array([0], np.int32), 1, columns, 1)
    parameters = np.random.default_rng(3).normal(size=shape.parameters)
    here, there = memory.from_inputs(*given, single=False), on_device.from_inputs(*given, single=False)
    np.testing.assert_allclose(
        there.gradient(shape, parameters)[1], here.gradient(shape, parameters)[1], rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
@pytest.mark.parametrize("spec", SPECS)
def test_float32_rows_are_near(spec: str, gaps: bool) -> None:
    given, shape, parameters = problem(spec, (Loss.LOGISTIC, 1), "own", gaps)
    exact = memory.from_inputs(*given, single=False).gradient(shape, parameters)
    loss, gradient = on_device.from_inputs(*given).gradient(shape, parameters)
    assert loss == pytest.approx(exact[0], rel=1e-6)
    np.testing.assert_allclose(gradient, exact[1], rtol=1e-4, atol=2e-6 * np.abs(exact[1]).max())


def test_the_chunks_do_not_matter_beyond_rounding_and_the_same_pass_gives_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, shape, parameters = problem("additive", (Loss.SQUARED, 1))
    engine = on_device.from_inputs(*given)
    whole = engine.gradient(shape, parameters)
    again = engine.gradient(shape, parameters)
    assert whole[0] == again[0]
    np.testing.assert_array_equal(whole[1], again[1])
    monkeypatch.setitem(operators.CELLS, "cpu", 1)  # a block at a time
    assert len(operators.chunks(engine.rows, 10)) == -(-ROWS // operators.BLOCK)
    parts = engine.gradient(shape, parameters)
    assert parts[0] == pytest.approx(whole[0], rel=1e-6)
    np.testing.assert_allclose(parts[1], whole[1], rtol=1e-4, atol=1e-7)


def test_the_rows_of_an_order_given() -> None:
    given, shape, parameters = problem("linear", (Loss.SQUARED, 1))
    order = np.random.default_rng(3).permutation(ROWS)[:700]
    X, expansion, target, weight, loss = given
    some = on_device.from_inputs(X, expansion, target[order], weight[order], loss, single=False, place=order)
    part = memory.from_inputs(X[order], expansion, target[order], weight[order], loss, single=False)
    assert some.loss(shape, parameters) == pytest.approx(part.loss(shape, parameters), rel=1e-12)


def dataset(loss: Loss) -> Dataset:
    X, rng = inputs(True), np.random.default_rng(4)
    score = (
        np.tanh(2 * np.nan_to_num(X[:, :1])) + np.sin(2 * np.nan_to_num(X[:, 1:2])) + 0.3 * rng.normal(size=(ROWS, 1))
    )
    return Dataset(X, score if loss == Loss.SQUARED else (score > 0) * 1.0, np.ones(ROWS), LEVELS, loss)


@pytest.mark.parametrize("loss", [Loss.SQUARED, Loss.LOGISTIC], ids=["numbers", "classes"])
def test_the_tree_is_that_of_memory(loss: Loss) -> None:
    """After some twenty iterations rounding is still small."""
    rows = TrainingRows.in_memory(dataset(loss), 0, single=False)
    made: list[SumEngine] = []

    def make_engine(expansion: Expansion) -> SumEngine:
        whole = dataset(loss).in_order(0).scaled(rows.centre, rows.scale)
        made.append(on_device.from_inputs(whole.X, expansion, whole.target, whole.weight, loss, single=False))
        return made[-1]

    levels = replace(
        Schema.plain(4, 1 if loss == Loss.SQUARED else 2), categories=(None, None, tuple("abcd"), None), kinds=()
    )
    how = JointOptions("linear", "constant", max_leaves=4, penalty=1e-3, max_iter=20, single=False)
    found = learn_joint_from(replace(rows, make_engine=make_engine), levels, how, None).tree
    expected = learn_joint(dataset(loss), levels, how, None).tree
    assert expected.n_nodes > 1
    assert len(made) == 1
    np.testing.assert_array_equal(found.first_child, expected.first_child)
    np.testing.assert_allclose(found.output(inputs(True)), expected.output(inputs(True)), rtol=1e-7, atol=1e-7)


def test_devices_that_are_not_here_or_are_none() -> None:
    with pytest.raises(ValueError, match="device must be a PyTorch device such as 'cpu', 'cuda' or 'mps', got 'gpu'"):
        on_device.find_device("gpu")
    with pytest.raises(ValueError, match="device must be 'cpu', 'cuda' or 'mps', got 'meta'"):
        on_device.find_device("meta")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match=r"device='cuda': PyTorch .* finds no such device. Set device='cpu'"):
            on_device.find_device("cuda")
