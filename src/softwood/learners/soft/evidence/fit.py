"""A sum of curves: coefficients by Newton's method, penalty strengths by restricted likelihood.

    minimise   sum of losses + noise / 2 b'S b        S with the strengths of largest restricted likelihood

No fold, no grid, no held-out row. One Newton step for each update of the strengths (performance iteration: Gu 1992;
Wood, Li, Shaddick and Augustin 2017), halved while the penalised loss does not fall. The noise is the dispersion,
estimated from residuals and effective degrees of freedom; 1 for classes. Each output has its own curves, strengths
and noise; with more than two classes, they are updated in turn by the diagonal of the second derivatives.

The constant is not penalised: columns are centred by the weights of the step. Losses without a likelihood (Huber,
quantiles) are not fitted, nor are sparse tables or those with too many inputs.
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
from softwood.learners.soft.evidence.strengths import Penalties, Strengths, add_band, solve_scaled
from softwood.learners.soft.rows.dataset import Dataset

LIKELIHOODS = (LossKind.SQUARED, LossKind.LOGISTIC, LossKind.SOFTMAX, LossKind.TWEEDIE)
MAX_ITER = 40  # updates of the strengths; 10 to 25 are usual
CONVERGED_DEGREES = 0.05  # change of the degrees of freedom of every input
MAX_HALVINGS = 8
MIN_NOISE = 1e-12  # for targets with spread 1
MIN_SHARE = 1e-3  # smallest probability, or mean target, of the initial constant


@dataclass(frozen=True)
class CurvesOfOutput:
    """The curves of one output, and the quantities of their fit.

    noise : the dispersion.  degrees : effective degrees of freedom of each input.
    """

    constant: float
    coefficient: Floats
    strength: Strengths
    noise: float
    degrees: Floats


@dataclass(frozen=True)
class Curves:
    """A sum of curves for each output."""

    basis: HatBasis
    outputs: list[CurvesOfOutput]

    def output(self, at: HatRows) -> Floats:
        """Their outputs, (rows, outputs)."""
        return np.stack([one.constant + at.times(one.coefficient) for one in self.outputs], axis=1)


def hats_of(rows: Dataset) -> HatBasis | None:
    """The columns for curves on these rows; None if the loss has no likelihood, or there are too many inputs."""
    if rows.loss.kind not in LIKELIHOODS or rows.is_sparse:
        return None
    return make_hats(rows, rows.target.shape[1] if rows.loss == Loss.SOFTMAX else 1)


def fit_curves(
    rows: Dataset, basis: HatBasis, n_threads: int = 1, max_iter: int = MAX_ITER, start: Curves | None = None
) -> Curves:
    """The sum of curves over these columns (`hats_of`); targets in the learner's scale.

    start : curves of the same inputs with fewer knots.
    """
    fitter = CurveFitter(rows, HatRows.of(basis, rows), Penalties.of(basis), n_threads)
    outputs = _constants(rows, basis, fitter.penalties) if start is None else _moved(start, basis, fitter.penalties)
    score = Curves(basis, outputs).output(fitter.at)
    for _ in range(max_iter):
        before, outputs = outputs, [fitter.step(one, score, k) for k, one in enumerate(outputs)]
        moved = [np.abs(new.degrees - old.degrees).max() for new, old in zip(outputs, before, strict=True)]
        if max(moved) < CONVERGED_DEGREES:
            break
    return Curves(basis, outputs)


def _constants(rows: Dataset, basis: HatBasis, penalties: Penalties) -> list[CurvesOfOutput]:
    """Curves that are 0, of each output."""
    flat, degrees = np.zeros(int(basis.begin[-1])), np.zeros(len(basis.inputs))
    return [CurvesOfOutput(float(c), flat, penalties.first(), 1.0, degrees) for c in best_constant(rows)]


def _moved(start: Curves, basis: HatBasis, penalties: Penalties) -> list[CurvesOfOutput]:
    """The same curves over other knots."""
    begin = start.basis.begin[1:-1]

    def moved(one: CurvesOfOutput) -> CurvesOfOutput:
        pairs = zip(start.basis.inputs, basis.inputs, np.split(one.coefficient, begin), strict=True)
        heights = np.concatenate([_heights_at(after, before, height) for before, after, height in pairs])
        return replace(one, coefficient=heights, strength=penalties.first(one.strength))

    return [moved(one) for one in start.outputs]


def _heights_at(after: Hats, before: Hats, height: Floats) -> Floats:
    """Heights of a curve at the knots of other hats."""
    if len(after.knot) == len(before.knot):
        return height
    n = len(before.knot)
    return np.append(interpolate(after.knot, before.knot, height[None, :n])[0], height[n:])


def best_constant(rows: Dataset) -> Floats:
    """The initial constant: the mean, the log odds or the log of the mean."""
    mean = np.asarray(np.average(rows.target, axis=0, weights=rows.weight))
    if rows.loss.kind == LossKind.LOGISTIC:
        p = np.clip(mean, MIN_SHARE, 1.0 - MIN_SHARE)
        return np.asarray(log(p / (1.0 - p)))
    if rows.loss.kind == LossKind.SOFTMAX:
        scores = log(np.maximum(mean, MIN_SHARE))
        return np.asarray(scores - scores.mean())
    return np.asarray(log(np.maximum(mean, MIN_SHARE))) if rows.loss.kind == LossKind.TWEEDIE else mean


@dataclass
class CurveFitter:
    """Steps of the fit. With a squared loss, the products of the columns never change."""

    rows: Dataset
    at: HatRows
    penalties: Penalties
    n_threads: int
    squared_products: Floats | None = None

    def step(self, now: CurvesOfOutput, score: Floats, k: int) -> CurvesOfOutput:
        """One Newton step of output `k`, which also updates its column of `score`, and one update of its strengths.

        If rounding leaves no positive definite matrix, nothing changes.
        """
        slope, curvature = self._derivatives(score, k)
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
        part = 1.0 if self.rows.loss == Loss.SQUARED else self._length(now, score, k, change, moved)
        score[:, k] += part * moved
        return self._updated(now, score, k, now.constant + part * shift, now.coefficient + part * change, covariance)

    def _updated(
        self, now: CurvesOfOutput, score: Floats, k: int, constant: float, b: Floats, covariance: Floats
    ) -> CurvesOfOutput:
        """The output after a step: degrees of freedom, noise, the next strengths."""
        held = np.sum(now.strength.value * self.penalties.traces(covariance), axis=0)
        degrees = np.diff(self.at.basis.begin) - held
        return replace(
            now,
            constant=constant,
            coefficient=b,
            strength=self.penalties.updated(now.strength, b, covariance),
            noise=self._noise(score, k, float(degrees.sum())),
            degrees=degrees,
        )

    def _derivatives(self, score: Floats, k: int) -> tuple[Floats, Floats]:
        slope, curvature = loss_derivatives(self.rows.loss, score, self.rows.target)
        return slope[:, k], curvature[:, k]

    def _products(self, weight: Floats) -> Floats:
        if self.rows.loss != Loss.SQUARED:
            return self.at.products(weight, self.n_threads)
        if self.squared_products is None:
            self.squared_products = self.at.products(weight, self.n_threads)
        return self.squared_products

    def _noise(self, score: Floats, k: int, degrees: float) -> float:
        """Pearson's estimate: squared residuals over residual degrees of freedom; weights count as rows."""
        if self.rows.loss.is_classes:
            return 1.0
        slope, curvature = self._derivatives(score, k)
        squares = dot(self.rows.weight, slope * slope / curvature)
        return max(squares / max(self.rows.total_weight - 1.0 - degrees, 1.0), MIN_NOISE)

    def _length(self, now: CurvesOfOutput, score: Floats, k: int, change: Floats, moved: Floats) -> float:
        """The step length: 1, or the first of 1/2, 1/4, ... that lowers the penalised loss."""
        loss = self._penalised_loss(now, score, k, change, moved)
        before, part = loss(0.0), 1.0
        for _ in range(MAX_HALVINGS):
            if loss(part) <= before:
                return part
            part /= 2
        return 0.0

    def _penalised_loss(
        self, now: CurvesOfOutput, score: Floats, k: int, change: Floats, moved: Floats
    ) -> Callable[[float], float]:
        """The penalised loss at this proportion of the step."""
        there = score.copy()

        def loss(part: float) -> float:
            there[:, k] = score[:, k] + part * moved
            penalty = float(np.sum(now.strength.value * self.penalties.squares(now.coefficient + part * change)))
            lost = dot(self.rows.weight, row_loss(self.rows.loss, there, self.rows.target))
            return lost + 0.5 * now.noise * penalty

        return loss
