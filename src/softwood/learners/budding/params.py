"""A budding tree in scaled columns and targets; immutable.

output(m) = leafness response(m) + (1 - leafness) (share output(first child) + (1 - share) output(second child))
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels.contracts.online_state import OnlineState
from softwood.learners.soft.params.params import Slopes


@dataclass(frozen=True)
class BuddingParams:
    """Nodes with leafness.

    first_child : per node, -1 for a leaf.  leafness : per node, 1 for a leaf.
    gate : (nodes, columns + 1), the bias last; 0 in leaves.  response : (nodes, outputs).
    slopes, slope : (nodes, 1 or 0; outputs; columns) if nodes have `own`, `shared` or no slopes (`none`).
    frozen, unpenalized : as in SoftTreeParams: weights that stay at 0, and gates without a penalty.
    rising : columns of monotone inputs, as in SoftTreeParams; None if there are none.
    """

    first_child: Ints
    leafness: Floats
    gate: Floats
    response: Floats
    slopes: Slopes
    slope: Floats
    frozen: npt.NDArray[np.bool_]
    unpenalized: npt.NDArray[np.bool_]
    rising: npt.NDArray[np.bool_] | None = None

    def at_mean_if_alone(self) -> BuddingParams:
        """As for a soft tree: a single leaf predicts the mean of the targets, which is 0 after scaling."""
        is_alone = len(self.first_child) == 1 and (self.slopes == "none" or self.gate.shape[1] == 1)
        return replace(self, response=np.zeros_like(self.response)) if is_alone else self

    @classmethod
    def leaf(cls, response: Floats, columns: int, slopes: Slopes) -> BuddingParams:
        """One leaf."""
        slope = np.zeros((0 if slopes == "none" else 1, len(response), columns))
        child = np.full(1, -1, np.int32)
        gate = np.zeros((1, columns + 1))
        return cls(child, np.ones(1), gate, response[None].copy(), slopes, slope, *_open(gate))

    @classmethod
    def of_state(cls, state: OnlineState) -> BuddingParams:
        """The tree in a state."""
        n, response = state.n_nodes, state.response.astype(np.float64)
        gate = np.roll(state.gate.astype(np.float64), -1, axis=1)  # a state has the bias first
        slope = response[:, :, 1:] if state.linear else np.zeros((0, state.outputs, state.columns))
        slopes: Slopes = "own" if state.linear else "none"
        child, leafness = state.first_child[:n].copy(), state.leafness.astype(np.float64)
        return cls(child, leafness, gate, response[:, :, 0].copy(), slopes, slope, *_open(gate))

    @property
    def n_nodes(self) -> int:
        return len(self.first_child)

    @property
    def columns(self) -> int:
        return int(self.gate.shape[1]) - 1

    @property
    def outputs(self) -> int:
        return int(self.response.shape[1])

    @property
    def branches(self) -> npt.NDArray[np.intp]:
        """Nodes with children, including buds."""
        return np.flatnonzero(self.first_child >= 0)

    @property
    def leaves(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero(self.first_child < 0)

    @property
    def effective_size(self) -> float:
        return float(existence(self.first_child, self.leafness).sum())

    def scale_output(self, factor: float) -> BuddingParams:
        """All responses times a factor."""
        return replace(self, response=factor * self.response, slope=factor * self.slope)

    def without(self, gone: npt.NDArray[np.bool_]) -> BuddingParams:
        """The nodes marked `gone` become leaves; the nodes below are removed."""
        dead = np.zeros(self.n_nodes, np.bool_)
        child, gate = self.first_child.copy(), self.gate.copy()
        frozen, unpenalized = self.frozen.copy(), self.unpenalized.copy()
        for m in self.branches:
            if gone[m] or dead[m]:
                dead[child[m] : child[m] + 2] = True
                child[m], gate[m], frozen[m], unpenalized[m] = -1, 0.0, False, False
        place = np.cumsum(~dead) - 1
        child = np.where(child >= 0, place[child], -1).astype(np.int32)
        kept = np.where(child < 0, 1.0, self.leafness)
        slope = self.slope[~dead] if self.slopes == "own" else self.slope
        return replace(
            self, first_child=child[~dead], leafness=kept[~dead], gate=gate[~dead],
            response=self.response[~dead], slope=slope, frozen=frozen[~dead], unpenalized=unpenalized[~dead],
        )  # fmt: skip


def _open(gate: Floats) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Whether no weight is frozen and no gate unpenalized."""
    return np.zeros(gate.shape, np.bool_), np.zeros(len(gate), np.bool_)


def existence(first_child: Ints, leafness: Floats) -> Floats:
    """The weight of each node: the product of the shares that the buds above it pass on; 1 for the root.

    Examples
    --------
    >>> existence(np.array([1, -1, -1]), np.array([0.25, 1.0, 1.0]))
    array([1.  , 0.75, 0.75])
    """
    there, kept, child = [1.0] * len(first_child), leafness.tolist(), first_child.tolist()
    for m in np.flatnonzero(first_child >= 0).tolist():  # parents come before children
        there[child[m]] = there[child[m] + 1] = there[m] * (1.0 - kept[m])
    return np.array(there)
