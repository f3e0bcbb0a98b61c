"""Losses of rows, and their derivatives by the outputs.

squared    1/2 |output - target|^2
logistic   log(1 + exp(output)) - target output             two classes, one output
softmax    log sum_q exp(output_q) - target . output        a class is a target of one 1
huber      1/2 error^2 where |error| <= d, else d |error| - d^2 / 2
quantile   |u| + (2 t - 1) u,  u = target - output          t = 1/2: the absolute error; else twice the pinball loss
tweedie    half the unit deviance of power p at the mean m = exp(output):
           p = 1      m - y + y log(y / m)                  Poisson: counts
           p = 2      y / m - 1 - log(y / m)                gamma: positive amounts
           between    m^(2-p) / (2-p) + y m^(1-p) / (p-1) - y^(2-p) / ((2-p)(p-1))     counts of amounts, many of them 0

If leaves mix answers (formulas/leaf_link.py), the output is the prediction:
probability    - target log output - (1 - target) log(1 - output)       of the second of two classes
probabilities  - target . log output
mean           tweedie at the mean m = output
Below LEAST_ANSWER (and above 1 - LEAST_ANSWER) they continue as straight lines.

The corner of the quantile loss is rounded: within WIDTH of 0 |u| is u^2 / (2 WIDTH) + WIDTH / 2, so that it is
differentiable; minus a constant, so that it is never below 0. Its curvature, and that of huber, is that of an upper
bound; that of tweedie is the expected one. They are used in the search for splits; refinement needs only slopes.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import exp, log, log_one_plus_exp
from softwood.kernels.formulas.equation import sigmoid
from softwood.kernels.kinds import Loss, LossKind

FLAT = 1e-4  # minimum curvature of a class loss, so that rows predicted with certainty still count
WIDTH = 0.1  # proportion of the targets' scale within which the quantile loss is rounded
WILD_TARGET_SCALES = 10.0  # scales beyond which a target is an outlier, for losses that are linear in its size
LEAST_LOG_TARGET = 1e-30  # minimum of a target in a logarithm; representable in float32
LEAST_ANSWER = 1e-6  # below it the logarithm continues as its tangent; float32 distinguishes 1 - LEAST_ANSWER from 1


def row_loss(loss: Loss, output: Floats, target: Floats) -> Floats:
    """Loss of each row: half the squared error, minus the log probability of the class, half the deviance, ..."""
    if loss.kind == LossKind.SQUARED:
        return np.asarray(0.5 * np.sum((output - target) ** 2, axis=1))
    if loss.kind == LossKind.LOGISTIC:
        return (log_one_plus_exp(output) - target * output)[:, 0]
    if loss.kind == LossKind.SOFTMAX:
        shifted = output - output.max(axis=1, keepdims=True)
        return np.asarray(log(exp(shifted).sum(axis=1)) - np.sum(target * shifted, axis=1))
    if loss.mixes_answers:
        held = _held(loss, output)
        slope = loss_derivatives(loss, output, target)[0]
        return np.asarray(np.sum(_loss_of_answers(loss, held, target) + slope * (output - held), axis=1))
    each = {LossKind.HUBER: _huber, LossKind.QUANTILE: _quantile, LossKind.TWEEDIE: half_deviance}[loss.kind]
    return np.asarray(np.sum(each(loss.parameter, output, target), axis=1))


def loss_derivatives(loss: Loss, output: Floats, target: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of each row's loss by each output."""
    if loss.kind == LossKind.SQUARED:
        return output - target, np.ones_like(output)
    if loss.kind == LossKind.HUBER:
        return np.clip(output - target, -loss.parameter, loss.parameter), np.ones_like(output)
    if loss.kind == LossKind.QUANTILE:
        rounded = np.clip((output - target) / WIDTH, -1.0, 1.0)
        return rounded - (2.0 * loss.parameter - 1.0), np.ones_like(output)
    if loss.kind == LossKind.TWEEDIE:
        power = loss.parameter
        mean = exp((2.0 - power) * output)
        return mean - target * exp((1.0 - power) * output), mean + FLAT
    if loss.mixes_answers:
        return _derivatives_by_answers(loss, _held(loss, output), target)
    if loss.kind == LossKind.LOGISTIC:
        p = sigmoid(output)
    else:
        p = exp(output - output.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
    return p - target, p * (1.0 - p) + FLAT


def _held(loss: Loss, output: Floats) -> Floats:
    """Answers that have a logarithm."""
    return np.clip(output, LEAST_ANSWER, 1.0 - LEAST_ANSWER if loss.kind == LossKind.PROBABILITY else np.inf)


def _loss_of_answers(loss: Loss, answer: Floats, target: Floats) -> Floats:
    if loss.kind == LossKind.PROBABILITY:
        return np.asarray(-target * log(answer) - (1.0 - target) * log(1.0 - answer))
    if loss.kind == LossKind.PROBABILITIES:
        return np.asarray(-target * log(answer))
    return half_deviance(loss.parameter, log(answer), target)


def _derivatives_by_answers(loss: Loss, answer: Floats, target: Floats) -> tuple[Floats, Floats]:
    """First derivative and the expected second one."""
    if loss.kind == LossKind.PROBABILITY:
        variance = answer * (1.0 - answer)
        return (answer - target) / variance, 1.0 / variance
    if loss.kind == LossKind.PROBABILITIES:
        return -target / answer, 1.0 / answer
    slope, curvature = loss_derivatives(loss.mixing_outputs, log(answer), target)
    return slope / answer, curvature / (answer * answer)


def far_loss(loss: Loss, target: Floats) -> Floats:
    """Loss of each row from targets beyond WILD_TARGET_SCALES, at output 0; nonzero only for huber and quantile.

    A few outliers have nearly all of such a loss, and no tree can save it. Subtracting it does not change differences
    between trees, and limits relative to the loss then refer to the part that can be saved.
    """
    if loss.kind not in (LossKind.HUBER, LossKind.QUANTILE):
        return np.zeros(len(target))
    none, near = np.zeros_like(target), np.clip(target, -WILD_TARGET_SCALES, WILD_TARGET_SCALES)
    return row_loss(loss, none, target) - row_loss(loss, none, near)


def _huber(width: float, output: Floats, target: Floats) -> Floats:
    error = output - target
    held = np.clip(error, -width, width)
    return np.asarray(held * (error - 0.5 * held))


def _quantile(level: float, output: Floats, target: Floats) -> Floats:
    tilt = 2.0 * level - 1.0
    below = target - output
    held = np.clip(below, -WIDTH, WIDTH)
    return np.asarray(tilt * below + held * (below - 0.5 * held) / WIDTH + 0.5 * tilt * tilt * WIDTH)


def half_deviance(power: float, output: Floats, target: Floats) -> Floats:
    """Half the unit deviance of targets from exp(output)."""
    log_target = log(np.maximum(target, LEAST_LOG_TARGET))
    if power == 1.0:
        return np.asarray(exp(output) - target * output + target * (log_target - 1.0))
    if power == 2.0:
        return np.asarray(target * exp(-output) - 1.0 + output - log_target)
    one, two = power - 1.0, 2.0 - power
    least = np.where(target > 0.0, exp(two * log_target), 0.0) / (one * two)
    return np.asarray(exp(two * output) / two + target * exp(-one * output) / one - least)
