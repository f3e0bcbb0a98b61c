"""Scaling of a fit: n log n once to sort the columns, then rows x columns x depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.speed.clock import time_best
from bench.speed.data import two_classes
from softwood import CARTClassifier

DEPTH = 8


@dataclass(frozen=True)
class Step:
    """One size and the seconds of an exact and of a binned fit."""

    rows: int
    columns: int
    depth: int
    exact: float
    binned: float

    @property
    def cell(self) -> tuple[float, float]:
        """Nanoseconds for each row, column and level."""
        work = self.rows * self.columns * max(self.depth, 1) / 1e9
        return self.exact / work, self.binned / work


def measure_growth(most_rows: int, repeats: int) -> list[Step]:
    """Rows up to `most_rows`, then columns, then depth, the others held."""
    rows = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000) if n <= most_rows]
    middle = min(100_000, most_rows)
    sizes = [(n, 20, DEPTH) for n in rows]
    sizes += [(middle, columns, DEPTH) for columns in (5, 10, 40, 80)]
    sizes += [(middle, 20, depth) for depth in (1, 2, 4, 16)]
    return [_step(*size, repeats) for size in sizes]


def _step(n: int, columns: int, depth: int, repeats: int) -> Step:
    X, y = two_classes(n, columns)
    same: dict[str, Any] = {"missing": "direction", "prune": None, "max_depth": depth}
    exact = time_best(lambda: CARTClassifier(**same).fit(X, y), repeats)
    binned = time_best(lambda: CARTClassifier(max_bins=256, **same).fit(X, y), repeats)
    return Step(n, columns, depth, exact, binned)
