"""Expected squared errors of the responses and curves of a tree, given its gates, from rows and their actual values.

The tree is a regression on the columns Z of linear_form.py. With slope e (target minus prediction) and curvature c of
every row's loss, noise s and a precision L of the coefficients,

    A⁻¹ (B n / (n - d) + s⁴ L) A⁻¹ + a aᵀ,   A = Zᵀ c Z + s² L,   B = Zᵀ e² Z

Nothing is assumed about responses and slopes: L is 0, and this is the sandwich estimator of Huber (1967) and White
(1980), which does not assume equal variances. In a hard tree with constant leaves it is the standard error of a mean.

The rises of a curve are drawn from one normal distribution, so that it is a random walk over its knots; so are the
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
class TreeErrors:
    """Expected products of the errors of the coefficients, (outputs, columns, columns).

    degrees : effective degrees of freedom (outputs, curves).
    """

    form: LinearForm
    products: Floats
    degrees: Floats

    def of_sums(self, columns: Floats, output: int) -> Floats:
        """Standard errors of outputs, before the link, from their columns, or from means or differences of columns."""
        squares = np.einsum("ri,ij,rj->r", columns, self.products[output], columns, optimize=True)
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def fit_errors(tree: Tree, rows: Floats, target: Floats, weight: Floats) -> TreeErrors:
    """The errors of a tree, from encoded rows and targets (rows, outputs): numbers, or 1 for the class of an output."""
    form, output = LinearForm.of(tree, rows), tree.output(rows)
    slope, curvature = _derivatives(tree, output, target)
    found = [
        _of_output(form, k, form.columns(rows, k), weight, output[:, k], slope[:, k], curvature[:, k])
        for k in range(tree.n_outputs)
    ]
    products, degrees = map(np.array, zip(*found, strict=True))
    return TreeErrors(form, products, degrees)


def _derivatives(tree: Tree, output: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Target minus prediction, and the derivative of the prediction with respect to the output, (rows, outputs)."""
    if tree.link == Link.IDENTITY:
        return target - output, np.ones_like(output)
    answer = apply_link(int(tree.link), output)[:, -tree.n_outputs :]  # for two classes and one output, the second
    return target - answer, answer if tree.link == Link.LOG else answer * (1.0 - answer)


def _of_output(
    form: LinearForm, k: int, Z: Floats, weight: Floats, output: Floats, slope: Floats, curvature: Floats
) -> tuple[Floats, Floats]:
    """The products of the errors, and the degrees of freedom of the curves."""
    n, is_classes = float(weight.sum()), form.tree.schema.task == "classification"
    squares = 0.0 if is_classes else float(weight @ (slope * slope / curvature))

    def noise(degrees: float) -> float:
        """The variance s²; that of classes is 1."""
        return 1.0 if is_classes else max(squares / max(n - len(form.node) - degrees, 1.0), TINY)

    H = Z.T @ (Z * (weight * curvature)[:, None])
    right = Z.T @ (weight * (curvature * output + slope))
    size = _sizes(form, k, H, right, noise)
    used = float(size.degrees.sum())
    L = np.diag(noise(used) * size.precision)
    inverse = np.linalg.pinv(H + L, rcond=SMALLEST, hermitian=True)
    score = Z * (np.sqrt(weight) * slope)[:, None]
    middle = score.T @ score * (n / max(n - len(form.node) - used, 1.0)) + noise(used) * L
    return inverse @ middle @ inverse + np.outer(size.away, size.away), size.degrees


@dataclass(frozen=True)
class _Sizes:
    """Of the columns: the precision, 0 if free, and the tree's distance from the posterior mean; degrees of curves."""

    precision: Floats
    away: Floats
    degrees: Floats


def _sizes(form: LinearForm, k: int, H: Floats, right: Floats, noise: Callable[[float], float]) -> _Sizes:
    """The precisions of largest restricted likelihood. Columns that are free are projected out."""
    degrees = np.array([float(len(one)) for one in form.curves])
    sized = np.flatnonzero([not one.is_free for one in form.curves])
    precision, away = np.zeros(len(form)), np.zeros(len(form))
    if not len(sized):
        return _Sizes(precision, away, degrees)
    curve = np.repeat(np.arange(len(sized)), degrees[sized].astype(np.intp))
    held = np.concatenate([np.arange(form.curves[i].begin, form.curves[i].end) for i in sized])
    free = np.setdiff1d(np.arange(len(form)), held)
    onto = H[np.ix_(held, free)] @ np.linalg.pinv(H[np.ix_(free, free)], rcond=SMALLEST, hermitian=True)
    S, r = H[np.ix_(held, held)] - onto @ H[np.ix_(free, held)], right[held] - onto @ right[free]
    size = np.full(len(sized), max(float(np.mean(np.diag(S))), TINY) / noise(0.0))  # as much as the rows know
    for _ in range(MAX_ITER):
        before, ridge = degrees[sized], noise(float(degrees.sum())) * size[curve]
        inverse = np.linalg.inv(S + np.diag(ridge))
        found = inverse @ r
        degrees[sized] = np.bincount(curve, 1.0 - ridge * np.diag(inverse))
        if np.abs(degrees[sized] - before).max() < CONVERGED_DEGREES:
            break
        squares = np.bincount(curve, np.square(found))
        size = np.minimum(degrees[sized] / np.maximum(squares, TINY), MAX_PRECISION)
    precision[held] = size[curve]
    away[held] = np.concatenate([form.curves[i].coefficients(form.tree, k) for i in sized]) - found
    away[free] = -away[held] @ onto
    return _Sizes(precision, away, degrees)
