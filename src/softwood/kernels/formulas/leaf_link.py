"""Trees that mix answers: each leaf predicts link(response), a probability or a mean, and rows get the mean of these.

    output = sum_leaf reach[leaf] link(response[leaf])        in place of  link(sum_leaf reach[leaf] response[leaf])

as in mixtures of experts (Jordan and Jacobs 1994). Parameters are still responses, in the unit of the link (log odds,
log mean), without bounds; sums over rows use the leaves' predictions. Slopes and curvatures of the loss by these are
chained to responses here: a few numbers per leaf. With the identity nothing is done.

    sigmoid   a = 1 / (1 + exp(-response))     d a / d response = a (1 - a)
    softmax   a_q = exp(r_q) / sum exp(r)      d a_c / d r_q = a_c ([c = q] - a_q)
    log       a = exp(response)                d a / d response = a
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import exp, log
from softwood.kernels.formulas.equation import sigmoid
from softwood.kernels.kinds import Link

LEAST_PROBABILITY = 1e-12  # minimum in a logarithm


def silent_response(link: Link) -> float:
    """The response of a leaf that adds nothing to the output."""
    return 0.0 if link == Link.IDENTITY else -np.inf


def leaf_answers(link: Link, response: Floats) -> Floats:
    """Predictions of the leaves, shape (leaves, outputs); a response of -inf gives 0."""
    if link == Link.IDENTITY:
        return response
    silent = np.isneginf(response)
    known = np.where(silent, 0.0, response)
    if link == Link.SIGMOID:
        answer = sigmoid(known)
    elif link == Link.SOFTMAX:
        answer = exp(known - known.max(axis=1, keepdims=True))
        answer = answer / answer.sum(axis=1, keepdims=True)
    else:
        answer = exp(known)
    return np.where(silent, 0.0, answer)


def response_of(link: Link, answer: Floats) -> Floats:
    """The response of a leaf with this prediction, shape (outputs,); for several classes with mean 0."""
    if link == Link.IDENTITY:
        return answer
    if link == Link.SIGMOID:
        p = np.clip(answer, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
        return np.asarray(log(p / (1.0 - p)))
    if link == Link.SOFTMAX:
        logs = log(np.maximum(answer, LEAST_PROBABILITY))
        return np.asarray(logs - logs.mean())
    return np.asarray(log(np.maximum(answer, LEAST_PROBABILITY)))


def chain_slopes(link: Link, answer: Floats, slope: Floats) -> Floats:
    """Slopes (..., outputs) of the loss by predictions of leaves, as slopes by responses."""
    if link == Link.IDENTITY:
        return slope
    if link == Link.SIGMOID:
        return np.asarray(slope * (answer * (1.0 - answer)))
    if link == Link.SOFTMAX:
        return np.asarray(answer * (slope - np.sum(answer * slope, axis=-1, keepdims=True)))
    return np.asarray(slope * answer)


def chain_sums(link: Link, answer: Floats, sums: Floats) -> Floats:
    """Sums (..., 2, outputs) of slopes and expected curvatures by a leaf's prediction, as sums by its response.

    A curvature by a response is the sum of squared derivatives times curvatures by predictions.
    """
    slope, curvature = chain_slopes(link, answer, sums[..., 0, :]), sums[..., 1, :]
    if link == Link.SIGMOID:
        curvature = curvature * np.square(answer * (1.0 - answer))
    elif link == Link.SOFTMAX:
        total = np.sum(np.square(answer) * curvature, axis=-1, keepdims=True)
        curvature = np.square(answer) * (total + (1.0 - 2.0 * answer) * curvature)
    elif link == Link.LOG:
        curvature = curvature * np.square(answer)
    return np.stack([slope, curvature], axis=-2)
