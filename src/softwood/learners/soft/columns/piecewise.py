"""Columns as tables of curves between knots (kernels/contracts/expansion.py), from which engines compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Term
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.rows.moments import round_off

HEIGHTS = ("height", "slope", "square")
NO_KNOTS: Floats = np.zeros(0)


@dataclass(frozen=True)
class PiecewiseTable:
    """All columns of one input: height, slope and square of each column on each segment, and for a missing value."""

    knots: Floats
    origin: Floats  # (segments,), and so is width
    width: Floats
    height: Floats  # (columns, segments + 1), and so are slope and square
    slope: Floats
    square: Floats


# For an input without columns: any value, or none, counts as 0.
NO_COLUMN = PiecewiseTable(NO_KNOTS, np.zeros(1), np.full(1, np.inf), *(np.zeros((0, 2)) for _ in HEIGHTS))


def expansion_of(design: DesignMatrix, n_inputs: int) -> Expansion:
    """The columns as tables, for inputs in any unit; columns of an input are adjacent, inputs in order."""
    make = _linear_tables(design) if design.is_linear else _tables(design)
    inputs = [make(f) if len(design.columns_of(f)) else NO_COLUMN for f in range(n_inputs)]
    return Expansion(
        _begins([len(one.knots) for one in inputs]),
        np.concatenate([one.knots for one in inputs]),
        np.concatenate([one.origin for one in inputs]),
        np.concatenate([one.width for one in inputs]),
        _begins([len(one.height) for one in inputs]),
        _begins([one.height.shape[1] for one in inputs for _ in one.height]),
        *(round_off(np.concatenate([getattr(one, name).ravel() for one in inputs])) for name in HEIGHTS),
    )


def _tables(design: DesignMatrix) -> Callable[[int], PiecewiseTable]:
    """Tables of inputs with curves; those of linear inputs at once."""
    n_inputs = 1 + int(max(design.basis.feature.max(initial=0), design.feature.max(initial=0)))
    terms, columns = (np.bincount(each, minlength=n_inputs) for each in (design.basis.feature, design.feature))
    entries = np.bincount(design.mix.column, minlength=len(design))
    alone = (terms[design.feature] == 1) & (columns[design.feature] == 1) & (entries == 1)
    at = np.flatnonzero(alone)
    term = design.mix.term[np.searchsorted(design.mix.column, at)]
    straight = design.basis.term[term] == Term.IDENTITY
    at, term = at[straight], term[straight]
    value = design.mix.value[np.searchsorted(design.mix.column, at)]
    place = dict(zip(design.feature[at].tolist(), range(len(at)), strict=True))
    made = _straight_tables(design.basis.when_missing[term], value, design.shift[at])
    return lambda f: made(place[f]) if f in place else _piecewise_table(design, f)


def _linear_tables(design: DesignMatrix) -> Callable[[int], PiecewiseTable]:
    """The same for scaled and shifted inputs, all at once: a wide table has tens of thousands of them."""
    made = _straight_tables(design.basis.when_missing, design.mix.value, design.shift)
    return lambda f: made(int(design.columns_of(f)[0]))


def _straight_tables(middle: Floats, scale: Floats, shift: Floats) -> Callable[[int], PiecewiseTable]:
    """Tables of columns scale * x + shift, by their index; a missing x is `middle`."""
    width = np.divide(1.0, np.abs(scale), out=np.ones_like(scale), where=scale != 0)
    at_middle, at_end = middle * scale + shift, (middle + width) * scale + shift
    slope = at_end - at_middle
    width[slope == 0] = np.inf
    height, slope = np.stack([at_middle, at_middle], 1)[:, None], np.stack([slope, np.zeros_like(slope)], 1)[:, None]
    origin, width, square = middle[:, None], width[:, None], np.zeros((1, 2))

    def table(at: int) -> PiecewiseTable:
        return PiecewiseTable(NO_KNOTS, origin[at], width[at], height[at], slope[at], square)

    return table


def _piecewise_table(design: DesignMatrix, f: int) -> PiecewiseTable:
    """Each column is evaluated at three points of a segment, which determine a parabola."""
    basis, terms, mine = design.basis, design.terms_of(f), design.columns_of(f)
    term, parameter = basis.term[terms], basis.parameter[terms]
    codes = parameter[term == Term.CATEGORY]
    knots = np.unique(np.concatenate([parameter[term == Term.HINGE], codes - 0.5, codes + 0.5]))
    mix = design.mix_of(f)
    origin, width = _segments(knots) if len(knots) else _one_segment(basis.when_missing[terms], mix)
    places = [origin, origin + width / 2, origin + width]
    if len(codes):  # steps: evaluated at the code in the middle
        places = [np.round(places[1])] * 3
    at, n = design.of_terms(f, np.concatenate([*places, [np.nan]]), mine, mix).T, len(origin)
    begin, middle, end = at[:, :n], at[:, n : 2 * n], at[:, 2 * n : 3 * n]
    height, slope, square = (np.zeros((len(at), n + 1)) for _ in range(3))
    height[:, :n], height[:, n] = begin, at[:, -1]
    if np.any(term == Term.SQUARE):
        square[:, :n] = 2.0 * (begin + end - 2.0 * middle)
    slope[:, :n] = end - begin - square[:, :n]
    if not len(knots) and not slope.any() and not square.any():
        width = np.full_like(width, np.inf)  # only whether it is missing matters: any value counts as 0
    return PiecewiseTable(knots, origin, width, height, slope, square)


def _segments(knots: Floats) -> tuple[Floats, Floats]:
    """Origin and width of each segment. The outer ones are unbounded, so any width will do."""
    outer = np.ptp(knots) / 4 if len(knots) > 1 else 1.0
    origin = np.concatenate([[knots[0] - outer], knots])
    return origin, np.concatenate([[outer], np.diff(knots), [outer]])


def _one_segment(middle: Floats, mix: Floats) -> tuple[Floats, Floats]:
    """Inputs without knots have only linear columns and squares: measured from the mean, in standard deviations."""
    linear = np.abs(mix[:1]).max(initial=0.0)
    return (middle[:1] if len(middle) else np.zeros(1)), np.array([1.0 / linear if linear > 0 else 1.0])


def _begins(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
