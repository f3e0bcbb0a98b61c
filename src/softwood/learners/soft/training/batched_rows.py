"""Training rows of the joint learners from a table in batches: a sample in one pass, sums over all rows in the others.

The sample is the same as for rows in memory: the first SAMPLE_ROWS distinct rows by a hash of the cells of their
inputs (parts/folds.py), found in one pass because the first one has found the ranges. If many rows share their cells
(few inputs, many rows) the hash is of the whole row. A table of at most SAMPLE_ROWS distinct rows is its own sample
and gives the same tree as rows in memory, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Floats
from softwood.engines import SumEngine
from softwood.engines.batches import Batch, BatchedRows, BatchEngine, SoftRows
from softwood.engines.journal import Journal
from softwood.engines.parts import BatchParts, Parts
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss
from softwood.kernels.row_hash import hash_by_ranges
from softwood.learners.soft.regimes import SAMPLE_ROWS
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.last_digits import without_last_digits
from softwood.learners.soft.rows.moments import round_off
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.parts.folds import raise_to
from softwood.parts.sketch import RowSketch

KEPT_ENGINES_SHARE = 8  # 1 / this of the memory is for rows with their engines
ENGINE_COPIES, BYTES = 2, 8  # of every number: one in the rows, one in the engine
MAX_SHARED_CELLS_SHARE = 0.01  # proportion of the sample's rows that may share cells with others


def training_rows(
    table: BatchedRows, seed: int, journal: Journal, n_threads: int = 1, single: bool = True
) -> TrainingRows:
    """A sample of the table and the engine of all its rows; only the sample if it has all of them."""
    X, target, weight, facts = journal.answer(b"sample", lambda: _sample(table, seed))
    n_distinct, is_part = int(facts[0]), bool(facts[1])
    sample = Dataset(X, target, weight[:, 0], table.n_levels, table.loss, count=weight[:, 1])
    if not is_part:
        return TrainingRows.in_memory(sample, seed, n_threads, single)
    centre, scale, total = table.centre, table.scale, table.total_weight
    own, raised = raise_to(sample.weight, n_distinct, total)
    count, light = raise_to(weight[:, 1], n_distinct, table.total_count)
    total = float(n_distinct) if raised else total
    sample = replace(sample, weight=own, count=count, raised=light)

    def make_engine(expansion: Expansion) -> SumEngine:
        scaled = Scaled(centre, scale, expansion, table.loss, n_threads, single)
        return BatchEngine(keep_engines(table, table.parts.map(scaled)), total, journal)

    sample = without_last_digits(sample.scaled(centre, scale))
    return TrainingRows(sample, n_distinct, centre, scale, make_engine)


def keep_engines(table: BatchedRows, parts: Parts[SoftRows]) -> Parts[SoftRows]:
    """The rows with their engines: kept if they fit in memory, otherwise rebuilt in every pass."""
    if not isinstance(parts, BatchParts) or table.memory is None:
        return parts.keep()
    numbers = table.n_rows * (len(table.n_levels) + len(table.centre) + 1)
    return parts.remember(ENGINE_COPIES * BYTES * numbers <= table.memory // KEPT_ENGINES_SHARE)


@dataclass(frozen=True)
class Scaled:
    """Rows with scaled targets, as the engine sums over them."""

    centre: Floats
    scale: Floats
    expansion: Expansion
    loss: Loss
    n_threads: int
    single: bool

    def __call__(self, batch: Batch) -> SoftRows:
        target = round_off((batch.target - self.centre) / self.scale)
        return SoftRows(batch.X, target, batch.weight, self.expansion, self.loss, self.n_threads, self.single)


@dataclass
class SampleRows:
    """The rows with the lowest hash: of the cells of their inputs, and of the whole row."""

    seed: int
    low: Floats
    high: Floats
    varies: npt.NDArray[np.bool_]
    by_cells: RowSketch = field(default_factory=lambda: RowSketch(SAMPLE_ROWS))
    by_content: RowSketch = field(default_factory=lambda: RowSketch(SAMPLE_ROWS))

    def take(self, batch: Batch) -> None:
        content = kernels.hash_rows(batch.X, batch.target, self.seed & 0xFFFFFFFFFFFFFFFF)
        cells = hash_by_ranges(batch.X, self.low, self.high, self.varies, self.seed)
        weight = np.column_stack([batch.weight, batch.count])
        self.by_cells.add(cells, content, batch.X, batch.target, weight)
        self.by_content.add(content, content, batch.X, batch.target, weight)

    def merge(self, other: SampleRows) -> None:
        self.by_cells.merge(other.by_cells)
        self.by_content.merge(other.by_content)


def _sample(table: BatchedRows, seed: int) -> list[Floats]:
    """Inputs, targets, weights, counts of the sample; the number of distinct rows; whether some are not in it."""
    found = table.parts.collect(SampleRows(seed, table.low, table.high, table.varies))
    by_cells, by_content = found.by_cells, found.by_content
    by_cells.close()
    by_content.close()
    kept = by_content if by_cells.full and by_cells.shared > MAX_SHARED_CELLS_SHARE else by_cells
    n_distinct = min(by_content.n_distinct, table.n_rows)  # an estimate may be higher
    facts = np.array([float(n_distinct), float(by_content.full)])
    return [kept.X, kept.target, kept.weight, facts]
