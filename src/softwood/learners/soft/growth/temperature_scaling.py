"""Temperature scaling: one factor on all outputs, which minimises the held-out loss.

    minimise over factor   mean loss(factor * output, class)

A penalty shrinks all outputs, so a heavily penalised tree is underconfident; a tree that overfits is overconfident.
One factor corrects both (Guo, Pleiss, Sun and Weinberger 2017), so that penalties are compared by their trees and not
by their confidence. If leaves mix answers, the factor is on their responses, before the link.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from softwood.arrays import Floats
from softwood.engines import SampleEngine, Shape
from softwood.kernels.arithmetic import dot, exp, matmul
from softwood.kernels.arithmetic import log as natural_log
from softwood.kernels.formulas.leaf_link import chain_slopes, leaf_answers
from softwood.kernels.formulas.losses import loss_derivatives, row_loss
from softwood.kernels.kinds import Loss
from softwood.learners.soft.params.params import SoftTreeParams

MAX_FACTOR = 8.0  # and the smallest is 1 over it
MAX_STEPS = 20
CONVERGED_STEP = 1e-4  # stop after a smaller step of the logarithm
PRIOR_ROWS = 4.0  # rows with factor 1, as a prior if held-out rows are few


def output_scale_on(rows: SampleEngine, shape: Shape, parameters: Floats) -> float:
    """The factor on a tree's outputs, from held-out rows."""
    weight = rows.weight * rows.total_weight
    return best_output_scale(rows.loss_kind, rows.output(shape, parameters), rows.target, weight)


def response_scale_on(rows: SampleEngine, tree: SoftTreeParams) -> float:
    """The factor on a tree's responses: on its outputs, unless leaves mix answers."""
    if not (rows.loss_kind.is_classes and rows.loss_kind.mixes_answers):
        return output_scale_on(rows, tree.shape, tree.parameters)
    reach = rows.row_reach(tree.shape, tree.parameters)[:, tree.leaf]
    weight = rows.weight * rows.total_weight
    return best_response_scale(rows.loss_kind, reach, tree.response[tree.leaf], rows.target, weight)


def best_output_scale(loss: Loss, output: Floats, target: Floats, weight: Floats) -> float:
    """The factor, by Newton steps on its logarithm, halved if they overshoot; 1 for numbers."""
    if not loss.is_classes:
        return 1.0
    known = np.isfinite(output).all(axis=1)
    if not known.all():  # rows so far out that single precision overflows
        return best_output_scale(loss, output[known], target[known], weight[known]) if known.any() else 1.0
    total = float(weight.sum())

    def objective(log: float) -> float:
        return dot(weight, row_loss(loss, exp(log) * output, target)) / total + 0.5 * PRIOR_ROWS / total * log * log

    def derivatives(log: float) -> tuple[float, float]:
        scaled = exp(log) * output
        return _derivatives(loss_derivatives(loss, scaled, target)[0], scaled, target, weight)

    return _least(objective, derivatives)


def best_response_scale(loss: Loss, reach: Floats, response: Floats, target: Floats, weight: Floats) -> float:
    """The factor on responses if leaves mix probabilities; `reach` is (rows, leaves)."""
    known = np.isfinite(reach).all(axis=1)
    if not known.all():
        return best_response_scale(loss, reach[known], response, target[known], weight[known]) if known.any() else 1.0
    total = float(weight.sum())

    def objective(log: float) -> float:
        output = matmul(reach, leaf_answers(loss.link, exp(log) * response))
        return dot(weight, row_loss(loss, output, target)) / total + 0.5 * PRIOR_ROWS / total * log * log

    def derivatives(log: float) -> tuple[float, float]:
        scaled = exp(log) * response
        answer = leaf_answers(loss.link, scaled)
        slope, curvature = loss_derivatives(loss, matmul(reach, answer), target)
        rise = matmul(reach, chain_slopes(loss.link, answer, scaled))  # of the output: derivatives are symmetric
        first, second = np.sum(slope * rise, axis=1), np.sum(curvature * np.square(rise), axis=1)
        return dot(weight, first), dot(weight, second)

    return _least(objective, derivatives)


def _least(objective: Callable[[float], float], derivatives: Callable[[float], tuple[float, float]]) -> float:
    """The factor by Newton steps on its logarithm; `derivatives` are sums over rows, not means."""
    log, value = 0.0, objective(0.0)
    for _ in range(MAX_STEPS):
        first, second = derivatives(log)
        step = -(first + PRIOR_ROWS * log) / (second + PRIOR_ROWS)
        # Very large weights give very large steps.
        limit = natural_log(MAX_FACTOR)
        step = float(np.clip(step, -limit - log, limit - log))
        while abs(step) > CONVERGED_STEP and objective(log + step) > value:
            step /= 2
        log += step
        if abs(step) <= CONVERGED_STEP:
            break
        value = objective(log)
    return float(exp(log))


def _derivatives(slope: Floats, scaled: Floats, target: Floats, weight: Floats) -> tuple[float, float]:
    """First and second derivative of the rows' loss with respect to the logarithm of a factor on their outputs.

    The second is the variance of the outputs over the classes, plus the first unless the sum is negative.
    """
    p = slope + target
    increase = np.sum(slope * scaled, axis=1)
    variance = np.sum(p * scaled**2, axis=1) - np.sum(p * scaled, axis=1) ** 2
    first, second = dot(weight, increase), dot(weight, variance)
    return first, second + first if second + first > 0 else second
