"""Losses of rows, and their derivatives by the outputs.

squared    1/2 |output - target|^2
logistic   log(1 + exp(output)) - target output             two classes, one output
softmax    log sum_q exp(output_q) - target . output        a class is a target of one 1
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.kernels.formulas.equation import sigmoid
from softwood.kernels.kinds import Loss

Floats = npt.NDArray[np.float64]

FLAT = 1e-4  # least curvature of a class loss: sure rows still weigh something


def row_loss(loss: Loss, output: Floats, target: Floats) -> Floats:
    """Loss of each row: half the squared error, or minus the log probability of the class."""
    if loss == Loss.SQUARED:
        return np.asarray(0.5 * np.sum((output - target) ** 2, axis=1))
    if loss == Loss.LOGISTIC:
        return (np.logaddexp(0.0, output) - target * output)[:, 0]
    shifted = output - output.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.exp(shifted).sum(axis=1)) - np.sum(target * shifted, axis=1))


def loss_derivatives(loss: Loss, output: Floats, target: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of each row's loss by each output."""
    if loss == Loss.SQUARED:
        return output - target, np.ones_like(output)
    if loss == Loss.LOGISTIC:
        p = sigmoid(output)
    else:
        p = np.exp(output - output.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
    return p - target, p * (1.0 - p) + FLAT
