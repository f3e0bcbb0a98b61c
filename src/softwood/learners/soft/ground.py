"""Where trees are grown and judged: one way to divide the rows, as engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.engines.memory import MemoryEngine
from softwood.kernels.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.learners.soft.axes import Axes
from softwood.learners.soft.columns import Columns
from softwood.learners.soft.problem import MANY, Floats, SoftProblem
from softwood.learners.soft.sapling import Sapling, Slopes
from softwood.learners.soft.tables import expansion_of

IMPORTANCE_ROWS = 5_000  # enough to measure what an input is worth
BINS = 32  # of an input, for the histograms that new gates start from
# Of large weights (kernels/penalty.py): beyond 1, or for classes 2, they are cheap, so that gates look closely at a few
# columns and hardly at the others. These lost least on held-out rows among 0, 1/4, 1 and 4.
EASE = {Loss.SQUARED: 1.0, Loss.LOGISTIC: 0.25, Loss.SOFTMAX: 0.25}
OTHERS = BINS - 1  # the bin of a category's rare levels, and of missing ones

Places = npt.NDArray[np.intp]


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
    ) -> Ground:
        """Both parts with scaled targets; `tables` are the columns', where they are made already."""
        bin_of_level = {f: level_bins(learn.X[:, f], learn.weight, n) for f, n in enumerate(learn.n_levels) if n}
        cut = [np.zeros(0) if f in bin_of_level else cuts(x, learn.weight) for f, x in enumerate(learn.X.T)]
        code = binned(learn, cut, bin_of_level)
        tables = expansion_of(columns, learn.X.shape[1]) if tables is None else tables
        engines = [_engine(rows, tables, n_threads, single) for rows in (learn, judge)]
        return cls(engines[0].binned(code, BINS), engines[1], Axes.make(cut, columns, bin_of_level))


def judge_engine(rows: SoftProblem, columns: Columns, n_threads: int = 1, single: bool = True) -> MemoryEngine:
    """An engine without histograms."""
    return _engine(rows, expansion_of(columns, rows.X.shape[1]), n_threads, single)


def _engine(rows: SoftProblem, tables: Expansion, n_threads: int, single: bool) -> MemoryEngine:
    """Rows with their columns; where rows are many, columns are made anew in every pass."""
    how = (n_threads, single, rows.place, len(rows) <= MANY)
    return MemoryEngine.of_inputs(rows.X, tables, rows.target, rows.weight, rows.loss, *how)


def importance_of(tree: Sapling, columns: Columns, rows: SoftProblem, n_threads: int = 1) -> Floats:
    """What each input is worth to the tree: by how much the mean loss rises if it stays at its mean, as parts of one.

    The rows must be `in_order`: some are enough.
    """
    some = judge_engine(rows.head(IMPORTANCE_ROWS), columns, n_threads, single=False)
    rise = np.maximum(rises(tree, columns, some, rows.X.shape[1]), 0.0)
    return np.asarray(rise / rise.sum() if rise.sum() > 0 else rise)


def rises(tree: Sapling, columns: Columns, rows: MemoryEngine, n_inputs: int) -> Floats:
    """By how much the mean loss rises if an input stays at its mean, for each of the inputs."""
    mean, base, rise = rows.pull(tree.shape, tree.parameters, 0)[0], tree.loss(rows), np.zeros(n_inputs)
    for f in np.unique(columns.feature):
        rise[f] = tree.blind(columns.feature == f, mean).loss(rows) - base
    return rise


def middle(rows: SoftProblem) -> Floats:
    """Mean of each input's known values, by weight."""
    known = np.where(np.isnan(rows.X), 0.0, rows.weight[:, None])
    total = np.maximum(known.sum(axis=0), 1e-300)
    return np.asarray(np.sum(np.nan_to_num(rows.X) * (known / total), axis=0))


def binned(rows: SoftProblem, cut: list[Floats], bin_of_level: dict[int, Places]) -> npt.NDArray[np.uint8]:
    """The bin of each value, shape (rows, inputs). A missing number counts as the mean; a missing level has no bin."""
    centre, code = middle(rows), np.full(rows.X.shape, OTHERS, np.uint8)
    for f, x in enumerate(rows.X.T):
        known = ~np.isnan(x)
        if f in bin_of_level:
            code[known, f] = bin_of_level[f][x[known].astype(np.intp)] % BINS
        else:
            code[:, f] = np.searchsorted(cut[f], np.where(known, x, centre[f]))
    return code


def level_bins(x: Floats, weight: Floats, n: int) -> Places:
    """The bin of each level of a category; -1, no bin of their own, for those beyond the most frequent."""
    known = ~np.isnan(x)
    mass = np.bincount(x[known].astype(np.intp), weight[known], n)
    often = np.argsort(-mass, kind="stable")[:OTHERS]
    bins = np.full(n, -1, np.intp)
    bins[often] = np.arange(len(often))
    return bins


def cuts(x: Floats, weight: Floats) -> Floats:
    """Edges between bins of about equal weight: the values x at which bins end, rising."""
    known = ~np.isnan(x)
    order = np.argsort(x[known], kind="stable")
    value = x[known][order]
    if len(value) == 0:
        return np.zeros(0)
    share = np.cumsum(weight[known][order])
    at = np.searchsorted(share, np.linspace(0, share[-1], BINS + 1)[1:-1])
    edges = np.unique(value[np.minimum(at, len(value) - 1)])
    return np.asarray(edges[edges < value[-1]])


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
