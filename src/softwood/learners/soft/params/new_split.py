"""A new gate and its two leaves, refined alone on the rows of the leaf they replace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.engines import Penalty, SampleEngine, Shape
from softwood.kernels import make_shape
from softwood.learners.soft.params.params import RESPONSE_PENALTY, SoftTreeParams, gate_penalty


@dataclass(frozen=True)
class NewSplit:
    """gate : (columns + 1,), the bias last.  frozen, unpenalized : as in SoftTreeParams, for this gate."""

    gate: Floats
    first: Floats
    second: Floats
    frozen: npt.NDArray[np.bool_]
    unpenalized: bool = False

    def refined(self, rows: SampleEngine, tree: SoftTreeParams, penalty: float, max_iter: int, tol: float) -> NewSplit:
        """Refine gate and responses together, with the penalties of the whole tree."""
        width, k = len(self.gate), len(self.first)
        parameters = np.concatenate([self.gate, self.first, self.second])
        strength, centre, log_penalty = (np.zeros(len(parameters)) for _ in range(3))
        gate = gate_penalty(self.frozen[None], np.full(1, self.unpenalized), penalty, tree.log_penalty)
        strength[:width], log_penalty[:width] = gate
        strength[width:], centre[width:] = RESPONSE_PENALTY * penalty, np.concatenate([tree.origin, tree.origin])
        penalty_terms = Penalty(strength, centre, log_penalty)
        moved = rows.refine(_three_nodes(width - 1, k), parameters, penalty_terms, max_iter, tol)[1]
        return replace(self, gate=moved[:width], first=moved[width : width + k], second=moved[width + k :])

    def loss(self, rows: SampleEngine) -> float:
        """Mean loss on the rows, weighted by the leaf's reach."""
        parameters = np.concatenate([self.gate, self.first, self.second])
        return rows.loss(_three_nodes(len(self.gate) - 1, len(self.first)), parameters)

    def restrict(self, frozen: npt.NDArray[np.bool_], unpenalized: bool) -> NewSplit:
        """The same with these weights frozen."""
        return replace(self, gate=np.where(frozen, 0.0, self.gate), frozen=frozen, unpenalized=unpenalized)

    def on(self, tree: SoftTreeParams, node: int) -> SoftTreeParams:
        """The tree with the gate and the leaves in place of a leaf."""
        return tree.split(node, self.gate, self.first, self.second, self.frozen, self.unpenalized)


@lru_cache(maxsize=64)
def _three_nodes(columns: int, outputs: int) -> Shape:
    return make_shape(np.array([1, -1, -1], np.int32), np.full(2, -1, np.int32), 0, columns, outputs)
