"""Fits from rows in parts (batches, partitions of a cluster): between a scan (scan.py) and the learners."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.engines.batches import Batch, BatchedRows
from softwood.engines.journal import Journal
from softwood.intake.classify import refuse_out_of_core_validation
from softwood.intake.parts.scan import Piece, Scan
from softwood.intake.table.rows import class_schema, number_schema, read_held_labels, read_held_numbers
from softwood.intake.table.target import one_hot
from softwood.intake.table.weights import class_weights
from softwood.kernels.arithmetic import dot
from softwood.kernels.kinds import Loss, class_loss
from softwood.learners.column_order import ColumnOrder
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.training.batched_rows import training_rows
from softwood.learners.soft.training.training_rows import TrainingRows
from softwood.parts.messages import say
from softwood.release import __version__
from softwood.tree import Schema
from softwood.tree.provenance import json_value
from softwood.tree.summary import summarize

NOT_LEARNED = ("verbose", "n_jobs", "keep_on_interrupt")  # parameters that do not change the tree


def remember_answers(estimator: Any, scan: Scan) -> None:
    """Classes, or whether y had one dimension."""
    if scan.classes is not None:
        estimator.classes_ = scan.classes
    else:
        estimator._one_target = scan.target.one_target


def held_rows(estimator: Any, scan: Scan, X_val: Any, y_val: Any, mixes_answers: bool = False) -> Dataset | None:
    """Validation rows in the format of soft learners; they must be in memory."""
    refuse_out_of_core_validation(X_val)
    levels = scan.columns.level_counts.tolist()
    if scan.classes is None:
        numbers = read_held_numbers(estimator, X_val, y_val, scan.columns, len(scan.target.mean))
        return None if numbers is None else Dataset(*numbers, np.ones(len(numbers[0])), levels, Loss.SQUARED)
    labels = read_held_labels(estimator, X_val, y_val, scan.columns, scan.classes)
    if labels is None:
        return None
    target = one_hot(labels[1], len(scan.classes))
    return Dataset(labels[0], target, np.ones(len(target)), levels, _class_loss(scan.classes, mixes_answers))


@contextmanager
def journal_of(estimator: Any, scan: Scan) -> Iterator[Journal]:
    """The journal of a fit, at the checkpoint path of its batches; it is removed at the end of the fit."""
    params = {name: json_value(value) for name, value in vars(estimator).items() if name in estimator.get_params(False)}
    told = {name: value for name, value in params.items() if name not in NOT_LEARNED}
    owner = repr((type(estimator).__name__, sorted(told.items()), __version__)).encode() + scan.fingerprint()
    journal = Journal(scan.checkpoint, owner)
    if journal.replayed:
        say(scan.verbose, f"continues: {journal.replayed} passes are in the checkpoint")
    try:
        yield journal
        journal.remove()
    finally:
        journal.close()


def soft_table(scan: Scan, class_weight: Any = None, mixes_answers: bool = False) -> BatchedRows:
    """The rows in the format of soft learners."""
    target = scan.target
    if scan.classes is None:
        loss, factor, (centre, scale) = Loss.SQUARED, np.ones(0), target.scale()
        total = scan.total_weight
    else:
        n = len(scan.classes)
        loss = _class_loss(scan.classes, mixes_answers)
        factor = class_weights(class_weight, scan.classes, np.arange(n, dtype=np.int32), scan.class_totals)
        outputs = 1 if n <= 2 else n
        centre, scale, total = np.zeros(outputs), np.ones(outputs), dot(scan.class_totals, factor)

    low, high = _ranges(scan)
    varies = np.array([column.varies for column in scan.column])
    to_batch = ToBatch(0 if scan.classes is None else len(scan.classes), factor)
    return BatchedRows(
        scan.parts.map(to_batch), scan.columns.level_counts.tolist(), loss, low, high, varies, scan.n_rows, total,
        scan.total_weight, centre, scale, scan.memory,
    )  # fmt: skip


def _class_loss(classes: Sized, mixes_answers: bool) -> Loss:
    loss = class_loss(len(classes))
    return loss.mixing_answers if mixes_answers else loss


@dataclass(frozen=True)
class ToBatch:
    """Rows in the format of soft learners. factor : weight of each class; n_classes 0: regression."""

    n_classes: int
    factor: Floats

    def __call__(self, piece: Piece) -> Batch:
        X, y, weight = piece
        if not self.n_classes:
            return Batch(X, y, weight, weight)
        own, target = weight * self.factor[y], one_hot(y, self.n_classes)
        there = own > 0
        if there.all():
            return Batch(X, target, own, weight)
        return Batch(X[there], target[there], own[there], weight[there])


def _ranges(scan: Scan) -> tuple[Floats, Floats]:
    """Smallest and largest value of each input; for a category, of the codes with positive weight."""
    ends = []
    for column in scan.column:
        if column.levels is None:
            ends.append((column.low, column.high) if column.known > 0 else (np.nan, np.nan))
        else:
            used = [code for code, level in enumerate(column.levels) if column.count.get(level, 0.0) > 0]
            ends.append((float(used[0]), float(used[-1])) if used else (np.nan, np.nan))
    low, high = np.array(ends).T
    return low, high


def soft_rows(
    scan: Scan,
    order: ColumnOrder,
    journal: Journal,
    seed: int,
    n_threads: int,
    class_weight: Any = None,
    mixes_answers: bool = False,
) -> tuple[TrainingRows, Schema]:
    """Training rows of a soft or budding tree, columns in this order, and its schema with quantiles of the sample.

    The schema has the columns in the order of the table.
    """
    table = soft_table(scan, class_weight, mixes_answers)
    if not order.is_given:
        table = replace(
            table,
            parts=table.parts.map(ByName(order)),
            n_levels=[table.n_levels[f] for f in order.place.tolist()],
            low=order.each(table.low),
            high=order.each(table.high),
            varies=order.each(table.varies),
        )
    rows = training_rows(table, seed, journal, n_threads)
    return rows, schema_of(scan, order.leave_table(rows.sample.X), rows.sample.weight)


@dataclass(frozen=True)
class ByName:
    """Rows with their columns in another order."""

    order: ColumnOrder

    def __call__(self, batch: Batch) -> Batch:
        return replace(batch, X=self.order.table(batch.X))


def schema_of(scan: Scan, X: Floats, weight: Floats) -> Schema:
    """The schema of the tree; quantiles are those of a sample of the rows."""
    some = summarize(X, weight, scan.columns.level_counts.tolist())
    exact = scan.summaries
    summaries = tuple(
        replace(whole, quantiles=_within(part.quantiles, whole.range)) for whole, part in zip(exact, some, strict=True)
    )
    if scan.classes is not None:
        return class_schema(scan.columns, scan.classes, scan.target.names, summaries)
    return number_schema(scan.columns, len(scan.target.mean), scan.target.names, summaries)


def _within(
    quantiles: tuple[tuple[float, float], ...], ends: tuple[float, float] | None
) -> tuple[tuple[float, float], ...]:
    return () if ends is None else quantiles
