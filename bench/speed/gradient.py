"""One pass of loss and gradient of a soft tree, nanoseconds per row: NumPy twin, native, float32, two threads."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bench.speed.clock import best_in_turn, time_once
from softwood.kernels import _native
from softwood.kernels.kinds import Loss
from softwood.kernels.reference import gradient as reference

COLUMNS, GATES = 10, 17
PATIENCE = 5  # the wall's clock needs more runs until both cores of a shared machine are free at once


@dataclass(frozen=True)
class Cost:
    """Nanoseconds per row, best of several runs; wall time for the last two."""

    twin: float
    native: float
    single: float
    one_thread: float
    two_threads: float


def measure(rows: int, repeats: int) -> Cost:
    """The kernels in turn, then one thread and two."""
    rng = np.random.default_rng(0)
    first_child = chain(GATES)
    none = np.full(GATES + 1, -1, np.int32)
    data = rng.normal(size=(rows, COLUMNS)), rng.normal(size=(rows, 1)), np.ones(rows), int(Loss.SQUARED.kind)
    twin_shape = reference.SoftShape.make(first_child, none, 0, COLUMNS, 1)
    shape = _native.SoftShape.make(first_child, none, 0, COLUMNS, 1)
    parameters = rng.normal(size=twin_shape.parameters)
    twin = reference.SoftRows.make(*data)
    double, single = _native.SoftRows64.make(*data), _native.SoftRows32.make(*data)
    kernels = [
        partial(time_once, lambda: twin.gradient(twin_shape, parameters)),
        partial(time_once, lambda: double.gradient(shape, parameters)),
        partial(time_once, lambda: single.gradient(shape, parameters)),
    ]
    threads = [
        partial(time_once, lambda: double.gradient(shape, parameters), time.perf_counter),
        partial(time_once, lambda: double.gradient(shape, parameters, 2), time.perf_counter),
    ]
    seconds = best_in_turn(kernels, repeats) + best_in_turn(threads, PATIENCE * repeats)
    return Cost(*(1e9 * best / rows for best in seconds))


def chain(gates: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Every branch's first child is the next branch, so the tree is as deep as it can be."""
    first_child = np.full(2 * gates + 1, -1, np.int32)
    first_child[0] = 1
    first_child[1 : 2 * gates - 1 : 2] = np.arange(3, 2 * gates + 1, 2)
    return first_child
