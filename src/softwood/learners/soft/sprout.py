"""A new gate and its two leaves, refined alone on the rows that the leaf sees which they will take the place of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from softwood.engines import Engine, Floats, Penalty, Shape
from softwood.kernels.soft import make_shape
from softwood.learners.soft.sapling import RESPONSE_DECAY, Sapling, price_of_gates


@dataclass(frozen=True)
class Sprout:
    """gate : (columns + 1,), the bias last.  closed, steep : as Sapling has them, of this gate."""

    gate: Floats
    first: Floats
    second: Floats
    closed: npt.NDArray[np.bool_]
    steep: bool = False

    def refined(self, rows: Engine, tree: Sapling, penalty: float, max_iter: int, tol: float) -> Sprout:
        """Gate and answers moved together; weights and answers cost what they will in the tree."""
        width, k = len(self.gate), len(self.first)
        parameters = np.concatenate([self.gate, self.first, self.second])
        strength, centre, ease = (np.zeros(len(parameters)) for _ in range(3))
        gate = price_of_gates(self.closed[None], np.full(1, self.steep), penalty, tree.ease)
        strength[:width], ease[:width] = gate
        strength[width:], centre[width:] = RESPONSE_DECAY * penalty, np.concatenate([tree.origin, tree.origin])
        price = Penalty(strength, centre, ease)
        moved = rows.refine(_three_nodes(width - 1, k), parameters, price, max_iter, tol)[1]
        return replace(self, gate=moved[:width], first=moved[width : width + k], second=moved[width + k :])

    def looking_at(self, closed: npt.NDArray[np.bool_], steep: bool) -> Sprout:
        """The same but for the weights that are closed now."""
        return replace(self, gate=np.where(closed, 0.0, self.gate), closed=closed, steep=steep)

    def on(self, tree: Sapling, node: int) -> Sapling:
        """The tree with the gate and the leaves in place of a leaf."""
        return tree.split(node, self.gate, self.first, self.second, self.closed, self.steep)


@lru_cache(maxsize=64)
def _three_nodes(columns: int, outputs: int) -> Shape:
    return make_shape(np.array([1, -1, -1], np.int32), np.full(2, -1, np.int32), 0, columns, outputs)
