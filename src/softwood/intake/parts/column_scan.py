"""Statistics of columns and targets, part by part: levels, ranges, missing values, classes, moments, weights.

The results equal those of `rows.py` for rows in memory; only quantiles (Schema.summaries) come from a sample.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from softwood.arrays import Floats
from softwood.intake.cells.cells import Level
from softwood.intake.cells.frames import target_names
from softwood.intake.table.target import find_labels, read_numbers
from softwood.kernels.arithmetic import matmul
from softwood.learners.soft.rows.target_scale import mean_scale
from softwood.tree import Kind, Summary

MOST_LEVELS = 100_000  # of a category, or classes: they are kept in memory


@dataclass
class ColumnScan:
    """Statistics of one column so far."""

    name: str
    levels: tuple[Level, ...] | None = None  # None: numbers
    kind: Kind = Kind.NUMBER
    low: float = np.inf
    high: float = -np.inf
    known: float = 0.0
    missing: float = 0.0
    count: dict[Level, float] = field(default_factory=dict)

    def take(self, values: Floats, weight: Floats, levels: tuple[Level, ...] | None, kind: Kind) -> None:
        """Add rows: numbers, or codes into `levels`."""
        there = ~np.isnan(values)
        nothing_yet, nothing_here = self.known == 0.0 and not self.levels, not there.any()
        if (levels is None) != (self.levels is None):
            if nothing_yet:
                self.levels, self.kind = levels, kind
            elif not nothing_here:
                self._refuse_both()
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

    def merge(self, other: ColumnScan) -> None:
        """Merge the statistics of the same column in later rows."""
        nothing_yet, nothing_there = self.known == 0.0 and not self.levels, other.known == 0.0 and not other.levels
        if (other.levels is None) != (self.levels is None):
            if nothing_yet:
                self.levels, self.kind = other.levels, other.kind
            elif not nothing_there:
                self._refuse_both()
        if not nothing_there and self.levels is None:
            self.kind = other.kind if nothing_yet or other.kind == self.kind else Kind.NUMBER
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.known, self.missing = self.known + other.known, self.missing + other.missing
        if other.levels is not None:
            self._take_levels(other.levels)
        for level, here in other.count.items():
            self.count[level] = self.count.get(level, 0.0) + here

    def _refuse_both(self) -> None:
        raise ValueError(
            f"column {self.name!r} holds numbers in some batches and text or categories in others; name it in "
            "categorical_features, or convert it."
        )

    def _take_levels(self, levels: tuple[Level, ...]) -> None:
        if self.levels == levels or not levels:
            return
        if not self.levels:
            self.levels = levels
            return
        union = set(self.levels) | set(levels)
        if len(union) > MOST_LEVELS:
            raise ValueError(
                f"column {self.name!r} has more than {MOST_LEVELS:,} categories, which must fit in memory: drop it "
                "(Batches(columns=...)), or merge rare categories."
            )
        if len(union) > len(self.levels):
            self.levels = tuple(sorted(union))

    @property
    def varies(self) -> bool:
        ends = (0.0, float(len(self.levels) - 1)) if self.levels is not None else (self.low, self.high)
        return self.known > 0 and (ends[0] < ends[1] or self.missing > 0)

    def summary(self) -> Summary:
        """The summary of one pass, without quantiles."""
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

    def take(self, y: Any, weight: Floats, names: tuple[str, ...] = ()) -> None:
        """Add the targets of more rows; `names` if y has none."""
        self.names = self.names or names or target_names(y)
        if self.is_classes:
            self._take_labels(y, weight)
        else:
            self._take_numbers(y, weight)

    def _take_labels(self, y: Any, weight: Floats) -> None:
        found, codes, dtype = find_labels(y)
        check_consistent_length(codes, weight)
        totals = np.bincount(codes, weight, len(found)).tolist()
        self._add_classes(dict(zip(found, totals, strict=True)), dtype)

    def _take_numbers(self, y: Any, weight: Floats) -> None:
        values, self.one_target = read_numbers(y)
        check_consistent_length(values, weight)
        values, weight = values[weight > 0], weight[weight > 0]
        if not len(values):
            return
        mean = np.average(values, axis=0, weights=weight)
        spread = matmul(weight, np.square(values - mean))
        self._add_moments(float(weight.sum()), mean, spread, values.min(axis=0), values.max(axis=0))

    def _add_moments(self, here: float, mean: Floats, spread: Floats, low: Floats, high: Floats) -> None:
        if not self.weight:
            self.weight, self.mean, self.spread, self.low, self.high = here, mean, spread, low, high
            return
        if len(mean) != len(self.mean):
            raise ValueError(f"y must have {len(self.mean)} targets in every batch, got {len(mean)}.")
        both, away = self.weight + here, mean - self.mean
        self.spread = self.spread + spread + away * away * (self.weight * here / both)
        self.mean = self.mean + away * (here / both)
        self.weight = both
        self.low, self.high = np.minimum(self.low, low), np.maximum(self.high, high)

    def merge(self, other: TargetScan) -> None:
        """Merge the targets of later rows."""
        self.names = self.names or other.names
        if self.is_classes:
            self._add_classes(other.total, other.dtype)
        elif other.weight:
            self.one_target = other.one_target
            self._add_moments(other.weight, other.mean, other.spread, other.low, other.high)

    def _add_classes(self, total: dict[Any, float], dtype: Any) -> None:
        for label, here in total.items():
            self.total[label] = self.total.get(label, 0.0) + here
        if dtype is not None:
            self.dtype = dtype if self.dtype is None else np.promote_types(self.dtype, dtype)
        if len(self.total) > MOST_LEVELS:
            raise ValueError(f"y has more than {MOST_LEVELS:,} classes: for a numeric target use a regressor.")

    def scale(self) -> tuple[Floats, Floats]:
        """Centre and scale of numbers, as for rows in memory."""
        return mean_scale(self.mean, np.sqrt(self.spread / self.weight), self.low, self.high)
