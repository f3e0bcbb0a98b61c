"""Rows in memory, summed by threads. The result never depends on the number of threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from softwood.engines import Floats, Penalty, Shape
from softwood.kernels.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.kernels.reference.gradient import bend
from softwood.kernels.soft import Rows, make_expanded_rows, make_rows


@dataclass(frozen=True)
class MemoryEngine:
    """Columns, targets and weights as arrays; `bin` (rows, inputs) is what histograms count by.

    phi : the columns; no rows where every pass makes them anew (`slim`). Such an engine refines and judges trees; to
    grow them it lacks histograms and pull.
    """

    phi: Floats
    target: Floats
    weight: Floats  # sums to 1
    total_weight: float
    loss_kind: Loss
    bin: npt.NDArray[np.uint8]
    n_bins: int
    n_threads: int
    rows: Rows

    @classmethod
    def make(
        cls,
        phi: Floats,
        target: Floats,
        weight: Floats,
        loss: Loss,
        bin: npt.NDArray[np.uint8] | None = None,
        n_bins: int = 0,
        n_threads: int = 1,
        single: bool = True,
    ) -> MemoryEngine:
        """Take rows in; without `bin` there are no histograms (validation rows need none)."""
        code = np.zeros((len(phi), 0), np.uint8) if bin is None else bin
        rows = make_rows(phi, target, weight, loss, single)
        total = float(weight.sum())
        return cls(phi, target, weight / total, total, loss, code, n_bins, n_threads, rows)

    @classmethod
    def slim(
        cls,
        X: Floats,
        expansion: Expansion,
        target: Floats,
        weight: Floats,
        loss: Loss,
        n_threads: int = 1,
        single: bool = True,
        place: npt.NDArray[np.int64] | None = None,
    ) -> MemoryEngine:
        """Take in rows too many to keep their columns; `place` says which row of X each is."""
        rows = make_expanded_rows(X, expansion, target, weight, loss, single, n_threads, place)
        total = float(weight.sum())
        nothing = np.zeros((0, 0), np.uint8)
        return cls(np.zeros((0, 0)), target, weight / total, total, loss, nothing, 0, n_threads, rows)

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
        output, reach, _ = self.rows.answers(shape, parameters, self.n_threads)
        r = self.weight * reach[:, node]
        slope = r[:, None] * bend(self.loss_kind, output, self.target)[0]
        total = max(float(r.sum()), 1e-300)
        mean = r @ self.phi / total
        spread = np.sqrt(np.maximum(r @ np.square(self.phi) / total - mean * mean, 0.0))
        return mean, spread, slope.T @ self.phi - np.outer(slope.sum(axis=0), mean)

    def under(self, shape: Shape, parameters: Floats, node: int) -> MemoryEngine:
        return replace(self, rows=self.rows.under(shape, parameters, node, self.n_threads))
