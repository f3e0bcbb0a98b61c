"""A tree grown only from histograms equals that of the native binned grower, for rows in memory and in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from softwood import kernels
from softwood.engines.histograms import HistogramEngine, MemoryHistograms, n_bins
from softwood.kernels import bin_codes
from softwood.kernels.contracts.bin_tree import BinnedRows, BinTree
from softwood.kernels.contracts.growth import Grown, Growth, Target
from softwood.kernels.histogram_split import HistogramMeasure, SplitSearch, bin_edges
from softwood.kernels.kinds import Criterion, Missing
from softwood.learners.hard.histogram_grower import grow_by_histograms

LEVELS = np.array([0, 0, 5, 0], np.int32)
BINS = 16


def table(seed: int, rows: int = 400, gaps: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Numbers with and without ties, a category; weights, some of them 0."""
    rng = np.random.default_rng(seed)
    X = np.c_[rng.normal(size=rows), rng.integers(0, 6, rows), rng.integers(0, 5, rows), rng.exponential(size=rows)]
    X[rng.uniform(size=X.shape) < gaps] = np.nan
    return X, rng.integers(0, 4, rows).astype(float)


def signal(X: np.ndarray, seed: int) -> np.ndarray:
    known = np.nan_to_num(X)
    return known[:, 0] + (known[:, 2] % 2) * known[:, 1] + np.random.default_rng(seed + 99).normal(size=len(X))


def target_of(X: np.ndarray, weight: np.ndarray, kind: str, seed: int) -> Target:
    y = signal(X, seed)
    if kind == "numbers":
        return Target(np.c_[y, X[:, 3] * 0 + y**2 / 4], weight) if not np.isnan(X).any() else Target(y[:, None], weight)
    classes = 2 if kind == "two classes" else 3
    code = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    return Target(code, weight, classes, np.array([1.0, 2.5, 0.5])[:classes])


@dataclass
class BatchHistograms(HistogramEngine):
    """Rows in batches: each is summed and dropped; records the largest batch."""

    batches: list[MemoryHistograms]
    passes: int = 0

    def histograms(self, tree: BinTree, nodes: Sequence[int], origin: np.ndarray) -> np.ndarray:
        self.passes += 1
        total: Any = 0.0
        for batch in self.batches:
            total = total + batch.histograms(tree, nodes, origin)
        return np.asarray(total)


def search_of(X: np.ndarray, target: Target, growth: Growth) -> SplitSearch:
    targets = 0 if target.n_classes else target.y.shape[1]
    measure = HistogramMeasure(growth.criterion, target.n_classes, targets, target.class_factor)
    return SplitSearch(bin_edges(X, LEVELS, target.weight, BINS), LEVELS, measure, growth)


def grown_by_histograms(X: np.ndarray, target: Target, growth: Growth, batch: int | None = None) -> tuple[Grown, int]:
    """The tree and the passes over the rows."""
    search = search_of(X, target, growth)
    bins = n_bins(search.edge, LEVELS)
    code = bin_codes(X, search.edge, LEVELS, bins, 1)
    size = batch or len(X)
    parts = [slice(begin, begin + size) for begin in range(0, len(X), size)]
    engine = BatchHistograms(
        [
            MemoryHistograms(BinnedRows(code[at], bins, target.y[at], target.weight[at], target.n_classes))
            for at in parts
        ]
    )
    return grow_by_histograms(engine, search, 0 if target.n_classes else target.y.shape[1]), engine.passes


def assert_same(ours: Grown, theirs: Grown) -> None:
    for name in ("first_child", "feature", "group_begin", "group", "default", "threshold"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for name in ("count", "value", "impurity", "gain", "fraction", "lower", "upper"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-9, err_msg=name)


CASES = [
    ("two classes", Criterion.GINI, {}),
    ("three classes", Criterion.ENTROPY, {}),
    ("three classes", Criterion.ERROR, {"max_depth": 4}),
    ("numbers", Criterion.SQUARED_ERROR, {}),
    ("numbers", Criterion.SQUARED_ERROR, {"max_leaves": 9}),
    ("two classes", Criterion.GINI, {"max_leaves": 12, "min_samples_leaf": 7.0}),
    ("numbers", Criterion.SQUARED_ERROR, {"min_impurity_decrease": 0.01, "min_samples_split": 20.0}),
    ("numbers", Criterion.SQUARED_ERROR, {"monotone": np.array([1, 0, 0, -1], np.int8)}),
    ("two classes", Criterion.GINI, {"monotone": np.array([1, 0, 0, 0], np.int8)}),
]


@pytest.mark.fewer
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("kind", "criterion", "rules"), CASES)
def test_histograms_give_the_tree_of_the_native_binned_grower(
    kind: str, criterion: Criterion, rules: dict[str, Any], seed: int
) -> None:
    X, weight = table(seed)
    target, growth = target_of(X, weight, kind, seed), Growth(criterion, **rules)
    native = kernels.Grower(X, LEVELS, weight, BINS).grow(target, growth)
    assert len(native.first_child) > 5
    assert_same(grown_by_histograms(X, target, growth)[0], native)


@pytest.mark.fewer
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("missing", [Missing.DIRECTION, Missing.CATEGORY])
@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
def test_missing_values_are_one_more_bin(kind: str, missing: Missing, seed: int) -> None:
    X, weight = table(seed, gaps=0.1)
    criterion = Criterion.SQUARED_ERROR if kind == "numbers" else Criterion.GINI
    target, growth = target_of(X, weight, kind, seed), Growth(criterion, missing=missing, min_samples_leaf=3.0)
    native = kernels.Grower(X, LEVELS, weight, BINS).grow(target, growth)
    assert_same(grown_by_histograms(X, target, growth)[0], native)


@pytest.mark.parametrize("kind", ["two classes", "numbers"])
def test_batches_give_the_same_tree_in_a_pass_a_level(kind: str) -> None:
    X, weight = table(0)
    criterion = Criterion.SQUARED_ERROR if kind == "numbers" else Criterion.GINI
    target, growth = target_of(X, weight, kind, 0), Growth(criterion, max_depth=5)
    whole, batched = (grown_by_histograms(X, target, growth, size) for size in (None, 37))
    assert_same(batched[0], whole[0])
    assert batched[1] == 6  # the root's sums, then one pass for each of the levels 0 to 4


def test_an_engine_that_does_not_route_is_refused_in_words() -> None:
    class Unrouted(BatchHistograms):
        def histograms(self, tree: BinTree, nodes: Sequence[int], origin: np.ndarray) -> np.ndarray:
            root = BinTree(np.array([-1], np.int32), np.array([-1], np.int32), tree.child[:1])
            return np.repeat(super().histograms(root, [0], origin[:1]), len(nodes), axis=0)

    X, weight = table(0)
    target, growth = target_of(X, weight, "two classes", 0), Growth(Criterion.GINI)
    search = search_of(X, target, growth)
    bins = n_bins(search.edge, LEVELS)
    code = bin_codes(X, search.edge, LEVELS, bins, 1)
    rows = MemoryHistograms(BinnedRows(code, bins, target.y, target.weight, target.n_classes))
    with pytest.raises(ValueError, match="must route all rows"):
        grow_by_histograms(Unrouted([rows]), search, 0)


def test_what_needs_single_rows_is_refused_in_words() -> None:
    X, weight = table(0, gaps=0.1)
    target = target_of(X, weight, "two classes", 0)
    with pytest.raises(ValueError, match="missing='surrogate' is not supported for batched input"):
        grown_by_histograms(X, target, Growth(Criterion.GINI))
    with pytest.raises(ValueError, match="absolute_error needs individual rows"):
        HistogramMeasure(Criterion.ABSOLUTE_ERROR, 0, 1, np.zeros(0))
