"""Columns computed from inputs by tables: once, or in every pass, so that large tables need not store them.

Every column depends on one input x, and is a parabola (mostly linear) on each segment between the input's knots:

    column(x) = height + slope * t + square * t^2,    t = (x - origin) / width,    all five for the segment of x

A missing x has its own segment, the last, with t = 0. For a category, knots lie between the codes. Numbers measured
from the ends of their segment keep their precision in single precision, however far apart the knots are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Longs


@dataclass(frozen=True)
class Expansion:
    """The tables of all columns.

    knot_begin (inputs + 1), knot : increasing, per input.
    origin, width : of the segments of each input, one more than its knots; those of input f begin at knot_begin[f] + f.
    column_begin (inputs + 1) : the columns of each input.
    table_begin (columns + 1), height, slope, square : per column, one entry per segment; the last: missing.
    """

    knot_begin: Longs
    knot: Floats
    origin: Floats
    width: Floats
    column_begin: Longs
    table_begin: Longs
    height: Floats
    slope: Floats
    square: Floats

    @property
    def n_columns(self) -> int:
        return len(self.table_begin) - 1


def expand(X: Floats, how: Expansion) -> Floats:
    """The columns of the rows X: the reference for native/soft/expansion.cpp."""
    phi = np.empty((len(X), how.n_columns))
    for f in range(X.shape[1]):
        begin, end = how.knot_begin[f], how.knot_begin[f + 1]
        known = ~np.isnan(X[:, f])
        segment = np.searchsorted(how.knot[begin:end], X[:, f])
        own = begin + f + np.where(known, segment, 0)
        t = np.where(known, (X[:, f] - how.origin[own]) / how.width[own], 0.0)
        segment = np.where(known, segment, end - begin + 1)
        for c in range(how.column_begin[f], how.column_begin[f + 1]):
            at = how.table_begin[c] + segment
            phi[:, c] = how.height[at] + (how.slope[at] + how.square[at] * t) * t
    return phi
