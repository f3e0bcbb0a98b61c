"""The values an input may change to, and the cost of a change.

The cost of a change is its size divided by the spread of the input (between the 5% and 95% quantiles) for a number, 1
for a category or a boolean, and the proportion of all steps for an ordered category. Values are rounded: to the third
digit of the spread, or to integers if all known values are integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.explain.ranges import InputRange, cuts_of, input_range, knots_of, used_inputs
from softwood.explain.words import find_input
from softwood.tree import Kind, Tree

N_EVEN = 17  # evenly spaced values of a number, in addition to those at cuts and knots
DIRECTIONS = ("up", "down")


@dataclass(frozen=True)
class Free:
    """An input that may change: its range and direction (-1 down, 1 up, 0 either)."""

    feature: int
    now: float
    kind: Kind
    range: InputRange
    direction: int

    def allows(self, value: float) -> bool:
        """Whether the input may become this value."""
        if np.isnan(self.now):
            return not np.isnan(value)
        return value != self.now and (value - self.now) * self.direction >= 0

    def cost(self, value: float) -> float:
        """Cost of a change to this value."""
        if np.isnan(self.now) or self.kind in (Kind.CATEGORY, Kind.BOOLEAN):
            return 1.0
        return abs(value - self.now) / (self.range.spread or 1.0)

    @property
    def is_number(self) -> bool:
        """Whether it has a continuous range."""
        return self.kind == Kind.NUMBER

    def ends(self) -> tuple[float, float]:
        """Smallest and largest value it may take."""
        low, high = np.fmin(self.range.low, self.now), np.fmax(self.range.high, self.now)
        return float(low), float(high)

    def beyond(self, cut: float, end: float = np.inf) -> float:
        """The first rounded number above a cut, below `end`."""
        step = self._step()
        value = self._short(np.floor(cut / step) + 1.0)
        return value if cut < value <= end else float(np.nextafter(cut, np.inf))

    def up_to(self, cut: float, end: float = -np.inf) -> float:
        """The last rounded number at or below a cut, above `end`."""
        value = self._short(np.floor(cut / self._step()))
        return value if end < value <= cut else cut

    def outward(self, value: float) -> float:
        """The rounded number next to a value, away from the current value."""
        if value > self.now:
            return min(self._short(np.ceil(value / self._step())), self.ends()[1])
        return max(self._short(np.floor(value / self._step())), self.ends()[0])

    def _step(self) -> float:
        if self.range.whole:
            return 1.0
        return float(10.0 ** (np.floor(np.log10(self.range.spread)) - 2)) if self.range.spread > 0 else 1e-3

    def _short(self, steps: float) -> float:
        return float(f"{steps * self._step():.12g}")


def free_inputs(
    tree: Tree, row: Floats, rows: Floats | None, fixed: Sequence[str], directions: Mapping[str, str] | None
) -> list[Free]:
    """Inputs that the tree uses and that may change."""
    if isinstance(fixed, str):
        raise ValueError(f"fixed must be a list of names, got the text {fixed!r:.80}; write [{fixed!r:.80}].")
    held = {find_input(tree, name) for name in fixed}
    ways = {find_input(tree, name): way for name, way in (directions or {}).items()}
    for f, way in ways.items():
        if way not in DIRECTIONS:
            raise ValueError(f"directions of {tree.schema.features[f]!r} must be 'up' or 'down', got {way!r:.80}.")
        if tree.schema.kinds[f] == Kind.CATEGORY:
            raise ValueError(f"input {tree.schema.features[f]!r} is a category without an order; it has no direction.")
    return [
        Free(
            f, float(row[0, f]), tree.schema.kinds[f], input_range(tree, f, rows, "counterfactual"), _sign(ways.get(f))
        )
        for f in used_inputs(tree)
        if f not in held
    ]


def _sign(way: Any) -> int:
    return 0 if way is None else 1 if way == "up" else -1


def values_to_try(tree: Tree, free: Free) -> list[float]:
    """Other values: for a number the nearest in every interval between cuts, and evenly spaced ones."""
    if not free.is_number:
        n = free.range.n_levels or 2
        return [float(code) for code in range(n) if free.allows(float(code))]
    low, high = free.ends()
    if np.isnan(low):
        return []
    cuts = [cut for cut in cuts_of(tree, free.feature) if low <= cut <= high]
    ends = [-np.inf, *cuts, np.inf]
    found = {nearest(free, below, above) for below, above in pairwise(ends)}
    found |= {free.up_to(float(value)) for value in np.linspace(low, high, N_EVEN)} | {low, high}
    found |= {knot for knot in knots_of(tree, free.feature) if low <= knot <= high}
    return sorted(value for value in found if low <= value <= high and free.allows(value))


def nearest(free: Free, below: float, above: float) -> float:
    """The value in below < x <= above that is nearest to the input's."""
    low, high = free.ends()
    if below < free.now <= above:
        return free.now
    if np.isnan(free.now):
        middle = min(max(free.range.typical, below), above)
        return middle if below < middle else free.beyond(below, min(above, high))
    return free.up_to(above, max(below, low)) if above < free.now else free.beyond(below, min(above, high))
