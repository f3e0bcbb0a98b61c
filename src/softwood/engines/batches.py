"""Soft trees over rows in parts (parts.py): each part is summed where it is, and the sums are added in the order of the
parts.

    mean of all rows = sum over parts of (weight of the part * its mean) / weight of all

The sum of a part is that of rows in memory, so results differ from those in memory, or for other sizes of parts, only
by rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.engines import Shape, SumEngine
from softwood.engines.journal import Journal
from softwood.engines.memory import from_inputs
from softwood.engines.parts import Parts
from softwood.kernels import make_shape
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.tree.once import computed_once


@dataclass(frozen=True)
class Batch:
    """Some rows, all of weight > 0.

    target : (rows, outputs).  count : number of rows that each represents, if classes have weights.
    """

    X: Floats
    target: Floats
    weight: Floats
    count: Floats


@dataclass(frozen=True)
class SoftRows:
    """The rows of one part as soft trees are summed over them.

    The engine is created on first use and is not pickled with this object.
    """

    X: Floats
    target: Floats
    weight: Floats
    expansion: Expansion
    loss: Loss
    n_threads: int
    single: bool

    @computed_once
    def engine(self) -> SumEngine:
        """Its columns are computed when needed."""
        how = (self.n_threads, self.single, None, False)
        return from_inputs(self.X, self.expansion, self.target, self.weight, self.loss, *how)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "engine"}

    def __sizeof__(self) -> int:
        return 2 * (self.X.nbytes + self.target.nbytes + self.weight.nbytes)  # the engine has its own


@dataclass
class TreeSums:
    """Sums over rows for one soft tree: its loss, its gradient and loss, or the reach of its nodes."""

    what: str
    shape: tuple[Any, ...]
    parameters: Floats
    total: Floats = field(default_factory=lambda: np.zeros(()))
    weight: float = 0.0

    def take(self, rows: SoftRows) -> None:
        here = float(rows.weight.sum())
        self.total = np.asarray(self.total + here * self._ask(rows.engine))
        self.weight += here

    def merge(self, other: TreeSums) -> None:
        self.total = np.asarray(self.total + other.total)
        self.weight += other.weight

    def _ask(self, engine: SumEngine) -> Floats:
        shape = make_shape(*self.shape)
        if self.what == "loss":
            return np.array([engine.loss(shape, self.parameters)])
        if self.what == "reach":
            return engine.mean_reach(shape, self.parameters)
        loss, gradient = engine.gradient(shape, self.parameters)
        return np.append(gradient, loss)


class BatchEngine(SumEngine):
    """Sums over parts, in their order.

    Parameters
    ----------
    parts : the rows, targets scaled.
    total_weight : of all of them.
    journal : of the results of passes.
    """

    def __init__(self, parts: Parts[SoftRows], total_weight: float, journal: Journal) -> None:
        self.parts, self.weight, self.journal = parts, total_weight, journal

    @property
    def total_weight(self) -> float:
        return self.weight

    def loss(self, shape: Shape, parameters: Floats) -> float:
        return float(self._mean("loss", shape, parameters)[0])

    def gradient(self, shape: Shape, parameters: Floats) -> tuple[float, Floats]:
        mean = self._mean("gradient", shape, parameters)
        return float(mean[-1]), mean[:-1]

    def mean_reach(self, shape: Shape, parameters: Floats) -> Floats:
        return self._mean("reach", shape, parameters)

    def _mean(self, what: str, shape: Shape, parameters: Floats) -> Floats:
        """One pass: the mean over all rows of the requested quantity."""
        lists = (np.array(shape.first_child, np.int32), np.array(shape.slope_row, np.int32))
        told = (*lists, shape.slopes, shape.columns, shape.outputs, list(shape.own_columns))

        def work() -> list[Floats]:
            sums = self.parts.collect(TreeSums(what, told, parameters))
            return [np.asarray(sums.total / sums.weight)]

        return self.journal.answer(what.encode() + parameters.tobytes(), work)[0]


@dataclass(frozen=True)
class BatchedRows:
    """A table in parts, with the statistics of one pass.

    parts : the rows, targets in the user's units.
    n_levels : per input, 0 for a number.  low, high : smallest and largest value of each input.
    varies : whether an input has several values, or one and missing ones.
    n_rows, total_weight, total_count : of all rows of weight > 0.
    centre, scale : of the targets; 0 and 1 for classes.
    memory : limit of a fit in bytes; None on a cluster, whose workers keep their rows.
    """

    parts: Parts[Batch]
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
    memory: int | None = None
