"""The same bits for any number of threads, any order of the rows, and any container of the same numbers.

tests/kernels/test_simd_paths.py has the width of vector registers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.faults.learners import LEARNERS, fingerprint, make, rows

NAMES = ["a", "b", "c"]
IN_ORDER = ("BuddingTreeClassifier", "BuddingTreeRegressor")  # learn online here: row by row, as they come
ORDERED = ("impurity",)  # a sum over rows as they come, told and not used: its last digit may differ
CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "float32": lambda X: X.astype(np.float32),
    "columns": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": lambda X: pl.DataFrame(dict(zip(NAMES, X.T, strict=True)), nan_to_null=True),
    "arrow": lambda X: pa.table({name: pa.array(x, from_pandas=True) for name, x in zip(NAMES, X.T, strict=True)}),
}


def table(name: str) -> tuple[Any, Any]:
    """Numbers that float32 holds exactly."""
    X, y = rows(name, 120)
    return np.round(X * 64) / 64, y if name.endswith("Classifier") else np.round(y * 64) / 64


@pytest.mark.parametrize("name", LEARNERS)
def test_threads_order_and_containers_change_no_bit(name: str) -> None:
    X, y = table(name)
    model = make(name, n_jobs=1).fit(X, y)
    tree, answers = fingerprint(model), model.predict(X)
    for n_jobs in (2, 8):
        assert fingerprint(make(name, n_jobs=n_jobs).fit(X, y)) == tree, n_jobs
    if name not in IN_ORDER:
        order = np.random.default_rng(0).permutation(len(X))
        again = make(name).fit(X[order], y[order])
        assert fingerprint(again, ORDERED) == fingerprint(model, ORDERED)
        np.testing.assert_allclose(again.tree_.impurity, model.tree_.impurity, rtol=0, atol=1e-13)
        assert np.array_equal(again.predict(X), answers)
    for told, contain in CONTAINERS.items():
        again = make(name).fit(contain(X), y)
        assert fingerprint(again) == tree, told
        assert np.array_equal(again.predict(contain(X)), answers), told
