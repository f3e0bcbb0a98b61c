"""Small tables, in memory and in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

SMALL = "64 KiB"  # of memory: batches of a thousand rows


def table_of(rows: int = 2500, seed: int = 0) -> pa.Table:
    """Numbers, a category, missing values, weights (some 0); a numeric target and two or three classes."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=(3, rows))
    colour = rng.integers(0, 4, rows)
    signal = np.tanh(2 * a) + np.sin(2 * b) + (colour == 2)
    y = signal + 0.1 * rng.normal(size=rows)
    names = np.array(["red", "green", "blue", "amber"])[colour]
    return pa.table(
        {
            "a": a,
            "b": pa.array(b, mask=rng.uniform(size=rows) < 0.05),
            "c": c,
            "colour": pa.array(names.tolist(), mask=rng.uniform(size=rows) < 0.05),
            "w": rng.integers(0, 3, rows),
            "y": y,
            "two": np.where(y > 0.3, "high", "low").tolist(),
            "three": np.digitize(y, [-0.5, 0.8]),
        }
    )


def draw_samples_of(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the sample size of a search: larger tables are read in parts, like very large ones."""
    for module in ("training_rows", "batched_rows"):
        monkeypatch.setattr(f"softwood.learners.soft.training.{module}.SAMPLE_ROWS", rows)


INPUTS = ["a", "b", "c", "colour"]


def pieces(table: pa.Table, size: int = 700) -> Callable[[], Iterator[Any]]:
    """A function that gives the table in frames of some rows."""

    def read() -> Iterator[Any]:
        for begin in range(0, len(table), size):
            yield table.slice(begin, size)

    return read
