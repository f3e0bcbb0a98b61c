"""Categories: which levels go together, and the treatment of missing and unseen ones."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from softwood.kernels.contracts.growth import EXACT_LEVELS
from softwood.kernels.kinds import Criterion, Missing

nan = np.nan


def best_gini(code: Any, y: Any, w: Any) -> float:
    """Largest gain over all divisions of the levels in two."""

    def loss(s: Any) -> float:
        c = np.bincount(y[s], w[s])
        return float(c.sum() - (c**2).sum() / c.sum())

    levels = np.unique(code)
    ways = ((0, *rest) for rest in product((0, 1), repeat=len(levels) - 1) if any(rest))
    sides = (np.isin(code, levels[np.array(way) == 0]) for way in ways)
    return loss(np.full(len(y), True)) - min(loss(s) + loss(~s) for s in sides)


@pytest.mark.parametrize("seed", range(5))
def test_sorted_prefix_is_optimal_for_two_classes(grow: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    code, y, w = rng.integers(0, 11, 90), rng.integers(0, 2, 90), rng.uniform(0.5, 2, 90)
    grown = grow(code[:, None], y, Criterion.GINI, weight=w, n_levels=[12], max_depth=1, min_samples_leaf=0.0)
    assert grown.gain[0] == pytest.approx(best_gini(code, y, w), rel=1e-10)
    share = [np.average(y[code == level], weights=w[code == level]) for level in range(11)]
    first = np.flatnonzero(grown.group[:11] == 0)
    assert max(np.take(share, first)) <= min(np.delete(share, first))  # low means first
    assert grown.group[11] == -1  # no row has it


@pytest.mark.parametrize("seed", range(3))
def test_many_levels_and_classes_come_close_to_the_best(grow: Any, seed: int) -> None:
    """Above EXACT_LEVELS only some orders are tried; where the classes lie on a line they hold a good subset."""
    rng = np.random.default_rng(seed)
    n_levels = EXACT_LEVELS + 2
    code = rng.permutation(np.repeat(np.arange(n_levels), 12))
    lean = rng.permutation(np.linspace(-2, 2, n_levels))
    y = np.digitize(lean[code] + rng.normal(size=len(code)), [-0.7, 0.7])
    grown = grow(code[:, None], y, Criterion.GINI, n_levels=[n_levels], max_depth=1)
    best = best_gini(code, y, np.ones(len(y)))
    assert 0.97 * best <= grown.gain[0] <= best * (1 + 1e-12)


def test_principal_order_sees_what_no_single_class_shows(grow: Any) -> None:
    """Six classes; even levels have two of the first three, odd ones two of the others.

    Some even level lacks every class, so the order by one class mixes the sides; the principal component does not.
    """
    profiles = np.array([[9, 9, 0], [9, 0, 9], [0, 9, 9]])
    rows = []
    for level in range(12):
        mine, other = (0, 3) if level % 2 == 0 else (3, 0)
        times = np.zeros(6, int)
        times[mine : mine + 3], times[other : other + 3] = profiles[level // 2 % 3], 1
        rows += [(level, k) for k in np.repeat(np.arange(6), times)]
    code, y = np.array(rows).T
    grown = grow(code[:, None], y, Criterion.GINI, n_levels=[12], max_depth=1)
    assert len(set(grown.group[::2])) == len(set(grown.group[1::2])) == 1
    assert grown.group[0] != grown.group[1]


def test_first_of_equal_subsets_holds_the_lowest_level(grow: Any) -> None:
    """Three classes, one level each: every subset that cuts one class off gains the same; {0} has the lowest mask."""
    code = np.repeat([1, 2, 4], 2)
    grown = grow(code[:, None], np.repeat([0, 1, 2], 2), Criterion.GINI, n_levels=[5], max_depth=1)
    assert grown.group.tolist() == [-1, 0, 1, -1, 1]


def test_direction_sends_missing_levels_where_they_belong(grow: Any) -> None:
    code = np.array([0, 0, 1, 1, nan, nan])[:, None]
    for answer, default in ((0, 0), (1, 1)):
        grown = grow(
            code, np.array([0, 0, 1, 1, answer, answer]), Criterion.GINI, n_levels=[2], missing=Missing.DIRECTION
        )
        assert (grown.group.tolist(), grown.default[0]) == ([0, 1], default)
        assert grown.impurity[1:].tolist() == [0, 0]


def test_direction_may_part_present_from_missing(grow: Any) -> None:
    code = np.array([0, 0, 1, 1, nan, nan])[:, None]
    grown = grow(code, np.array([0, 0, 0, 0, 1, 1]), Criterion.GINI, n_levels=[3], missing=Missing.DIRECTION)
    assert (grown.group.tolist(), grown.default[0]) == ([0, 0, -1], 1)
    assert grown.fraction[1:].tolist() == [1, 0]


def test_missing_is_a_level_of_its_own(grow: Any) -> None:
    """Sorted by mean the order is 1, missing, 0: missing can go with either, or lead a side."""
    code = np.array([0, 0, 1, 1, nan, nan])[:, None]
    y = np.array([9.0, 9.0, 1.0, 1.0, 2.0, 2.0])
    grown = grow(code, y, Criterion.SQUARED_ERROR, n_levels=[2], missing=Missing.CATEGORY, max_depth=1)
    assert (grown.group.tolist(), grown.default[0]) == ([1, 0], 0)
    alone = grow(
        code, np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0]), Criterion.SQUARED_ERROR, n_levels=[2], missing=Missing.CATEGORY
    )
    assert (alone.group.tolist(), alone.default[0], alone.count.tolist()) == ([1, 1], 0, [6, 2, 4])


@pytest.mark.parametrize("missing", list(Missing))
def test_default_is_the_larger_child_where_nothing_is_missing(grow: Any, missing: Missing) -> None:
    for code, default in (([0, 0, 1], 0), ([0, 1, 1], 1), ([0, 1], 1)):
        X = np.array(code, float)[:, None]
        for n_levels in ([0], [2]):
            grown = grow(X, np.array(code), Criterion.GINI, n_levels=n_levels, missing=missing)
            assert grown.default[0] == default
