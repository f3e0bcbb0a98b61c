"""C4.5 (Quinlan 1993; release 8, Quinlan 1996): gain ratio, branches for every category, error-based pruning.

Grown by contracts/c45.py. A subtree that is no better on its training cases than a leaf becomes one. Then, bottom-up,
a subtree is replaced by a leaf, or by its largest branch (which takes over all its cases), if the pessimistic errors
(parts/pessimism.py) do not increase by more than TOLERANCE_ERRORS:

    leaf <= min(tree, branch) + TOLERANCE_ERRORS  ->  leaf
    branch <= tree + TOLERANCE_ERRORS             ->  raise the branch, prune what it became

Differs from C4.5: a category without cases in a node has no empty leaf there but counts as missing; the fractions of
missing cases are those of all cases of the final node; weights of cases are no special case.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Floats
from softwood.kernels.contracts.c45 import C45Grown, C45Growth
from softwood.learners.hard.cases import CaseNode, case_nodes, first_largest, to_tree
from softwood.parts.pessimism import pessimistic_errors
from softwood.tree import Schema, Tree

TOLERANCE_ERRORS = 0.1  # errors by which a smaller tree may be worse
SAME_ERRORS = 1e-3


@dataclass(frozen=True)
class C45Cases:
    """Rows, class codes and weights."""

    X: Floats
    n_levels: npt.NDArray[np.int32]
    code: npt.NDArray[np.int32]
    weight: Floats
    n_classes: int


@dataclass(frozen=True)
class C45Pruning:
    """Error-based pruning; confidence None: no pruning."""

    confidence: float | None = 0.25
    raising: bool = True


def learn_c45(
    cases: C45Cases,
    schema: Schema,
    growth: C45Growth,
    pruning: C45Pruning,
    *,
    middle: bool = False,
    n_threads: int = 1,
) -> Tree:
    """Grow and prune.

    Parameters
    ----------
    cases, schema : rows and their meaning.
    growth, pruning : the rules.
    middle : thresholds stay in the middle between two values instead of at the largest value below it.
    n_threads : does not affect the tree.
    """
    c = cases
    grown = kernels.grow_c45(c.X, c.n_levels, c.code, c.weight, c.n_classes, growth, n_threads)
    root = case_nodes(grown if middle else snap_thresholds(grown, c.X[c.weight > 0]), c.X, c.weight)
    for node in reversed(list(root.walk())):
        collapse(node)
    if pruning.confidence is not None:
        Pruner(cases, pruning.confidence, pruning.raising).prune(root)
    return to_tree(root, schema)


def collapse(node: CaseNode) -> None:
    """Make a branch a leaf if its children are no better on the training cases; they must be settled."""
    node.estimate = node.errors
    if node.children:
        below = sum(child.estimate for child in node.children)
        if below >= node.errors - SAME_ERRORS:
            node.become_leaf()
        else:
            node.estimate = below


@dataclass(frozen=True)
class Pruner:
    """Error-based pruning of a tree with its cases."""

    cases: C45Cases
    confidence: float
    raising: bool

    def prune(self, root: CaseNode) -> None:
        """Settle every node, children first."""
        for node in reversed(list(root.walk())):
            self.settle(node)

    def settle(self, node: CaseNode) -> None:
        """Leaf, largest branch, or subtree: the children are settled."""
        leaf = self.estimate(node.value)
        if not node.children:
            node.estimate = leaf
            return
        tree = sum(child.estimate for child in node.children)
        largest = node.children[first_largest([child.value.sum() for child in node.children])]
        branch = self.branch_estimate(node, largest) if self.raising else np.inf
        node.estimate = tree
        if leaf <= min(tree, branch) + TOLERANCE_ERRORS:
            node.become_leaf()
            node.estimate = leaf
        elif branch <= tree + TOLERANCE_ERRORS:
            node.become(largest)
            self.refill(node)
            self.prune(node)

    def estimate(self, value: Floats) -> float:
        """Pessimistic errors of a leaf with this weight of each class."""
        total = float(value.sum())
        return pessimistic_errors(total, total - float(value.max()), self.confidence)

    def branch_estimate(self, node: CaseNode, branch: CaseNode) -> float:
        """Pessimistic errors of a child if all cases of the node were sent to it.

        Its own cases go where they are already: only the others are walked down.
        """
        c, total = self.cases, 0.0
        stack = [(branch, node.cases.without(branch.cases, len(c.code)))]
        while stack:
            at, more = stack.pop()
            if not len(more.row):
                total += at.estimate
            elif not at.children:
                total += self.estimate(at.value + more.count(c.code, c.n_classes))
            else:
                stack += zip(at.children, at.send(c.X, more), strict=True)
        return total

    def refill(self, root: CaseNode) -> None:
        """Send the root's cases down again, with fractions from the cases that each gate can read."""
        c = self.cases
        for node in root.walk():
            if not node.children:
                continue
            slot = node.read(c.X[node.cases.row, node.feature])
            known = np.bincount(slot[slot >= 0], node.cases.weight[slot >= 0], len(node.children))
            node.fraction = known / known.sum() if known.sum() > 0 else node.fraction
            for child, part in zip(node.children, node.send(c.X, node.cases), strict=True):
                child.cases, child.value = part, part.count(c.code, c.n_classes)


def snap_thresholds(grown: C45Grown, X: Floats) -> C45Grown:
    """Every threshold at the largest value of its feature that does not exceed it, as C4.5 prints them."""
    threshold = grown.threshold.copy()
    for feature in np.unique(grown.feature[~np.isnan(threshold)]):
        x = X[:, feature]
        value = np.unique(x[~np.isnan(x)]) + 0.0  # -0.0 becomes 0.0
        at = (grown.feature == feature) & ~np.isnan(threshold)
        threshold[at] = value[np.searchsorted(value, threshold[at], side="right") - 1]
    return replace(grown, threshold=threshold)
