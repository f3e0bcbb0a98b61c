"""The shape of a hierarchical mixture of experts as a tree of two-way gates.

    gating      `depth` levels of nodes with `branching` children each. A node with more than two children is a chain of
                two-way gates: the first child or the rest, the second or the rest, ... (stick breaking). A softmax
                gate would say the same with the same number of weights, but not as a Tree.
    experts     numbers: a leaf with a linear response. Classes: a chain of gates to one leaf a class, each the logistic
                regression of "this class or a later one" (a sequential logistic regression; for two classes the
                ordinary one).

So the probability of a class is the reach of its leaves, and every parameter but a linear response belongs to a gate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.arrays import Ints


class Plan(NamedTuple):
    """The plan of a subtree: levels of gates, remaining children of its chain, and the first class of its leaves."""

    levels: int
    chain: int
    label: int

    def ends(self, n_classes: int) -> bool:
        """Whether a node of an expert is a leaf: a linear response, one class taken out of the chain, or the last."""
        return n_classes == 0 or self.chain == 0 or self.label == n_classes - 1

    def children(self, branching: int) -> list[Plan]:
        """The first child, and the rest of the chain."""
        if self.levels == 0:
            return [Plan(0, 0, self.label), Plan(0, 1, self.label + 1)]
        below = Plan(self.levels - 1, branching, 0)
        return [below, Plan(self.levels, self.chain - 1, 0) if self.chain > 2 else below]


@dataclass(frozen=True)
class MixtureShape:
    """Nodes level by level.

    first_child : children of m are first_child[m] and the next node; -1 for a leaf.
    expert : the expert a node belongs to, -1 above the experts.
    label : the class of a leaf, -1 elsewhere.
    """

    first_child: Ints
    expert: Ints
    label: Ints

    @classmethod
    def make(cls, depth: int, branching: int, n_classes: int) -> MixtureShape:
        """A full hierarchy; n_classes 0: linear experts.

        Examples
        --------
        >>> MixtureShape.make(1, 3, 0).first_child
        array([ 1, -1,  3, -1, -1], dtype=int32)
        """
        first, expert, label = [-1], [-1], [-1]
        plan = [Plan(depth, branching, 0)]  # per node; those that follow are still to be made
        experts = 0
        for node, here in enumerate(plan):  # grows in the loop, level by level
            if here.levels == 0 and expert[node] < 0:
                expert[node], experts = experts, experts + 1
            if here.levels == 0 and here.ends(n_classes):
                label[node] = here.label if n_classes else -1
                continue
            first[node] = len(first)
            first += [-1, -1]
            expert += [expert[node]] * 2
            label += [-1, -1]
            plan += here.children(branching)
        return cls(np.array(first, np.int32), np.array(expert, np.int32), np.array(label, np.int32))

    @property
    def branches(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero(self.first_child >= 0)

    @property
    def leaves(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero(self.first_child < 0)

    @property
    def gating(self) -> npt.NDArray[np.intp]:
        """Branches above the experts."""
        return np.flatnonzero((self.first_child >= 0) & (self.expert < 0))

    @property
    def n_nodes(self) -> int:
        return len(self.first_child)
