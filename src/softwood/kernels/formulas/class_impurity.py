"""Impurity of classes, times the weight: written as sums without cancellation.

gini      W * (1 - sum p^2)  = sum c (W - c) / W         c = weight per class, W = sum c, p = c / W
entropy   W * (-sum p ln p)  = -sum c ln(c / W)
error     W * (1 - max p)    = W - max c
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import log
from softwood.kernels.kinds import Criterion


def divide(a: Floats, b: Floats) -> Floats:
    """Quotient a / b, and 0 where b is 0, for a set whose classes all have factor 0."""
    return np.divide(a, b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)), where=b > 0)


def gini_loss(count: Floats, size: Floats) -> Floats:
    return np.asarray(divide(count * (size - count), size).sum(axis=1))


def entropy_loss(count: Floats, size: Floats) -> Floats:
    p = divide(count, size)
    return np.asarray(-(count * log(np.where(p > 0, p, 1.0))).sum(axis=1))


def error_loss(count: Floats, size: Floats) -> Floats:
    return np.asarray(size[:, 0] - count.max(axis=1))


CLASS_LOSS = {Criterion.GINI: gini_loss, Criterion.ENTROPY: entropy_loss, Criterion.ERROR: error_loss}
