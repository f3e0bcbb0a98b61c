"""Reference growing of a C4.5 tree in NumPy; the rules are in contracts/c45.py."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Index, Ints
from softwood.kernels.contracts.c45 import (
    LARGEST_LEAST,
    MANY_LEVELS_PER_ROW,
    SLACK,
    SMALLEST_PART,
    TIE,
    C45Grown,
    C45Growth,
    check_c45,
)


@dataclass(frozen=True)
class Question:
    """A way to split a node: gain and split information in bits, and the test."""

    feature: int
    gain: float
    info: float
    threshold: float = np.nan
    slot: Index = field(default_factory=lambda: np.zeros(0, np.intp))

    @property
    def ratio(self) -> float:
        return self.gain / self.info if self.info > TIE else 0.0

    def read(self, x: Floats) -> Index:
        """Slot of each value, -1 if it is missing or its level has none."""
        if not len(self.slot):
            return np.where(np.isnan(x), -1, np.where(x <= self.threshold, 0, 1))
        known = (x >= 0) & (x < len(self.slot))
        return np.where(known, self.slot[np.where(known, x, 0).astype(np.intp)], -1)


def times_log(x: npt.ArrayLike) -> Floats:
    """X log2 x, 0 at 0."""
    x = np.asarray(x, np.float64)
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))


def bits(count: Floats) -> Floats:
    """Weight times information of counts by class: W log2 W - sum_c w_c log2 w_c, over the last axis."""
    return np.asarray(times_log(count.sum(axis=-1)) - times_log(count).sum(axis=-1))


def make_test(feature: int, count: Floats, total: float, slot: Index) -> Question:
    """The test of the given counts (slots, classes) in a node of weight `total`."""
    known = count.sum()
    gain = (bits(count.sum(axis=0)) - bits(count).sum()) / total
    parts = np.append(count.sum(axis=1), max(total - known, 0.0))
    return Question(feature, float(gain), float((times_log(total) - times_log(parts).sum()) / total), slot=slot)


class GrowOptions:
    """A tree during growth."""

    def __init__(
        self, X: Floats, n_levels: Ints, code: Ints, weight: Floats, n_classes: int, growth: C45Growth
    ) -> None:
        self.X, self.n_levels, self.code, self.growth, self.n_classes = X, n_levels, code, growth, n_classes
        self.many = (n_levels > 0) & (n_levels >= MANY_LEVELS_PER_ROW * weight.sum())
        if self.many.all():
            self.many[:] = False

    def count(self, rows: Index, weight: Floats, slot: Index, n: int) -> Floats:
        """Weight by slot and class of the rows that have a slot."""
        known = slot >= 0
        at = slot[known] * self.n_classes + self.code[rows[known]]
        return np.asarray(np.bincount(at, weight[known], n * self.n_classes), np.float64).reshape(n, self.n_classes)

    def best(self, rows: Index, weight: Floats) -> Question | None:
        """The test to split these rows by."""
        find = (self.category if levels else self.number for levels in self.n_levels)
        tests = [f(feature, rows, weight) for feature, f in enumerate(find)]
        fair = [test.gain for test in tests if test and not self.many[test.feature]]
        least = (np.mean(fair) if fair else 0.0) - SLACK
        chosen = None
        for test in tests:
            if test and test.gain >= least and test.ratio > (chosen.ratio if chosen else 0.0) + TIE:
                chosen = test
        return chosen

    def number(self, feature: int, rows: Index, weight: Floats) -> Question | None:
        """The threshold with the largest gain."""
        x = self.X[rows, feature]
        order = np.argsort(x, kind="stable")[: np.count_nonzero(~np.isnan(x))]
        x, w, code, total = x[order], weight[order], self.code[rows[order]], float(weight.sum())
        below = np.cumsum(w[:, None] * (code[:, None] == np.arange(self.n_classes)), axis=0)
        if len(x) < 2:
            return None
        known, low = below[-1].sum(), np.cumsum(w)
        least = min(max(SMALLEST_PART * known / self.n_classes, self.growth.min_cases), LARGEST_LEAST)
        least = max(least, self.growth.min_cases) * (1 - TIE)
        tried = np.flatnonzero((x[1:] > x[:-1]) & (low[:-1] >= least) & (known - low[:-1] >= least))
        if not len(tried):
            return None
        above = np.maximum(below[-1] - below[tried], 0.0)
        gain = (bits(below[-1]) - bits(below[tried]) - bits(above)) / total
        at = tried[np.flatnonzero(gain >= gain.max() - TIE)[0]]
        left = gain.max() - np.log2(len(tried)) / total
        if left <= 0:
            return None
        parts = np.array([low[at], max(known - low[at], 0.0), max(total - known, 0.0)])
        info = (times_log(total) - times_log(parts).sum()) / total
        return Question(feature, float(left), float(info), middle(x[at], x[at + 1]))

    def category(self, feature: int, rows: Index, weight: Floats) -> Question | None:
        """One branch per level, or per subset of levels."""
        x, n = self.X[rows, feature], int(self.n_levels[feature])
        known = (x >= 0) & (x < n)
        level = np.where(known, x, -1).astype(np.intp)
        count = self.count(rows, weight, level, n)
        size = count.sum(axis=1)
        present = np.flatnonzero(size > 0)
        slot = np.full(n, -1, np.intp)
        slot[present] = np.arange(len(present))
        if len(present) < 2:
            return None
        test = make_test(feature, count[present], float(weight.sum()), slot)
        if self.growth.subsets:
            test = join(test, count[present], float(weight.sum()))
        size = np.bincount(test.slot[present], size[present])
        return test if np.count_nonzero(size >= self.growth.min_cases * (1 - TIE)) >= 2 else None

    def run(self, rows: Index, weight: Floats) -> C45Grown:
        """Split until no test is good enough."""
        open_rows, nodes = [(rows, weight)], [Node(np.nan)]
        for node in nodes:  # the list grows in the loop
            rows, weight = open_rows[0]
            open_rows.pop(0)
            node.value = np.asarray(np.bincount(self.code[rows], weight, self.n_classes), np.float64)
            test = self.best(rows, weight) if self.may_split(node.value) else None
            if test is None:
                continue
            slot = test.read(self.X[rows, test.feature])
            known = np.bincount(slot[slot >= 0], weight[slot >= 0])
            fraction = known / known.sum()
            node.test, node.first_child, node.gain = test, len(nodes), test.gain * float(weight.sum())
            node.default = int(np.flatnonzero(fraction >= fraction.max() - TIE)[0])
            for s, part in enumerate(fraction):
                here = (slot == s) | (slot < 0)
                open_rows.append((rows[here], np.where(slot < 0, weight * part, weight)[here]))
                nodes.append(Node(float(part)))
        return to_tree(nodes)

    def may_split(self, value: Floats) -> bool:
        """Neither pure nor too small."""
        total = value.sum()
        return bool(value.max() < total * (1 - TIE) and total >= 2 * self.growth.min_cases * (1 - TIE))


def middle(a: float, b: float) -> float:
    """The middle of a < b, never b itself."""
    half = a / 2 + b / 2
    return float(half if a <= half < b else a)


def join(test: Question, count: Floats, total: float) -> Question:
    """Groups of levels: joined as long as the ratio does not decrease."""
    while len(count) > 2:
        best, pair = None, (0, 0)
        for a in range(len(count)):
            for b in range(a + 1, len(count)):
                joined = make_test(test.feature, union(count, a, b), total, test.slot)
                if best is None or joined.ratio > best.ratio + TIE:
                    best, pair = joined, (a, b)
        if best is None or best.ratio < test.ratio - TIE:
            break
        a, b = pair
        slot = np.where(test.slot == b, a, np.where(test.slot > b, test.slot - 1, test.slot))
        test, count = Question(test.feature, best.gain, best.info, slot=slot), union(count, a, b)
    return test


def union(count: Floats, a: int, b: int) -> Floats:
    """The counts with group b merged into group a."""
    joined = np.delete(count, b, axis=0)
    joined[a] += count[b]
    return joined


@dataclass
class Node:
    """A node during growth."""

    fraction: float
    value: Floats = field(default_factory=lambda: np.zeros(0))
    test: Question = field(default_factory=lambda: Question(-1, 0.0, 0.0))
    first_child: int = -1
    default: int = 0
    gain: float = 0.0

    @property
    def n_children(self) -> int:
        if self.first_child < 0:
            return 0
        return int(self.test.slot.max()) + 1 if len(self.test.slot) else 2


def to_tree(nodes: list[Node]) -> C45Grown:
    """The grown tree as arrays."""
    return C45Grown(
        first_child=np.array([node.first_child for node in nodes], np.int32),
        n_children=np.array([node.n_children for node in nodes], np.int32),
        feature=np.array([node.test.feature for node in nodes], np.int32),
        threshold=np.array([node.test.threshold for node in nodes], np.float64),
        group_begin=np.cumsum([0, *(len(node.test.slot) for node in nodes)]).astype(np.int32),
        group=np.concatenate([node.test.slot for node in nodes]).astype(np.int32),
        default=np.array([node.default for node in nodes], np.int32),
        fraction=np.array([node.fraction for node in nodes], np.float64),
        value=np.stack([node.value for node in nodes]),
        gain=np.array([node.gain for node in nodes], np.float64),
    )


def grow_c45(
    X: Floats, n_levels: Ints, code: Ints, weight: Floats, n_classes: int, growth: C45Growth, n_threads: int = 1
) -> C45Grown:
    """Grow a C4.5 tree. `n_threads` is part of the interface; NumPy uses one.

    Examples
    --------
    >>> X, code = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1], np.int32)
    >>> grown = grow_c45(X, np.zeros(1, np.int32), code, np.ones(4), 2, C45Growth())
    >>> float(grown.threshold[0]), grown.value[1]
    (2.5, array([2., 0.]))
    """
    check_c45(X, np.asarray(n_levels), np.asarray(code), weight, n_classes)
    rows = np.flatnonzero(weight > 0)
    grow_options = GrowOptions(np.asarray(X), np.asarray(n_levels), np.asarray(code), weight, n_classes, growth)
    return grow_options.run(rows, np.asarray(weight, np.float64)[rows])
