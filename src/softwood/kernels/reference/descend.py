"""Gradient descent on new splits of a soft tree, row by row; native/soft/incremental.cpp has the formulas."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.formulas.losses import loss_derivatives
from softwood.kernels.kinds import Loss, LossKind

ARRIVES = 1e-6  # smallest reach of a row that has an effect


def descend(
    x: Floats,
    target: Floats,
    weight: Floats,
    offset: Floats,
    reach: Floats,
    loss: int,
    split: Floats,
    order: npt.NDArray[np.int64],
    step: Floats,
    momentum: float,
    decay: float,
    n_threads: int = 1,
) -> Floats:
    """Trials of one split after one epoch for each row of `order`, each with its own step.

    split : (trials, weights, bias, responses of the first child, of the second).
    """
    split, step = split.copy(), step[:, None].copy()
    speed = np.zeros_like(split)
    d, k = x.shape[1], target.shape[1]
    for row in order.ravel():
        if reach[row] < ARRIVES:
            step *= decay
            continue
        gate, first, second = split[:, : d + 1], split[:, d + 1 : d + 1 + k], split[:, d + 1 + k :]
        share = 1.0 / (1.0 + np.exp(-(gate @ np.append(x[row], 1.0))[:, None]))
        output = offset[row] + reach[row] * (share * first + (1.0 - share) * second)
        delta = (
            loss_derivatives(Loss(LossKind(loss)), output, np.broadcast_to(target[row], output.shape))[0] * reach[row]
        )
        gate_slope = np.sum(delta * (first - second), axis=1, keepdims=True) * share * (1.0 - share)
        slope = np.hstack([gate_slope * np.append(x[row], 1.0), delta * share, delta * (1.0 - share)])
        speed = momentum * speed - step * weight[row] * slope
        split += speed
        step *= decay
    return split
