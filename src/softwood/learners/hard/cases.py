"""A tree with its training cases at every node, for C4.5's pruning.

A case with a missing value goes to every child with a fraction of its weight, so a node has row ids and weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Longs
from softwood.kernels.arithmetic import log2
from softwood.kernels.contracts.c45 import TIE, C45Grown
from softwood.kernels.kinds import Missing, Score
from softwood.tree import Schema, Tree

MIN_CASE_SHARE = 1e-12  # of a case


@dataclass(frozen=True)
class Cases:
    """Row ids and their weights in this node."""

    row: Longs
    weight: Floats

    def count(self, code: npt.NDArray[np.int32], n_classes: int) -> Floats:
        """Weight by class."""
        return np.asarray(np.bincount(code[self.row], self.weight, n_classes), np.float64)

    def without(self, part: Cases, n_rows: int) -> Cases:
        """The cases that are not in `part`."""
        left = np.zeros(n_rows)
        left[self.row] = self.weight
        left[part.row] -= part.weight
        kept = left[self.row]
        return Cases(self.row[kept > MIN_CASE_SHARE], kept[kept > MIN_CASE_SHARE])


@dataclass
class CaseNode:
    """A node that may still change. `slot` is empty for a threshold."""

    cases: Cases
    value: Floats
    children: list[CaseNode] = field(default_factory=list)
    feature: int = -1
    threshold: float = np.nan
    slot: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    fraction: Floats = field(default_factory=lambda: np.zeros(0))
    gain: float = 0.0
    estimate: float = 0.0  # pessimistic errors of the subtree

    @property
    def errors(self) -> float:
        """Training errors as a leaf."""
        return float(self.value.sum() - self.value.max())

    def walk(self) -> Iterator[CaseNode]:
        """Nodes from here down, parents first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children)

    def send(self, X: Floats, cases: Cases) -> list[Cases]:
        """The cases that each child gets."""
        slot = self.read(X[cases.row, self.feature])
        order = np.argsort(slot, kind="stable")  # once for all children: a category may have very many
        begin = np.searchsorted(slot[order], np.arange(len(self.fraction) + 1))
        lost, parts = order[: begin[0]], []
        for s, fraction in enumerate(self.fraction):
            at = order[begin[s] : begin[s + 1]]
            at = np.sort(np.concatenate([at, lost])) if len(lost) else at
            weight = np.where(slot[at] < 0, cases.weight[at] * fraction, cases.weight[at])
            at, weight = at[weight > 0], weight[weight > 0]
            parts.append(Cases(cases.row[at], weight))
        return parts

    def read(self, x: Floats) -> npt.NDArray[np.int32]:
        """Child slot of each value, -1 if the gate cannot read it."""
        if not len(self.slot):
            return np.where(np.isnan(x), -1, np.where(x <= self.threshold, 0, 1)).astype(np.int32)
        known = (x >= 0) & (x < len(self.slot))
        return np.where(known, self.slot[np.where(known, x, 0).astype(np.int64)], -1).astype(np.int32)

    def become_leaf(self) -> None:
        """Remove the descendants."""
        self.children, self.feature, self.gain = [], -1, 0.0

    def become(self, other: CaseNode) -> None:
        """Take another node's gate and children; keep the cases."""
        for name in ("children", "feature", "threshold", "slot", "fraction", "gain"):
            setattr(self, name, getattr(other, name))


def case_nodes(grown: C45Grown, X: Floats, weight: Floats) -> CaseNode:
    """The grown tree with its cases."""
    row = np.flatnonzero(weight > 0)
    everything = Cases(row, weight[row])  # the root's; every other node gets its cases from its parent
    nodes = [CaseNode(everything, value) for value in grown.value]
    for m, node in enumerate(nodes):
        first, n = int(grown.first_child[m]), int(grown.n_children[m])
        if n == 0:
            continue
        node.children = nodes[first : first + n]
        node.feature, node.threshold = int(grown.feature[m]), float(grown.threshold[m])
        node.slot = grown.group[grown.group_begin[m] : grown.group_begin[m + 1]]
        node.fraction, node.gain = grown.fraction[first : first + n], float(grown.gain[m])
        for child, cases in zip(node.children, node.send(X, node.cases), strict=True):
            child.cases = cases
    return nodes[0]


def to_tree(root: CaseNode, schema: Schema) -> Tree:
    """The tree of the nodes, level by level."""
    nodes, fraction, response, first, default = [root], [np.nan], [_shares(root, np.zeros(0))], [], []
    for m, node in enumerate(nodes):  # grows in the loop
        first.append(len(nodes) if node.children else -1)
        default.append(first_largest(node.fraction) if node.children else 0)
        nodes += node.children
        fraction += list(node.fraction) if node.children else []
        response += [_shares(child, response[m]) for child in node.children]
    branch = np.array([bool(node.children) for node in nodes])
    slots = [node.slot if node.children else node.slot[:0] for node in nodes]
    category = np.array([len(slot) > 0 for slot in slots])
    share = np.stack(response)
    return Tree(
        response=share,
        schema=schema,
        first_child=np.array(first, np.int32),
        n_children=np.array([len(node.children) for node in nodes], np.int32),
        score=np.where(branch, np.where(category, Score.CATEGORY, Score.THRESHOLD), Score.NONE),
        feature=np.array([node.feature for node in nodes], np.int32),
        threshold=np.where(branch & ~category, [node.threshold for node in nodes], np.nan),
        group_begin=np.cumsum([0, *map(len, slots)]),
        group=np.concatenate(slots),
        missing=np.where(branch, Missing.FRACTION, Missing.DIRECTION),
        default=np.array(default, np.int32),
        fraction=np.array(fraction),
        count=np.array([node.value.sum() for node in nodes]),
        impurity=-(share * log2(np.where(share > 0, share, 1.0))).sum(axis=1),
        gain=np.array([node.gain for node in nodes]),
    )


def first_largest(weight: npt.ArrayLike) -> int:
    """The index of the largest weight, the first on ties; sums of fractional cases are equal within TIE.

    >>> first_largest([1.0, 15.1, 15.1 + 2e-15])
    1
    """
    weight = np.asarray(weight, np.float64)
    return int(np.argmax(weight >= weight.max() * (1 - TIE)))


def _shares(node: CaseNode, above: Floats) -> Floats:
    """Class proportions of a node; those of its parent if no case reached it."""
    total = node.value.sum()
    return node.value / total if total > 0 else above
