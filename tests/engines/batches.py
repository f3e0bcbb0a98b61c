"""An engine of rows that come in batches: each batch is read, summed and dropped; only sums stay.

The minimum of an out-of-core engine: four methods; `refine` is inherited. `read` returns the batches again for every
pass over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from softwood.arrays import Floats
from softwood.engines import Shape, SumEngine
from softwood.engines.memory import from_inputs
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss


class Batch(NamedTuple):
    """Some rows, targets scaled."""

    X: Floats
    target: Floats
    weight: Floats


class BatchEngine(SumEngine):
    """Sums over batches, in their order."""

    def __init__(self, read: Callable[[], Iterable[Batch]], expansion: Expansion, loss: Loss) -> None:
        self.read, self.expansion, self.loss_kind, self.passes = read, expansion, loss, 0
        self.largest = max(len(batch.weight) for batch in read())

    @property
    def total_weight(self) -> float:
        return float(sum(batch.weight.sum() for batch in self.read()))

    def loss(self, shape: Shape, parameters: Floats) -> float:
        return float(self._mean(lambda engine: engine.loss(shape, parameters)))

    def gradient(self, shape: Shape, parameters: Floats) -> tuple[float, Floats]:
        mean = self._mean(lambda engine: np.append(*engine.gradient(shape, parameters)[::-1]))
        return float(mean[-1]), mean[:-1]

    def mean_reach(self, shape: Shape, parameters: Floats) -> Floats:
        return self._mean(lambda engine: engine.mean_reach(shape, parameters))

    def _mean(self, sums: Callable[[SumEngine], Floats | float]) -> Floats:
        self.passes += 1
        total, weight = np.zeros(()), 0.0
        for X, target, w in self.read():
            total = total + w.sum() * np.asarray(
                sums(from_inputs(X, self.expansion, target, w, self.loss_kind, single=False))
            )
            weight += float(w.sum())
        return np.asarray(total / weight)
