"""Rows that come in batches, because they are more than fit in memory: each is read, summed and dropped.

    mean of all rows = sum over batches of (weight of the batch * its mean) / weight of all, batches in their order

A pass reads all batches again. What one batch gives is the sum that rows in memory give, so the result differs from
theirs by rounding only; batches of another size differ by rounding, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.engines import Floats, Shape, SumEngine
from softwood.engines.journal import Journal
from softwood.engines.memory import from_inputs
from softwood.kernels.expansion import Expansion
from softwood.kernels.kinds import Loss


@dataclass(frozen=True)
class Batch:
    """Some rows, all of weight > 0.

    target : (rows, outputs).  count : of how many rows each stands for, where classes weigh more or less.
    """

    X: Floats
    target: Floats
    weight: Floats
    count: Floats


ReadBatches = Callable[[], Iterable[Batch]]


class BatchEngine(SumEngine):
    """Sums over batches, in their order.

    Parameters
    ----------
    read : gives the batches, the same ones each time, targets scaled.
    total_weight : of all of them.
    journal : where the answers of passes are kept.
    """

    def __init__(
        self,
        read: ReadBatches,
        expansion: Expansion,
        loss: Loss,
        total_weight: float,
        journal: Journal,
        n_threads: int = 1,
        single: bool = True,
    ) -> None:
        self.read, self.expansion, self.loss_kind = read, expansion, loss
        self.weight, self.journal, self.n_threads, self.single = total_weight, journal, n_threads, single

    @property
    def total_weight(self) -> float:
        return self.weight

    def loss(self, shape: Shape, parameters: Floats) -> float:
        return float(self._mean("loss", parameters, lambda engine: np.array([engine.loss(shape, parameters)]))[0])

    def gradient(self, shape: Shape, parameters: Floats) -> tuple[float, Floats]:
        def both(engine: SumEngine) -> Floats:
            loss, gradient = engine.gradient(shape, parameters)
            return np.append(gradient, loss)

        mean = self._mean("gradient", parameters, both)
        return float(mean[-1]), mean[:-1]

    def mean_reach(self, shape: Shape, parameters: Floats) -> Floats:
        return self._mean("reach", parameters, lambda engine: engine.mean_reach(shape, parameters))

    def _mean(self, what: str, parameters: Floats, ask: Callable[[SumEngine], Floats]) -> Floats:
        """One pass: the mean over all rows of what is asked of each batch."""

        def work() -> list[Floats]:
            total, weight = np.zeros(()), 0.0
            for batch in self.read():
                here = float(batch.weight.sum())
                total = total + here * ask(self._engine_of(batch))
                weight += here
            return [np.asarray(total / weight)]

        return self.journal.answer(what.encode() + parameters.tobytes(), work)[0]

    def _engine_of(self, batch: Batch) -> SumEngine:
        """Of the rows of one batch, whose columns are made as they are needed."""
        how = (self.n_threads, self.single, None, False)
        return from_inputs(batch.X, self.expansion, batch.target, batch.weight, self.loss_kind, *how)


@dataclass(frozen=True)
class BatchedRows:
    """A table in batches, and what one pass has found of it.

    read : gives the batches, targets in the user's units.
    n_levels : per input, 0 for a number.  low, high : least and largest value of each input.
    varies : whether an input has several values, or one and missing ones.
    n_rows, total_weight, total_count : of all rows of weight > 0.
    centre, scale : of the targets; 0 and 1 for classes.
    """

    read: ReadBatches
    n_levels: Sequence[int]
    loss: Loss
    low: Floats
    high: Floats
    varies: npt.NDArray[np.bool_]
    n_rows: int
    total_weight: float
    total_count: float
    centre: Floats
    scale: Floats
