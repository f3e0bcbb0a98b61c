"""Priors of the curves of numbers, from the strengths that have the largest restricted likelihood on some rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, eigh, exp, log, matmul
from softwood.kernels.formulas.losses import loss_derivatives
from softwood.learners.soft.columns.curve_prior import CurvePrior
from softwood.learners.soft.evidence.fit import Curves
from softwood.learners.soft.evidence.hat_rows import HatRows
from softwood.learners.soft.evidence.steep import curves_with_jumps
from softwood.learners.soft.evidence.strengths import MIN_STRENGTH, USE, Penalties, Strengths, add_band
from softwood.learners.soft.rows.dataset import Dataset

# Strengths, the noise and the information are rounded to powers of this: they are the result of a dozen steps, each of
# which magnifies the last digits of the inputs.
ROUNDING_FACTOR = 1.1


def curve_priors(rows: Dataset, strength: float, n_threads: int = 1) -> dict[int, CurvePrior]:
    """The prior of the curve of each number, by input; empty if no curves can be fitted to these rows.

    strength : of the ridge with which the search begins, times the number of rows.
    """
    curves = curves_with_jumps(rows, n_threads)
    if curves is None:
        return {}
    at, penalties = HatRows.of(curves.basis, rows), Penalties.of(curves.basis)
    moment = _moments(at.products(rows.weight / rows.total_weight, n_threads), len(curves.basis.inputs[0]))
    information, noise = _rounded(_information(rows, curves, at)), _rounded(curves.noise)
    S = _precision(penalties, curves.strength)
    found = {}
    for hats, first in zip(curves.basis.inputs, curves.basis.begin[:-1].tolist(), strict=True):
        mine = slice(first, first + len(hats.knot))
        if len(hats.knot):
            found[hats.feature] = CurvePrior(
                knot=hats.knot,
                covariance=_covariance(S[mine, mine]),
                moment=moment[mine, mine],
                information=float(information),
                ridge=strength / float(noise),
            )
    return found


def _moments(products: Floats, first_input: int) -> Floats:
    """Second central moments of the hats, from mean products. The hats of an input sum to 1."""
    mean = products[:, :first_input].sum(axis=1)
    return np.asarray(products - mean * mean[:, None])


def _information(rows: Dataset, curves: Curves, at: HatRows) -> float:
    """The second derivative of the loss of all rows by the constant, over the noise."""
    curvature = loss_derivatives(rows.loss, curves.output(at), rows.target)[1][:, 0]
    return dot(rows.weight, curvature) / curves.noise


def _precision(penalties: Penalties, strength: Strengths) -> Floats:
    """The matrix S."""
    n = len(penalties.of_column)
    return add_band(np.zeros((n, n)), penalties.total(replace(strength, value=_rounded(strength.value))))


def _rounded(value: Floats | float) -> Floats:
    """Powers of ROUNDING_FACTOR; 0 stays 0."""
    value, step = np.asarray(value), log(ROUNDING_FACTOR)
    return np.where(value > 0, exp(step * np.round(log(np.where(value > 0, value, 1.0)) / step)), 0.0)


def _covariance(S: Floats) -> Floats:
    """The inverse of the precision of an input's heights; the minimum for use bounds it in spite of rounding errors."""
    value, direction = eigh(S)
    return np.asarray(matmul(direction / np.maximum(value, MIN_STRENGTH[USE]), direction.T))
