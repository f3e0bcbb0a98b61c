"""The columns of a number (build.py)."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import cos_pi
from softwood.kernels.formulas.special import interpolate, normal_quantile
from softwood.kernels.kinds import Term
from softwood.learners.soft.columns.curve_prior import CurvePrior
from softwood.learners.soft.columns.design import BasisSpec, Builder
from softwood.learners.soft.columns.knots import POINT_MASS_MIN_SHARE, find_knots
from softwood.learners.soft.columns.smooth_steps import smooth_steps
from softwood.learners.soft.rows.moments import MIN_SQUARABLE, find_moments

SQUARE_MAX_DISTANCE_SPREADS = 2.0**21  # from 0; further out x^2, 2 middle x and middle^2 cancel too many digits
NORMAL_SCORE_MIN_RANK = 0.004  # largest distance of the ends of a curve
POINT_MASS_SCALE = 0.7


def add_number(
    build: Builder,
    f: int,
    x: Floats,
    weight: Floats,
    basis_spec: BasisSpec,
    is_monotone: bool,
    prior: CurvePrior | None = None,
) -> None:
    """Add the columns of a number with values x; `prior` of its curve, for `basis_spec.evidence`."""
    middle, spread = find_moments(f, x, weight)
    if spread == 0.0:
        return
    linear = np.clip((x - middle) / spread, -basis_spec.limit, basis_spec.limit)
    mean, size = float(np.average(linear, weights=weight)), float(np.average(np.square(linear), weights=weight))
    sd = np.sqrt(size - mean * mean)
    clipped = bool(np.any(np.abs(x - middle) > basis_spec.limit * spread))
    if basis_spec.linear:
        scale = basis_spec.linear / sd
        if clipped:
            low, high = middle - basis_spec.limit * spread, middle + basis_spec.limit * spread
            parts = {
                build.term(Term.HINGE, f, low, middle - low): scale / spread,
                build.term(Term.HINGE, f, high, 0.0): -scale / spread,
            }
            build.column(parts, -scale * (basis_spec.limit + mean), f, 0)
        else:
            term = build.term(Term.IDENTITY, f, 0.0, middle)
            build.column({term: scale / spread}, -scale * (middle / spread + mean), f, 0)
    if basis_spec.square and not is_monotone:
        _square(build, f, (x - middle) / spread, middle, spread, weight, basis_spec.square)
    if basis_spec.evidence and prior is not None and not is_monotone:
        height = prior.columns()
        _add_curves(build, f, middle, prior.knot, height - _moments(x, weight, prior.knot, height)[0])
    if basis_spec.normal_score or basis_spec.curve or basis_spec.quadratic:
        _curves(build, f, x, weight, middle, basis_spec, is_monotone)


def _square(build: Builder, f: int, z: Floats, middle: float, spread: float, weight: Floats, scale: float) -> None:
    largest = max(abs(middle + spread * float(z.min())), abs(middle + spread * float(z.max())))
    if largest > min(SQUARE_MAX_DISTANCE_SPREADS * spread, 1.0 / MIN_SQUARABLE) or spread < MIN_SQUARABLE:
        return  # doubles overflow
    square = z * z
    mean = float(np.average(square, weights=weight))
    sd = float(np.sqrt(np.average((square - mean) ** 2, weights=weight)))
    if sd < 1e-9:
        return  # two values: the square is a multiple of the linear column
    a = scale / sd
    # z^2 = (x^2 - 2 middle x + middle^2) / spread^2
    parts = {
        build.term(Term.SQUARE, f, 0.0, middle * middle): a / spread**2,
        build.term(Term.IDENTITY, f, 0.0, middle): -2 * middle * a / spread**2,
    }
    build.column(parts, a * (middle**2 / spread**2 - mean), f, 1)


def _curves(
    build: Builder,
    f: int,
    x: Floats,
    weight: Floats,
    middle: float,
    basis_spec: BasisSpec,
    is_monotone: bool,
) -> None:
    knot, rank = find_knots(x, weight)
    if len(knot) < 3:
        return  # two values: the linear column is enough
    inner_rank = np.clip(rank, NORMAL_SCORE_MIN_RANK, 1 - NORMAL_SCORE_MIN_RANK)
    shapes = [(basis_spec.normal_score, normal_quantile(inner_rank))]
    if is_monotone:
        shapes += smooth_steps(rank)
    else:
        far = (knot - middle) / max(knot[-1] - middle, middle - knot[0])
        cosines = enumerate(basis_spec.curve[: len(knot) - 2], start=1)
        shapes += [(scale, cos_pi(k * rank)) for k, scale in cosines]
        shapes += [*_point_mass(x, weight, knot), (basis_spec.quadratic, far * far)]
    scale, height = (np.array(part) for part in zip(*[one for one in shapes if one[0]], strict=True))
    mean, spread = _moments(x, weight, knot, height)
    varies = spread >= 1e-6
    scaled = (height - mean)[varies] * scale[varies, None] / spread[varies, None]
    _add_curves(build, f, middle, knot, scaled)


def _moments(x: Floats, weight: Floats, knot: Floats, height: Floats) -> tuple[Floats, Floats]:
    """Mean, as a column, and spread of curves with these heights at the knots."""
    seen = interpolate(x, knot, height)
    mean = np.sum(seen * weight, axis=1, keepdims=True) / weight.sum()
    return mean, np.sqrt(np.sum(np.square(seen - mean) * weight, axis=1) / weight.sum())


def _add_curves(build: Builder, f: int, middle: float, knot: Floats, height: Floats) -> None:
    """Add curves with these heights at the knots, (curves, knots)."""
    hinge = [build.term(Term.HINGE, f, float(k), max(0.0, middle - float(k))) for k in knot] if len(height) else []
    change = np.diff(np.diff(height) / np.diff(knot), prepend=0.0, append=0.0)
    for start, changes in zip(height[:, 0].tolist(), change.tolist(), strict=True):
        build.column(dict(zip(hinge, changes, strict=True)), start, f, 2)


def _point_mass(x: Floats, weight: Floats, knot: Floats) -> list[tuple[float, Floats]]:
    """A peak at the smallest or the largest value, if many rows share it."""
    share, end = max((float(weight[x == knot[end]].sum()), end) for end in (0, -1))
    many = share >= POINT_MASS_MIN_SHARE * weight.sum() and len(knot) > 3
    return [(POINT_MASS_SCALE, (knot == knot[end]).astype(np.float64))] if many else []
