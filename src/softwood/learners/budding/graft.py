"""A budding tree as a soft tree with the same answers, so that every engine of soft trees can sum for it.

A bud keeps a part of each row, whatever the row holds: that is a gate without weights. So a bud m is grafted as

            o  share = leafness[m]: weights 0, bias log(leafness / (1 - leafness))
           / \
    response  o  share = sigmoid(gate[m] . x)
             / \
           children

and the slope of the loss by a leafness is that by the bias of its gate, divided by leafness (1 - leafness). Leafness is
held within EDGE of 0 and 1 here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.engines import Engine, Floats, Shape
from softwood.learners.budding.bush import Bush
from softwood.learners.soft.sapling import Sapling

EDGE = 1e-9
Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Graft:
    """The soft tree of a bush's shape, and where the bush's numbers stand in it.

    top : the soft tree's node for each node of the bush.  keeper, gate : rows among the gates, for each branch.
    leaf : row among the leaves, for each node.
    """

    bush: Bush
    sapling: Sapling
    shape: Shape
    top: Places
    keeper: Places
    gate: Places
    leaf: Places

    @classmethod
    def make(cls, bush: Bush) -> Graft:
        """Lay out the soft tree."""
        child = [-1]
        top, leaf = np.zeros(bush.n_nodes, np.intp), np.zeros(bush.n_nodes, np.intp)
        inner = np.zeros(bush.n_nodes, np.intp)
        for m in range(bush.n_nodes):
            at = leaf[m] = int(top[m])
            if bush.first_child[m] < 0:
                continue
            n = len(child)
            child += [-1, -1, -1, -1]
            child[at], child[n + 1] = n, n + 2
            leaf[m], inner[m] = n, n + 1
            top[bush.first_child[m]], top[bush.first_child[m] + 1] = n + 2, n + 3
        branch = bush.branches
        first_child = np.array(child, np.int32)
        gate_row, leaf_row = np.cumsum(first_child >= 0) - 1, np.cumsum(first_child < 0) - 1
        nodes = len(first_child)
        slope = bush.slope
        if bush.slopes == "own":
            slope = np.zeros((nodes, bush.outputs, bush.columns))
        sapling = Sapling(
            first_child,
            np.zeros((nodes, bush.columns + 1)),
            np.zeros((nodes, bush.outputs)),
            bush.slopes,
            slope,
            bush.response[0],
            np.zeros((bush.outputs, bush.columns)),
            np.zeros((nodes, bush.columns + 1), np.bool_),
        )
        return cls(bush, sapling, sapling.shape, top, gate_row[top[branch]], gate_row[inner[branch]], leaf_row[leaf])

    def parameters(self, bush: Bush) -> Floats:
        """The soft tree's vector for a bush of this shape."""
        gates, leaves = 2 * len(self.gate), bush.n_nodes
        gate, response = np.zeros((gates, bush.columns + 1)), np.zeros((leaves, bush.outputs))
        kept = np.clip(bush.leafness[bush.branches], EDGE, 1.0 - EDGE)
        gate[self.keeper, -1] = np.log(kept / (1.0 - kept))
        gate[self.gate] = bush.gate[bush.branches]
        response[self.leaf] = bush.response
        slope = bush.slope
        if bush.slopes == "own":
            slope = np.zeros_like(bush.slope)
            slope[self.leaf] = bush.slope
        return np.concatenate([gate.ravel(), response.ravel(), slope.ravel()])

    def pull_back(self, bush: Bush, slope: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """From the slope by the soft tree's vector to those by gates, leafness (of branches), responses, slopes."""
        gates = 2 * len(self.gate) * (bush.columns + 1)
        leaves = gates + bush.response.size
        gate = slope[:gates].reshape(-1, bush.columns + 1)
        response = slope[gates:leaves].reshape(-1, bush.outputs)[self.leaf]
        rest = slope[leaves:].reshape(bush.slope.shape)
        kept = np.clip(bush.leafness[bush.branches], EDGE, 1.0 - EDGE)
        leafness = gate[self.keeper, -1] / (kept * (1.0 - kept))
        return gate[self.gate], leafness, response, rest[self.leaf] if bush.slopes == "own" else rest


def loss(engine: Engine, bush: Bush) -> float:
    """Mean loss on the engine's rows."""
    graft = Graft.make(bush)
    return engine.loss(graft.shape, graft.parameters(bush))


def row_loss(engine: Engine, bush: Bush) -> Floats:
    """Loss of each row."""
    graft = Graft.make(bush)
    return engine.row_loss(graft.shape, graft.parameters(bush))


def mean_reach(engine: Engine, bush: Bush) -> Floats:
    """Mean part of the rows that arrives at each node."""
    graft = Graft.make(bush)
    return engine.mean_reach(graft.shape, graft.parameters(bush))[graft.top]
