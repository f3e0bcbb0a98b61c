"""Monotone constraints hold for every pair of leaves, and the bounds say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood.kernels.contracts.growth import Grown
from softwood.kernels.kinds import Criterion, Missing

CLASSIFY = (Criterion.GINI, Criterion.ENTROPY, Criterion.ERROR)


def quantity(grown: Grown, criterion: Criterion) -> Any:
    """Means, medians, or P(class >= 1), P(class >= 2), ..."""
    if criterion not in CLASSIFY:
        return grown.value
    share = grown.value / grown.value.sum(axis=1, keepdims=True)
    return share[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]


def boxes(grown: Grown, n_features: int) -> Any:
    """The box of every node: (nodes, features, 2)."""
    box = np.tile([-np.inf, np.inf], (len(grown.count), n_features, 1))
    for m in np.flatnonzero(grown.first_child >= 0):
        first, f = grown.first_child[m], grown.feature[m]
        box[first] = box[first + 1] = box[m]
        box[first, f, 1] = box[first + 1, f, 0] = grown.threshold[m]
    return box


def table(seed: int, criterion: Criterion, gaps: float = 0.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(250, 3))
    y = np.column_stack([X[:, 0] + np.sin(3 * X[:, 1]), X[:, 0] - X[:, 1] ** 2]) + rng.normal(size=(250, 2))
    X[rng.random(X.shape) < gaps] = np.nan
    return X, np.digitize(y[:, 0], [-0.7, 0.7]) if criterion in CLASSIFY else y


@pytest.mark.fewer
@pytest.mark.parametrize("signs", [(1, 0, 0), (1, -1, 0), (1, 1, -1)])
@pytest.mark.parametrize("criterion", list(Criterion))
def test_every_pair_of_leaves_keeps_the_constraints(grow: Any, criterion: Criterion, signs: tuple[int, ...]) -> None:
    """A leaf below another on one constrained feature, overlapping on all others, predicts at most as much."""
    X, y = table(0, criterion)
    grown = grow(X, y, criterion, monotone=signs, min_samples_leaf=4.0)
    free = grow(X, y, criterion, min_samples_leaf=4.0)
    assert broken(grown, criterion, signs) == 0
    assert broken(free, criterion, signs) > 0
    assert len(grown.count) > 5


def broken(grown: Grown, criterion: Criterion, signs: tuple[int, ...]) -> int:
    q, box = quantity(grown, criterion), boxes(grown, 3)
    leaves = np.flatnonzero(grown.first_child < 0)
    count = 0
    for a in leaves:
        for b in leaves:
            meets = (box[a, :, 0] < box[b, :, 1]) & (box[b, :, 0] < box[a, :, 1])
            apart = np.flatnonzero(~meets)
            if len(apart) == 1 and signs[apart[0]] and box[a, apart[0], 1] <= box[b, apart[0], 0]:
                count += bool((signs[apart[0]] * (q[b] - q[a]) < -1e-12).any())
    return count


@pytest.mark.parametrize("criterion", list(Criterion))
def test_bounds_hold_and_narrow(grow: Any, criterion: Criterion) -> None:
    X, y = table(1, criterion)
    grown = grow(X, y, criterion, monotone=(1, -1, 0), max_leaves=20)
    q = quantity(grown, criterion)
    assert grown.lower.shape == grown.upper.shape == q.shape
    assert ((grown.lower <= q + 1e-12) & (q <= grown.upper + 1e-12)).all()
    assert np.isinf(grown.lower[0]).all()
    for m in np.flatnonzero(grown.first_child >= 0):
        first, second = grown.first_child[m], grown.first_child[m] + 1
        sign = (1, -1, 0)[grown.feature[m]]
        if sign == 0:
            for child in (first, second):
                np.testing.assert_array_equal(grown.lower[child], grown.lower[m])
                np.testing.assert_array_equal(grown.upper[child], grown.upper[m])
            continue
        low, high = (first, second) if sign > 0 else (second, first)
        np.testing.assert_allclose(grown.upper[low], (q[first] + q[second]) / 2, atol=1e-12)
        np.testing.assert_array_equal(grown.upper[low], grown.lower[high])
        np.testing.assert_array_equal(grown.lower[low], grown.lower[m])
        np.testing.assert_array_equal(grown.upper[high], grown.upper[m])


@pytest.mark.parametrize("missing", list(Missing))
def test_bounds_stay_in_order_where_rows_are_missing(grow: Any, missing: Missing) -> None:
    """Rows that a gate cannot read may move a child out of its bounds; the bounds themselves never cross."""
    X, y = table(2, Criterion.SQUARED_ERROR, gaps=0.2)
    grown = grow(X, y, Criterion.SQUARED_ERROR, monotone=(1, 1, 0), missing=missing, min_samples_leaf=3.0)
    assert (grown.lower <= grown.upper).all()
    assert (grown.feature == 0).any()


@pytest.mark.parametrize("signs", [(), (0, 0, 0)])
def test_without_constraints_there_are_no_bounds(grow: Any, signs: tuple[int, ...]) -> None:
    X, y = table(3, Criterion.SQUARED_ERROR)
    assert grow(X, y, Criterion.SQUARED_ERROR, monotone=signs, max_depth=2).lower.shape == (7, 0)


def test_a_category_has_no_direction(grow: Any) -> None:
    with pytest.raises(ValueError, match="feature 0"):
        grow([[0.0], [1.0]], np.array([0, 1]), Criterion.GINI, n_levels=[2], monotone=(1,))
