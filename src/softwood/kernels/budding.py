"""The kernels of budding trees, native where it is built, else reference/budding.py; the contract is in plant.py."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels.plant import Floats, Numbers, Plant, Tending
from softwood.kernels.reference import budding as reference

_native: Any = None
if os.environ.get("SOFTWOOD_KERNELS") != "reference":
    with suppress(ImportError):  # kernels/__init__ has said so loudly
        from softwood.kernels import _native


def train(
    plant: Plant, x: Numbers, target: Numbers, weight: Numbers, order: npt.NDArray[np.int64], tending: Tending
) -> float:
    """Learn from the rows in the given order, in place; the sum of their losses, each before the row was learned."""
    learn: Any = reference.train if _native is None else _native.train_buds
    with np.errstate(over="ignore", invalid="ignore"):
        total: float = learn(plant, x, target, weight, order, tending)
    return total


def answers(plant: Plant, x: Numbers, n_threads: int = 1) -> Floats:
    """Outputs of the root, (rows, outputs)."""
    if _native is None:
        return reference.answers(plant, x)
    out = np.empty((len(x), plant.outputs))
    _native.answers_buds(plant, x, out, n_threads)
    return out
