"""Centres of weighted numbers that are not sums, and the losses about them: quantiles, and Huber's.

quantile p   the smallest y whose cumulative weight reaches p; where it equals p, the mean of that y and the next.
             Loss: distances times p above it, times 1 - p below (absolute error: times 1)
huber        where psi(c) = sum w clip(y - c, -d, d) is 0. Loss: u^2 / 2 where the distance u <= d, else d u - d^2 / 2

Many sets at once: every row of `weight` has the weights of the increasing y in one set. psi decreases, and is linear
between neighbouring points y - d, y + d: it is computed at all of them, and the centre is its zero; if psi is 0 on an
interval, the middle.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.contracts.growth import TIE
from softwood.kernels.kinds import Criterion

Found = tuple[Floats, Floats, Floats]  # loss, size and centre of each set


class FindCenters(Protocol):
    """Loss, size and centre for every row of `weight`, the weights of the increasing `y`."""

    def __call__(self, y: Floats, weight: Floats) -> Found: ...


def find_centers(criterion: Criterion, parameter: float) -> FindCenters:
    """The function of a criterion: absolute error weights both sides by 1, a quantile p by 1 - p below and p above."""
    if criterion == Criterion.HUBER:
        return partial(huber_centers, width=float(parameter))
    if criterion == Criterion.QUANTILE:
        return partial(quantiles, level=float(parameter), below=1.0 - float(parameter), above=float(parameter))
    return partial(quantiles, level=0.5, below=1.0, above=1.0)


def quantiles(y: Floats, weight: Floats, *, level: float, below: float, above: float) -> Found:
    """Loss, size and quantile for every row of `weight`, the weights of the increasing `y`.

    Examples
    --------
    >>> loss, size, center = quantiles(np.array([1.0, 2.0, 4.0]), np.ones((1, 3)), level=0.9, below=0.1, above=0.9)
    >>> loss.round(3), size, center
    (array([0.5]), array([3.]), array([4.]))
    """
    total = np.cumsum(weight, axis=1)
    size = total[:, -1]
    at = np.argmax(total >= (size * (level - TIE))[:, None], axis=1)
    reached = np.take_along_axis(total, at[:, None], axis=1)
    following = np.argmax(total > reached, axis=1)  # the next y of the set, if any
    equals = (reached[:, 0] <= size * (level + TIE)) & (following > at)
    center = np.where(equals, y[at] / 2 + y[following] / 2, y[at])
    away = y - center[:, None]
    return np.sum(weight * np.where(away < 0, -below * away, above * away), axis=1), size, center


def huber_centers(y: Floats, weight: Floats, *, width: float) -> Found:
    """Loss, size and Huber's centre for every row of `weight`, the weights of the increasing `y`.

    Examples
    --------
    >>> loss, size, center = huber_centers(np.array([1.0, 2.0, 90.0]), np.ones((1, 3)), width=1.0)
    >>> loss, size, center
    (array([88.]), array([3.]), array([2.]))
    """
    origin = y[len(y) // 2]  # measured from a member, to keep digits far from 0
    y = y - origin
    point = np.sort(np.concatenate([y - width, y + width]))
    low = np.searchsorted(y, point - width, "right")
    high = np.maximum(low, np.searchsorted(y, point + width, "left"))
    empty = np.zeros((len(weight), 1))
    mass, moment = (np.hstack([empty, np.cumsum(part, axis=1)]) for part in (weight, weight * y))
    size = mass[:, -1]
    inside = (moment[:, high] - moment[:, low]) - point * (mass[:, high] - mass[:, low])
    psi = width * ((size[:, None] - mass[:, high]) - mass[:, low]) + inside
    near = TIE * width * size[:, None]
    first, last = np.argmax(psi <= near, axis=1), len(point) - 1 - np.argmax((psi >= -near)[:, ::-1], axis=1)
    rows = np.arange(len(weight))
    step = np.minimum(last + 1, len(point) - 1)
    falls = psi[rows, last] - psi[rows, step]
    part = np.divide(psi[rows, last], falls, out=np.zeros_like(falls), where=falls > 0)
    crossed = point[last] + part * (point[step] - point[last])
    center = np.where(first <= last, point[first] / 2 + point[last] / 2, crossed)
    away = np.abs(y - center[:, None])
    held = np.minimum(away, width)
    return np.sum(weight * (held * (away - 0.5 * held)), axis=1), size, center + origin
