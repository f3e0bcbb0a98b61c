"""Bounded refinement of all parameters of a soft tree with ordered predictions: twin of native/soft/ordered_tree.cpp.

Free numbers are in one vector: [gate][column, bias] [item][output] [slope][output][column], where items determine the
responses of the leaves and the middles of the ordered gates (node_order.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.formulas.bounded_lbfgs import minimise_within
from softwood.kernels.formulas.lbfgs import Objective
from softwood.kernels.formulas.node_order import NodeOrder
from softwood.kernels.formulas.penalty import Penalty


@dataclass(frozen=True)
class OrderedTree:
    """The bounds on the parameters of a tree.

    order : of the leaves' responses.  ends : (2, outputs), bounds of the whole tree, if the order has them.
    n_gates : how many numbers belong to gates.  low, high : of the free numbers.
    """

    order: NodeOrder
    ends: Floats
    n_gates: int
    low: Floats
    high: Floats

    @property
    def outputs(self) -> int:
        return int(self.ends.shape[1])

    def parameters(self, free: Floats) -> Floats:
        """The parameters of the tree."""
        return self._unpack(free)[0]

    def _unpack(self, free: Floats) -> tuple[Floats, Floats, Floats]:
        """Parameters, and the free numbers and values of the items."""
        n, end = self.n_gates, self.n_gates + len(self.order) * self.outputs
        z = free[n:end].reshape(-1, self.outputs)
        value = self.order.values(z, self.ends)
        return np.concatenate([free[:n], value[self.order.n_middles :].ravel(), free[end:]]), z, value

    def objective(self, gradient: Objective, penalty: Penalty) -> Objective:
        """Loss plus penalty, by the free numbers."""
        n, middles = self.n_gates, self.order.n_middles
        end = n + (len(self.order) - middles) * self.outputs

        def value_and_slope(free: Floats) -> tuple[float, Floats]:
            parameters, z, value = self._unpack(free)
            loss, slope = gradient(parameters)
            cost, more = penalty.at(parameters)
            slope = np.where(penalty.strength < 0, 0.0, slope + more)
            of_items = np.concatenate([np.zeros((middles, self.outputs)), slope[n:end].reshape(-1, self.outputs)])
            of_z = self.order.slopes(z, value, of_items, self.ends)
            return loss + cost, np.concatenate([slope[:n], of_z.ravel(), slope[end:]])

        return value_and_slope

    def refine(
        self, gradient: Objective, start: Floats, penalty: Penalty, max_iter: int, tol: float
    ) -> tuple[float, Floats, int]:
        """The final objective and parameters, from initial free numbers, and passes over the rows."""
        objective = self.objective(gradient, penalty)
        value, found, passes = minimise_within(objective, start, self.low, self.high, max_iter, tol)
        return value, self.parameters(found), passes
