"""Weighted logistic and linear regressions with a ridge: the M step of a gate, and of a linear expert.

    gate     minimise  sum w (log(1 + e^s) - t s) + ridge/2 |weights|^2,   s = phi . weights + bias

by Newton steps (iteratively reweighted least squares). A step that does not lower the objective is halved, so no M step
decreases the likelihood, as EM requires.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, log_one_plus_exp, matmul, solve
from softwood.kernels.formulas.equation import sigmoid

NEWTON_STEPS = 2  # of Newton in an M step: enough to climb, the next E step moves the target anyway
MAX_HALVINGS = 12
SINGULAR_SHARE = 1e-14  # part of a column that is left, given the others
MIN_CURVATURE_SHARE = 1e-10  # of the rows' weight; a sure gate has almost no Hessian


def fit_gate(phi: Floats, target: Floats, weight: Floats, gate: Floats, ridge: float) -> Floats:
    """Weights (bias last) that are no worse than `gate`; `phi` has a column of ones last.

    Examples
    --------
    >>> phi = np.c_[[-1.0, 0.0, 1.0, 2.0], np.ones(4)]
    >>> gate = fit_gate(phi, np.array([0.0, 0.5, 1.0, 1.0]), np.ones(4), np.zeros(2), 0.1)
    >>> bool(gate[0] > 1.0)
    True
    """
    total = float(weight.sum())
    if not total > 0.0:
        return gate
    if not (there := weight > 0.0).all():  # rows of other classes, behind closed gates
        phi, target, weight = phi[there], target[there], weight[there]
    decay = np.full(len(gate), ridge)
    decay[-1] = 0.0
    value = _objective(phi, target, weight, gate, decay)
    for _ in range(NEWTON_STEPS):
        share = sigmoid(matmul(phi, gate))
        slope = matmul(phi.T, weight * (share - target)) + decay * gate
        curve = _curvature(phi, weight * share * (1.0 - share))
        curve[np.diag_indices_from(curve)] += decay + MIN_CURVATURE_SHARE * total
        step = solve(curve, slope, SINGULAR_SHARE, 1.0 - SINGULAR_SHARE)
        for _ in range(MAX_HALVINGS):
            trial = gate - step
            found = _objective(phi, target, weight, trial, decay)
            if found < value:
                break
            step = 0.5 * step
        else:
            return gate
        done = value - found < 1e-9 * max(abs(value), 1e-300)
        gate, value = trial, found
        if done:
            break
    return gate


def _curvature(phi: Floats, weight: Floats) -> Floats:
    """Sum of weight * phi phi' over the rows."""
    found: Floats = matmul((phi * weight[:, None]).T, phi)
    return found


def _objective(phi: Floats, target: Floats, weight: Floats, gate: Floats, decay: Floats) -> float:
    score = matmul(phi, gate)
    loss = log_one_plus_exp(score) - target * score
    return dot(weight, loss) + 0.5 * dot(decay, np.square(gate))


def fit_line(phi: Floats, target: Floats, weight: Floats, ridge: float) -> Floats:
    """Ridge regression of every target, (columns, targets); `phi` has a column of ones last, which is not penalised."""
    curve = _curvature(phi, weight)
    decay = np.full(len(curve), ridge)
    decay[-1] = 0.0
    curve[np.diag_indices_from(curve)] += decay + MIN_CURVATURE_SHARE * max(float(weight.sum()), 1e-300)
    return solve(curve, matmul(phi.T, weight[:, None] * target), SINGULAR_SHARE, 1.0 - SINGULAR_SHARE)
