"""Training rows of the joint learners from a table in batches: a sample in one pass, sums over all in the others.

The sample is that of rows in memory: the first ENOUGH distinct rows by a hash of the cells of their inputs
(parts/folds.py), which a pass finds because the first one has found the ranges. Where many rows share their cells (few
inputs, many rows) the hash is of all that a row holds. A table of at most ENOUGH distinct rows is its sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from softwood.engines import Floats, SumEngine
from softwood.engines.batches import Batch, BatchedRows, BatchEngine
from softwood.engines.journal import Journal
from softwood.kernels import table_scan
from softwood.kernels.expansion import Expansion
from softwood.learners.soft.dataset import Dataset
from softwood.learners.soft.moments import round_off
from softwood.learners.soft.training_rows import ENOUGH, TrainingRows
from softwood.parts.folds import hash_by_ranges, raise_to
from softwood.parts.sketch import RowSketch

MOST_SHARED = 0.01  # part of the rows of the sample that may share cells with others


def training_rows(
    table: BatchedRows, seed: int, journal: Journal, n_threads: int = 1, single: bool = True
) -> TrainingRows:
    """A sample of the table and the engine of all its rows."""
    X, target, weight, facts = journal.answer(b"sample", lambda: _sample(table, seed))
    n_distinct, is_part = int(facts[0]), bool(facts[1])
    sample = Dataset(X, target, weight[:, 0], table.n_levels, table.loss, count=weight[:, 1])
    centre, scale, total = table.centre, table.scale, table.total_weight
    if is_part:
        own, raised = raise_to(sample.weight, n_distinct, total)
        count, light = raise_to(weight[:, 1], n_distinct, table.total_count)
        total = float(n_distinct) if raised else total
        sample = replace(sample, weight=own, count=count, raised=light)
    else:
        sample = sample.in_order(seed)
        centre, scale = sample.target_scale()
        total = sample.total_weight

    def read() -> Iterator[Batch]:
        for batch in table.read():
            yield replace(batch, target=round_off((batch.target - centre) / scale))

    def make_engine(expansion: Expansion) -> SumEngine:
        return BatchEngine(read, expansion, table.loss, total, journal, n_threads, single)

    return TrainingRows(sample.scaled(centre, scale), n_distinct, centre, scale, make_engine)


def _sample(table: BatchedRows, seed: int) -> list[Floats]:
    """Inputs, targets, weights, counts of the sample; how many distinct rows there are, whether some are not in it."""
    word = seed & 0xFFFFFFFFFFFFFFFF
    by_cells, by_content = RowSketch(ENOUGH), RowSketch(ENOUGH)
    for batch in table.read():
        content = table_scan.hash_rows(batch.X, batch.target, word)
        cells = hash_by_ranges(batch.X, table.low, table.high, table.varies, seed)
        weight = np.column_stack([batch.weight, batch.count])
        by_cells.add(cells, content, batch.X, batch.target, weight)
        by_content.add(content, content, batch.X, batch.target, weight)
    by_cells.close()
    by_content.close()
    kept = by_content if by_cells.full and by_cells.shared > MOST_SHARED else by_cells
    n_distinct = min(by_content.n_distinct, table.n_rows)  # an estimate may be more
    facts = np.array([float(n_distinct), float(by_content.full)])
    return [kept.X, kept.target, kept.weight, facts]
