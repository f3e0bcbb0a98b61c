"""The columns of a soft tree: inputs standardised and expanded so that one plain ridge penalty suits all columns.

For a number x with training mean, spread and ranks:

    linear        (x - mean) / spread, clipped at CLIP_SPREADS if training rows exceed it
    square        linear^2, standardised                                     (gate="quadratic")
    normal score  the normal quantile of rank(x), standardised               (gate="additive")
    curve k       cos(pi k rank(x)), standardised                            (gate="additive")
    quadratic     linear^2 between knots, standardised                       (gate="additive")
    point mass    1 at the smallest (largest) value, if many rows share it   (gate="additive")
    by evidence   directions of the prior of the curve (curve_prior.py)      (gate="additive", a kind of its own)
    smooth step   half a period of a cosine of rank(x)                       (gate="additive", monotone inputs)

The normal score is for numbers with a long tail: incomes, counts, times. The point mass is for numbers that are often
zero: rain, sales. Normal score, curves, quadratic and point mass are linear between knots at quantiles and constant
beyond the ends, so that outliers have no further effect. So are columns by evidence, which also have steps and peaks.

A category has an indicator for each level that occurs in two rows (for very many levels, such as names of towns, only
the most frequent), all scaled so that together they vary as much as one number. Columns have mean 0; but with many
levels the indicators of rare ones are 0 elsewhere, so that passes over the rows can skip them. An input with missing
values has an indicator for them; a missing number counts as the mean. Columns are scaled: the smaller the scale, the
heavier the penalty. The scale of a curve decreases with its frequency, so that the penalty favours smooth curves, as
in smoothing splines (Hastie and Tibshirani 1990).

A monotone input has only columns that increase (or, for sign -1, decrease) everywhere: linear, normal score, smooth
steps in place of the curves. It has no indicator of missing values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Signs
from softwood.kernels import column_moments
from softwood.kernels.kinds import Term
from softwood.learners.soft.columns.curve_prior import CurvePrior
from softwood.learners.soft.columns.design import (
    MAX_LEVELS,
    MIN_LEVEL_ROWS,
    PLAIN,
    BasisSpec,
    Builder,
    DesignMatrix,
)
from softwood.learners.soft.columns.mix import Mix
from softwood.learners.soft.columns.numbers import add_number
from softwood.learners.soft.columns.ordered_levels import ordered_columns
from softwood.learners.soft.rows.moments import CONSTANT_MAX_SPREAD, count_from_least, is_valid
from softwood.tree import Basis

UNCONSTRAINED: Signs = np.zeros(0, np.int8)
CENTRED_MAX_LEVELS = 32  # with more, indicators of rare levels stay 0 elsewhere, so that passes over the rows skip them
RARE_LEVEL_SHARE = 0.05  # of the rows
INDICATOR_SCALE = 2.0  # of a missing indicator, which then counts as a two-valued number; at most this for a category
NO_PRIORS: Mapping[int, CurvePrior] = {}


def build_design(
    X: Floats,
    n_levels: Sequence[int],
    weight: Floats,
    basis_spec: BasisSpec,
    signs: Signs = UNCONSTRAINED,
    inputs: npt.NDArray[np.bool_] | None = None,
    priors: Mapping[int, CurvePrior] = NO_PRIORS,
) -> DesignMatrix:
    """Columns for the training rows X (NaN: missing); `n_levels` is 0 for a number, else its count of categories.

    `signs` has 1 or -1 for an input with which predictions should increase or decrease, else 0; empty: none. Such an
    input has no indicator of missing values: they count as the mean. `inputs`: those with columns; None: all.
    `priors` of the curves of some numbers, for `basis_spec.evidence`.
    """
    if basis_spec == PLAIN and not any(n_levels):
        moments = column_moments(X, weight)
        if moments is not None:
            plain = _plain_linear(X, weight, *moments)
            return plain if inputs is None else plain.only(inputs)
    build = Builder()
    for f in range(len(n_levels)) if inputs is None else np.flatnonzero(inputs).tolist():
        x, levels = X[:, f], n_levels[f]
        known = ~np.isnan(x)
        is_monotone = len(signs) > 0 and signs[f] != 0
        if levels and is_monotone:
            ordered_columns(build, f, levels, x[known], weight[known])
        elif levels:
            _category(build, f, levels, x, known, weight)
        elif known.any():
            add_number(build, f, x[known], weight[known], basis_spec, is_monotone, priors.get(f))
        if known.any() and not known.all() and not is_monotone:
            share = float(np.average(~known, weights=weight))
            term = build.term(Term.MISSING, f, 0.0, 1.0)
            build.column({term: INDICATOR_SCALE}, -INDICATOR_SCALE * share, f, 3)
    return _in_direction(build.build(), signs)


def _in_direction(design: DesignMatrix, signs: Signs) -> DesignMatrix:
    """Columns of monotone inputs, with signs such that they increase in the required direction."""
    if not len(signs):
        return design
    sign = signs[design.feature]
    return replace(design.scaled(np.where(sign < 0, -1.0, 1.0)), rising=sign != 0)


def _plain_linear(X: Floats, weight: Floats, middle: Floats, spread: Floats, largest: Floats) -> DesignMatrix:
    """A linear column for every number that varies, without missing or clipped values: all at once."""
    for f in np.flatnonzero((largest > 0) & ~is_valid(spread, largest)):
        middle[f], spread[f] = count_from_least(int(f), X[:, f], weight)
    varies = np.flatnonzero(spread > CONSTANT_MAX_SPREAD * largest).astype(np.int32)
    middle, spread, n = middle[varies], spread[varies], len(varies)
    basis = Basis(np.full(n, int(Term.IDENTITY)), varies, np.zeros(n), middle)
    return DesignMatrix(basis, Mix.diagonal(1.0 / spread), -middle / spread, varies, np.zeros(n, np.uint8))


def _category(build: Builder, f: int, levels: int, x: Floats, known: npt.NDArray[np.bool_], weight: Floats) -> None:
    rows = np.bincount(x[known].astype(np.intp), weight[known], levels)
    share = rows / (rows.sum() + weight[~known].sum())  # the proportion of a level that all rows have is exactly 1
    spread = float(np.sqrt(np.sum(share * (1.0 - share))))
    scale = min(1.0 / max(spread, 1e-12), INDICATOR_SCALE)
    often = np.sort(np.argsort(-share, kind="stable")[:MAX_LEVELS])
    kept = often[(rows[often] >= MIN_LEVEL_ROWS) & (share[often] < 1)]
    rare = RARE_LEVEL_SHARE if len(kept) > CENTRED_MAX_LEVELS else 0.0
    for code in kept:
        term = build.term(Term.CATEGORY, f, float(code), 0.0)
        build.column({term: scale}, -scale * float(share[code]) if share[code] > rare else 0.0, f, 3)
