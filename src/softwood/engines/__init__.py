"""Where the rows are. A learner of soft trees asks an engine for sums over rows and never sees a row itself, so rows
in memory, in batches, on a GPU or on a cluster run the same learner.

A tree is given as its shape and its parameters in one vector: [gate][column, bias] [leaf][output]
[slope][output][column].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from softwood.kernels.enlarge import Enlarged, Enlarging, Plant
from softwood.kernels.penalty import Penalty
from softwood.kernels.soft import Shape

Floats = npt.NDArray[np.float64]

__all__ = ["Engine", "Floats", "Penalty", "Shape"]


class Engine(Protocol):
    """Sums over rows for a given soft tree. All means are by weight."""

    @property
    def total_weight(self) -> float:
        """Sum of the rows' weights: a row of weight two is the row twice."""

    def loss(self, shape: Shape, parameters: Floats) -> float:
        """Mean loss."""

    def row_loss(self, shape: Shape, parameters: Floats) -> Floats:
        """Loss of each row, for paired comparisons of two trees."""

    def output(self, shape: Shape, parameters: Floats) -> Floats:
        """Output of each row before the link, shape (rows, outputs)."""

    def gradient(self, shape: Shape, parameters: Floats) -> tuple[float, Floats]:
        """Mean loss and its gradient."""

    def mean_reach(self, shape: Shape, parameters: Floats) -> Floats:
        """Mean part of the rows that arrives at each node."""

    def refine(
        self, shape: Shape, parameters: Floats, penalty: Penalty, max_iter: int, tol: float
    ) -> tuple[float, Floats, int]:
        """Minimise mean loss + penalty: objective and parameters reached, passes over the rows."""

    def histograms(self, shape: Shape, parameters: Floats, nodes: Sequence[int]) -> Floats:
        """Per node, input, bin: [sum reach * slope, sum reach^2 * curvature] of the loss, by output."""

    def pull(self, shape: Shape, parameters: Floats, node: int) -> tuple[Floats, Floats, Floats]:
        """Mean and deviation of the columns by reach of `node`, and their covariance with the slope of the loss.

        The covariance has shape (outputs, columns).
        """

    def under(self, shape: Shape, parameters: Floats, node: int) -> Engine:
        """The rows as a subtree in place of leaf `node` sees them."""

    @property
    def enlarges(self) -> bool:
        """Whether it can `enlarge`; if not, learners go step by step."""

    def enlarge(self, tree: Plant, axes: Any, rules: Enlarging) -> Enlarged | None:
        """One split more, and everything refined, in one go (learners/soft/enlarge.py); None: nothing can be split."""
