"""Directions for splitting a node's rows.

    classes   w = S_W^-1 (m_L - m_R)      between two groups of classes (Fisher 1936)
    numbers   w = S_T^-1 c                c the covariance of the columns with the target: a ridge regression

S_T = S_W + q (m_L - m_R)(m_L - m_R)', so by Sherman and Morrison S_W^-1 (m_L - m_R) is S_T^-1 (m_L - m_R) times a
positive number, for any groups. One solution with the class means on the right,

    D = S_T^-1 (m_1 - m, ..., m_K - m),       scores of the groups' direction = (columns D) a

with a[k] = ±(weight of class k in its group), gives the direction of every grouping: an exchange of classes does
not need the columns again.

If S_T is singular, the rows are projected on the principal components that keep KEPT_VARIANCE_SHARE of the variance,
as in the paper. Shrinkage adds a multiple of the unit matrix to S_T first, like further rows with the same variance in
all columns; by default one row per column, so that small nodes have stable directions and S_T is never singular.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import eigh, matmul
from softwood.kernels.arithmetic import solve as solve_symmetric

SINGULAR_VARIANCE_SHARE = (
    1e-8  # of a column's variance, unexplained by the previous columns: with less, S_T is singular
)
KEPT_VARIANCE_SHARE = 0.99  # of the variance that principal components keep


def centre(phi: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Mean of the columns, and the centred columns; shares sum to 1."""
    mean: Floats = matmul(share, phi)
    return mean, phi - mean


def scatter(about: Floats, share: Floats, rows: float, shrinkage: float | None) -> Floats:
    """S_T of centred columns, its mean variance times `shrinkage` added to the diagonal; None: columns / rows."""
    S: Floats = matmul((about * share[:, None]).T, about)
    part = len(S) / rows if shrinkage is None else shrinkage
    S.flat[:: len(S) + 1] += part * float(np.trace(S)) / max(len(S), 1)
    return S


def solve(S: Floats, right: Floats) -> Floats:
    """S^-1 right; within the leading principal components if S is singular.

    Examples
    --------
    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([[1.0], [1.0]])).ravel()
    array([0.5 , 0.25])
    >>> solve(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([[1.0], [1.0]])).ravel().round(6)
    array([0.5, 0.5])
    """
    return solve_symmetric(S, right, SINGULAR_VARIANCE_SHARE, KEPT_VARIANCE_SHARE)


class Discriminants(NamedTuple):
    """D, one column per class; the columns' mean; centred rows on D; inner products of the class means by S_T^-1."""

    D: Floats
    mean: Floats
    projected: Floats
    gram: Floats


def discriminants(phi: Floats, tally: Floats, shrinkage: float | None) -> Discriminants:
    """The data for every grouping of the classes; `tally` is (rows, classes), all present."""
    weight = tally.sum(axis=1)
    total = float(weight.sum())
    mean, about = centre(phi, weight / total)
    means = matmul(tally.T, about) / tally.sum(axis=0)[:, None]
    D = solve(scatter(about, weight / total, total, shrinkage), means.T)
    return Discriminants(D, mean, matmul(about, D), matmul(means, D))


def regression(phi: Floats, tally: Floats, shrinkage: float | None) -> Floats:
    """The direction of a ridge regression; for several targets, the one that explains most of them together."""
    weight, n = tally[:, 0], (tally.shape[1] - 1) // 2
    total = float(weight.sum())
    _, about = centre(phi, weight / total)
    covariance = matmul(about.T, tally[:, 1 : n + 1]) / total
    slope = solve(scatter(about, weight / total, total, shrinkage), covariance)
    if n == 1:
        return slope[:, 0]
    _, together = eigh(matmul(covariance.T, slope))
    along: Floats = matmul(slope, together[:, -1])
    return along if along[np.argmax(np.abs(along))] >= 0 else -along  # the sign of an eigenvector is arbitrary
