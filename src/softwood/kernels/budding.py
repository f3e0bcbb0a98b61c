"""The kernels of budding trees, native where it is built, else reference/budding.py; contract: online_state.py."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.kernels.backend import native
from softwood.kernels.online_state import Floats, Numbers, OnlineOptions, OnlineState
from softwood.kernels.reference import budding as reference


def train(
    state: OnlineState,
    x: Numbers,
    target: Numbers,
    weight: Numbers,
    order: npt.NDArray[np.int64],
    options: OnlineOptions,
) -> float:
    """Learn from the rows in the given order, in place; the sum of their losses, each before the row was learned."""
    if native is not None:
        return float(native.train_buds(state, x, target, weight, order, options))
    with np.errstate(over="ignore", invalid="ignore"):
        return reference.train(state, x, target, weight, order, options)


def answers(state: OnlineState, x: Numbers, n_threads: int = 1) -> Floats:
    """Outputs of the root, (rows, outputs)."""
    if native is None:
        return reference.answers(state, x)
    out = np.empty((len(x), state.outputs))
    native.answers_buds(state, x, out, n_threads)
    return out
