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

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class MixtureShape:
    """Nodes level by level.

    first_child : children of m are first_child[m] and the next node; -1 for a leaf.
    expert : the expert a node belongs to, -1 above the experts.
    label : the class a leaf stands for, -1 elsewhere.
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
        # What is below a node: (levels to go, children of a chain still to place, classes still to place)
        first, expert, label = [-1], [-1], [-1]
        work: list[tuple[int, int, int, int]] = [(0, depth, branching, 0)]
        experts = 0
        at = 0
        while at < len(work):
            node, levels, chain, at_class = work[at]
            at += 1
            if levels == 0 and expert[node] < 0:
                expert[node], experts = experts, experts + 1
            if levels == 0 and n_classes == 0:
                continue
            if levels == 0 and at_class == n_classes - 1:
                label[node] = at_class
                continue
            if levels == 0 and chain == 0:  # the leaf of one class
                label[node] = at_class
                continue
            first[node] = len(first)
            for second in (False, True):
                child = len(first)
                first.append(-1)
                expert.append(expert[node] if levels == 0 else -1)
                label.append(-1)
                work.append((child, *_below(levels, chain, branching, at_class, second)))
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


def _below(levels: int, chain: int, branching: int, at_class: int, second: bool) -> tuple[int, int, int]:
    """What a child has below it: levels to go, children of its chain, and the class it begins with."""
    if levels > 0:
        if second and chain > 2:
            return levels, chain - 1, 0  # the rest of the chain
        return levels - 1, branching, 0
    return (0, 1, at_class + 1) if second else (0, 0, at_class)
