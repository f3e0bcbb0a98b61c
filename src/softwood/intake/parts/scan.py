"""The first pass over rows in parts: statistics of columns, targets and weights.

    pass 1      schema (levels, kinds, names), ranges, missing values, classes or moments of the targets, weights
    afterwards  parts as numbers; batches in equal pieces, so that sums do not depend on how the source was cut

The results equal those of `rows.py` for rows in memory; only quantiles (Schema.summaries) come from a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from softwood.arrays import Floats
from softwood.engines.parts import BatchParts, Parts
from softwood.intake.parts.column_scan import ColumnScan, TargetScan
from softwood.intake.parts.sources import CELL_BYTES, Batches, RawBatch
from softwood.intake.table.table import read_fit, read_predict
from softwood.intake.table.target import match_classes, read_classes, read_numbers, refuse_extreme, warn_of_one_class
from softwood.intake.table.weights import check_largest, read_any_weights
from softwood.parts.messages import say
from softwood.tree import Schema, Summary

PROGRESS_SECONDS = 5.0  # between two lines of progress
KEPT_ROWS_SHARE = 8  # divisor of the memory: rows that take at most this part of it are read twice and then kept
TARGET_CELLS = 2  # of a row: its target and its weight


class RawPart(NamedTuple):
    """Some rows in the user's format, with a name for error messages."""

    name: str
    rows: RawBatch


class Piece(NamedTuple):
    """Rows of weight > 0 as numbers; y: class codes (rows,) or numbers (rows, targets)."""

    X: Floats
    y: npt.NDArray[Any]
    weight: Floats


@dataclass
class TableScan:
    """Statistics of the first pass.

    reader : an estimator whose class errors name, and on which scikit-learn sets its attributes of the columns.
    sizes : rows of each part, including those of weight 0.
    """

    reader: Any
    categorical_features: Any
    target: TargetScan
    column: list[ColumnScan] = field(default_factory=list)
    n_rows: int = 0
    total: float = 0.0
    largest: float = 0.0
    sizes: list[int] = field(default_factory=list)

    def take(self, part: RawPart) -> None:
        raw = part.rows
        self.sizes.append(len(raw.X))
        if not len(raw.X):
            return
        try:
            reader = BaseEstimator() if self.column else self.reader
            table = read_fit(reader, raw.X, self.categorical_features)
            weight = read_any_weights(raw.weight, len(table.values))
            self._take_columns(table.values, weight, table.columns)
            self.target.take(raw.y, weight, raw.names)
        except ValueError as error:
            raise ValueError(f"{part.name}: {error}") from error
        self.n_rows, self.total = self.n_rows + int(np.count_nonzero(weight)), self.total + float(weight.sum())
        self.largest = max(self.largest, float(weight.max(initial=0.0)))

    def merge(self, other: TableScan) -> None:
        self.sizes += other.sizes
        if not other.column:
            return
        if not self.column:
            self.column, self.reader = other.column, other.reader
        else:
            self._require_names(tuple(each.name for each in other.column))
            for mine, theirs in zip(self.column, other.column, strict=True):
                mine.merge(theirs)
        self.target.merge(other.target)
        self.n_rows, self.total = self.n_rows + other.n_rows, self.total + other.total
        self.largest = max(self.largest, other.largest)

    def _take_columns(self, values: Floats, weight: Floats, schema: Schema) -> None:
        if not self.column:
            self.column = [ColumnScan(name, levels, kind) for name, levels, kind in
                           zip(schema.features, schema.categories, schema.kinds, strict=True)]  # fmt: skip
        self._require_names(schema.features)
        there = weight > 0
        rows, weight = (values, weight) if there.all() else (values[there], weight[there])
        for f, each in enumerate(self.column):
            each.take(rows[:, f], weight, schema.categories[f], schema.kinds[f])

    def _require_names(self, found: tuple[str, ...]) -> None:
        names = tuple(each.name for each in self.column)
        if names != found:
            raise ValueError(f"its columns are {', '.join(found):.200}, those before {', '.join(names):.200}.")


@dataclass(frozen=True)
class Encode:
    """Rows as numbers, by the results of the first pass. classes : None for regression."""

    reader: Any
    columns: Schema
    classes: npt.NDArray[Any] | None

    def __call__(self, part: RawPart) -> Piece:
        raw = part.rows
        try:
            X = read_predict(self.reader, raw.X, self.columns)
            y: Any = read_numbers(raw.y)[0] if self.classes is None else match_classes(raw.y, self.classes)[0]
            weight = read_any_weights(raw.weight, len(X))
        except ValueError as error:
            raise ValueError(f"{part.name}: {error}") from error
        there = weight > 0
        if there.all():
            return Piece(np.ascontiguousarray(X), y, weight)
        return Piece(np.ascontiguousarray(X[there]), y[there], weight[there])


@dataclass
class Scan:
    """A table in parts after its first pass.

    columns : schema of the inputs.  classes : sorted, None for numbers.
    n_rows, total_weight : of the rows of weight > 0.  parts : all of them, as numbers.
    memory : limit of a fit in bytes.  checkpoint : path of the journal, or None.
    """

    column: list[ColumnScan]
    target: TargetScan
    columns: Schema
    classes: npt.NDArray[Any] | None
    n_rows: int
    total_weight: float
    parts: Parts[Piece]
    memory: int
    checkpoint: Any = None
    verbose: int = 0

    @property
    def class_totals(self) -> Floats:
        """Weight of every class."""
        known = [] if self.classes is None else self.classes.tolist()
        return np.array([self.target.total[label] for label in known])

    @property
    def summaries(self) -> tuple[Summary, ...]:
        return tuple(each.summary() for each in self.column)

    def fingerprint(self) -> bytes:
        """A fingerprint of the table: its columns, ranges, targets and weights."""
        scan = self.target
        numbers = [scan.mean.tolist(), scan.spread.tolist(), self.class_totals.tolist()]
        seen = [(c.name, c.levels, c.low, c.high, c.known, c.missing) for c in self.column]
        classes = None if self.classes is None else self.classes.tolist()
        return repr((seen, numbers, classes, self.n_rows, self.total_weight)).encode()


class Progress:
    """Reports the progress of a pass every few seconds if the estimator is verbose; with verbose=2 after each batch.

    n_rows : of a pass; None in the first one, which counts them.
    """

    def __init__(self, verbose: int, n_rows: int | None = None) -> None:
        self.n_rows = n_rows
        self.verbose, self.passes, self.told = verbose, 1, monotonic()
        self.begin, self.last, self.before = monotonic(), monotonic(), 0

    def __call__(self, rows: int) -> None:
        """Report the number of rows read in the current pass; fewer than before means that a new pass has begun."""
        now = monotonic()
        if rows <= self.before:
            self.begin, self.passes = self.last, self.passes + 1
        self.before, self.last = rows, now
        self._tell(rows, now)

    def after_pass(self) -> None:
        """A pass over all rows has ended, and another begins."""
        self.passes += 1
        self._tell(self.n_rows or self.before, monotonic())
        self.begin = monotonic()

    def _tell(self, rows: int, now: float) -> None:
        if self.verbose and (self.verbose > 1 or now - self.told > PROGRESS_SECONDS):
            self.told = now
            rate = rows / max(now - self.begin, 1e-3)
            of_all = "" if self.n_rows is None else f" of {self.n_rows:,}"
            say(self.verbose, f"pass {self.passes}: {rows:,}{of_all} rows, {rate:,.0f} rows/s")


def scan_batches(estimator: Any, source: Batches, y: Any, sample_weight: Any, is_classes: bool) -> Scan:
    """The first pass over batches; sets scikit-learn's attributes of the columns on the estimator."""

    def raw() -> Iterator[RawPart]:
        for number, rows in enumerate(source.walk(y, sample_weight)):
            yield RawPart(f"batch {number} of {source!r}", rows)

    def told() -> Iterator[RawPart]:
        for part in raw():
            yield part
            report(found.n_rows)

    report = Progress(int(estimator.verbose))
    found = TableScan(estimator, estimator.categorical_features, TargetScan(is_classes))
    BatchParts(told).collect(found)
    report.n_rows = found.n_rows

    def make_parts(encode: Encode) -> Parts[Piece]:
        size = found.n_rows * (len(found.column) + TARGET_CELLS) * CELL_BYTES
        are_few = size <= source.memory // KEPT_ROWS_SHARE
        pieces = BatchParts(lambda: _equal_pieces(raw, encode, source, found, report), report)
        return pieces.remember(are_few, in_file=source.is_text)

    scan = scan_of(estimator, found, make_parts, repr(source), source.memory)
    return replace(scan, checkpoint=source.checkpoint)


def scan_of(
    estimator: Any, found: TableScan, make_parts: Callable[[Encode], Parts[Piece]], name: str, memory: int
) -> Scan:
    """The table after its first pass; `make_parts` returns its rows as numbers."""
    target, is_classes = found.target, found.target.is_classes
    if found.n_rows == 0:
        raise ValueError(f"{name} has no row of weight > 0 to learn from.")
    check_largest(found.largest)
    classes = _classes_of(target) if is_classes else None
    if classes is not None:
        warn_of_one_class(classes)
    schema = Schema(
        tuple(each.name for each in found.column), tuple(each.levels for each in found.column), (),
        kinds=tuple(each.kind for each in found.column), summaries=tuple(each.summary() for each in found.column),
    )  # fmt: skip
    if not is_classes:
        refuse_extreme(np.stack([target.low, target.high]), np.array([found.total, 0.0]))
    parts = make_parts(Encode(found.reader, schema, classes))
    return Scan(
        found.column, target, schema, classes, found.n_rows, found.total, parts, memory, verbose=int(estimator.verbose)
    )


def _equal_pieces(
    raw: Callable[[], Iterator[RawPart]], encode: Encode, source: Batches, found: TableScan, report: Progress
) -> Iterator[Piece]:
    """All rows, as numbers, in pieces of equal size."""
    size = source.batch_rows(len(found.column))
    waiting: list[Piece] = []
    rows = 0
    for part in raw():
        if not len(part.rows.X):  # the first pass took nothing from it either
            continue
        piece = encode(part)
        rows += len(piece.weight)
        waiting.append(piece)
        while sum(len(each.weight) for each in waiting) >= size:
            whole = _join(waiting)
            yield Piece(*(part[:size] for part in whole))
            waiting = [Piece(*(part[size:] for part in whole))]
        report(rows)
    last = _join(waiting) if waiting else None
    if last is not None and len(last.weight):
        yield last
    if rows != found.n_rows:
        raise ValueError(f"{source!r} gave {found.n_rows} rows in the first pass and {rows} in another.")


def _classes_of(target: TargetScan) -> npt.NDArray[Any]:
    """All classes, including those of weight 0, sorted as for rows in memory."""
    found: Sequence[Any] = sorted(target.total)
    return read_classes(np.array(found, target.dtype))[0]


def _join(pieces: list[Piece]) -> Piece:
    return pieces[0] if len(pieces) == 1 else Piece(*(np.concatenate(part) for part in zip(*pieces, strict=True)))
