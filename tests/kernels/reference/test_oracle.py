"""The grower against a simple splitter: every candidate, every impurity from scratch, no missing values.

The oracle shares only the contract with the grower. Trees are nested tuples:
(feature, threshold or frozenset of levels sent first, first, second) for a branch, the value for a leaf.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import xlogy

from softwood.kernels.contracts.growth import EPSILON, TIE, Grown
from softwood.kernels.kinds import Criterion

LEVEL, WIDTH = 0.7, 0.6  # as tests/kernels/conftest.py has them


def weighted_quantile(y: Any, w: Any, level: float) -> float:
    wanted, total = sum(w) * level, 0.0
    pairs = sorted(zip(y, w, strict=True))
    for i, (value, weight) in enumerate(pairs):
        total += weight
        if abs(total - wanted) < 1e-9:
            return float((value + pairs[i + 1][0]) / 2)
        if total > wanted:
            return float(value)
    raise AssertionError("no rows")


def huber_center(y: Any, w: Any) -> float:
    def pull(c: float) -> float:
        return float(sum(w * np.clip(y - c, -WIDTH, WIDTH)))

    return float(brentq(pull, min(y) - 1, max(y) + 1, xtol=1e-15, rtol=1e-15))


def center(criterion: Criterion, y: Any, w: Any) -> float:
    if criterion == Criterion.HUBER:
        return huber_center(y, w)
    if criterion in (Criterion.SQUARED_ERROR, Criterion.POISSON):
        return float(np.average(y, weights=w))
    return weighted_quantile(y, w, LEVEL if criterion == Criterion.QUANTILE else 0.5)


def loss(criterion: Criterion, y: Any, c: float) -> Any:
    away = y - c
    if criterion == Criterion.SQUARED_ERROR:
        return away**2
    if criterion == Criterion.POISSON:
        return xlogy(y, y / c) - away
    if criterion == Criterion.QUANTILE:
        return np.maximum(LEVEL * away, (LEVEL - 1) * away)
    if criterion == Criterion.HUBER:
        return np.where(abs(away) <= WIDTH, away**2 / 2, WIDTH * abs(away) - WIDTH**2 / 2)
    return abs(away)


def impurity(criterion: Criterion, y: Any, w: Any, n_classes: int) -> float:
    if n_classes:
        p = np.array([w[y == k].sum() for k in range(n_classes)]) / w.sum()
        if criterion == Criterion.GINI:
            return float(1 - sum(p**2))
        if criterion == Criterion.ENTROPY:
            return float(-sum(q * np.log(q) for q in p if q > 0))
        return float(1 - max(p))
    return float(np.mean([np.average(loss(criterion, t, center(criterion, t, w)), weights=w) for t in y.T]))


def answer(criterion: Criterion, y: Any, w: Any, n_classes: int) -> Any:
    if n_classes:
        return np.array([w[y == k].sum() for k in range(n_classes)])
    return np.array([center(criterion, t, w) for t in y.T])


def sides(x: Any, n_levels: int) -> Any:
    """Every candidate on one column: its name and who goes first."""
    values = sorted(set(x))
    if not n_levels:
        for a, b in pairwise(values):
            yield (a + b) / 2, x <= (a + b) / 2
        return
    for size in range(len(values) - 1):
        for others in combinations(values[1:], size):
            chosen = frozenset({values[0], *others})
            yield chosen, np.isin(x, list(chosen))


def oracle(
    X: Any, y: Any, w: Any, criterion: Criterion, n_classes: int, depth: int, min_leaf: float, n_levels: Any
) -> Any:
    whole = impurity(criterion, y, w, n_classes)
    best, best_gain = None, -np.inf
    if depth and whole > EPSILON:
        for f in range(X.shape[1]):
            for name, first in sides(X[:, f], n_levels[f]):
                if min(w[first].sum(), w[~first].sum()) < min_leaf:
                    continue
                lost = sum(w[s].sum() * impurity(criterion, y[s], w[s], n_classes) for s in (first, ~first))
                gain = w.sum() * whole - lost
                if gain > best_gain + TIE * w.sum() * whole:
                    best, best_gain = (f, name, first), gain
    if best is None:
        return answer(criterion, y, w, n_classes)
    f, name, first = best
    below = [oracle(X[s], y[s], w[s], criterion, n_classes, depth - 1, min_leaf, n_levels) for s in (first, ~first)]
    return (f, name, *below)


def nested(grown: Grown, m: int = 0) -> Any:
    """A grown tree in the oracle's form; the side of a category split that holds the lowest level is put first."""
    first = int(grown.first_child[m])
    if first < 0:
        return grown.value[m]
    f = int(grown.feature[m])
    slot = grown.group[grown.group_begin[m] : grown.group_begin[m + 1]]
    below = [nested(grown, first), nested(grown, first + 1)]
    if not len(slot):
        return (f, float(grown.threshold[m]), *below)
    lowest = slot[slot >= 0][0]
    return (f, frozenset(np.flatnonzero(slot == lowest).tolist()), *(below if lowest == 0 else below[::-1]))


def assert_same(one: Any, other: Any) -> None:
    """Two nested trees agree in structure exactly and in values to 1e-12."""
    assert isinstance(one, tuple) == isinstance(other, tuple)
    if not isinstance(one, tuple):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
        return
    assert one[0] == other[0]
    if isinstance(one[1], frozenset):
        assert one[1] == other[1]
    else:
        np.testing.assert_allclose(one[1], other[1], rtol=1e-12, atol=0)
    assert_same(one[2], other[2])
    assert_same(one[3], other[3])


CLASSIFY = (Criterion.GINI, Criterion.ENTROPY, Criterion.ERROR)
REGRESS = tuple(criterion for criterion in Criterion if criterion not in CLASSIFY)
UNLIMITED = {"min_samples_split": 0.0, "min_samples_leaf": 0.0}  # by weight, which the oracle does not count


def table(seed: int, n: int = 45) -> tuple[Any, Any, Any, Any]:
    """Numbers with ties, two classes apart from noise, numbers to predict, weights that make gains differ."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), rng.normal(size=n).round(1)])
    y = X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=n) / 3
    return X, y, rng.uniform(0.5, 2, n), rng


def amounts(y: Any, criterion: Criterion) -> Any:
    return np.exp(y) if criterion == Criterion.POISSON else y


@pytest.mark.fewer(24)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", [*CLASSIFY, *REGRESS])
def test_same_tree_as_the_oracle(grow: Any, criterion: Criterion, weighted: bool, seed: int) -> None:
    X, y, w, _ = table(seed)
    w = w if weighted else np.ones(len(w))
    n_classes = 3 if criterion in CLASSIFY else 0
    y = np.digitize(y, np.quantile(y, [0.4, 0.8])) if n_classes else amounts(y, criterion)[:, None]
    grown = grow(X, y, criterion, weight=w, max_depth=4, min_samples_leaf=2.0)
    assert_same(nested(grown), oracle(X, y, w, criterion, n_classes, 4, 2.0, (0, 0, 0)))


@pytest.mark.fewer(10)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("criterion", REGRESS)
def test_several_targets_are_averaged(grow: Any, criterion: Criterion, seed: int) -> None:
    X, y, w, rng = table(seed)
    y = amounts(np.column_stack([y, rng.normal(size=len(y)), X[:, 2] ** 2]), criterion)
    grown = grow(X, y, criterion, weight=w, max_depth=3, **UNLIMITED)
    assert_same(nested(grown), oracle(X, y, w, criterion, 0, 3, 0.0, (0, 0, 0)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("criterion", "n_classes"),
    [(Criterion.GINI, 2), (Criterion.ENTROPY, 2), (Criterion.GINI, 3), (Criterion.SQUARED_ERROR, 0)],
)
def test_categories_find_the_best_of_all_subsets(grow: Any, criterion: Criterion, n_classes: int, seed: int) -> None:
    """Two classes and one target try only sorted prefixes, without a loss."""
    X, y, w, rng = table(seed)
    X[:, 2] = rng.integers(0, 7, len(X))
    y = y + np.array([3, 0, 1, 5, 2, 0, 4])[X[:, 2].astype(int)]
    y = np.digitize(y, np.quantile(y, [0.4, 0.7][: n_classes - 1])) if n_classes else y[:, None]
    grown = grow(X, y, criterion, weight=w, max_depth=3, n_levels=(0, 5, 7), **UNLIMITED)
    assert set(grown.feature) & {1, 2}
    assert_same(nested(grown), oracle(X, y, w, criterion, n_classes, 3, 0.0, (0, 5, 7)))


@pytest.mark.parametrize("seed", range(3))
def test_class_factor_is_a_weight_for_the_gain_only(grow: Any, seed: int) -> None:
    X, y, w, _ = table(seed)
    codes, factor = (y > 0.5).astype(int), np.array([1.0, 2.5])
    grown = grow(X, codes, Criterion.GINI, weight=w, class_factor=factor, max_depth=3, **UNLIMITED)
    scaled = grow(X, codes, Criterion.GINI, weight=w * factor[codes], max_depth=3, **UNLIMITED)
    for name in ("first_child", "feature", "threshold"):
        np.testing.assert_array_equal(getattr(grown, name), getattr(scaled, name))
    np.testing.assert_allclose(grown.impurity, scaled.impurity, atol=1e-12)
    np.testing.assert_allclose(grown.gain, scaled.gain, atol=1e-9)
    np.testing.assert_allclose(grown.value * factor, scaled.value, atol=1e-9)
    assert grown.count[0] == pytest.approx(w.sum())
