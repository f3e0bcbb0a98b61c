"""The best split of a node: the largest gain among all candidates of all features, with ties broken in order.

    gain = loss(rows) - loss(first) - loss(second)           loss = W * impurity, over the rows that take part

The winner is the first candidate whose gain comes within `tie` of the largest (grow.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.contracts.growth import TIE, Growth
from softwood.kernels.reference.bins import Column
from softwood.kernels.reference.candidates import Candidates, find_candidates
from softwood.kernels.reference.impurity import Measure, Parts
from softwood.kernels.reference.monotone import Bounds
from softwood.kernels.reference.rows import Rows, sum_by
from softwood.kernels.reference.sets import Masks, Sets


@dataclass(frozen=True)
class Split:
    """A gate, the slot of rows it cannot read, and its gain. `slot` is empty for a number."""

    feature: int
    threshold: float
    slot: Index
    default: int
    gain: float

    def read(self, column: Column, row: Index) -> Index:
        """Child slot of each row, -1 if the gate cannot read it."""
        x = column.x[row]
        if not column.n_levels:
            return np.where(np.isnan(x), -1, np.where(x <= self.threshold, 0, 1))
        return np.where(np.isnan(x), -1, self.slot[np.nan_to_num(x).astype(np.intp)])


@dataclass(frozen=True)
class Search:
    """Data for the search in every node: the columns, the criterion and the rules."""

    columns: list[Column]
    measure: Measure
    growth: Growth

    def best(self, rows: Rows, tie: float, slack: float, bounds: Bounds) -> Split | None:
        """The split with the largest gain; gains within `tie` are equal, `slack` is the unit of constraints."""
        found: list[tuple[int, Candidates, Floats]] = []
        for feature, column in enumerate(self.columns):
            candidates = find_candidates(column, rows, self.growth.missing, self.measure, slack)
            if candidates is not None:
                found.append((feature, candidates, self.gains(candidates, self.sign(feature), slack, bounds)))
        largest = max((float(gain.max()) for _, _, gain in found), default=-np.inf)
        if largest == -np.inf:
            return None
        for feature, candidates, gain in found:
            hits = np.flatnonzero(gain >= largest - tie)
            if len(hits):
                return self.make(feature, candidates, int(hits[0]), float(gain[hits[0]]))
        return None

    def sign(self, feature: int) -> int:
        return int(self.growth.monotone[feature]) if len(self.growth.monotone) else 0

    def gains(self, candidates: Candidates, sign: int, slack: float, bounds: Bounds) -> Floats:
        """Gain of every candidate, -inf if not admissible."""
        rows, group, n_groups = candidates.rows, candidates.group, candidates.n_groups
        parts, weight = self.measure.parts(rows, group, n_groups), sum_by(group, n_groups, rows.weight[:, None])
        limits = Limits(self.growth.min_samples_leaf, sign, slack, bounds)
        return gains_of(parts, weight, candidates.sets, self.measure, limits)

    def make(self, feature: int, candidates: Candidates, at: int, gain: float) -> Split:
        """The split of candidate number `at`."""
        for sets in candidates.sets:
            if at < len(sets):
                break
            at -= len(sets)
        first = sets[at : at + 1].holds(np.arange(candidates.n_groups))[0]
        threshold, slot = candidates.gate(first, self.columns[feature].n_levels)
        if candidates.placed:
            default = 0 if first[-1] else 1
        else:
            side = first[candidates.group]
            default = larger(*(candidates.rows.where(part).count for part in (side, ~side)))
        return Split(feature, threshold, slot, default, max(gain, 0.0))


@dataclass(frozen=True)
class Limits:
    """Conditions on a candidate: the count of each child, and monotone constraints in units of `slack`."""

    min_samples_leaf: float
    sign: int
    slack: float
    bounds: Bounds


def gains_of(parts: Parts, weight: Floats, sets: tuple[Sets, ...], measure: Measure, limits: Limits) -> Floats:
    """Gain of every set of groups as first child, -inf if not admissible; `weight` is (groups, 1)."""
    whole = parts.account(Masks.all_of(len(weight))).loss
    gains = []
    for some in sets:
        others = some.complement()
        first, second = parts.account(some), parts.account(others)
        smaller = np.minimum(some.total(weight), others.total(weight))[:, 0]
        good = smaller >= limits.min_samples_leaf * (1 - TIE)
        if measure.above_zero:
            sums = [side.center * side.size[:, None] for side in (first, second)]
            good &= (np.minimum(*sums) > TIE * (sums[0] + sums[1])).all(axis=1)
        if len(limits.bounds.lower):
            q = [measure.constrained(side.center) for side in (first, second)]
            good &= limits.bounds.admit(q[0], q[1], limits.sign, limits.slack)
        gains.append(np.where(good, whole - first.loss - second.loss, -np.inf))
    return np.concatenate(gains)


def larger(first: float, second: float) -> int:
    """Slot of the larger child: 0 if it is strictly larger, beyond rounding, else 1."""
    return 0 if first - second > TIE * (first + second) else 1
