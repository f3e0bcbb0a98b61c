"""Expected squared errors of the responses and curves of a tree, given its gates, from rows and their actual values.

The tree is a regression on the columns Z of linear_form.py. With slope e (target minus prediction) and curvature c of
every row's loss, noise s and a precision L of the coefficients,

    A⁻¹ (B n / (n - d) + s⁴ L) A⁻¹ + a aᵀ,   A = Zᵀ c Z + s² L,   B = Zᵀ e² Z

Nothing is assumed about responses and slopes: L is 0, and this is the sandwich estimator of Huber (1967) and White
(1980), which does not assume equal variances. In a hard tree with constant leaves it is the standard error of a mean.

The rises of a curve beside a line are drawn from one normal distribution, a random walk over its knots; so are the
levels of a category. The precision has the largest restricted likelihood (generalised Fellner-Schall: Wood and Fasiolo
2017). With equal variances the first part is the posterior covariance, which includes the bias of a smooth curve (Wahba
1983). a is the distance of the tree's curves from the posterior mean. d are the effective degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.explain.linear_form import LinearForm
from softwood.kernels.formulas.equation import apply_link
from softwood.kernels.kinds import Link
from softwood.tree import Tree

SMALLEST = 1e-10  # relative to the largest singular value; smaller ones are not identified by the rows
MAX_ITER = 100  # updates of the precisions; 10 to 40 are usual
CONVERGED_DEGREES = 0.02  # change of the degrees of freedom of every curve
TINY, MAX_PRECISION = 1e-12, 1e12


@dataclass(frozen=True)
class OutputErrors:
    """Expected products of the errors of the coefficients of one output.

    degrees : effective degrees of freedom of the curves.
    """

    form: LinearForm
    products: Floats
    degrees: Floats

    def of_sums(self, columns: Floats) -> Floats:
        """Standard errors of outputs, before the link, from their columns, or from means or differences of columns."""
        return np.asarray(np.sqrt(np.maximum(np.sum(columns @ self.products * columns, axis=1), 0.0)))


def fit_errors(form: LinearForm, rows: Floats, target: Floats, weight: Floats, k: int) -> OutputErrors:
    """The errors of output k, from encoded rows and targets (rows, outputs): numbers, or 1 for an output's class."""
    output = form.tree.output(rows)
    slope, curvature = (one[:, k] for one in _derivatives(form.tree, output, target))
    n, is_classes = float(weight.sum()), form.tree.schema.task == "classification"
    squares = 0.0 if is_classes else float(weight @ (slope * slope / curvature))

    def noise(degrees: float) -> float:
        """The variance s²; that of classes is 1."""
        return 1.0 if is_classes else max(squares / max(n - len(form.node) - degrees, 1.0), TINY)

    Z = form.columns(rows, k)
    H = Z.T @ (Z * (weight * curvature)[:, None])
    size = _sizes(form, k, H, Z.T @ (weight * (curvature * output[:, k] + slope)), noise)
    used = float(size.degrees.sum())
    L = np.diag(noise(used) * size.precision)
    inverse = np.linalg.pinv(H + L, rcond=SMALLEST, hermitian=True)
    score = Z * (np.sqrt(weight) * slope)[:, None]
    middle = score.T @ score * (n / max(n - len(form.node) - used, 1.0)) + noise(used) * L
    return OutputErrors(form, inverse @ middle @ inverse + np.outer(size.away, size.away), size.degrees)


def _derivatives(tree: Tree, output: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Target minus prediction, and the derivative of the prediction with respect to the output, (rows, outputs)."""
    if tree.link == Link.IDENTITY:
        return target - output, np.ones_like(output)
    answer = apply_link(int(tree.link), output)[:, -tree.n_outputs :]  # for two classes and one output, the second
    return target - answer, answer if tree.link == Link.LOG else answer * (1.0 - answer)


@dataclass(frozen=True)
class _Sizes:
    """Of the columns: the precision, 0 if free, and the tree's distance from the posterior mean; degrees of curves."""

    precision: Floats
    away: Floats
    degrees: Floats


def _sizes(form: LinearForm, k: int, H: Floats, right: Floats, noise: Callable[[float], float]) -> _Sizes:
    """The precisions of largest restricted likelihood. Columns that are free are projected out."""
    degrees = np.array([float(len(one)) for one in form.curves])
    n_free = np.array([one.n_free for one in form.curves], np.intp)
    sized = np.flatnonzero(degrees > n_free)
    precision, away = np.zeros(len(form)), np.zeros(len(form))
    if not len(sized):
        return _Sizes(precision, away, degrees)
    held = np.concatenate([np.arange(form.curves[i].begin + n_free[i], form.curves[i].end) for i in sized])
    curve = np.repeat(np.arange(len(sized)), [len(form.curves[i]) - n_free[i] for i in sized])
    free = np.setdiff1d(np.arange(len(form)), held)
    onto = H[np.ix_(held, free)] @ np.linalg.pinv(H[np.ix_(free, free)], rcond=SMALLEST, hermitian=True)
    S, r = H[np.ix_(held, held)] - onto @ H[np.ix_(free, held)], right[held] - onto @ right[free]
    size = np.full(len(sized), max(float(np.mean(np.diag(S))), TINY) / noise(0.0))  # as much as the rows know
    for _ in range(MAX_ITER):
        before, ridge = degrees[sized], noise(float(degrees.sum())) * size[curve]
        inverse = np.linalg.inv(S + np.diag(ridge))
        found = inverse @ r
        of_size = np.bincount(curve, 1.0 - ridge * np.diag(inverse))
        degrees[sized] = n_free[sized] + of_size
        if np.abs(degrees[sized] - before).max() < CONVERGED_DEGREES:
            break
        squares = np.bincount(curve, np.square(found))
        size = np.minimum(of_size / np.maximum(squares, TINY), MAX_PRECISION)
    precision[held] = size[curve]
    away[held] = np.concatenate([form.curves[i].coefficients(form.tree, k) for i in sized]) - found
    away[free] = -away[held] @ onto
    return _Sizes(precision, away, degrees)
