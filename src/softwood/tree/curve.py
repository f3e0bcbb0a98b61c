"""The curve of one input in a linear sum: what the input adds to a gate's score or to a response as a function of x.

    number      line * x + square * x² + sum of weight * max(0, x - knot)
    category    one value for every level
    missing     one value

A sum is its constant plus the curves of all its inputs, so curves describe it completely.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.kinds import Term
from softwood.tree.once import computed_once
from softwood.tree.views import WeightedTerm


class Piece(NamedTuple):
    """constant + slope * x (+ square * x² of the whole curve) for low < x <= high."""

    low: float
    high: float
    constant: float
    slope: float


@dataclass(frozen=True)
class Curve:
    """What one input adds to a linear sum.

    Attributes
    ----------
    feature : the input.
    line, square : factors of x and x².
    hinges : pairs (knot, weight), knots ascending.
    levels : what every category adds; empty for a number.
    when_missing : what a missing value adds.
    mean : of the curve over the training rows that arrive at the node; None if unknown.

    Examples
    --------
    >>> curve = Curve(0, line=1.0, hinges=((2.0, -1.0),), when_missing=0.5)
    >>> curve(np.array([1.0, 2.0, 5.0, np.nan]))
    array([1. , 2. , 2. , 0.5])
    >>> curve.knots, curve.heights, curve.slopes
    ((2.0,), (2.0,), (1.0, 0.0))
    """

    feature: int
    line: float = 0.0
    square: float = 0.0
    hinges: tuple[tuple[float, float], ...] = ()
    levels: tuple[float, ...] = ()
    when_missing: float = 0.0
    mean: float | None = None

    def centred(self, x: npt.ArrayLike) -> Floats:
        """The centred curve: what x adds minus the mean over the training rows that arrive.

        Text and pictures centre curves in this way, and the constant of a sum is then its mean, so the same model looks
        the same however a learner divides constants between its curves.
        """
        return self(x) - (self.mean or 0.0)

    def __call__(self, x: npt.ArrayLike) -> Floats:
        """What x adds; for a category x is the code, and an unknown code adds nothing."""
        given = np.asarray(x, np.float64)
        there = np.where(np.isnan(given), 0.0, given)
        return np.asarray(
            np.where(np.isnan(given), self.when_missing, self._level(there) if self.levels else self._at(there))
        )

    def _at(self, x: Floats) -> Floats:
        value = self.line * x + self.square * (x * x)
        for knot, weight in self.hinges:
            value = value + weight * np.maximum(0.0, x - knot)
        return value

    def _level(self, code: Floats) -> Floats:
        inside = (code >= 0) & (code < len(self.levels)) & (code == np.floor(code))
        place = np.where(inside, code, 0.0).astype(np.int64)
        return np.where(inside, np.array(self.levels)[place], 0.0)

    @property
    def knots(self) -> tuple[float, ...]:
        """Where the slope changes, ascending."""
        return tuple(knot for knot, _ in self.hinges)

    @property
    def heights(self) -> tuple[float, ...]:
        """The curve at its knots."""
        return tuple(self(np.array(self.knots)).tolist()) if self.hinges else ()

    @computed_once
    def slopes(self) -> tuple[float, ...]:
        """Before the first knot, between knots, after the last, `square` left out: one more than knots."""
        return tuple(np.cumsum([self.line, *(weight for _, weight in self.hinges)]).tolist())

    @computed_once
    def pieces(self) -> tuple[Piece, ...]:
        """The same as straight pieces, for languages that have no sum over knots."""
        ends = [-np.inf, *self.knots, np.inf]
        constants = np.cumsum([0.0, *(-knot * weight for knot, weight in self.hinges)]).tolist()
        return tuple(Piece(*piece) for piece in zip(ends[:-1], ends[1:], constants, self.slopes, strict=True))


def make_curve(terms: Iterable[WeightedTerm], feature: int, n_levels: int, column_mean: Floats | None = None) -> Curve:
    """The terms of one input as a curve.

    Parameters
    ----------
    terms : of a sum; those of other inputs are ignored.
    feature : the input.
    n_levels : its categories, 0 for a number.
    column_mean : of every column of the basis, over the rows that arrive; None: unknown.
    """
    mine = [term for term in terms if term.feature == feature]
    hinges: dict[float, float] = {}
    for term in mine:
        if term.kind == Term.HINGE:
            hinges[term.parameter] = hinges.get(term.parameter, 0.0) + term.weight
    curve = Curve(
        feature,
        line=sum(term.weight for term in mine if term.kind == Term.IDENTITY),
        square=sum(term.weight for term in mine if term.kind == Term.SQUARE),
        hinges=tuple(sorted(hinges.items())),
        when_missing=sum(term.weight * term.when_missing for term in mine),
        mean=None if column_mean is None else sum(term.weight * float(column_mean[term.column]) for term in mine),
    )
    if not n_levels:
        return curve
    levels = curve(np.arange(n_levels))
    for term in mine:
        if term.kind == Term.CATEGORY:
            levels[np.arange(n_levels) == term.parameter] += term.weight
    return Curve(feature, levels=tuple(levels.tolist()), when_missing=curve.when_missing, mean=curve.mean)
