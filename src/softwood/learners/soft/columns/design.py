"""The design matrix of a soft tree: inputs standardised and expanded so that one plain ridge penalty suits all columns.

For a number x with training mean, spread and ranks:

    linear        (x - mean) / spread, clipped at CLIP_SPREADS if training rows exceed it
    square        linear^2, standardised                                     (gate="quadratic")
    normal score  the normal quantile of rank(x), standardised               (gate="additive")
    curve k       cos(pi k rank(x)), standardised                            (gate="additive")
    quadratic     linear^2 between knots, standardised                       (gate="additive")
    point mass    1 at the smallest (largest) value, if many rows share it   (gate="additive")
    ramp          from 0 at a knot to 1 at the next one, and 1 beyond        (gate="additive", many rows)
    smooth step   half a period of a cosine of rank(x)                       (gate="additive", monotone inputs)

The normal score is for numbers with a long tail: incomes, counts, times. The point mass is for numbers that are often
zero: rain, sales. Normal score, curves, quadratic and point mass are linear between knots at quantiles and constant
beyond the ends, so that outliers have no further effect. Ramps between neighbouring knots are for local steps and
peaks, which take many rows to find (local_curves.py): the weight of a ramp is the difference between two neighbouring
heights, so the ridge on weights is a penalty on differences, as in P-splines (Eilers and Marx 1996).

A category has an indicator for each level that occurs in two rows (for very many levels, such as names of towns, only
the most frequent), all scaled so that together they vary as much as one number. Columns have mean 0; but with many
levels the indicators of rare ones are 0 elsewhere, so that passes over the rows can skip them. An input with missing
values has an indicator for them; a missing number counts as the mean. Columns are scaled: the smaller the scale, the
heavier the penalty. The scale of a curve decreases with its frequency, so that the penalty favours smooth curves, as
in smoothing splines (Hastie and Tibshirani 1990).

A monotone input has only columns that increase (or, for sign -1, decrease) everywhere: linear, normal score, smooth
steps in place of the curves, ramps. It has no indicator of missing values.

Every column is an affine combination of `Basis` terms of the raw inputs, so a tree learned here is exactly a Tree in
the user's units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Index, Signs
from softwood.kernels import column_moments, make_linear_columns
from softwood.kernels.arithmetic import cos_pi, matmul
from softwood.kernels.formulas.special import interpolate, normal_quantile
from softwood.kernels.kinds import Term
from softwood.learners.soft.columns.knots import POINT_MASS_MIN_SHARE, find_knots
from softwood.learners.soft.columns.local_curves import ramps_between, smooth_steps
from softwood.learners.soft.columns.mix import Mix
from softwood.learners.soft.columns.ordered_levels import ordered_columns
from softwood.learners.soft.rows.moments import (
    CONSTANT_MAX_SPREAD,
    MIN_SQUARABLE,
    count_from_least,
    find_moments,
    is_valid,
)
from softwood.tree import Basis
from softwood.tree.once import computed_once

UNCONSTRAINED: Signs = np.zeros(0, np.int8)
HINGE, MISSING = int(Term.HINGE), int(Term.MISSING)
CLIP_SPREADS = 8.0  # values further out have no further effect on a gate
SQUARE_MAX_DISTANCE_SPREADS = 2.0**21  # from 0; further out x^2, 2 middle x and middle^2 cancel too many digits
SQUARE_MAX_SIZE = 1e150  # the square of a larger number overflows
NORMAL_SCORE_MIN_RANK = 0.004  # largest distance of the ends of a curve
POINT_MASS_SCALE = 0.7
MAX_LEVELS = 128  # most frequent levels of a category, which have an indicator
MIN_LEVEL_ROWS = 2.0  # of a level with an indicator: a single row cannot be confirmed
CENTRED_MAX_LEVELS = 32  # with more, indicators of rare levels stay 0 elsewhere, so that passes over the rows skip them
RARE_LEVEL_SHARE = 0.05  # of the rows
DENSE_MIX_MAX_CELLS = 4_000_000  # terms times columns of one product over all inputs
INDICATOR_SCALE = 2.0  # of a missing indicator, which then counts as a two-valued number; at most this for a category
NO_PLACES = np.zeros(0, np.intp), np.zeros(0, np.intp)


@dataclass(frozen=True)
class DesignMatrix:
    """phi(x) = shift + terms(x) @ mix, where terms is a `Basis` of the raw inputs.

    feature : the input of each column.  kind : 0 linear, 1 square, 2 curve, 3 indicator.
    rising : columns of monotone inputs, which increase in the required direction; None if no input is monotone.
    """

    basis: Basis
    mix: Mix  # (terms, columns)
    shift: Floats  # (columns,)
    feature: npt.NDArray[np.int32]
    kind: npt.NDArray[np.uint8]
    rising: npt.NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.shift)

    def make(self, X: Floats) -> Floats:
        """Columns of the rows X, shape (rows, columns)."""
        if self.is_linear:
            scale = self.mix.value
            return make_linear_columns(X, self.basis.feature.tolist(), self.basis.when_missing, scale, self.shift)
        phi = np.empty((len(X), len(self)))
        for f, (_, mine) in self._inputs.items():
            phi[:, mine] = self.of_input(f, X[:, f], mine)
        return phi

    @computed_once
    def is_linear(self) -> bool:
        """Whether every column is one scaled input: the common case, computed at once."""
        return bool(np.all(self.basis.term == Term.IDENTITY)) and self.mix.is_diagonal

    @computed_once
    def _inputs(self) -> dict[int, tuple[Index, Index]]:
        """Indices of the terms and columns of each input; a stream appends some after those of all others."""
        of_term, of_column = (np.argsort(feature, kind="stable") for feature in (self.basis.feature, self.feature))
        inputs = np.union1d(self.basis.feature, self.feature)
        if not len(inputs):  # all inputs are constant
            return {}
        terms = np.split(of_term, np.searchsorted(self.basis.feature, inputs[1:], sorter=of_term))
        columns = np.split(of_column, np.searchsorted(self.feature, inputs[1:], sorter=of_column))
        return {int(f): (of, made) for f, of, made in zip(inputs, terms, columns, strict=True)}

    def terms_of(self, f: int) -> Index:
        """The terms of input `f`, in increasing order."""
        return self._inputs.get(f, NO_PLACES)[0]

    def columns_of(self, f: int) -> Index:
        """The columns of input `f`, in increasing order."""
        return self._inputs.get(f, NO_PLACES)[1]

    def mix_of(self, f: int) -> Floats:
        """The mix of the columns of input `f`, (terms, columns)."""
        return self.mix.block(self.terms_of(f), self.columns_of(f))

    def of_input(self, f: int, x: Floats, columns: Index) -> Floats:
        """Some columns of input `f` at the values x, shape (values, columns)."""
        if self.is_linear:
            known = np.where(np.isnan(x)[:, None], self.basis.when_missing[columns], x[:, None])
            return np.asarray(known * self.mix.value[columns] + self.shift[columns])
        if len(columns) == 1 and (alone := self.mix.single(int(columns[0]))) is not None:
            term, value = alone
            return np.asarray(_terms(self.basis, np.array([term]), x) * value + self.shift[columns])
        return self.of_terms(f, x, columns, self.mix.block(self.terms_of(f), columns))

    def of_terms(self, f: int, x: Floats, columns: Index, mix: Floats) -> Floats:
        """The same, given the mix of these columns, (terms of the input, columns)."""
        return np.asarray(matmul(_terms(self.basis, self.terms_of(f), x), mix) + self.shift[columns])

    def only(self, inputs: npt.NDArray[np.bool_]) -> DesignMatrix:
        """The columns of some inputs; `inputs` has one entry per input."""
        return self._with(inputs[self.basis.feature], inputs[self.feature])

    def with_columns(self, kept: npt.NDArray[np.bool_]) -> DesignMatrix:
        """Some of the columns, over the same terms."""
        return self._with(np.ones(len(self.basis), np.bool_), kept)

    def _with(self, term: npt.NDArray[np.bool_], at: npt.NDArray[np.bool_]) -> DesignMatrix:
        """Some terms and columns."""
        rising = None if self.rising is None else self.rising[at]
        return DesignMatrix(
            _part(self.basis, term), self.mix.only(term, at), self.shift[at], self.feature[at], self.kind[at], rising
        )

    def scaled(self, factor: Floats) -> DesignMatrix:
        """Each column times its factor."""
        return replace(self, mix=self.mix.scaled(factor), shift=self.shift * factor)

    def in_user_units(self, weight: Floats, bias: Floats) -> tuple[Floats, Floats]:
        """Weights over columns (any leading axes) as weights over the basis terms, and the resulting bias."""
        bias = bias + matmul(weight, self.shift)
        if len(self.basis) * len(self) <= DENSE_MIX_MAX_CELLS:
            return matmul(weight, self.mix.dense().T), bias
        if self.mix.is_diagonal:
            return weight * self.mix.value, bias
        of_terms = np.zeros((*weight.shape[:-1], len(self.basis)))
        for terms, columns in self._inputs.values():
            of_terms[..., terms] = matmul(weight[..., columns], self.mix.block(terms, columns).T)
        return of_terms, bias


@dataclass(frozen=True)
class BasisSpec:
    """Which columns a number has, and their scales (0: none); linear ones are clipped at `limit` spreads.

    ramp, n_ramps : the spread of a curve whose n_ramps ramps have weights of spread 1, and their approximate number.
    """

    linear: float = 1.0
    square: float = 0.0
    normal_score: float = 0.0
    curve: tuple[float, ...] = ()
    quadratic: float = 0.0
    limit: float = CLIP_SPREADS
    ramp: float = 0.0
    n_ramps: int = 0

    @property
    def is_nonlinear(self) -> bool:
        """Whether there are columns other than linear ones."""
        return bool(self.square or self.normal_score or self.curve or self.quadratic or self.n_ramps)


PLAIN = BasisSpec(limit=float("inf"))  # linear columns in the inputs' own units, never clipped


def _part(basis: Basis, which: npt.NDArray[np.bool_]) -> Basis:
    return Basis(*(getattr(basis, name)[which] for name in ("term", "feature", "parameter", "when_missing")))


def _terms(basis: Basis, at: Index, x: Floats) -> Floats:
    """Terms of one input at its values x, as kernels/reference/evaluate.py expands them."""
    term, parameter = basis.term[at], basis.parameter[at]
    gone = np.isnan(x)
    known = np.where(gone, 0.0, x)[:, None]
    value = np.maximum(known - parameter, 0.0)  # most terms are hinges
    for c in np.flatnonzero(term != HINGE):
        if term[c] == Term.IDENTITY:
            value[:, c] = known[:, 0]
        elif term[c] == Term.SQUARE:
            value[:, c] = known[:, 0] ** 2
        else:
            value[:, c] = known[:, 0] == parameter[c] if term[c] == Term.CATEGORY else 0.0
    value[gone] = np.where(term == MISSING, 1.0, basis.when_missing[at])
    return value


class Builder:
    """Collects terms and columns."""

    def __init__(self) -> None:
        self.terms: list[tuple[int, int, float, float]] = []
        self.at: dict[tuple[int, int, float], int] = {}
        self.columns: list[tuple[dict[int, float], float, int, int]] = []

    def term(self, kind: Term, feature: int, parameter: float, when_missing: float) -> int:
        key = (int(kind), feature, parameter)
        if key not in self.at:
            self.at[key] = len(self.terms)
            self.terms.append((*key, when_missing))
        return self.at[key]

    def column(self, mix: dict[int, float], shift: float, feature: int, kind: int) -> None:
        self.columns.append((mix, shift, feature, kind))

    def build(self) -> DesignMatrix:
        mix = Mix.of([parts for parts, *_ in self.columns], len(self.terms))
        table = list(zip(*self.terms, strict=True)) or [(), (), (), ()]
        basis = Basis(*(np.array(column) for column in table))
        shift = np.array([s for _, s, _, _ in self.columns])
        feature = np.array([f for *_, f, _ in self.columns], np.int32)
        return DesignMatrix(basis, mix, shift, feature, np.array([k for *_, k in self.columns], np.uint8))


def build_design(
    X: Floats,
    n_levels: Sequence[int],
    weight: Floats,
    basis_spec: BasisSpec,
    signs: Signs = UNCONSTRAINED,
    inputs: npt.NDArray[np.bool_] | None = None,
) -> DesignMatrix:
    """Columns for the training rows X (NaN: missing); `n_levels` is 0 for a number, else its count of categories.

    `signs` has 1 or -1 for an input with which predictions should increase or decrease, else 0; empty: none. Such an
    input has no indicator of missing values: they count as the mean. `inputs`: those with columns; None: all.
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
            _number(build, f, x[known], weight[known], basis_spec, is_monotone)
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


def _number(build: Builder, f: int, x: Floats, weight: Floats, basis_spec: BasisSpec, is_monotone: bool) -> None:
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
    if basis_spec.normal_score or basis_spec.curve or basis_spec.quadratic or basis_spec.n_ramps:
        _curves(build, f, x, weight, middle, basis_spec, is_monotone)


def _square(build: Builder, f: int, z: Floats, middle: float, spread: float, weight: Floats, scale: float) -> None:
    largest = max(abs(middle + spread * float(z.min())), abs(middle + spread * float(z.max())))
    if largest > min(SQUARE_MAX_DISTANCE_SPREADS * spread, SQUARE_MAX_SIZE) or spread < MIN_SQUARABLE:
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
    build: Builder, f: int, x: Floats, weight: Floats, middle: float, basis_spec: BasisSpec, is_monotone: bool
) -> None:
    knot, rank = find_knots(x, weight, basis_spec.n_ramps)
    if len(knot) < 3:
        return  # two values: the linear column is enough
    hinge = [build.term(Term.HINGE, f, float(k), max(0.0, middle - float(k))) for k in knot]
    inner_rank = np.clip(rank, NORMAL_SCORE_MIN_RANK, 1 - NORMAL_SCORE_MIN_RANK)
    shapes = [(basis_spec.normal_score, normal_quantile(inner_rank))]
    if is_monotone:
        shapes += smooth_steps(rank)
    else:
        far = (knot - middle) / max(knot[-1] - middle, middle - knot[0])
        cosines = enumerate(basis_spec.curve[: len(knot) - 2], start=1)
        shapes += [(scale, cos_pi(k * rank)) for k, scale in cosines]
        shapes += [*_point_mass(x, weight, knot), (basis_spec.quadratic, far * far)]
    shapes = [one for one in shapes if one[0]]
    ramps = ramps_between(knot, basis_spec.ramp) if basis_spec.n_ramps else []
    scale, height = (np.array(part) for part in zip(*shapes, *ramps, strict=True))
    seen = interpolate(x, knot, height)
    mean = np.sum(seen * weight, axis=1, keepdims=True) / weight.sum()
    spread = np.sqrt(np.sum(np.square(seen - mean) * weight, axis=1) / weight.sum())
    spread[len(shapes) :] = 1.0  # all ramps have the same height
    varies = spread >= 1e-6
    height = (height - mean)[varies] * scale[varies, None] / spread[varies, None]
    slope = np.diff(height) / np.diff(knot)
    change = np.diff(slope, prepend=0.0, append=0.0)
    for start, changes in zip(height[:, 0].tolist(), change.tolist(), strict=True):
        build.column(dict(zip(hinge, changes, strict=True)), start, f, 2)


def _point_mass(x: Floats, weight: Floats, knot: Floats) -> list[tuple[float, Floats]]:
    """A peak at the smallest or the largest value, if many rows share it."""
    share, end = max((float(weight[x == knot[end]].sum()), end) for end in (0, -1))
    many = share >= POINT_MASS_MIN_SHARE * weight.sum() and len(knot) > 3
    return [(POINT_MASS_SCALE, (knot == knot[end]).astype(np.float64))] if many else []
