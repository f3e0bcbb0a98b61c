"""Rows in memory, summed by threads. Results do not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Bytes, Floats
from softwood.engines import OrderedTree, Penalty, SampleEngine, Shape
from softwood.kernels import make_expanded_rows, make_rows
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.contracts.soft import Rows
from softwood.kernels.contracts.split_step import PackedTree, SplitStepOptions, SplitStepResult
from softwood.kernels.formulas.losses import far_loss
from softwood.kernels.kinds import Loss, LossKind
from softwood.kernels.sparse.stored_rows import StoredColumns, StoredRows

MOST_LOSS = 1e100  # of a row: differences of losses are squared and summed


@dataclass(frozen=True)
class MemoryEngine:
    """A SampleEngine over rows with their columns, targets and weights.

    rows : the columns, stored or recomputed in every pass, and the sums over them.
    weight : sums to 1.  bin (rows, inputs), n_bins : of histograms; without bins there are none.
    """

    rows: Rows
    target: Floats
    weight: Floats
    total_weight: float
    loss_kind: Loss
    bin: Bytes
    n_bins: int = 0
    n_threads: int = 1

    def loss(self, shape: Shape, parameters: Floats) -> float:
        return self.rows.loss(shape, parameters, self.n_threads)

    def row_loss(self, shape: Shape, parameters: Floats) -> Floats:
        """Loss of each row, minus that of an outlying target (`far_loss`), at most MOST_LOSS, also for rows beyond
        single precision.
        """
        found = self.rows.answers(shape, parameters, self.n_threads)[2]
        if self.loss_kind.kind in (LossKind.HUBER, LossKind.QUANTILE):
            found = found - far_loss(self.loss_kind, self.target)
        return np.where(found < MOST_LOSS, found, MOST_LOSS)

    def output(self, shape: Shape, parameters: Floats) -> Floats:
        return self.rows.answers(shape, parameters, self.n_threads)[0]

    def row_reach(self, shape: Shape, parameters: Floats) -> Floats:
        return self.rows.answers(shape, parameters, self.n_threads)[1]

    def gradient(self, shape: Shape, parameters: Floats) -> tuple[float, Floats]:
        return self.rows.gradient(shape, parameters, self.n_threads)

    def mean_reach(self, shape: Shape, parameters: Floats) -> Floats:
        return self.rows.mean_reach(shape, parameters, self.n_threads)

    def refine(
        self, shape: Shape, parameters: Floats, penalty: Penalty, max_iter: int, tol: float
    ) -> tuple[float, Floats, int]:
        penalty_terms = (penalty.strength, penalty.centre, penalty.log_penalty)
        return self.rows.refine(shape, parameters, *penalty_terms, max_iter, tol, self.n_threads)

    def refine_ordered(
        self, shape: Shape, tree: OrderedTree, start: Floats, penalty: Penalty, max_iter: int, tol: float
    ) -> tuple[float, Floats, int]:
        numbers = (tree.order.low, tree.order.high, tree.ends, tree.low, tree.high, start)
        penalty_terms = (penalty.strength, penalty.centre, penalty.log_penalty)
        return self.rows.refine_ordered(shape, *numbers, *penalty_terms, max_iter, tol, self.n_threads)

    def histograms(self, shape: Shape, parameters: Floats, nodes: Sequence[int]) -> Floats:
        return self.rows.histograms(shape, parameters, self.bin, self.n_bins, list(nodes), self.n_threads)

    def split_direction(self, shape: Shape, parameters: Floats, node: int) -> tuple[Floats, Floats, Floats]:
        return self.rows.split_direction(shape, parameters, node, self.n_threads)

    def under(self, shape: Shape, parameters: Floats, node: int) -> SampleEngine:
        return replace(self, rows=self.rows.under(shape, parameters, node, self.n_threads))

    @property
    def has_split_step(self) -> bool:
        return kernels.split_step is not None and self.n_bins > 0 and not isinstance(self.rows, StoredRows)

    def split_step(self, tree: PackedTree, split_features: Any, rules: SplitStepOptions) -> SplitStepResult | None:
        assert kernels.split_step is not None, "called only if has_split_step is true"
        return kernels.split_step(
            self.rows, tree, self.bin, self.n_bins, split_features, rules, self.total_weight, self.n_threads
        )


def from_columns(
    phi: Floats, target: Floats, weight: Floats, loss: Loss, n_threads: int = 1, single: bool = True
) -> SampleEngine:
    """The engine for rows given by their columns `phi`; it has no histograms."""
    return _engine(make_rows(phi, target, weight, loss, single), target, weight, loss, None, 0, n_threads)


def from_inputs(
    X: Floats,
    expansion: Expansion,
    target: Floats,
    weight: Floats,
    loss: Loss,
    n_threads: int = 1,
    single: bool = True,
    place: npt.NDArray[np.int64] | None = None,
    keep: bool = True,
    bin: Bytes | None = None,
    n_bins: int = 0,
    by_tables: bool = False,
) -> SampleEngine:
    """The engine for rows given by their inputs; `place` has the row of X of each.

    Without `keep` every pass recomputes the columns, which is slower and takes no memory; `by_tables` passes need no
    columns if there are many, and are faster.
    """
    rows = make_expanded_rows(X, expansion, target, weight, loss, single, n_threads, place, keep, by_tables)
    return _engine(rows, target, weight, loss, bin, n_bins, n_threads)


def from_stored(
    columns: StoredColumns,
    target: Floats,
    weight: Floats,
    loss: Loss,
    n_threads: int = 1,
    place: npt.NDArray[np.intp] | None = None,
    n_inputs: int = 0,
) -> SampleEngine:
    """The engine for sparse rows; with the position of each linear column among the inputs of histograms, if any."""
    rows = StoredRows.make(columns, target, weight, loss, place, n_inputs)
    return _engine(rows, target, weight, loss, None, 2 if n_inputs else 0, n_threads)


def _engine(
    rows: Rows, target: Floats, weight: Floats, loss: Loss, bin: Bytes | None, n_bins: int, n_threads: int
) -> SampleEngine:
    total = float(weight.sum())
    bin = np.zeros((len(target), 0), np.uint8) if bin is None else bin
    return MemoryEngine(rows, target, weight / total, total, loss, bin, n_bins, n_threads)
