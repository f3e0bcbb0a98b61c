"""Reference growing of a hard tree in NumPy, which defines the results of the native grower.

    grow:   root -> open; while a leaf is open: split the best (or the oldest), open its children that may split

The rules are in contracts/growth.py. Breiman, Friedman, Olshen, Stone: Classification and Regression Trees
(1984).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Ints, Signs
from softwood.kernels.contracts.growth import (
    EPSILON,
    TIE,
    UNCONSTRAINED,
    Branches,
    Grown,
    Growth,
    SurrogateTable,
    Target,
    check_columns,
    check_growth,
    check_places,
)
from softwood.kernels.contracts.level_slots import EVERY_LEVEL, slots_of
from softwood.kernels.kinds import Criterion, Missing
from softwood.kernels.reference.bins import make_columns
from softwood.kernels.reference.centers import CenterLoss
from softwood.kernels.reference.counts import PoissonDeviance
from softwood.kernels.reference.impurity import Classes, Measure, SquaredError, account_all
from softwood.kernels.reference.monotone import Bounds
from softwood.kernels.reference.node import Node, make_node, send, to_tree
from softwood.kernels.reference.rows import Rows
from softwood.kernels.reference.split import Search, Split
from softwood.kernels.reference.surrogate import Surrogate, find_surrogates, tabulate
from softwood.kernels.sparse.table import SparseTable


class Grower:
    """Grows hard trees on one table. `n_threads` is part of the interface; NumPy uses one.

    Parameters
    ----------
    X : (rows, features) numbers and category codes; NaN is a missing value. Or a SparseTable of numbers.
    n_levels : per feature the number of levels, 0 for a number.
    weight : per row; bins have about equal weight, and rows of weight 0 are ignored.
    max_bins : 0 tries every threshold, otherwise only the edges between this number of bins.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> grower = Grower(X, np.zeros(1, np.int32), np.ones(4))
    >>> grown = grower.grow(Target(y, np.ones(4), n_classes=2), Growth(Criterion.GINI))
    >>> grown.threshold[0], grown.count
    (np.float64(2.5), array([4., 2., 2.]))
    """

    def __init__(
        self, X: Floats | SparseTable, n_levels: Ints, weight: Floats, max_bins: int = 0, n_threads: int = 1
    ) -> None:
        self.weight, self.n_levels = np.asarray(weight, np.float64), np.asarray(n_levels, np.int32)
        self.is_sparse = isinstance(X, SparseTable)
        X = X if isinstance(X, SparseTable) else np.asarray(X, np.float64)
        check_columns(X, self.n_levels, self.weight)
        self.columns = make_columns(X, np.asarray(n_levels, np.intp), self.weight, max_bins)

    def grow(self, target: Target, growth: Growth) -> Grown:
        """Grow a tree by the rules of `growth`."""
        check_growth(target, growth, self.n_levels, self.weight, self.is_sparse)
        measure = make_measure(target, growth)
        return GrowOptions(Search(self.columns, measure, growth), self._rows(target)).run()

    def surrogates(
        self,
        grown: Branches,
        target: Target,
        max_surrogates: int,
        monotone: Signs = UNCONSTRAINED,
        every_level: int = EVERY_LEVEL,
    ) -> SurrogateTable:
        """Surrogates of every branch. Rows go down again; if a gate cannot read them, by surrogates or `default`."""
        rows = {0: self._rows(target)}
        found: list[list[Surrogate]] = [[] for _ in grown.first_child]
        for m in map(int, np.flatnonzero(grown.first_child >= 0)):
            split, first = self._split(grown, m), int(grown.first_child[m])
            found[m] = find_surrogates(self.columns, rows[m], split, max_surrogates, monotone)
            slot = send(self.columns, rows[m], split, found[m])
            rows[first], rows[first + 1] = rows[m].where(slot == 0), rows[m].where(slot == 1)
        return tabulate(found, every_level)

    def _split(self, grown: Branches, m: int) -> Split:
        """The split of branch m of a grown tree."""
        feature = int(grown.feature[m])
        n_levels = int(self.n_levels[feature])
        slot = slots_of(grown.group_begin, grown.group, grown.group_level, m, n_levels).astype(np.intp)
        return Split(feature, float(grown.threshold[m]), slot, int(grown.default[m]), 0.0)

    def _rows(self, target: Target) -> Rows:
        row = np.flatnonzero((self.weight > 0) & (target.weight > 0))
        return Rows(row, np.asarray(target.weight, np.float64)[row])


@dataclass
class GrowOptions:
    """A tree during growth."""

    search: Search
    rows: Rows

    def run(self) -> Grown:
        """Split leaves until none is open or max_leaves is reached."""
        growth, columns = self.search.growth, self.search.columns
        self.gappy = [bool(np.isnan(column.x[self.rows.id]).any()) for column in columns]
        self.nodes: list[Node] = []
        self.open: list[int] = []
        self.gates = self.places = 0  # on categories; levels that they store
        self.add(self.rows, 0, np.nan, self.root_bounds())
        while self.open and (growth.max_leaves == 0 or (len(self.nodes) + 1) // 2 < growth.max_leaves):
            self.divide(self.next_open())
        return to_tree(self.nodes, growth.every_level)

    def root_bounds(self) -> Bounds:
        """Infinite bounds on the constrained quantities, if any."""
        if not self.search.growth.monotone.any():
            return Bounds.free(0)
        measure = self.search.measure
        return Bounds.free(measure.constrained(np.atleast_2d(measure.value(self.rows))).shape[1])

    def add(self, rows: Rows, depth: int, fraction: float, bounds: Bounds) -> Node:
        """Make a node, and open it if it may be split."""
        node = make_node(self.search.measure, rows, depth, fraction, bounds)
        self.nodes.append(node)
        if self.may_split(node):
            slack = self.search.measure.slack(node.impurity, node.value)
            node.split = self.search.best(rows, self.tie(node), slack, bounds)
            if node.split and self.is_worth(node.split):
                self.open.append(len(self.nodes) - 1)
        return node

    def tie(self, node: Node) -> float:
        """Gains that differ by less count as equal."""
        return self.search.measure.rounding(node.impurity, node.value, self.nodes[0].value) * node.loss

    def may_split(self, node: Node) -> bool:
        """The stop rules that need no split."""
        growth = self.search.growth
        least = max(growth.min_samples_split, 2 * growth.min_samples_leaf)
        return (
            node.depth < growth.max_depth
            and node.count >= least * (1 - TIE)
            and node.impurity > max(growth.min_impurity, EPSILON)
        )

    def is_worth(self, split: Split) -> bool:
        """Whether the impurity decreases enough, relative to the whole table."""
        return split.gain / self.nodes[0].size + EPSILON >= self.search.growth.min_impurity_decrease

    def next_open(self) -> int:
        """The open leaf to split: the oldest, or with max_leaves that of the largest gain (on ties, the oldest)."""
        at = 0
        if self.search.growth.max_leaves:
            gain = np.array([self.gain_of(m) for m in self.open])
            at = int(np.flatnonzero(gain >= gain.max() - TIE * self.nodes[0].loss)[0])
        return self.open.pop(at)

    def gain_of(self, m: int) -> float:
        split = self.nodes[m].split
        return split.gain if split else 0.0

    def divide(self, m: int) -> None:
        """Turn an open leaf into a branch with two children."""
        node, growth, columns = self.nodes[m], self.search.growth, self.search.columns
        assert node.split is not None  # only nodes with a split are open
        split, rows = node.split, node.rows
        self.keep_places(split)
        slot = split.read(columns[split.feature], rows.id)
        known = np.array([rows.where(slot == s).count for s in (0, 1)])
        fraction = known / known.sum()
        if growth.missing == Missing.SURROGATE and self.gappy[split.feature]:
            node.surrogates = find_surrogates(columns, rows, split, growth.max_surrogates, growth.monotone)
        if growth.missing == Missing.FRACTION:
            share = np.where(slot[:, None] < 0, fraction, slot[:, None] == [0, 1])
        else:
            share = send(columns, rows, split, node.surrogates)[:, None] == [0, 1]
        parts = [rows.scaled(share[:, s]) for s in (0, 1)]
        node.first_child = len(self.nodes)
        for child, part, bounds in zip((0, 1), parts, self.child_bounds(node, parts), strict=True):
            self.add(part, node.depth + 1, float(fraction[child]), bounds)

    def keep_places(self, split: Split) -> None:
        """Count the levels of their rows that gates store."""
        if len(split.slot):
            self.gates, self.places = self.gates + 1, self.places + int(np.count_nonzero(split.slot >= 0))
            check_places(self.places, len(split.slot), self.gates, self.search.growth)

    def child_bounds(self, node: Node, parts: list[Rows]) -> tuple[Bounds, Bounds]:
        """The bounds that the children inherit."""
        assert node.split is not None
        sign, measure = self.search.sign(node.split.feature), self.search.measure
        if sign == 0:
            return node.bounds, node.bounds
        q = [measure.constrained(account_all(measure, part).center)[0] for part in parts]
        return node.bounds.part(q[0], q[1], sign)


def make_measure(target: Target, growth: Growth) -> Measure:
    """The criterion bound to the target."""
    if target.n_classes:
        return Classes(target, growth.criterion)
    y = np.asarray(target.y, np.float64)
    if growth.criterion == Criterion.SQUARED_ERROR:
        return SquaredError(y)
    if growth.criterion == Criterion.POISSON:
        return PoissonDeviance(y)
    return CenterLoss(y, growth.criterion, np.asarray(growth.parameter))
