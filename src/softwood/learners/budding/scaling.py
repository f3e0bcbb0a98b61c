"""Scaling for streams: a row is scaled by the mean and spread of the rows so far, including itself.

    number      (x - mean) / spread, clipped at CLIP_SPREADS spreads; a missing one is 0
    category    2 (1 if x is the level - its share), for each level
    missing     2 (1 if x is missing - the share of missing values), once a value of the input was missing

All sums run over the rows in order, so the scaling does not depend on the chunks. A column for missing values is added
when it is first needed, after the others; until then it would have been 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels import scale_running
from softwood.kernels.contracts.running_scale import ScaleRule, place_of
from softwood.kernels.kinds import Term
from softwood.learners.soft.columns.build import INDICATOR_SCALE
from softwood.learners.soft.columns.design import CLIP_SPREADS, Builder, DesignMatrix
from softwood.learners.soft.rows.moments import CONSTANT_MAX_SPREAD

MIN_SPREAD_SHARE = 1e-9  # of the mean's distance from the first value: below, a spread is rounding
SCALE_RULE = ScaleRule(CLIP_SPREADS, INDICATOR_SCALE, MIN_SPREAD_SHARE, CONSTANT_MAX_SPREAD)
NUMBER_CODE, MISSING_CODE = -1.0, np.nan  # codes of columns that are no level
TOO_LARGE = "X or y holds numbers so large that their squares overflow; divide them by a constant."


@dataclass
class Moments:
    """Running weight, mean and spread of columns of numbers; NaN is not counted. Sums are about the first value."""

    first: Floats
    weight: Floats
    total: Floats
    squares: Floats
    low: Floats
    high: Floats

    @classmethod
    def make(cls, columns: int, weight: float = 0.0) -> Moments:
        """No rows yet, or zeros of some weight."""
        bare = np.full(columns, np.nan if weight == 0 else 0.0)
        zero = np.zeros(columns)
        return cls(bare, np.full(columns, weight), zero, zero.copy(), bare.copy(), bare.copy())

    def copy(self) -> Moments:
        """An independent copy."""
        return Moments(*(part.copy() for part in vars(self).values()))

    def take(self, values: Floats, weight: Floats) -> Floats:
        """Numbers in spreads around the mean of the rows so far; 0 if unknown or constant."""
        n = len(self.first)
        return self.take_columns(values, np.arange(n, dtype=np.int32), np.full(n, NUMBER_CODE), weight)

    def take_columns(self, X: Floats, feature: Ints, code: Floats, weight: Floats, phi: Floats | None = None) -> Floats:
        """Columns of rows, scaled row by row; `feature` and `code` as in kernels/reference/running_scale.py."""
        made = np.empty((len(X), len(feature))) if phi is None else phi
        if not scale_running(X, feature, code, weight, self, SCALE_RULE, made):
            raise ValueError(TOO_LARGE)
        return made

    def now(self) -> tuple[Floats, Floats]:
        """Mean and spread of all rows so far."""
        if not np.isfinite(self.squares).all():
            raise ValueError(TOO_LARGE)
        return place_of(self.first, self.weight, self.total, self.squares, SCALE_RULE)


def add_in_order(total: float, parts: Floats) -> float:
    """The running sum, independent of the chunks."""
    if len(parts) == 1:
        return total + float(parts[0])
    return float(np.add.accumulate(np.append(total, parts))[-1])


@dataclass
class RunningScale:
    """Inputs of a stream as columns; `n_levels` per input, 0 for a number."""

    n_levels: Sequence[int]
    gaps: list[int] = field(default_factory=list)  # inputs with a column for missing values, in order of appearance
    moments: Moments = field(init=False)
    gap_moments: Moments = field(default_factory=lambda: Moments.make(0))
    weight: float = 0.0

    def __post_init__(self) -> None:
        self.feature = np.array([f for f, n in enumerate(self.n_levels) for _ in range(max(n, 1))], np.int32)
        self.code = np.array([c for n in self.n_levels for c in (range(n) if n else (-1,))], np.float64)
        self.moments = Moments.make(len(self.feature))

    def copy(self) -> RunningScale:
        """An independent copy."""
        other = object.__new__(RunningScale)  # its columns follow from its levels, and need not be recomputed
        other.__dict__.update(vars(self), gaps=list(self.gaps))
        if self.gaps:  # otherwise no numbers can change
            other.gap_moments = self.gap_moments.copy()
        other.moments = self.moments.copy()
        return other

    @property
    def started(self) -> int:
        """Initial columns: all but those for missing values."""
        return len(self.feature)

    def take(self, X: Floats, weight: Floats) -> Floats:
        """The rows as columns, each scaled by the rows up to itself."""
        gone = np.isnan(X)
        self._open_gaps(gone)
        n, gaps = self.started, np.array(self.gaps, np.int32)
        phi = np.empty((len(X), n + len(gaps)))
        self.moments.take_columns(X, self.feature, self.code, weight, phi[:, :n])
        if len(gaps):
            self.gap_moments.take_columns(X, gaps, np.full(len(gaps), MISSING_CODE), weight, phi[:, n:])
        self.weight = add_in_order(self.weight, weight)
        return phi

    def _open_gaps(self, gone: npt.NDArray[np.bool_]) -> None:
        """A column for each input that has its first missing value among these rows."""
        if not gone.any():
            return
        row, f = np.nonzero(gone)
        new = [int(g) for g in dict.fromkeys(f[np.lexsort((f, row))]) if g not in self.gaps]
        if not new:
            return
        fresh = Moments.make(len(new), self.weight)
        fresh.first[:] = 0.0
        names = ("first", "weight", "total", "squares", "low", "high")
        merged = (np.append(getattr(self.gap_moments, name), getattr(fresh, name)) for name in names)
        self.gap_moments = Moments(*merged)
        self.gaps += new

    def columns(self) -> DesignMatrix:
        """The current scaling, in the raw inputs."""
        build = Builder()
        mean, spread = self.moments.now()
        for c, f in enumerate(self.feature.tolist()):
            if self.code[c] >= 0:
                term = build.term(Term.CATEGORY, f, self.code[c], 0.0)
                build.column({term: INDICATOR_SCALE}, -INDICATOR_SCALE * mean[c], f, 3)
            else:
                _linear(build, f, mean[c], spread[c], self.moments.low[c], self.moments.high[c])
        for f, share in zip(self.gaps, self.gap_moments.now()[0], strict=True):
            term = build.term(Term.MISSING, f, 0.0, 1.0)
            build.column({term: INDICATOR_SCALE}, -INDICATOR_SCALE * share, f, 3)
        return build.build()


def _linear(build: Builder, f: int, mean: float, spread: float, low: float, high: float) -> None:
    """A number's column: linear, clipped if rows exceeded CLIP_SPREADS spreads; 0 if constant."""
    if not spread > 0:
        build.column({}, 0.0, f, 0)
    elif max(high - mean, mean - low) > CLIP_SPREADS * spread:
        bottom, top = mean - CLIP_SPREADS * spread, mean + CLIP_SPREADS * spread
        lower = build.term(Term.HINGE, f, bottom, mean - bottom)
        build.column({lower: 1 / spread, build.term(Term.HINGE, f, top, 0.0): -1 / spread}, -CLIP_SPREADS, f, 0)
    else:
        build.column({build.term(Term.IDENTITY, f, 0.0, mean): 1 / spread}, -mean / spread, f, 0)


@dataclass
class FixedScale:
    """Fixed columns, learned from all rows at once."""

    fixed: DesignMatrix

    def copy(self) -> FixedScale:
        """The same object, which never changes."""
        return self

    @property
    def started(self) -> int:
        return len(self.fixed)

    def take(self, X: Floats, weight: Floats) -> Floats:
        return self.fixed.make(X)

    def columns(self) -> DesignMatrix:
        return self.fixed
