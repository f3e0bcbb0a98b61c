"""Rates for comparing groups of rows.

selection rate       proportion of rows that are predicted positive
false negative rate  proportion of the positive rows that are not predicted positive
false positive rate  proportion of the other rows that are predicted positive
calibration gap      proportion of positives minus mean probability: 0 for calibrated probabilities
impact ratio         selection rate of a group / the highest one; four-fifths rule: at least 4/5 (29 CFR 1607.4 D)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softwood.arrays import Floats, Mask


class Rates(NamedTuple):
    """Rates of some rows; NaN where there is no row to count."""

    selection_rate: float
    false_negative_rate: float
    false_positive_rate: float
    calibration_gap: float


def rates(positive: Mask, selected: Mask, probability: Floats) -> Rates:
    """Rates of rows with their actual class, selection and predicted probability.

    Examples
    --------
    >>> rates(np.array([True, True, False]), np.array([True, False, False]), np.array([0.75, 0.5, 0.25]))
    Rates(selection_rate=0.3333333333333333, false_negative_rate=0.5, false_positive_rate=0.0, \
calibration_gap=0.16666666666666663)
    """
    return Rates(
        _mean(selected), _mean(~selected[positive]), _mean(selected[~positive]), _mean(positive) - _mean(probability)
    )


def impact_ratios(selection_rates: Sequence[float], counted: Sequence[bool] | None = None) -> list[float]:
    """Every selection rate relative to the highest one; NaN if none is above 0.

    counted : groups that may provide the highest rate, such as those with enough rows; None: all.

    Examples
    --------
    >>> impact_ratios([0.5, 0.25])
    [1.0, 0.5]
    >>> impact_ratios([0.5, 0.25], [False, True])
    [2.0, 1.0]
    """
    may = [True] * len(selection_rates) if counted is None else counted
    highest = max((rate for rate, own in zip(selection_rates, may, strict=True) if own and rate == rate), default=0.0)
    return [rate / highest if highest > 0 else float("nan") for rate in selection_rates]


def _mean(values: Mask | Floats) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
