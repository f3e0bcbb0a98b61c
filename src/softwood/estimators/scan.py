"""The first pass over rows in batches: what the columns hold, which classes or numbers there are, how much weighs what.

    pass 1      schema (levels, kinds, names), ranges, missing values, classes or moments of the targets, weights
    afterwards  batches as numbers, cut into equal pieces, so that sums do not depend on how the source was cut

What is found is what `rows.py` finds of rows in memory; only quantiles (Schema.summaries) come from a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length

from softwood.estimators.cells import Floats, Level
from softwood.estimators.frames import target_names
from softwood.estimators.intake import read_fit, read_predict
from softwood.estimators.sources import Batches, RawBatch
from softwood.estimators.target import find_labels, match_classes, read_classes, read_numbers, refuse_extreme
from softwood.estimators.weights import check_largest, read_any_weights
from softwood.tree import Kind, Schema, Summary

MOST_LEVELS = 100_000  # of a category, or classes: they are kept in memory
SECONDS = 5.0  # between two lines of progress


class Piece(NamedTuple):
    """Rows of weight > 0 as numbers; y: class codes (rows,) or numbers (rows, targets)."""

    X: Floats
    y: npt.NDArray[Any]
    weight: Floats


@dataclass
class ColumnScan:
    """What one column has held so far."""

    name: str
    levels: tuple[Level, ...] | None = None  # None: numbers
    kind: Kind = Kind.NUMBER
    low: float = np.inf
    high: float = -np.inf
    known: float = 0.0
    missing: float = 0.0
    count: dict[Level, float] = field(default_factory=dict)

    def take(self, values: Floats, weight: Floats, levels: tuple[Level, ...] | None, kind: Kind) -> None:
        """Some more rows: numbers, or codes into `levels`."""
        there = ~np.isnan(values)
        nothing_yet, nothing_here = self.known == 0.0 and not self.levels, not there.any()
        if (levels is None) != (self.levels is None):
            if nothing_yet:
                self.levels, self.kind = levels, kind
            elif not nothing_here:
                raise ValueError(
                    f"column {self.name!r} holds numbers in some batches and text or categories in others; name it in "
                    "categorical_features, or convert it."
                )
        self.missing += float(weight[~there].sum())
        self.known += float(weight[there].sum())
        if nothing_here:
            return
        if levels is None:
            self.low, self.high = min(self.low, float(values[there].min())), max(self.high, float(values[there].max()))
            self.kind = kind if nothing_yet or kind == self.kind else Kind.NUMBER
            return
        self._take_levels(levels)
        total = np.bincount(values[there].astype(np.intp), weight[there], len(levels))
        for level, here in zip(levels, total.tolist(), strict=True):
            self.count[level] = self.count.get(level, 0.0) + here

    def _take_levels(self, levels: tuple[Level, ...]) -> None:
        if self.levels == levels or not levels:
            return
        if not self.levels:
            self.levels = levels
            return
        union = set(self.levels) | set(levels)
        if len(union) > MOST_LEVELS:
            raise ValueError(
                f"column {self.name!r} has more than {MOST_LEVELS:,} categories, which are kept in memory: leave it "
                "out (Batches(columns=...)), or merge rare categories."
            )
        if len(union) > len(self.levels):
            self.levels = tuple(sorted(union))

    @property
    def varies(self) -> bool:
        ends = (0.0, float(len(self.levels) - 1)) if self.levels is not None else (self.low, self.high)
        return self.known > 0 and (ends[0] < ends[1] or self.missing > 0)

    def summary(self) -> Summary:
        """As far as one pass tells it: no quantiles."""
        if self.levels is not None:
            return Summary(self.known, self.missing, counts=tuple(self.count.get(each, 0.0) for each in self.levels))
        return Summary(self.known, self.missing, (self.low, self.high) if self.known > 0 else None)


@dataclass
class TargetScan:
    """Classes with their weights, or moments of numbers, merged batch by batch (Chan, Golub and LeVeque 1983)."""

    is_classes: bool
    names: tuple[str, ...] = ()
    one_target: bool = True
    total: dict[Any, float] = field(default_factory=dict)
    dtype: Any = None
    weight: float = 0.0
    mean: Floats = field(default_factory=lambda: np.zeros(0))
    spread: Floats = field(default_factory=lambda: np.zeros(0))  # sum w (y - mean)^2
    low: Floats = field(default_factory=lambda: np.zeros(0))
    high: Floats = field(default_factory=lambda: np.zeros(0))

    def take(self, y: Any, weight: Floats) -> None:
        """The answers of some more rows."""
        self.names = self.names or target_names(y)
        if self.is_classes:
            self._take_labels(y, weight)
        else:
            self._take_numbers(y, weight)

    def _take_labels(self, y: Any, weight: Floats) -> None:
        found, codes, dtype = find_labels(y)
        check_consistent_length(codes, weight)
        for label, here in zip(found, np.bincount(codes, weight, len(found)).tolist(), strict=True):
            self.total[label] = self.total.get(label, 0.0) + here
        self.dtype = dtype if self.dtype is None else np.promote_types(self.dtype, dtype)
        if len(self.total) > MOST_LEVELS:
            raise ValueError(f"y has more than {MOST_LEVELS:,} classes: for numbers take a regressor.")

    def _take_numbers(self, y: Any, weight: Floats) -> None:
        values, self.one_target = read_numbers(y)
        check_consistent_length(values, weight)
        values, weight = values[weight > 0], weight[weight > 0]
        if not len(values):
            return
        here = float(weight.sum())
        mean = np.average(values, axis=0, weights=weight)
        spread = weight @ np.square(values - mean)
        if not self.weight:
            self.mean, self.spread, self.weight = mean, spread, here
            self.low, self.high = values.min(axis=0), values.max(axis=0)
            return
        if len(mean) != len(self.mean):
            raise ValueError(f"y must have {len(self.mean)} targets in every batch, got {len(mean)}.")
        both, away = self.weight + here, mean - self.mean
        self.spread = self.spread + spread + away * away * (self.weight * here / both)
        self.mean = self.mean + away * (here / both)
        self.weight = both
        self.low, self.high = np.minimum(self.low, values.min(axis=0)), np.maximum(self.high, values.max(axis=0))

    def scale(self) -> tuple[Floats, Floats]:
        """Centre and spread of numbers, as learners/soft/dataset.py has them."""
        centre = np.where(self.low == self.high, self.low, self.mean)
        spread = np.sqrt(self.spread / self.weight)
        small = np.maximum(centre - self.low, self.high - centre) <= 1e-12 * np.abs(centre)
        return centre, np.where((spread > 0) & ~small, spread, 1.0)


@dataclass
class Scan:
    """A table in batches after its first pass.

    columns : schema of the inputs.  classes : sorted, None for numbers.
    n_rows, total_weight : of the rows of weight > 0.
    """

    estimator: Any
    source: Batches
    asked: tuple[Any, Any]  # y and sample_weight, as `fit` was given them
    column: list[ColumnScan]
    target: TargetScan
    columns: Schema
    classes: npt.NDArray[Any] | None
    n_rows: int
    total_weight: float
    verbose: bool = False
    passes: int = 1
    told: float = field(default_factory=monotonic)

    @property
    def class_totals(self) -> Floats:
        """Weight of every class."""
        known = [] if self.classes is None else self.classes.tolist()
        return np.array([self.target.total[label] for label in known])

    @property
    def summaries(self) -> tuple[Summary, ...]:
        return tuple(each.summary() for each in self.column)

    def fingerprint(self) -> bytes:
        """What tells this table from another: its columns, ranges, answers and weights."""
        scan = self.target
        numbers = [scan.mean.tolist(), scan.spread.tolist(), self.class_totals.tolist()]
        seen = [(c.name, c.levels, c.low, c.high, c.known, c.missing) for c in self.column]
        classes = None if self.classes is None else self.classes.tolist()
        return repr((seen, numbers, classes, self.n_rows, self.total_weight)).encode()

    def read(self) -> Iterator[Piece]:
        """All rows, as numbers, in pieces of equal size."""
        size = self.source.batch_rows(len(self.column))
        waiting: list[Piece] = []
        begin, rows = monotonic(), 0
        for number, raw in enumerate(self.source.walk(*self.asked)):
            piece = self._encode(raw, number)
            rows += len(piece.weight)
            waiting.append(piece)
            while sum(len(each.weight) for each in waiting) >= size:
                whole = _join(waiting)
                yield Piece(*(part[:size] for part in whole))
                waiting = [Piece(*(part[size:] for part in whole))]
            self._tell(rows, begin)
        last = _join(waiting) if waiting else None
        if last is not None and len(last.weight):
            yield last
        if rows != self.n_rows:
            raise ValueError(f"{self.source!r} gave {self.n_rows} rows in the first pass and {rows} in another.")
        self.passes += 1

    def _encode(self, raw: RawBatch, number: int) -> Piece:
        try:
            X = read_predict(self.estimator, raw.X, self.columns)
            y: Any = read_numbers(raw.y)[0] if self.classes is None else match_classes(raw.y, self.classes)[0]
            weight = read_any_weights(raw.weight, len(X))
        except ValueError as error:
            raise ValueError(f"batch {number} of {self.source!r}: {error}") from error
        there = weight > 0
        if there.all():
            return Piece(np.ascontiguousarray(X), y, weight)
        return Piece(np.ascontiguousarray(X[there]), y[there], weight[there])

    def pass_report(self) -> Callable[[int], None]:
        """Tells how far a pass over rows in bins is, where the estimator is verbose."""
        begin = [monotonic(), 0.0]

        def report(n_rows: int) -> None:
            if n_rows <= begin[1]:
                begin[0] = monotonic()
                self.passes += 1
            begin[1] = n_rows
            self._tell(n_rows, begin[0])

        return report

    def _tell(self, rows: int, begin: float) -> None:
        now = monotonic()
        if self.verbose and now - self.told > SECONDS:
            self.told = now
            rate = rows / max(now - begin, 1e-3)
            print(f"pass {self.passes + 1}: {rows:,} of {self.n_rows:,} rows, {rate:,.0f} rows/s")


def scan_rows(estimator: Any, source: Batches, y: Any, sample_weight: Any, is_classes: bool) -> Scan:
    """The first pass; sets what scikit-learn wants to find of the columns on the estimator."""
    column: list[ColumnScan] = []
    target, n_rows, total, largest = TargetScan(is_classes), 0, 0.0, 0.0
    for number, raw in enumerate(source.walk(y, sample_weight)):
        try:
            reader = estimator if number == 0 else BaseEstimator()
            table = read_fit(reader, raw.X, estimator.categorical_features)
            weight = read_any_weights(raw.weight, len(table.values))
            _take_columns(column, table.values, weight, table.columns)
            target.take(raw.y, weight)
        except ValueError as error:
            raise ValueError(f"batch {number} of {source!r}: {error}") from error
        n_rows, total = n_rows + int(np.count_nonzero(weight)), total + float(weight.sum())
        largest = max(largest, float(weight.max(initial=0.0)))
    if n_rows == 0:
        raise ValueError(f"{source!r} has no row of weight > 0 to learn from.")
    check_largest(largest)
    schema = Schema(
        tuple(each.name for each in column), tuple(each.levels for each in column), (),
        kinds=tuple(each.kind for each in column),
    )  # fmt: skip
    classes = _classes_of(target) if is_classes else None
    if not is_classes:
        refuse_extreme(np.stack([target.low, target.high]), np.array([total, 0.0]))
    scan = Scan(estimator, source, (y, sample_weight), column, target, schema, classes, n_rows, total)
    scan.verbose = bool(estimator.verbose)
    return replace(scan, columns=replace(schema, summaries=scan.summaries))


def _take_columns(column: list[ColumnScan], values: Floats, weight: Floats, schema: Schema) -> None:
    if not column:
        column += [ColumnScan(name, levels, kind) for name, levels, kind in
                   zip(schema.features, schema.categories, schema.kinds, strict=True)]  # fmt: skip
    names = tuple(each.name for each in column)
    if names != schema.features:
        raise ValueError(f"its columns are {', '.join(schema.features):.200}, those before {', '.join(names):.200}.")
    there = weight > 0
    rows, weight = (values, weight) if there.all() else (values[there], weight[there])
    for f, each in enumerate(column):
        each.take(rows[:, f], weight, schema.categories[f], schema.kinds[f])


def _classes_of(target: TargetScan) -> npt.NDArray[Any]:
    """The classes that have any weight or none, sorted, as those of rows in memory."""
    found: Sequence[Any] = sorted(target.total)
    return read_classes(np.array(found, target.dtype))[0]


def _join(pieces: list[Piece]) -> Piece:
    return pieces[0] if len(pieces) == 1 else Piece(*(np.concatenate(part) for part in zip(*pieces, strict=True)))
