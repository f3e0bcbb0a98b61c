"""A sum of curves: coefficients by Newton's method, penalty strengths by restricted likelihood.

    minimise   sum of losses + noise / 2 b'S b        S with the strengths of largest restricted likelihood

No fold, no grid, no held-out row. One Newton step for each update of the strengths (performance iteration: Gu 1992;
Wood, Li, Shaddick and Augustin 2017), halved while the penalised loss does not fall. The noise is the dispersion,
estimated from residuals and effective degrees of freedom; 1 for two classes.

The constant is not penalised: columns are centred by the weights of the step. Losses without a likelihood (Huber,
quantiles) are not fitted, nor are several outputs, sparse tables or those with too many inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, log, matmul
from softwood.kernels.formulas.losses import loss_derivatives, row_loss
from softwood.kernels.formulas.special import interpolate
from softwood.kernels.kinds import Loss, LossKind
from softwood.learners.soft.evidence.hat_rows import HatRows
from softwood.learners.soft.evidence.hats import HatBasis, Hats, make_hats
from softwood.learners.soft.evidence.strengths import TINY, Penalties, Strengths, add_band, solve_scaled
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.target_scale import MIN_MEAN

LIKELIHOODS = (LossKind.SQUARED, LossKind.LOGISTIC, LossKind.TWEEDIE)
MAX_ITER = 40  # updates of the strengths; 10 to 25 are usual
CONVERGED_DEGREES = 0.05  # change of the degrees of freedom of every input
MAX_HALVINGS = 8


@dataclass(frozen=True)
class Curves:
    """A sum of curves, and the quantities of its fit.

    noise : the dispersion.  degrees : effective degrees of freedom of each input.
    """

    basis: HatBasis
    constant: float
    coefficient: Floats
    strength: Strengths
    noise: float
    degrees: Floats

    def output(self, at: HatRows) -> Floats:
        """Its output, (rows, 1)."""
        return (self.constant + at.times(self.coefficient))[:, None]


def hats_of(rows: Dataset) -> HatBasis | None:
    """The columns for curves on these rows; None if the loss has no likelihood, or inputs or outputs are too many.

    Each output more would be a fit of its own, and more than two classes are fitted no better by columns by evidence.
    """
    if rows.loss.kind not in LIKELIHOODS or rows.target.shape[1] > 1 or rows.is_sparse:
        return None
    return make_hats(rows)


def fit_curves(
    rows: Dataset, basis: HatBasis, n_threads: int = 1, max_iter: int = MAX_ITER, start: Curves | None = None
) -> Curves:
    """The sum of curves over these columns (`hats_of`); targets in the learner's scale.

    start : curves of the same inputs with fewer knots.
    """
    fitter = CurveFitter(rows, HatRows.of(basis, rows), Penalties.of(basis), n_threads)
    curves = _constant(rows, basis, fitter.penalties) if start is None else _moved(start, basis, fitter.penalties)
    score = curves.output(fitter.at)
    for _ in range(max_iter):
        before, curves = curves, fitter.step(curves, score)
        if np.abs(curves.degrees - before.degrees).max() < CONVERGED_DEGREES:
            break
    return curves


def _constant(rows: Dataset, basis: HatBasis, penalties: Penalties) -> Curves:
    """Curves that are 0."""
    flat, degrees = np.zeros(int(basis.begin[-1])), np.zeros(len(basis.inputs))
    return Curves(basis, best_constant(rows), flat, penalties.first(), 1.0, degrees)


def _moved(start: Curves, basis: HatBasis, penalties: Penalties) -> Curves:
    """The same curves over other knots."""
    pairs = zip(start.basis.inputs, basis.inputs, np.split(start.coefficient, start.basis.begin[1:-1]), strict=True)
    heights = np.concatenate([_heights_at(after, before, height) for before, after, height in pairs])
    return replace(start, basis=basis, coefficient=heights, strength=penalties.first(start.strength))


def _heights_at(after: Hats, before: Hats, height: Floats) -> Floats:
    """Heights of a curve at the knots of other hats."""
    if len(after.knot) == len(before.knot):
        return height
    n = len(before.knot)
    return np.append(interpolate(after.knot, before.knot, height[None, :n])[0], height[n:])


def best_constant(rows: Dataset) -> float:
    """The initial constant: the mean, the log odds or the log of the mean."""
    mean = float(np.average(rows.target[:, 0], weights=rows.weight))
    if rows.loss.kind == LossKind.LOGISTIC:
        p = min(max(mean, MIN_MEAN), 1.0 - MIN_MEAN)
        return float(log(p / (1.0 - p)))
    return float(log(max(mean, MIN_MEAN))) if rows.loss.kind == LossKind.TWEEDIE else mean


@dataclass
class CurveFitter:
    """Steps of the fit. With a squared loss, the products of the columns never change."""

    rows: Dataset
    at: HatRows
    penalties: Penalties
    n_threads: int
    squared_products: Floats | None = None

    def step(self, now: Curves, score: Floats) -> Curves:
        """One Newton step, which also updates `score`, and one update of the strengths.

        If rounding leaves no positive definite matrix, nothing changes.
        """
        slope, curvature = self._derivatives(score)
        weight = self.rows.weight * curvature
        H, total = self._products(weight), float(weight.sum())
        mean = H[:, : len(self.at.basis.inputs[0])].sum(axis=1) / total  # of each column
        H = H - total * mean * mean[:, None]
        down = self.rows.weight * slope
        right = matmul(H, now.coefficient) - (self.at.transposed_times(down) - mean * float(down.sum()))
        A = add_band(H, now.noise * self.penalties.total(now.strength))
        found = solve_scaled(A, right[:, None], self.n_threads)
        if found is None:
            return now
        change, covariance = found[0][:, 0] - now.coefficient, now.noise * found[1]
        shift = -float(down.sum()) / total - dot(mean, change)
        moved = self.at.times(change) + shift
        part = 1.0 if self.rows.loss == Loss.SQUARED else self._length(now, score, change, moved)
        score[:, 0] += part * moved
        return self._updated(now, score, now.constant + part * shift, now.coefficient + part * change, covariance)

    def _updated(self, now: Curves, score: Floats, constant: float, b: Floats, covariance: Floats) -> Curves:
        """The curves after a step: degrees of freedom, noise, the next strengths."""
        held = np.sum(now.strength.value * self.penalties.traces(covariance), axis=0)
        degrees = np.diff(self.at.basis.begin) - held
        return replace(
            now,
            constant=constant,
            coefficient=b,
            strength=self.penalties.updated(now.strength, b, covariance),
            noise=self._noise(score, float(degrees.sum())),
            degrees=degrees,
        )

    def _derivatives(self, score: Floats) -> tuple[Floats, Floats]:
        slope, curvature = loss_derivatives(self.rows.loss, score, self.rows.target)
        return slope[:, 0], curvature[:, 0]

    def _products(self, weight: Floats) -> Floats:
        if self.rows.loss != Loss.SQUARED:
            return self.at.products(weight, self.n_threads)
        if self.squared_products is None:
            self.squared_products = self.at.products(weight, self.n_threads)
        return self.squared_products

    def _noise(self, score: Floats, degrees: float) -> float:
        """Pearson's estimate: squared residuals over residual degrees of freedom; weights count as rows."""
        if self.rows.loss.is_classes:
            return 1.0
        slope, curvature = self._derivatives(score)
        squares = dot(self.rows.weight, slope * slope / curvature)
        return max(squares / max(self.rows.total_weight - 1.0 - degrees, 1.0), TINY)

    def _length(self, now: Curves, score: Floats, change: Floats, moved: Floats) -> float:
        """The step length: 1, or the first of 1/2, 1/4, ... that lowers the penalised loss."""
        loss = self._penalised_loss(now, score, change, moved)
        before, part = loss(0.0), 1.0
        for _ in range(MAX_HALVINGS):
            if loss(part) <= before:
                return part
            part /= 2
        return 0.0

    def _penalised_loss(self, now: Curves, score: Floats, change: Floats, moved: Floats) -> Callable[[float], float]:
        """The penalised loss at this proportion of the step."""

        def loss(part: float) -> float:
            there = score + part * moved[:, None]
            penalty = float(np.sum(now.strength.value * self.penalties.squares(now.coefficient + part * change)))
            lost = dot(self.rows.weight, row_loss(self.rows.loss, there, self.rows.target))
            return lost + 0.5 * now.noise * penalty

        return loss
