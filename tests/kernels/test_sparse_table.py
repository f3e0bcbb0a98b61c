"""A sparse table with missing values: its range equals that of the array, without comparisons of NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood.kernels.sparse.hash import column_ends, hash_stored_cells
from softwood.kernels.sparse.table import SparseTable
from softwood.tree.summary import summarize

READERS: dict[str, Callable[[SparseTable], Any]] = {
    "ends": lambda table: table.ends(),
    "summarize": lambda table: summarize(table, np.ones(len(table)), [0] * table.n_columns),
    "hash_stored_cells": lambda table: hash_stored_cells(table, column_ends(table), 0, 16.0, 0.5),
}


class Watched:
    """A ufunc whose `at` fails on NaN: on x86-64 that sets the flag of an invalid operation, on ARM it does not."""

    def __init__(self, ufunc: Any, seen: list[int]) -> None:
        self._ufunc, self._seen = ufunc, seen

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._ufunc(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ufunc, name)

    def at(self, into: np.ndarray, where: np.ndarray, values: np.ndarray) -> None:
        assert not np.isnan(into).any()
        assert not np.isnan(values).any()
        self._seen.append(len(values))
        self._ufunc.at(into, where, values)


@pytest.mark.parametrize("reader", READERS)
def test_no_missing_value_is_compared(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).choice([0.0, 0.0, -1.0, 2.0, np.nan], (300, 6))
    X[:, 4], X[:, 5] = np.nan, np.where(np.arange(300) == 7, 3.0, 0.0)  # all missing, and mostly 0
    table, seen = SparseTable.of_dense(X), []
    for name in ("minimum", "maximum", "fmin", "fmax"):
        monkeypatch.setattr(np, name, Watched(getattr(np, name), seen))
    with np.errstate(all="raise"):
        READERS[reader](table)
    assert seen  # the ends were found by the functions that are watched


@given(st.integers(0, 2**32 - 1))
def test_ends_are_those_of_the_array_and_zero(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.choice([-2.0, 0.0, 0.0, 1.0, 3.0, np.nan], rng.integers(1, [30, 6]))
    known = np.nan_to_num(X)  # a missing value leaves 0, which every column holds
    wanted = np.c_[np.minimum(known.min(axis=0), 0.0), np.maximum(known.max(axis=0), 0.0)]
    np.testing.assert_array_equal(SparseTable.of_dense(X).ends(), wanted)
