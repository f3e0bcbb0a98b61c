"""Rows of a sparse table are distinguished and ordered like those of the array, without a dense copy."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood.kernels.row_hash import hash_rows
from softwood.kernels.sparse import hash as sparse_hash
from softwood.kernels.sparse.order import order_within
from softwood.kernels.sparse.table import SparseTable
from softwood.parts.folds import deal_rows

VALUES = [-2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 3.0, np.inf, np.nan]


@given(st.integers(0, 2**32 - 1))
def test_rows_are_in_the_order_of_the_array(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, group = rng.choice(VALUES, rng.integers(0, [40, 6])), rng.integers(0, 3, 40)
    group = group[: len(X)]
    number = order_within(SparseTable.of_dense(X), group)
    order = np.lexsort((*X.T[::-1], group))
    rises = np.diff(number[order])
    beside = np.column_stack([group, X])[order]
    differ = ~np.array([np.array_equal(a, b, equal_nan=True) for a, b in zip(beside[1:], beside, strict=False)], bool)
    np.testing.assert_array_equal(rises > 0, differ)
    assert np.all(rises >= 0)


@given(st.integers(0, 2**32 - 1))
def test_numbers_of_rows_are_those_of_the_array_however_many_are_made_at_once(seed: int) -> None:
    """Words that occur once or not at all: many rows have the same cells, and are distinguished by their order."""
    rng = np.random.default_rng(seed)
    X = rng.choice([0.0, 0.0, 0.0, 1.0, 2.0, np.nan], (int(rng.integers(1, 60)), 5))
    y = rng.integers(0, 2, (len(X), 1)).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_hash, "HASHED_AT_ONCE", int(rng.integers(1, 50)))
        np.testing.assert_array_equal(hash_rows(SparseTable.of_dense(X), y, seed), hash_rows(X, y, seed))


def test_folds_of_one_hot_rows_take_memory_by_what_is_stored() -> None:
    """All rows have the same cells: as an array they would be 128 MB."""
    rng = np.random.default_rng(0)
    column = np.sort(np.column_stack([rng.integers(2000, size=4000), 2000 + rng.integers(2000, size=4000)]), axis=1)
    X = SparseTable(np.arange(0, 8001, 2), column.astype(np.int32).ravel(), np.ones(8000), 4000)
    tracemalloc.start()
    try:
        deal_rows(X, np.zeros(4000, np.int64), np.ones(4000), 10, 0)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10 * 2**20
