"""Scaling of streams: the rule, and scales from the sums so far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softwood.arrays import Floats


class ScaleRule(NamedTuple):
    """Where columns end, the scale of indicators, and the relative spread below which a column is constant."""

    limit: float
    indicator_scale: float
    least_spread: float
    constant: float


def place_of(first: Floats, weight: Floats, total: Floats, squares: Floats, rule: ScaleRule) -> tuple[Floats, Floats]:
    """Mean and spread from sums about the first value; spread 0 if it may be rounding."""
    some = np.maximum(weight, 1e-300)
    middle = total / some
    spread = np.sqrt(np.maximum(squares / some - middle * middle, 0.0))
    origin = np.where(np.isnan(first), 0.0, first)
    size = np.maximum(np.abs(origin), np.abs(origin + middle))
    least = np.maximum(rule.least_spread * np.abs(middle), rule.constant * size)
    return origin + middle, np.where(spread > least, spread, 0.0)
