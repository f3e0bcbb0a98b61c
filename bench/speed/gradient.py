"""One pass of loss and gradient of a soft tree, nanoseconds a row: NumPy twin, native, two threads, float32."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from softwood.kernels import _native
from softwood.kernels.kinds import Loss
from softwood.kernels.reference import gradient as reference

ROWS, COLUMNS, GATES = 100_000, 10, 17


def best_of(call: Callable[[], object], repeats: int = 5) -> float:
    """Least wall time of a few calls, in nanoseconds a row."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1e9 * min(times) / ROWS


def main() -> None:
    rng = np.random.default_rng(0)
    # A chain: every branch's first child is the next branch, so the tree is as deep as it can be.
    first_child = np.full(2 * GATES + 1, -1, np.int32)
    first_child[0] = 1
    first_child[1 : 2 * GATES - 1 : 2] = np.arange(3, 2 * GATES + 1, 2)
    none = np.full(GATES + 1, -1, np.int32)
    phi, target = rng.normal(size=(ROWS, COLUMNS)), rng.normal(size=(ROWS, 1))
    shape = _native.SoftShape.make(first_child, none, 0, COLUMNS, 1)
    twin_shape = reference.SoftShape.make(first_child, none, 0, COLUMNS, 1)
    parameters = rng.normal(size=twin_shape.parameters)
    rows = [
        kind.make(phi, target, np.ones(ROWS), int(Loss.SQUARED)) for kind in (_native.SoftRows64, _native.SoftRows32)
    ]
    twin = reference.SoftRows.make(phi, target, np.ones(ROWS), int(Loss.SQUARED))
    cost = {
        "NumPy twin": best_of(lambda: twin.gradient(twin_shape, parameters), 3),
        "native": best_of(lambda: rows[0].gradient(shape, parameters)),
        "native, two threads": best_of(lambda: rows[0].gradient(shape, parameters, 2)),
        "native, float32": best_of(lambda: rows[1].gradient(shape, parameters)),
    }
    for name, nanoseconds in cost.items():
        print(f"{name:20s} {nanoseconds:7.0f} ns a row   {cost['NumPy twin'] / nanoseconds:5.1f} times the twin")


if __name__ == "__main__":
    main()
