"""Bins of one input of a scorecard, and the number of rows in each.

exact    between the knots of the curve: points + per_unit (x − at) + per_square (x − at)², the curve itself
whole    where the curve rounds to one integer: an error of at most half a point within the range of the training rows
own      between given cuts: the mean of the curve there; `off` is the largest error
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.card import MISSING, Line
from softwood.tree.curve import Curve
from softwood.tree.schema import Input, Kind
from softwood.tree.spelling import spell_label

MOST_HALVINGS = 80  # of an interval in which the curve crosses a half


class Counter:
    """Number of rows at or below a value: exact for given rows, else from the quantiles of the summary.

    Quantiles are too coarse for a number with ties (12, 24, 36 or 60 months): its bins have no count without rows.
    """

    def __init__(self, one: Input, x: Floats | None, weight: Floats | None) -> None:
        self.one, self.x = one, x
        self.weight = np.ones(len(x)) if x is not None and weight is None else weight
        summary = one.summary
        ends = () if summary is None or summary.range is None else summary.range
        pairs = [] if summary is None else [*((p, v) for p, v in summary.quantiles), *((1.0, v) for v in ends[1:])]
        self.parts = {value: part for part, value in pairs}
        quantiles = [] if summary is None else [value for _, value in summary.quantiles]
        self.is_tied = len(set(quantiles)) < len(quantiles)

    def missing(self) -> float:
        """Rows without a value."""
        if self.x is not None and self.weight is not None:
            return float(self.weight[np.isnan(self.x)].sum())
        return 0.0 if self.one.summary is None else self.one.summary.missing

    def within(self, lower: float | None, upper: float | None) -> float | None:
        """Rows with lower < x <= upper; None if unknown."""
        if self.x is None and self.is_tied and (lower is not None or upper is not None):
            return None
        return self.below(upper) - (0.0 if lower is None else self.below(lower))

    def below(self, end: float | None) -> float:
        if self.x is not None and self.weight is not None:
            return float(self.weight[(self.x <= end) if end is not None else ~np.isnan(self.x)].sum())
        known = 0.0 if self.one.summary is None else self.one.summary.known
        if end is None or not self.parts:
            return known
        values = sorted(self.parts)
        low = self.one.summary.range[0] if self.one.summary and self.one.summary.range else values[0]
        if end < low:
            return 0.0
        return known * float(np.interp(end, values, [self.parts[value] for value in values]))

    def level(self, code: int) -> float:
        """Rows of a level."""
        if self.x is not None and self.weight is not None:
            return float(self.weight[self.x == code].sum())
        return float(self.one.summary.counts[code]) if self.one.summary is not None else 0.0


def level_bins(one: Input, curve: Curve, scale: float, count: Counter, whole: bool) -> list[Line]:
    """One line per level."""
    lines = []
    for code, (level, height) in enumerate(zip(one.levels or (), curve.levels, strict=True)):
        points = scale * (height - (curve.mean or 0.0))
        lines.append(line_of(one, spell_label(level), points, count.level(code), whole, level=level))
    return lines


def missing_bin(one: Input, curve: Curve, scale: float, count: Counter, whole: bool) -> Line:
    """The line of missing values."""
    return line_of(one, MISSING, scale * (curve.when_missing - (curve.mean or 0.0)), count.missing(), whole)


def number_bins(
    one: Input, curve: Curve, scale: float, count: Counter, whole: bool, cuts: Sequence[float] | None
) -> list[Line]:
    """The lines of a number, by own cuts, by whole points, or by the knots of the curve."""
    if one.kind == Kind.BOOLEAN and cuts is None:
        heights = [scale * float(curve.centred(x)) for x in (0.0, 1.0)]
        ends = (("false", None, 0.5), ("true", 0.5, None))
        return [
            line_of(one, text, points, count.within(lower, upper), whole, lower, upper)
            for (text, lower, upper), points in zip(ends, heights, strict=True)
        ]
    if cuts is not None:
        return _own(one, curve, scale, count, whole, cuts)
    return _whole(one, curve, scale, count) if whole else _exact(one, curve, scale, count)


def _exact(one: Input, curve: Curve, scale: float, count: Counter) -> list[Line]:
    lines = []
    ends = [None, *curve.knots, None]
    for (lower, upper), slope in zip(pairwise(ends), curve.slopes, strict=True):
        at = lower if lower is not None else upper if upper is not None else _middle(one)
        points = scale * float(curve.centred(at))
        line = line_of(one, _text(lower, upper), points, count.within(lower, upper), False, lower, upper)
        per_unit = scale * (slope + 2.0 * curve.square * at)
        lines.append(line | {"per_unit": per_unit, "per_square": scale * curve.square, "at": at})
    return lines


def _own(one: Input, curve: Curve, scale: float, count: Counter, whole: bool, cuts: Sequence[float]) -> list[Line]:
    edges = [float(cut) for cut in cuts]
    if not all(np.isfinite(edges)) or edges != sorted(set(edges)):
        raise ValueError(f"bins of {one.name!r} must be finite and increasing, got {list(cuts)!r:.80}.")
    low, high = _range(one)
    lines = []
    for lower, upper in pairwise([None, *edges, None]):
        start, end = (low if lower is None else lower), (high if upper is None else upper)
        inside = [start, *(knot for knot in curve.knots if start < knot < end), end]
        mine = _rows_within(count, lower, upper)
        heights = scale * curve.centred(np.array(inside if mine is None else [*mine[0], *inside]))
        n = 0 if mine is None else len(mine[0])
        middle = (float(heights.min()) + float(heights.max())) / 2
        points = float(np.average(heights[:n], weights=mine[1])) if n and mine and mine[1].sum() > 0 else middle
        points = float(np.rint(points)) + 0.0 if whole else points
        line = line_of(one, _text(lower, upper), points, count.within(lower, upper), False, lower, upper)
        lines.append(line | {"off": float(np.abs(heights - points).max())})
    return lines


def _rows_within(count: Counter, lower: float | None, upper: float | None) -> tuple[Floats, Floats] | None:
    if count.x is None or count.weight is None:
        return None
    there = ~np.isnan(count.x)
    there &= (count.x > lower) if lower is not None else True
    there &= (count.x <= upper) if upper is not None else True
    return count.x[there], count.weight[there]


def _whole(one: Input, curve: Curve, scale: float, count: Counter) -> list[Line]:
    low, high = _range(one)

    def height(x: Sequence[float] | Floats) -> Floats:
        return scale * curve.centred(x)

    turns = [low, *(knot for knot in curve.knots if low < knot < high), high]
    turns = sorted({*turns, *(x for x in _vertices(curve) if low < x < high)})
    edges = _crossings(height, turns)
    lines = []
    for (lower, upper), (start, end) in zip(pairwise([None, *edges, None]), pairwise([low, *edges, high]), strict=True):
        # A curve that turns within a bin may have the same height, halfway between two integers, at both ends.
        heights = height([start, *(turn for turn in turns if start < turn < end), end])
        value = float(np.rint((heights.min() + heights.max()) / 2)) + 0.0
        line = line_of(one, _text(lower, upper), value, count.within(lower, upper), False, lower, upper)
        lines.append(line | {"off": float(np.abs(heights - value).max())})
    return lines


def _vertices(curve: Curve) -> list[float]:
    """The turning points of a curve with a square term."""
    return [-slope / (2.0 * curve.square) for slope in curve.slopes] if curve.square else []


def _crossings(height: Callable[[Floats], Floats], turns: Sequence[float]) -> list[float]:
    """Where a curve that is monotone between its turns crosses the midpoint between two integers."""
    at = np.array(turns)
    heights = height(at)
    lowest, highest = np.minimum(heights[:-1], heights[1:]), np.maximum(heights[:-1], heights[1:])
    halves = [np.arange(np.floor(one) - 0.5, other, 1.0) for one, other in zip(lowest, highest, strict=True)]
    place, half = np.repeat(np.arange(len(halves)), [len(each) for each in halves]), np.concatenate(halves)
    inside = (half > lowest[place]) & (half < highest[place])
    place, half = place[inside], half[inside]
    low, high, rises = at[place], at[place + 1], heights[place] < heights[place + 1]
    for _ in range(MOST_HALVINGS):
        middle = (low + high) / 2
        before = (height(middle) < half) == rises
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return sorted(((low + high) / 2).tolist())


def _range(one: Input) -> tuple[float, float]:
    if one.summary is None or one.summary.range is None:
        raise ValueError(f"the tree has no summary of {one.name!r} in the training rows, which its bins need.")
    return one.summary.range


def _middle(one: Input) -> float:
    middle = None if one.summary is None else dict(one.summary.quantiles).get(0.5)
    return 0.0 if middle is None else middle


def _text(lower: float | None, upper: float | None) -> str:
    if lower is None:
        return "all" if upper is None else f"≤ {upper:.6g}"
    return f"> {lower:.6g}" if upper is None else f"{lower:.6g} to {upper:.6g}"


def line_of(
    one: Input,
    text: str,
    points: float,
    rows: float | None,
    whole: bool,
    lower: float | None = None,
    upper: float | None = None,
    level: Any = None,
) -> Line:
    """One line with a constant number of points."""
    told = float(np.rint(points)) + 0.0 if whole else points  # −0 is 0
    ends = {"input": one.name, "bin": text, "lower": lower, "upper": upper, "level": level, "rows": rows}
    return ends | {"points": told, "per_unit": 0.0, "per_square": 0.0, "at": 0.0, "off": abs(told - points)}
