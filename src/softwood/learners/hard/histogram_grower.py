"""Hard growth from sums: a level of the tree is grown from histograms per node, input and bin.

    pass 1      the root's sums, and its histograms about its mean
    pass d + 1  histograms of all nodes of depth d that may split; the best split of each (kernels/histogram_split.py)

The rules are those of the native grower with max_bins (contracts/growth.py), and so is the tree; rows may be anywhere
as long as an engine (engines/histograms.py) sums over them. A grower yields requests, `steps()`, so that several trees
can grow by the same passes. With max_leaves the leaf with the largest gain is split first: a pass then covers all
leaves that may still be split, and the order is determined afterwards. Not supported: absolute_error, and missing
values by surrogates or fractions, which need individual rows.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from softwood.arrays import Floats
from softwood.engines.histograms import HistogramEngine, n_bins
from softwood.kernels.contracts.bin_tree import BinTree
from softwood.kernels.contracts.growth import EPSILON, FAR_TIE, TIE, Grown, SurrogateTable
from softwood.kernels.histogram_split import BinSplit, Bounds, SplitSearch

COUNT_ROUNDING_SHARE = 1e-6  # relative difference of a node's count allowed between two passes


@dataclass
class Node:
    """A node: the sums of its rows about `origin`, and, once it is split, the split and its first child."""

    sums: Floats
    origin: Floats
    depth: int
    fraction: float
    bounds: Bounds
    split: BinSplit | None = None
    first_child: int = -1
    may_split: bool = False  # it has a split that is worth it
    account: tuple[Floats, Any] | None = None  # sums, and what they come to


class Question(NamedTuple):
    """Histograms of some leaves of a tree, about `origin` (nodes, targets)."""

    tree: BinTree
    nodes: Sequence[int]
    origin: Floats


class Leaf(NamedTuple):
    """An open leaf, in the order of a heap: the largest gain first, on ties the oldest."""

    loss: float  # its gain, negative
    age: int
    node: int


Steps = Generator[Question, Floats, None]


def grow_by_histograms(engine: HistogramEngine, search: SplitSearch, n_targets: int) -> Grown:
    """One tree, grown from the sums of an engine."""
    grower = HistogramGrower(search, n_targets)
    steps = grower.steps()
    try:
        question = next(steps)
        while True:
            question = steps.send(engine.histograms(*question))
    except StopIteration:
        return grower.grown()


@dataclass
class HistogramGrower:
    """Grows one tree.

    search : inputs, criterion and rules.  n_targets : of numbers; 0 for classes.
    """

    search: SplitSearch
    n_targets: int
    nodes: list[Node] = field(default_factory=list)

    def steps(self) -> Steps:
        """The requests, one after the other; each receives its histograms."""
        yield from self._add_root()
        most = self.search.growth.max_leaves
        while waiting := self._best_first(most) if most else self._undivided():
            begin = len(self.nodes)
            for m in waiting:
                self._divide(self.nodes[m])
            yield from self._search(range(begin, len(self.nodes)))

    def _undivided(self) -> list[int]:
        return [m for m, node in enumerate(self.nodes) if node.may_split and node.first_child < 0]

    def _best_first(self, most: int) -> list[int]:
        """Leaves that may be next; empty: the tree is complete, nodes in the order of creation."""
        made, divided, tie = [0], set[int](), TIE * self._size(self.nodes[0]) * self._impurity(self.nodes[0])
        waiting: list[Leaf] = []  # a heap of the leaves that may be split
        self._wait(waiting, made, 0)
        while waiting and len(made) - len(divided) < most:
            m = _pop_largest(waiting, tie).node
            first = self.nodes[m].first_child
            if (
                first < 0
            ):  # the limit on leaves allows few more splits: only those of the largest gains can be among them
                order = [m, *(leaf.node for leaf in sorted(waiting))]
                left = most - (len(made) - len(divided))
                return [leaf for leaf in order[:left] if self.nodes[leaf].first_child < 0]
            divided.add(m)
            for child in (first, first + 1):
                made.append(child)
                self._wait(waiting, made, child)
        place = {m: i for i, m in enumerate(made)}
        first_child = [place[self.nodes[m].first_child] if m in divided else -1 for m in made]
        self.nodes = [replace(self.nodes[m], first_child=at) for m, at in zip(made, first_child, strict=True)]
        return []

    def _wait(self, waiting: list[Leaf], made: Sequence[int], m: int) -> None:
        """Add the last leaf to the open ones, if it may be split."""
        node = self.nodes[m]
        if node.may_split and node.split is not None:
            heappush(waiting, Leaf(-node.split.gain, len(made), m))

    def _add_root(self) -> Steps:
        """The root, about its own mean."""
        nowhere = np.zeros(self.n_targets)
        table = yield self._question([0], nowhere[None])
        sums = table[0, 0].sum(axis=0)
        measure = self.search.measure
        center = measure.account(sums, nowhere).center
        bounds = Bounds.free(measure.measure.constrained(center).shape[1] if self.search.growth.monotone.any() else 0)
        self.nodes.append(Node(sums, nowhere, 0, np.nan, bounds))
        yield from self._search([0])

    def _question(self, nodes: Sequence[int], origin: Floats) -> Question:
        """A request for some leaves of the current tree."""
        bins = n_bins(self.search.edge, self.search.n_levels) + 1
        child = np.zeros((max(len(self.nodes), 1), bins), np.int8)
        first, feature = np.full(len(child), -1, np.int32), np.full(len(child), -1, np.int32)
        for m, node in enumerate(self.nodes):
            if node.first_child >= 0 and node.split is not None:
                first[m], feature[m], child[m] = node.first_child, node.split.feature, node.split.child
        return Question(BinTree(first, feature, child), nodes, origin)

    def _search(self, new: Sequence[int]) -> Steps:
        """Find which of the new nodes may be split and have a good enough split."""
        may = [m for m in new if self._may_split(self.nodes[m])]
        if not may:
            return
        origin = np.stack([self._mean(self.nodes[m]) for m in may])
        tables = yield self._question(may, origin)
        for m, mean, table in zip(may, origin, tables, strict=True):
            node, wanted = self.nodes[m], self._count(self.nodes[m])
            node.sums, node.origin = table[0].sum(axis=0), mean  # about its own mean: no digits are lost
            if abs(self._count(node) - wanted) > COUNT_ROUNDING_SHARE * wanted:
                raise ValueError(
                    f"the engine counts {self._count(node):g} rows in node {m}, but its parent sent {wanted:g} "
                    "there: an engine must route all rows by the given tree, in the same way in every pass."
                )
            if self._may_split(node):
                slack = self.search.measure.measure.slack(self._impurity(node), mean)
                node.split = self.search.best(table, mean, self._tie(node), slack, node.bounds)
                node.may_split = node.split is not None and self._is_worth(node.split)

    def _mean(self, node: Node) -> Floats:
        """Mean of the targets; empty for classes."""
        return np.asarray(self._account(node).center[0]) if self.n_targets else node.origin

    def _account(self, node: Node) -> Any:
        """The statistics from the node's sums, computed once."""
        known = node.account
        if known is None or known[0] is not node.sums:
            known = node.account = (node.sums, self.search.measure.account(node.sums, node.origin))
        return known[1]

    def _size(self, node: Node) -> float:
        """W: weight times class factor."""
        return float(self._account(node).size[0])

    def _impurity(self, node: Node) -> float:
        account = self._account(node)
        size = float(account.size[0])
        return max(float(account.loss[0]), 0.0) / size if size > 0 else 0.0

    def _count(self, node: Node) -> float:
        return float(self.search.measure.weight(node.sums[None])[0, 0])

    def _may_split(self, node: Node) -> bool:
        """The stop rules that need no split."""
        growth = self.search.growth
        least = max(growth.min_samples_split, 2 * growth.min_samples_leaf)
        return (
            node.depth < growth.max_depth
            and self._count(node) >= least * (1 - TIE)
            and self._impurity(node) > max(growth.min_impurity, EPSILON)
        )

    def _tie(self, node: Node) -> float:
        """Gains that differ by less count as equal."""
        away = float(np.abs(self._mean(node) - self._mean(self.nodes[0])).max()) if self.n_targets else 0.0
        impurity = self._impurity(node)
        return (TIE + FAR_TIE * away / float(np.sqrt(impurity))) * self._size(node) * impurity

    def _is_worth(self, split: BinSplit) -> bool:
        """Whether the impurity decreases enough, relative to the whole table."""
        return split.gain / self._size(self.nodes[0]) + EPSILON >= self.search.growth.min_impurity_decrease

    def _divide(self, node: Node) -> None:
        """Turn an open leaf into a branch with two children."""
        split, measure = node.split, self.search.measure
        assert split is not None  # only nodes with a split are divided
        q = [measure.measure.constrained(measure.account(side, node.origin).center)[0] for side in split.side]
        bounds = node.bounds.part(q[0], q[1], self.search.sign(split.feature))
        node.first_child = len(self.nodes)
        for s in (0, 1):
            child = Node(split.side[s], node.origin, node.depth + 1, float(split.fraction[s]), bounds[s])
            self.nodes.append(child)

    def grown(self) -> Grown:
        """The tree as arrays, nodes in the order of creation."""
        nodes, measure = self.nodes, self.search.measure
        splits = [node.split if node.first_child >= 0 else None for node in nodes]
        slots = [np.zeros(0, np.intp) if split is None else split.slot for split in splits]
        none = np.zeros(0)
        return Grown(
            first_child=np.array([node.first_child for node in nodes], np.int32),
            feature=np.array([-1 if split is None else split.feature for split in splits], np.int32),
            threshold=np.array([np.nan if split is None else split.threshold for split in splits]),
            group_begin=np.cumsum([0, *map(len, slots)]).astype(np.int32),
            group=np.concatenate(slots).astype(np.int32),
            group_level=none.astype(np.int32),
            default=np.array([0 if split is None else split.default for split in splits], np.int32),
            fraction=np.array([node.fraction for node in nodes]),
            count=np.array([self._count(node) for node in nodes]),
            value=np.stack([measure.value(node.sums, node.origin) for node in nodes]),
            impurity=np.array([self._impurity(node) for node in nodes]),
            gain=np.array([0.0 if split is None else split.gain for split in splits]),
            lower=np.stack([node.bounds.lower for node in nodes]),
            upper=np.stack([node.bounds.upper for node in nodes]),
            surrogates=SurrogateTable(
                np.zeros(len(nodes) + 1, np.int32), none.astype(np.int32), none, none.astype(np.bool_),
                np.zeros(1, np.int32), none.astype(np.int32), none.astype(np.int32), none, none,
            ),
        )  # fmt: skip


def _pop_largest(waiting: list[Leaf], tie: float) -> Leaf:
    """Take the leaf with the largest gain from the heap; of gains equal up to rounding, the oldest."""
    best = heappop(waiting)
    most, others = best.loss, []
    while waiting and -waiting[0].loss >= -most - tie:
        other = heappop(waiting)
        if other.age < best.age:
            other, best = best, other
        others.append(other)
    for other in others:
        heappush(waiting, other)
    return best
