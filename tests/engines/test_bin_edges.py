"""Edges between bins from batches are equal to those of a column in memory."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.engines import bin_edges
from softwood.engines.bin_edges import find_edges
from softwood.engines.parts import BatchParts
from softwood.kernels.histogram_split import bin_edges as edges_in_memory

LEVELS = np.array([0, 0, 0, 3], np.int32)


def table(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Distinct numbers, whole numbers, numbers with a frequent value and missing ones, a category; weights."""
    rng = np.random.default_rng(seed)
    heavy = np.where(rng.uniform(size=rows) < 0.4, 1.5, rng.exponential(size=rows))
    heavy[rng.uniform(size=rows) < 0.1] = np.nan
    X = np.c_[rng.normal(size=rows), rng.integers(0, 300, rows), heavy, rng.integers(0, 3, rows)]
    return X, rng.integers(1, 4, rows).astype(float)


def batches(X: np.ndarray, weight: np.ndarray, size: int) -> BatchParts[tuple[np.ndarray, np.ndarray]]:
    return BatchParts(lambda: ((X[at : at + size], weight[at : at + size]) for at in range(0, len(X), size)))


@pytest.mark.parametrize("rows", [1, 2, 50, 3000])
@pytest.mark.parametrize("bins", [2, 16, 255, 256])
def test_edges_are_those_of_memory(rows: int, bins: int) -> None:
    X, weight = table(rows)
    for sample in (X, X[:: max(1, rows // 40)]):  # a sample that has all values, or few
        found = find_edges(batches(X, weight, 77), sample, LEVELS, bins)
        for ours, theirs in zip(found, edges_in_memory(X, LEVELS, weight, bins), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_where_there_is_no_room_bins_end_with_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bin_edges, "MOST_VALUES", 10)
    X, weight = table(20_000)
    found = find_edges(batches(X, weight, 3000), X[:2000], LEVELS, 16)
    x, order = X[:, 0], np.argsort(X[:, 0])
    share = np.cumsum(weight[order]) / weight.sum()
    at = [share[np.searchsorted(x[order], edge) - 1] for edge in found[0]]
    np.testing.assert_allclose(at, np.arange(1, 16) / 16, atol=0.005)
