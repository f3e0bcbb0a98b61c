"""The fused kernel: the sums of torch's operators in float64, up to the rounding of float32, with reproducible bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood.engines import torch as on_device
from softwood.engines.torch import fused
from softwood.kernels import make_shape
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.columns.piecewise import expansion_of

ROWS = 10_007  # fills neither the last block nor the last program
SPECS = {
    "linear": BasisSpec(),
    "quadratic": BasisSpec(square=0.5),
    "additive": BasisSpec(normal_score=0.7, curve=(0.7, 0.35, 0.23), quadratic=0.35),
}


def random_tree(rng: np.random.Generator, gates: int) -> np.ndarray:
    first_child = [-1]
    for _ in range(gates):
        leaf = rng.choice([m for m, child in enumerate(first_child) if child < 0])
        first_child[leaf] = len(first_child)
        first_child += [-1, -1]
    return np.array(first_child, np.int32)


def problem(
    spec: str, loss: Loss, slopes: str, gates: int, inputs: int, gaps: bool, scale: float = 1.0
) -> tuple[Any, ...]:
    rng = np.random.default_rng([gates, inputs])
    X = rng.normal(size=(ROWS, inputs))
    X[:, -1] = rng.integers(0, 4, ROWS)
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    levels = [0] * (inputs - 1) + [4 if spec == "additive" else 0]
    weight = rng.uniform(0.2, 3.0, ROWS)
    design = build_design(X, levels, weight, SPECS[spec])
    target = rng.normal(size=(ROWS, 1)) if loss == Loss.SQUARED else (rng.random((ROWS, 1)) < 0.3) * 1.0
    leaves = gates + 1
    row = {"none": [-1] * leaves, "shared": [0] * leaves, "own": list(range(leaves))}[slopes]
    shape = make_shape(random_tree(rng, gates), np.array(row, np.int32), max(row) + 1, len(design), 1)
    return (X, expansion_of(design, inputs), target, weight, loss), shape, scale * rng.normal(size=shape.parameters)


CASES = [  # a kernel is compiled for each
    ("linear", 5, False, Loss.SQUARED, "none", 1),
    ("linear", 16, False, Loss.LOGISTIC, "none", 15),
    ("linear", 28, False, Loss.SQUARED, "own", 15),
    ("linear", 28, True, Loss.LOGISTIC, "shared", 10),
    ("linear", 60, True, Loss.SQUARED, "none", 15),
    ("quadratic", 12, False, Loss.LOGISTIC, "none", 4),
    ("additive", 6, True, Loss.SQUARED, "own", 31),
    ("additive", 16, False, Loss.LOGISTIC, "none", 15),
]


@pytest.mark.parametrize(("spec", "inputs", "gaps", "loss", "slopes", "gates"), CASES)
def test_sums_are_those_of_the_operators(
    spec: str, inputs: int, gaps: bool, loss: Loss, slopes: str, gates: int
) -> None:
    given, shape, parameters = problem(spec, loss, slopes, gates, inputs, gaps)
    exact = on_device.from_inputs(*given, device="cuda", single=False)
    engine = on_device.from_inputs(*given, device="cuda")
    assert exact.fused is None
    assert engine.fused is not None
    assert fused.lay_out(shape) is not None
    loss_there, expected = exact.gradient(shape, parameters)
    loss_here, found = engine.gradient(shape, parameters)
    assert loss_here == pytest.approx(loss_there, rel=2e-6)
    assert engine.loss(shape, parameters) == pytest.approx(loss_there, rel=2e-6)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=3e-6 * np.abs(expected).max())
    again = engine.gradient(shape, parameters)
    assert again[0] == loss_here
    np.testing.assert_array_equal(again[1], found)


def test_steep_gates_and_large_outputs_stay_finite() -> None:
    given, shape, parameters = problem("linear", Loss.LOGISTIC, "own", 15, 8, False, scale=200.0)
    loss, gradient = on_device.from_inputs(*given, device="cuda").gradient(shape, parameters)
    expected = on_device.from_inputs(*given, device="cuda", single=False).gradient(shape, parameters)
    assert loss == pytest.approx(expected[0], rel=1e-5)
    assert np.isfinite(gradient).all()
    np.testing.assert_allclose(gradient, expected[1], atol=1e-3 * np.abs(expected[1]).max())


def test_what_the_kernel_does_not_take_goes_by_operators() -> None:
    given, shape, parameters = problem("linear", Loss.SQUARED, "own", 60, 5, False)
    assert fused.lay_out(shape) is None
    engine = on_device.from_inputs(*given, device="cuda")
    exact = on_device.from_inputs(*given, device="cuda", single=False)
    assert engine.loss(shape, parameters) == pytest.approx(exact.loss(shape, parameters), rel=1e-5)


def test_rows_of_several_slabs(monkeypatch: pytest.MonkeyPatch) -> None:
    given, shape, parameters = problem("additive", Loss.SQUARED, "none", 7, 6, True)
    engine = on_device.from_inputs(*given, device="cuda")
    whole = engine.gradient(shape, parameters)
    monkeypatch.setattr(fused, "SLAB", fused.PROGRAM_ROWS)
    parts = engine.gradient(shape, parameters)
    assert parts[0] == whole[0]
    np.testing.assert_array_equal(parts[1], whole[1])
