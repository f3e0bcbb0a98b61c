"""Columns as tables of curves between knots (kernels/expansion.py), which engines make them from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.kernels.expansion import Expansion
from softwood.kernels.kinds import Term
from softwood.learners.soft.columns import Columns

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Tables:
    """All columns of one input: per column a height, slope and square on each segment, and for a missing value."""

    knots: Floats
    origin: Floats  # (segments,), and so is width
    width: Floats
    height: Floats  # (columns, segments + 1), and so are slope and square
    slope: Floats
    square: Floats


def expansion_of(columns: Columns, n_inputs: int) -> Expansion:
    """The columns as tables; columns of an input stand together, inputs in order."""
    inputs = [_tables(columns, f) for f in range(n_inputs)]
    return Expansion(
        _begins([len(one.knots) for one in inputs]),
        np.concatenate([one.knots for one in inputs]),
        np.concatenate([one.origin for one in inputs]),
        np.concatenate([one.width for one in inputs]),
        _begins([len(one.height) for one in inputs]),
        _begins([one.height.shape[1] for one in inputs for _ in one.height]),
        np.concatenate([one.height.ravel() for one in inputs]),
        np.concatenate([one.slope.ravel() for one in inputs]),
        np.concatenate([one.square.ravel() for one in inputs]),
    )


def _tables(columns: Columns, f: int) -> Tables:
    """Each column is read off at three places of a segment, which say all of a parabola."""
    basis, mine = columns.basis, np.flatnonzero(columns.feature == f)
    term, parameter = basis.term[basis.feature == f], basis.parameter[basis.feature == f]
    codes = parameter[term == Term.CATEGORY]
    knots = np.unique(np.concatenate([parameter[term == Term.HINGE], codes - 0.5, codes + 0.5]))
    mix = columns.mix[np.ix_(basis.feature == f, mine)]
    origin, width = _segments(knots) if len(knots) else _one_segment(basis.when_missing[basis.feature == f], mix)

    places = [origin, origin + width / 2, origin + width]
    if len(codes):  # steps: read off at the code in the middle
        places = [np.round(places[1])] * 3
    at = columns.of_input(f, np.concatenate([*places, [np.nan]]), mine).T
    (height, middle, end), gone = np.split(at[:, :-1], 3, axis=1), at[:, -1:]
    square = 2.0 * (height + end - 2.0 * middle) * np.any(term == Term.SQUARE)
    slope, flat = end - height - square, np.zeros_like(gone)
    parts = ((height, gone), (slope, flat), (square, flat))
    return Tables(knots, origin, width, *(np.hstack(part) for part in parts))


def _segments(knots: Floats) -> tuple[Floats, Floats]:
    """Origin and width of each segment. The outer ones have no end: any width will do."""
    outer = np.ptp(knots) / 4 if len(knots) > 1 else 1.0
    origin = np.concatenate([[knots[0] - outer], knots])
    return origin, np.concatenate([[outer], np.diff(knots), [outer]])


def _one_segment(middle: Floats, mix: Floats) -> tuple[Floats, Floats]:
    """Without knots there are lines and squares only: measured from the mean, in spreads, which the line divides by."""
    line = np.abs(mix[:1]).max(initial=0.0)
    return (middle[:1] if len(middle) else np.zeros(1)), np.array([1.0 / line if line > 0 else 1.0])


def _begins(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
