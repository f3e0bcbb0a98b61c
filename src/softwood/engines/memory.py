"""Rows in memory, summed by threads. The result never depends on the number of threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.engines import Floats, Penalty, Shape
from softwood.kernels import enlarge
from softwood.kernels.enlarge import Enlarged, Enlarging, Plant
from softwood.kernels.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.kernels.soft import Rows, make_expanded_rows, make_rows

Bins = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class MemoryEngine:
    """Rows with their columns, targets and weights; `bin` (rows, inputs) is what histograms count by.

    rows : the columns, kept or made anew in every pass, and the sums over them.
    """

    rows: Rows
    target: Floats
    weight: Floats  # sums to 1
    total_weight: float
    loss_kind: Loss
    bin: Bins
    n_bins: int = 0
    n_threads: int = 1

    @classmethod
    def make(
        cls, phi: Floats, target: Floats, weight: Floats, loss: Loss, n_threads: int = 1, single: bool = True
    ) -> MemoryEngine:
        """Take in rows by their columns `phi`; there are no histograms."""
        return cls._around(make_rows(phi, target, weight, loss, single), target, weight, loss, n_threads)

    @classmethod
    def of_inputs(
        cls,
        X: Floats,
        expansion: Expansion,
        target: Floats,
        weight: Floats,
        loss: Loss,
        n_threads: int = 1,
        single: bool = True,
        place: npt.NDArray[np.int64] | None = None,
        keep: bool = True,
    ) -> MemoryEngine:
        """Take in rows by their inputs; `place` says which row of X each is.

        Without `keep` every pass makes the columns anew, which is slower and takes no memory.
        """
        rows = make_expanded_rows(X, expansion, target, weight, loss, single, n_threads, place, keep)
        return cls._around(rows, target, weight, loss, n_threads)

    @classmethod
    def _around(cls, rows: Rows, target: Floats, weight: Floats, loss: Loss, n_threads: int) -> MemoryEngine:
        total = float(weight.sum())
        return cls(rows, target, weight / total, total, loss, np.zeros((len(target), 0), np.uint8), 0, n_threads)

    def binned(self, bin: Bins, n_bins: int) -> MemoryEngine:
        """With histograms, which learning asks for and judging does not."""
        return replace(self, bin=bin, n_bins=n_bins)

    def loss(self, shape: Shape, parameters: Floats) -> float:
        return self.rows.loss(shape, parameters, self.n_threads)

    def row_loss(self, shape: Shape, parameters: Floats) -> Floats:
        return self.rows.answers(shape, parameters, self.n_threads)[2]

    def output(self, shape: Shape, parameters: Floats) -> Floats:
        """Output of each row, shape (rows, outputs)."""
        return self.rows.answers(shape, parameters, self.n_threads)[0]

    def gradient(self, shape: Shape, parameters: Floats) -> tuple[float, Floats]:
        return self.rows.gradient(shape, parameters, self.n_threads)

    def mean_reach(self, shape: Shape, parameters: Floats) -> Floats:
        return self.rows.mean_reach(shape, parameters, self.n_threads)

    def refine(
        self, shape: Shape, parameters: Floats, penalty: Penalty, max_iter: int, tol: float
    ) -> tuple[float, Floats, int]:
        price = (penalty.strength, penalty.centre, penalty.ease)
        return self.rows.refine(shape, parameters, *price, max_iter, tol, self.n_threads)

    def histograms(self, shape: Shape, parameters: Floats, nodes: Sequence[int]) -> Floats:
        return self.rows.histograms(shape, parameters, self.bin, self.n_bins, list(nodes), self.n_threads)

    def pull(self, shape: Shape, parameters: Floats, node: int) -> tuple[Floats, Floats, Floats]:
        return self.rows.pull(shape, parameters, node, self.n_threads)

    def under(self, shape: Shape, parameters: Floats, node: int) -> MemoryEngine:
        return replace(self, rows=self.rows.under(shape, parameters, node, self.n_threads))

    @property
    def enlarges(self) -> bool:
        return enlarge.enlarges() and self.n_bins > 0

    def enlarge(self, tree: Plant, axes: Any, rules: Enlarging) -> Enlarged | None:
        return enlarge.enlarge(self.rows, tree, self.bin, self.n_bins, axes, rules, self.total_weight, self.n_threads)
