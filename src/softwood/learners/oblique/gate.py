"""Gates of an oblique tree while it grows: a sum of columns that is cut, or a question about one input."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.learners.hard.problem import Floats, Ints
from softwood.learners.oblique.rows import Rows


@dataclass(frozen=True)
class LinearGate:
    """phi . weight + bias >= 0 is the first child."""

    weight: Floats
    bias: float

    def first(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which rows go to the first child."""
        return np.asarray(rows.phi @ self.weight + self.bias >= 0.0)


@dataclass(frozen=True)
class InputGate:
    """A number up to a threshold, or a category of slot 0, is the first child; `default` takes what is missing."""

    feature: int
    threshold: float
    group: Ints
    default: int

    def first(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which rows go to the first child."""
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


@dataclass(frozen=True)
class Split:
    """A gate, how much it lowers W * impurity, and what there is to say about its choice."""

    gate: Gate
    gain: float
    note: str = ""
