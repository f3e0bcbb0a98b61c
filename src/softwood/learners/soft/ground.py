"""Where trees are grown and judged: one way to divide the rows, as engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.engines.memory import MemoryEngine
from softwood.kernels.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.learners.soft.axes import Axes
from softwood.learners.soft.bins import BINS, Binned
from softwood.learners.soft.columns import Columns
from softwood.learners.soft.problem import MANY, Floats, SoftProblem
from softwood.learners.soft.sapling import Sapling, Slopes
from softwood.learners.soft.tables import expansion_of

# Of large weights (kernels/penalty.py): beyond 1, or for classes 2, they are cheap, so that gates look closely at a few
# columns and hardly at the others. These lost least on held-out rows among 0, 1/4, 1 and 4.
EASE = {Loss.SQUARED: 1.0, Loss.LOGISTIC: 0.25, Loss.SOFTMAX: 0.25}


@dataclass(frozen=True)
class Ground:
    """Engines to learn from and to judge by, and what histograms need."""

    learn: MemoryEngine
    judge: MemoryEngine
    axes: Axes

    @classmethod
    def make(
        cls,
        learn: SoftProblem,
        judge: SoftProblem,
        columns: Columns,
        n_threads: int = 1,
        single: bool = True,
        tables: Expansion | None = None,
        binned: Binned | None = None,
    ) -> Ground:
        """Both parts with scaled targets; `tables` of the columns and `binned` rows where these are made already."""
        binned = Binned.of(learn) if binned is None else binned
        tables = expansion_of(columns, learn.X.shape[1]) if tables is None else tables
        engines = [_engine(rows, tables, n_threads, single) for rows in (learn, judge)]
        axes = Axes.make(binned.cut, columns, binned.bin_of_level)
        return cls(engines[0].binned(binned.code_of(np.unique(columns.feature)), BINS), engines[1], axes)


def judge_engine(
    rows: SoftProblem, columns: Columns, n_threads: int = 1, single: bool = True, tables: Expansion | None = None
) -> MemoryEngine:
    """An engine without histograms; `tables` of the columns where these are made already."""
    tables = expansion_of(columns, rows.X.shape[1]) if tables is None else tables
    return _engine(rows, tables, n_threads, single)


def _engine(rows: SoftProblem, tables: Expansion, n_threads: int, single: bool) -> MemoryEngine:
    """Rows with their columns; where rows are many, columns are made anew in every pass."""
    how = (n_threads, single, rows.place, len(rows) <= MANY)
    return MemoryEngine.of_inputs(rows.X, tables, rows.target, rows.weight, rows.loss, *how)


def rises(tree: Sapling, columns: Columns, rows: MemoryEngine, n_inputs: int) -> Floats:
    """By how much the mean loss rises if an input stays at its mean, for each of the inputs."""
    mean, base, rise = rows.pull(tree.shape, tree.parameters, 0)[0], tree.loss(rows), np.zeros(n_inputs)
    for f in np.unique(columns.feature):
        rise[f] = tree.blind(columns.feature == f, mean).loss(rows) - base
    return rise


def plant_root(engine: MemoryEngine, columns: int, slopes: Slopes) -> Sapling:
    """One leaf that answers the mean, or the log odds."""
    mean: npt.NDArray[np.float64] = engine.weight @ engine.target
    if engine.loss_kind == Loss.LOGISTIC:
        p = np.clip(mean, 1e-3, 1 - 1e-3)
        mean = np.log(p / (1 - p))
    elif engine.loss_kind == Loss.SOFTMAX:
        mean = np.log(np.clip(mean, 1e-4, 1.0))
        mean = mean - mean.mean()
    return Sapling.root(mean, columns, slopes, EASE[engine.loss_kind])
