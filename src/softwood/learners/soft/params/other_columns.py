"""A tree over other columns of the same inputs: every linear sum becomes the nearest one of the new columns.

    phi(x) is near shift + T psi(x)     phi the old columns, psi the new ones, input by input: least squares on rows

Evidence on other rows finds other columns for nearly the same curves, so little is lost; refinement follows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import eigh, matmul
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.rows.moments import round_off

# Of the largest eigenvalue; the inverse of smaller ones would magnify rounding errors more than `round_off` can hide.
TINY_SHARE = 1e-6


def over_columns(tree: SoftTreeParams, before: DesignMatrix, after: DesignMatrix, X: Floats) -> SoftTreeParams:
    """The tree over the columns `after`; X has some rows of the inputs."""
    shift, T = np.zeros(len(before)), np.zeros((len(before), len(after)))
    for f in np.unique(before.feature).tolist():
        old, new = before.columns_of(f), after.columns_of(f)
        phi, psi = before.of_input(f, X[:, f], old), after.of_input(f, X[:, f], new)
        middle = psi.mean(axis=0)
        away = psi - middle
        T[np.ix_(old, new)] = round_off(matmul(_inverse(matmul(away.T, away)), matmul(away.T, phi)).T)
        shift[old] = phi.mean(axis=0) - matmul(T[np.ix_(old, new)], middle)
    return _over(tree, T, round_off(shift))


def _over(tree: SoftTreeParams, T: Floats, shift: Floats) -> SoftTreeParams:
    """The same tree over psi, if phi = shift + T psi. A column is frozen if all columns that it comes from are."""
    gate, bias, held = tree.gate[:, :-1], tree.gate[:, -1:], tree.frozen[:, :-1]
    response, slope = tree.response, np.zeros((len(tree.slope), tree.outputs, T.shape[1]))
    if len(slope):
        response = response + matmul(tree.slope, shift)
        slope = matmul(tree.slope.reshape(-1, tree.columns), T).reshape(slope.shape)
    is_used = matmul((~held).astype(np.float64), np.abs(T)) > 0.0
    frozen = ~is_used & held.any(axis=1, keepdims=True)
    return replace(
        tree,
        gate=np.concatenate([matmul(gate, T), bias + matmul(gate, shift)[:, None]], axis=1),
        response=response,
        slope=slope,
        origin_slope=matmul(tree.origin_slope, T),
        frozen=np.concatenate([frozen, tree.frozen[:, -1:]], axis=1),
    )


def _inverse(S: Floats) -> Floats:
    """The generalised inverse of a symmetric matrix without negative eigenvalues."""
    value, direction = eigh(S)
    kept = value > TINY_SHARE * value.max(initial=0.0)
    return np.asarray(matmul(direction[:, kept] / value[kept], direction[:, kept].T))
