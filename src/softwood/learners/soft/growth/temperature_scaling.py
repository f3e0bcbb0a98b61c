"""Temperature scaling: one factor on all its outputs, by which held-out rows lose least.

    minimise over factor   mean loss(factor * output, class)

A penalty makes all outputs smaller, so a heavily penalised tree is underconfident; a tree that overfits is
overconfident. One factor corrects both (Guo, Pleiss, Sun and Weinberger 2017), so that penalties are compared by the
trees they give and not by their confidence.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.engines import SampleEngine, Shape
from softwood.kernels.arithmetic import dot, exp
from softwood.kernels.arithmetic import log as natural_log
from softwood.kernels.formulas.losses import loss_derivatives, row_loss
from softwood.kernels.kinds import Loss

MIN_FACTOR, MAX_FACTOR = 0.25, 8.0
MAX_STEPS = 20
CONVERGED_STEP = 1e-4  # a shorter step of the logarithm is the last one
PRIOR_ROWS = 4.0  # rows that hold the factor at 1 where held-out rows are few


def output_scale_on(rows: SampleEngine, shape: Shape, parameters: Floats) -> float:
    """The factor for a tree on held-out rows."""
    weight = rows.weight * rows.total_weight
    return best_output_scale(rows.loss_kind, rows.output(shape, parameters), rows.target, weight)


def best_output_scale(loss: Loss, output: Floats, target: Floats, weight: Floats) -> float:
    """The factor, by Newton's steps on its logarithm, halved where they overshoot; 1 for numbers."""
    if not loss.is_classes:
        return 1.0
    known = np.isfinite(output).all(axis=1)
    if not known.all():  # rows so far out that single precision does not hold them
        return best_output_scale(loss, output[known], target[known], weight[known]) if known.any() else 1.0
    total = float(weight.sum())

    def objective(log: float) -> float:
        return dot(weight, row_loss(loss, exp(log) * output, target)) / total + 0.5 * PRIOR_ROWS / total * log * log

    log, value = 0.0, objective(0.0)
    for _ in range(MAX_STEPS):
        scaled = exp(log) * output
        first, second = _derivatives(loss_derivatives(loss, scaled, target)[0], scaled, target, weight)
        step = -(first + PRIOR_ROWS * log) / (second + PRIOR_ROWS)
        # Huge weights give huge steps.
        step = float(np.clip(step, natural_log(MIN_FACTOR) - log, natural_log(MAX_FACTOR) - log))
        while abs(step) > CONVERGED_STEP and objective(log + step) > value:
            step /= 2
        log += step
        if abs(step) <= CONVERGED_STEP:
            break
        value = objective(log)
    return float(exp(log))


def _derivatives(slope: Floats, scaled: Floats, target: Floats, weight: Floats) -> tuple[float, float]:
    """First and second derivative of the rows' loss by the logarithm of a factor on their outputs.

    The second is the variance of the outputs over the classes, plus the first unless that makes it negative.
    """
    p = slope + target
    increase = np.sum(slope * scaled, axis=1)
    variance = np.sum(p * scaled**2, axis=1) - np.sum(p * scaled, axis=1) ** 2
    first, second = dot(weight, increase), dot(weight, variance)
    return first, second + first if second + first > 0 else second
