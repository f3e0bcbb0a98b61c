"""Curves that may jump: a segment between two knots where a curve is steep is divided until it holds few rows.

Penalties on differences of neighbouring heights make jumps smooth, and knots at quantiles do not know where they are.
So after a rough fit a segment with a much larger rise or fall per row than the mean one gets a knot at the median of
its rows, round after round. One with too few rows to divide is a place where the curve may jump: its difference has a
strength of its own (strengths.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from softwood.arrays import Floats, Mask
from softwood.learners.soft.columns.knots import apart
from softwood.learners.soft.evidence.fit import Curves, fit_curves, hats_of
from softwood.learners.soft.evidence.hats import HatBasis, Hats
from softwood.learners.soft.rows.dataset import Dataset

ROUGH_ITER = 3  # iterations between two rounds of divisions; with 5 the error is 1.012 (± .006) of this
STEEP_FACTOR = 4.0  # by which the rise or fall per row in a steep segment exceeds the mean one
# In a segment, between its two knots. Errors with 20, 10 and 5, means of three or four draws: a made table with steps
# and 2,500 rows .0137, .0132 and .0120, pieces with 1,000 rows .178, .174 and .171, chances with 4,000 rows (two
# classes) .177, .176 and .177; 5 takes up to twice the time.
MIN_ROWS_TO_DIVIDE = 10
NOTHING: Floats = np.zeros(0)


def curves_with_jumps(rows: Dataset, n_threads: int = 1) -> Curves | None:
    """The sum of curves on these rows; None if there can be none (`hats_of`)."""
    basis = hats_of(rows)
    if basis is None:
        return None
    curves = fit_curves(rows, basis, n_threads, ROUGH_ITER)
    while (finer := _changed(curves, rows, _divided)) is not curves.basis:
        curves = fit_curves(rows, finer, n_threads, ROUGH_ITER, start=curves)
    return fit_curves(rows, _changed(curves, rows, _with_jumps), n_threads, start=curves)


def _changed(curves: Curves, rows: Dataset, change: Callable[[Hats, Mask, Floats], Hats]) -> HatBasis:
    """The basis with changed hats where curves are steep; the same basis if nothing changes."""
    heights = np.split(curves.coefficient, curves.basis.begin[1:-1])
    after = []
    for hats, height in zip(curves.basis.inputs, heights, strict=True):
        value = known_values(rows, hats.feature) if len(hats.knot) else NOTHING
        steep = steep_segments(hats, height, value)
        after.append(change(hats, steep, value) if steep.any() else hats)
    same = all(one is other for one, other in zip(curves.basis.inputs, after, strict=True))
    return curves.basis if same else HatBasis(after)


def known_values(rows: Dataset, f: int) -> Floats:
    """The values of an input, in order, without missing ones."""
    x = rows.X[:, f] if rows.place is None else rows.X[rows.place, f]
    return np.sort(x[~np.isnan(x)])


def steep_segments(hats: Hats, height: Floats, value: Floats) -> Mask:
    """Segments of a number where the curve rises or falls per row much more than on average."""
    rise = np.abs(np.diff(height[: len(hats.knot)]))
    if not rise.size:
        return hats.jumps
    n = np.maximum(np.diff(np.searchsorted(value, hats.knot)), 1)
    return np.asarray(rise / n > STEEP_FACTOR * rise.sum() / n.sum())


def _divided(hats: Hats, steep: Mask, value: Floats) -> Hats:
    """With one more knot in the steep segments that hold enough rows; the same hats if there are none."""
    first = np.searchsorted(value, hats.knot[:-1], side="right")
    last = np.searchsorted(value, hats.knot[1:])
    able = steep & (last - first >= MIN_ROWS_TO_DIVIDE)
    knot = np.union1d(hats.knot, value[((first + last) // 2)[able]])
    knot = knot[apart(knot)]
    if len(knot) == len(hats.knot):
        return hats
    return replace(hats, knot=knot, jumps=np.zeros(len(knot) - 1, np.bool_))


def _with_jumps(hats: Hats, steep: Mask, value: Floats) -> Hats:
    return replace(hats, jumps=steep)
