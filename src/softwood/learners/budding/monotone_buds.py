"""Parameters of a budding tree with monotone inputs: responses of all nodes in order, weights of these inputs >= 0.

    [gates of branches] [leafness of branches] [responses of nodes] [slopes]        in refine.py
    [gates >= 0 ...   ] [unchanged           ] [middles and items z ] [>= 0 ... ]    in the optimiser

Every node has a response here, including buds (kernels/formulas/node_order.py); leafness is free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Mask
from softwood.kernels.formulas.node_order import NodeOrder, middles_between
from softwood.learners.budding.params import BuddingParams
from softwood.learners.soft.params.monotone_refine import looks_at_monotone


@dataclass(frozen=True)
class MonotoneBuds:
    """Maps numbers within bounds to the parameters of a monotone budding tree.

    order, ordered : of the responses, and of which gates.  begin, end : indices of responses among all numbers.
    outputs : of a response.  low : of gates and slopes, 0 for monotone inputs, else minus infinity.
    """

    params: BuddingParams
    order: NodeOrder
    ordered: Mask
    begin: int
    end: int
    low: Floats

    @classmethod
    def of(cls, params: BuddingParams, rising: Mask) -> MonotoneBuds:
        """For trees of this shape."""
        ordered = looks_at_monotone(params.first_child, params.frozen, rising)
        order = NodeOrder.of(params.first_child, ordered, np.ones(params.n_nodes, np.bool_))
        n_branches = len(params.branches)
        begin = n_branches * (params.columns + 2)
        end = begin + params.response.size
        gate = np.tile(np.where(np.append(rising, False), 0.0, -np.inf), n_branches)
        slope = np.tile(np.where(rising, 0.0, -np.inf), params.slope.size // max(params.columns, 1))
        low = np.concatenate([gate, np.full(n_branches, -np.inf), slope])
        return cls(params, order, ordered, begin, end, low)

    def start(self, numbers: Floats) -> Floats:
        """The start of the optimiser: the given tree, changed as little as the order requires."""
        answers = numbers[self.begin : self.end].reshape(self.params.response.shape)
        every = np.ones(len(answers), np.bool_)
        middles = middles_between(self.params.first_child, self.ordered, every, answers)
        z = self.order.start(middles, answers, self._ends)
        return np.concatenate([numbers[: self.begin], z.ravel(), numbers[self.end :]])

    def bounds(self, numbers: Floats, held: Mask) -> tuple[Floats, Floats]:
        """Bounds of the optimiser's numbers; frozen weights do not change."""
        item_low, item_high = self.order.bounds(self.params.outputs)
        rest = np.concatenate([numbers[: self.begin], numbers[self.end :]])
        fixed = np.concatenate([held[: self.begin], held[self.end :]])
        low, high = np.where(fixed, rest, self.low), np.where(fixed, rest, np.inf)
        join = [(low[: self.begin], item_low, low[self.begin :]), (high[: self.begin], item_high, high[self.begin :])]
        first, second = (np.concatenate([before, items.ravel(), after]) for before, items, after in join)
        return first, second

    def values(self, at: Floats) -> Floats:
        """The parameters of the tree."""
        return np.concatenate([at[: self.begin], self._responses(at)[len(self._middles) :].ravel(), at[self._after :]])

    def slopes(self, at: Floats, slope: Floats) -> Floats:
        """Maps slopes by the tree's parameters to slopes by the optimiser's numbers."""
        k = self.params.outputs
        by_value = np.concatenate([np.zeros((self.order.n_middles, k)), slope[self.begin : self.end].reshape(-1, k)])
        by_z = self.order.slopes(self._items(at), self._responses(at), by_value, self._ends)
        return np.concatenate([slope[: self.begin], by_z.ravel(), slope[self.end :]])

    @property
    def _ends(self) -> Floats:
        return np.zeros((2, self.params.outputs))  # nothing bounds the whole tree

    @property
    def _middles(self) -> range:
        return range(self.order.n_middles)

    @property
    def _after(self) -> int:
        return self.begin + len(self.order) * self.params.outputs

    def _items(self, at: Floats) -> Floats:
        return at[self.begin : self._after].reshape(-1, self.params.outputs)

    def _responses(self, at: Floats) -> Floats:
        """Values of all items: middles, then responses of nodes."""
        return self.order.values(self._items(at), self._ends)
