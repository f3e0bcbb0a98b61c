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
from sklearn.base import clone

import softwood
from tests.faults.learners import LEARNERS, fingerprint, make, rows

NAMES = ["a", "b", "c"]
IN_ORDER = ("BuddingTreeClassifier", "BuddingTreeRegressor")  # learn online here: row by row, as they come
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


@pytest.mark.fewer
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("told", CONTAINERS)
@pytest.mark.parametrize("n_jobs", [2, 8])
def test_threads_order_and_containers_change_no_bit(name: str, told: str, n_jobs: int) -> None:
    X, y = table(name)
    order = np.arange(len(X)) if name in IN_ORDER else np.random.default_rng(0).permutation(len(X))
    contained = CONTAINERS[told](X[order])
    model, again = make(name, n_jobs=1).fit(X, y), make(name, n_jobs=n_jobs).fit(contained, y[order])
    assert fingerprint(again) == fingerprint(model)
    assert np.array_equal(again.predict(contained), model.predict(X)[order])
    assert np.array_equal(again.predict(X), model.predict(X))


def uneven(name: str, seed: int) -> tuple[Any, Any, Any]:
    """Rows whose sums are rounded: few distinct values, missing ones, targets and weights with all their digits."""
    rng = np.random.default_rng(seed)
    X = np.c_[rng.integers(0, 2, (150, 2)), rng.integers(0, 5, 150), rng.normal(size=150)]
    y = X[:, 0] + 2 * X[:, 3] + rng.normal(size=150)
    X[rng.random(X.shape) < 0.1] = np.nan
    labels = (y > 0).astype(int) + (y > 2)
    return X, (labels if name.endswith("Classifier") else y), rng.choice([0.3, 1.0, 1.7], 150)


@pytest.mark.fewer
@pytest.mark.parametrize("name", [name for name in LEARNERS if name not in IN_ORDER])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_the_order_of_rows_changes_no_bit_of_sums_that_are_rounded(name: str, is_weighted: bool, seed: int) -> None:
    X, y, weight = uneven(name, seed)
    weight = weight if is_weighted else np.ones(150)
    order = np.random.default_rng(seed).permutation(150)
    one = make(name).fit(X, y, sample_weight=weight)
    other = make(name).fit(X[order], y[order], sample_weight=weight[order])
    assert fingerprint(one) == fingerprint(other)
    assert np.array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize(
    "model",
    [
        softwood.CARTRegressor(max_depth=3, prune=None),
        softwood.CARTRegressor(max_depth=3, prune=None, max_bins=16),
        softwood.CARTRegressor(missing="fraction"),
        softwood.CARTClassifier(missing="fraction", class_weight="balanced"),
        softwood.C45Classifier(soft_thresholds=True),
        softwood.SoftenedRegressor(method="gradient"),
        softwood.SoftenedRegressor(method="anneal", patience=2),
        softwood.SoftenedClassifier(method="gradient"),
        softwood.SoftenedTreeRegressor(n_successes=2, patience=2),
        softwood.SoftenedTreeClassifier(n_successes=2, patience=2),
    ],
    ids=str,
)
@pytest.mark.parametrize("seeds", [(0, 1), pytest.param((2, 3), marks=pytest.mark.long)], ids=str)
def test_the_order_of_rows_changes_no_bit_of_hard_and_softened_trees(model: Any, seeds: tuple[int, ...]) -> None:
    """Last digits differed, and by a gradient or an annealing that went another way, answers by up to .96."""
    for seed in seeds:
        X, y, weight = uneven(type(model).__name__, seed)
        order = np.random.default_rng(seed).permutation(150)
        for w in (np.ones(150), weight):
            one, other = (clone(model).fit(X[at], y[at], sample_weight=w[at]) for at in (np.arange(150), order))
            assert fingerprint(one) == fingerprint(other)
            assert np.array_equal(one.predict(X), other.predict(X))
