"""Scaling for streams, in NumPy: each row is scaled by the mean and spread of the rows so far, including itself.

Sums run over the rows in order, so they do not depend on the division into chunks. Twin, equal to the bit:
native/budding/running_scale.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats, Ints
from softwood.kernels.contracts.running_scale import ScaleRule, place_of


def scale_running(
    X: Floats, feature: Ints, code: Floats, weight: Floats, moments: Any, rule: ScaleRule, phi: Floats
) -> bool:
    """Scale rows, each by the rows up to itself, into `phi` (rows, columns); false if squares are no longer finite.

    feature, code : the input of each column, and its kind: code < 0, the number; NaN, whether it is missing; else
        whether it is that level.
    moments : sums so far: arrays first, weight, total, squares, low and high; changed in place.
    """
    given = X[:, feature]
    raw = np.where(code < 0, given, np.where(np.isnan(code), np.isnan(given), given == code))
    total_weight, total, squares = _accumulate(raw, weight, moments)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = place_of(moments.first, total_weight, total, squares, rule)
        scale = np.where(spread > 0, spread, np.inf)
        number = np.nan_to_num(np.clip((raw - mean) / scale, -rule.limit, rule.limit), nan=0.0)
        phi[:] = np.where(code < 0, number, rule.indicator_scale * (raw - mean))
    return bool(np.isfinite(moments.squares).all())


def _accumulate(values: Floats, weight: Floats, moments: Any) -> list[Floats]:
    """Weight, sum and squares up to each row; missing values are not counted."""
    known = ~np.isnan(values)
    for c in np.flatnonzero(np.isnan(moments.first) & known.any(axis=0)):
        moments.first[c] = moments.low[c] = moments.high[c] = values[np.argmax(known[:, c]), c]
    counted = np.where(known, weight[:, None], 0.0)
    away = np.where(known, values - moments.first, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        parts = (counted, counted * away, counted * away * away)
        before = (moments.weight, moments.total, moments.squares)
        sums = [np.add.accumulate(np.vstack(pair), axis=0)[1:] for pair in zip(before, parts, strict=True)]
    if len(values):
        moments.weight[:], moments.total[:], moments.squares[:] = (part[-1] for part in sums)
        moments.low[:] = np.fmin(moments.low, np.fmin.reduce(values))
        moments.high[:] = np.fmax(moments.high, np.fmax.reduce(values))
    return sums
