"""Gates of an oblique tree during growth: a threshold on a sum of columns, or a test of one input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels.arithmetic import matmul
from softwood.learners.oblique.rows import Rows


@dataclass(frozen=True)
class LinearGate:
    """phi . weight + bias >= 0 is the first child."""

    weight: Floats
    bias: float

    def first(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Whether each row goes to the first child."""
        return np.asarray(matmul(rows.phi, self.weight) + self.bias >= 0.0)


@dataclass(frozen=True)
class InputGate:
    """A number up to a threshold, or a category with slot 0, is the first child; `default` is for missing values."""

    feature: int
    threshold: float
    group: Ints
    default: int

    def first(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Whether each row goes to the first child."""
        x = rows.problem.X[:, self.feature]
        gone = np.isnan(x)
        if len(self.group):
            slot = self.group[np.where(gone, 0, x).astype(np.intp)]
            gone |= slot < 0
            side = slot == 0
        else:
            side = x <= self.threshold
        return np.where(gone, self.default == 0, side)


Gate = LinearGate | InputGate


def gain_of(gate: Gate, rows: Rows) -> float:
    """The decrease of W * impurity by the gate alone."""
    side = gate.first(rows)
    parts = np.array([rows.tally[side].sum(axis=0), rows.tally[~side].sum(axis=0)])
    return max(float(rows.loss(rows.tally.sum(axis=0, keepdims=True))[0] - rows.loss(parts).sum()), 0.0)


@dataclass(frozen=True)
class Split:
    """A gate, its decrease of W * impurity, and a note on its choice.

    below : gates of the two children, if the three were found together.
    """

    gate: Gate
    gain: float
    note: str = ""
    below: tuple[Gate, Gate] | None = None

    def place(self, rows: Rows) -> npt.NDArray[np.intp]:
        """The leaf of each row: 0 and 1, or 0 .. 3 if there are gates below."""
        second = np.where(self.gate.first(rows), 0, 1)
        if self.below is None:
            return second
        last = np.where(second == 0, ~self.below[0].first(rows), ~self.below[1].first(rows))
        return np.asarray(2 * second + last)

    @property
    def n_leaves(self) -> int:
        return 2 if self.below is None else 4
