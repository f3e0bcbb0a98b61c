"""How loud a classifier should speak: one factor on all its outputs, by which held-out rows lose least.

    minimise over factor   mean loss(factor * output, class)

A penalty makes all outputs smaller, so a heavily penalised tree knows the classes but names them with too little
confidence, and its loss looks worse than it is; a tree that fits its rows too well speaks too loud. One number puts
both right (temperature scaling: Guo, Pleiss, Sun and Weinberger 2017), and penalties are compared by what they are for.
"""

from __future__ import annotations

import numpy as np

from softwood.engines import Floats
from softwood.kernels.kinds import Loss
from softwood.kernels.reference.gradient import bend, row_loss

LEAST, MOST = 0.25, 8.0
STEPS = 20
CLOSE = 1e-4  # a step of the logarithm that is the last
PRIOR = 4.0  # rows' worth of curvature that hold the factor at 1 where held-out rows are few


def best_loudness(loss: Loss, output: Floats, target: Floats, weight: Floats) -> float:
    """The factor, by Newton's steps on its logarithm, halved where they overshoot; 1 for numbers."""
    if loss == Loss.SQUARED:
        return 1.0
    total = float(weight.sum())

    def objective(log: float) -> float:
        return float(weight @ row_loss(loss, np.exp(log) * output, target)) / total + 0.5 * PRIOR / total * log * log

    log, value = 0.0, objective(0.0)
    for _ in range(STEPS):
        scaled = np.exp(log) * output
        first, second = _derivatives(bend(loss, scaled, target)[0], scaled, target, weight)
        step = -(first + PRIOR * log) / (second + PRIOR)
        while abs(step) > CLOSE and objective(log + step) > value:
            step /= 2
        log = float(np.clip(log + step, np.log(LEAST), np.log(MOST)))
        if abs(step) <= CLOSE:
            break
        value = objective(log)
    return float(np.exp(log))


def _derivatives(slope: Floats, scaled: Floats, target: Floats, weight: Floats) -> tuple[float, float]:
    """First and second derivative of the rows' loss by the logarithm of a factor on their outputs.

    The second is the variance of the outputs over the classes, plus the first unless that makes it negative.
    """
    p = slope + target
    rise = np.sum(slope * scaled, axis=1)
    bent = np.sum(p * scaled**2, axis=1) - np.sum(p * scaled, axis=1) ** 2
    first, second = float(weight @ rise), float(weight @ bent)
    return first, second + first if second + first > 0 else second
