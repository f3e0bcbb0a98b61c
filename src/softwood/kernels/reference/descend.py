"""Gradient descent on one new split of a soft tree, row by row; twin of native/incremental.cpp, formulas there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.kernels.kinds import Loss
from softwood.kernels.reference.gradient import bend

Floats = npt.NDArray[np.float64]


def descend(
    x: Floats,
    target: Floats,
    weight: Floats,
    offset: Floats,
    reach: Floats,
    loss: int,
    gate: Floats,
    first: Floats,
    second: Floats,
    order: npt.NDArray[np.int64],
    step: float,
    momentum: float,
    decay: float,
) -> tuple[Floats, Floats, Floats]:
    """Gate (weights, bias) and responses after one epoch for each row of `order`."""
    values = [gate.copy(), first.copy(), second.copy()]
    speeds = [np.zeros_like(value) for value in values]
    for row in order.ravel():
        gate, first, second = values
        share = 1.0 / (1.0 + np.exp(-(gate[:-1] @ x[row] + gate[-1])))
        output = offset[row] + reach[row] * (share * first + (1.0 - share) * second)
        delta = bend(Loss(loss), output[None], target[row][None])[0][0] * reach[row]
        pull = delta @ (first - second) * share * (1.0 - share)
        slopes = [pull * np.append(x[row], 1.0), delta * share, delta * (1.0 - share)]
        for value, speed, slope in zip(values, speeds, slopes, strict=True):
            speed *= momentum
            speed -= step * weight[row] * slope
            value += speed
        step *= decay
    return values[0], values[1], values[2]
