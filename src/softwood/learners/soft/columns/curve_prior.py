"""Columns of a number by evidence: the prior of its curve in independent directions.

    heights at the knots ~ Normal(0, covariance)

Evidence on some rows (evidence/) chose the covariance: how much the curve may rise, bend and jump, and whether it is of
any use. Directions are scaled so that the ridge with which the search begins is the penalty of this prior. Those of
which the rows know hardly anything are dropped: a line has one, a rugged curve a dozen, and a useless input none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import eigh, matmul
from softwood.learners.soft.rows.moments import round_off

MIN_INFORMATION = 0.02  # of the rows about a direction, relative to that of its prior


@dataclass(frozen=True)
class CurvePrior:
    """The prior of one input's curve.

    knot : where its heights are.  covariance : of the heights.
    moment : second central moments of the hats at the knots, over the rows.
    information : of all rows about a constant, in units of 1 / variance.
    ridge : strength of the ridge with which the search begins, over the dispersion.
    """

    knot: Floats
    covariance: Floats
    moment: Floats
    information: float
    ridge: float

    def columns(self) -> Floats:
        """Heights at the knots of columns whose ridge is the penalty of this prior, (columns, knots)."""
        half = _half(self.covariance)
        variance, direction = eigh(matmul(half.T, matmul(self.moment, half)))
        kept = variance * self.information >= MIN_INFORMATION
        return round_off(np.sqrt(self.ridge) * _upwards(matmul(half, direction[:, kept]).T[::-1]))


def _upwards(height: Floats) -> Floats:
    """Curves whose largest height is positive: the sign of a direction is arbitrary."""
    if not len(height):
        return height
    largest = np.take_along_axis(height, np.abs(height).argmax(axis=1)[:, None], axis=1)
    return np.asarray(height * np.sign(largest))


def _half(covariance: Floats) -> Floats:
    """A matrix whose product with its transpose is the covariance."""
    variance, direction = eigh(covariance)
    return np.asarray(direction * np.sqrt(np.maximum(variance, 0.0)))
