"""Laws of growing: weights, stop rules, order, ties, bins, fractions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood.kernels.contracts.growth import Grown, Growth, Target
from softwood.kernels.kinds import Criterion, Missing, Score
from softwood.tree import Schema, Surrogates, Tree

CLASSIFY = (Criterion.GINI, Criterion.ENTROPY, Criterion.ERROR)
LEVELS = np.array([0, 0, 4, 0], np.int32)


def table(
    seed: int, criterion: Criterion = Criterion.SQUARED_ERROR, n: int = 80, gaps: float = 0.0
) -> tuple[Any, Any, Any]:
    """Three numbers and a category, some values missing; numbers or three classes to predict."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 4, n), rng.normal(size=n).round(1)])
    y = X[:, 0] + np.sin(2 * X[:, 2]) + rng.normal(size=n) / 2
    X[rng.random(X.shape) < gaps] = np.nan
    return X, np.digitize(y, [-0.3, 0.9]) if criterion in CLASSIFY else y, rng


def assert_same_tree(one: Grown, other: Grown, rtol: float = 1e-12) -> None:
    for name in ("first_child", "feature", "threshold", "group_begin", "group", "default"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in ("fraction", "count", "value", "impurity", "gain", "lower", "upper"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol, 1e-10, err_msg=name)
    for name, value in vars(one.surrogates).items():
        np.testing.assert_allclose(getattr(other.surrogates, name), value, rtol, 1e-10, err_msg=name)


@pytest.mark.fewer(12)
@pytest.mark.parametrize("missing", list(Missing))
@pytest.mark.parametrize("criterion", list(Criterion))
def test_weight_two_is_a_row_twice_and_weight_zero_no_row(grow: Any, criterion: Criterion, missing: Missing) -> None:
    X, y, rng = table(0, criterion, gaps=0.1)
    times = rng.integers(0, 4, len(X))
    rules = {"missing": missing, "min_samples_leaf": 6.0, "n_levels": LEVELS}
    weighted = grow(X, y, criterion, weight=times, **rules)
    repeated = grow(np.repeat(X, times, axis=0), np.repeat(y, times), criterion, **rules)
    assert len(weighted.count) > 3
    assert_same_tree(weighted, repeated)


def test_weight_zero_is_no_row_for_bins_either(grow: Any) -> None:
    X, y, rng = table(1)
    times = rng.integers(0, 4, len(X))
    rules = {"max_bins": 6, "min_samples_leaf": 6.0, "n_levels": LEVELS}
    weighted = grow(X, y, Criterion.SQUARED_ERROR, weight=times, **rules)
    assert_same_tree(weighted, grow(np.repeat(X, times, axis=0), np.repeat(y, times), Criterion.SQUARED_ERROR, **rules))


@pytest.mark.fewer(12)
@pytest.mark.parametrize("missing", list(Missing))
@pytest.mark.parametrize("criterion", list(Criterion))
def test_children_share_what_the_parent_has(grow: Any, criterion: Criterion, missing: Missing) -> None:
    """Count, class weights and sums are conserved, also if rows are split into fractions."""
    X, y, rng = table(2, criterion, gaps=0.15)
    grown = grow(X, y, criterion, weight=rng.uniform(0.5, 2, len(X)), missing=missing, n_levels=LEVELS, max_depth=4)
    for m in np.flatnonzero(grown.first_child >= 0):
        pair = slice(grown.first_child[m], grown.first_child[m] + 2)
        assert grown.count[pair].sum() == pytest.approx(grown.count[m])
        assert grown.fraction[pair].sum() == pytest.approx(1)
        if criterion in CLASSIFY:
            np.testing.assert_allclose(grown.value[pair].sum(axis=0), grown.value[m], atol=1e-9)
        elif criterion == Criterion.SQUARED_ERROR:
            np.testing.assert_allclose(
                grown.count[pair] @ grown.value[pair], grown.count[m] * grown.value[m], atol=1e-9
            )
    assert np.isnan(grown.fraction[0])
    assert (np.diff(grown.group_begin) == np.where(grown.feature == 2, 4, 0)).all()


def test_fractions_follow_the_known_rows(grow: Any) -> None:
    """Two known rows go first, one second; the missing row is two thirds here and a third there."""
    X, y = np.array([[1.0], [1.0], [2.0], [np.nan]]), np.array([0, 0, 1, 1])
    grown = grow(X, y, Criterion.GINI, missing=Missing.FRACTION, max_depth=1)
    np.testing.assert_allclose(grown.fraction[1:], [2 / 3, 1 / 3])
    np.testing.assert_allclose(grown.value, [[2, 2], [2, 2 / 3], [0, 4 / 3]])
    assert grown.gain[0] == pytest.approx(3 * 4 / 9)  # of the three known rows: 3 * (1 - 4/9 - 1/9)


@pytest.mark.parametrize("missing", list(Missing))
@pytest.mark.parametrize("seed", range(3))
def test_a_grown_tree_sends_its_rows_where_growing_did(grow: Any, missing: Missing, seed: int) -> None:
    """Gates, surrogates, defaults and fractions have the same meaning in the evaluator."""
    X, y, rng = table(seed, gaps=0.15)
    weight = rng.uniform(0.5, 2, len(X))
    grown = grow(X, y, Criterion.SQUARED_ERROR, weight=weight, missing=missing, n_levels=LEVELS, min_samples_leaf=3.0)
    branch = grown.first_child >= 0
    tree = Tree(
        response=grown.value,
        schema=Schema(features=tuple("abcd"), categories=(None, None, tuple("pqrs"), None), answers=("y",)),
        first_child=grown.first_child,
        n_children=np.where(branch, 2, 0),
        score=np.where(grown.feature == 2, Score.CATEGORY, np.where(branch, Score.THRESHOLD, Score.NONE)),
        feature=grown.feature,
        threshold=grown.threshold,
        group_begin=grown.group_begin,
        group=grown.group,
        missing=np.full(len(branch), missing),
        default=grown.default,
        fraction=grown.fraction,
        surrogates=Surrogates(**vars(grown.surrogates)),
    )
    np.testing.assert_allclose(weight @ tree.reach(X), grown.count, rtol=1e-12)


@pytest.mark.parametrize("missing", [Missing.DIRECTION, Missing.CATEGORY, Missing.SURROGATE])
def test_gain_is_the_fall_of_weighted_impurity(grow: Any, missing: Missing) -> None:
    X, y, _ = table(3, gaps=0.2 if missing != Missing.SURROGATE else 0.0)
    grown = grow(X, y, Criterion.SQUARED_ERROR, missing=missing, n_levels=LEVELS, min_samples_leaf=3.0)
    branch = np.flatnonzero(grown.first_child >= 0)
    loss = grown.count * grown.impurity
    first = grown.first_child[branch]
    np.testing.assert_allclose(grown.gain[branch], loss[branch] - loss[first] - loss[first + 1], atol=1e-9)
    assert (grown.gain[grown.first_child < 0] == 0).all()


@pytest.mark.parametrize(
    ("rules", "holds"),
    [
        ({"max_depth": 0}, lambda g: len(g.count) == 1),
        ({"max_leaves": 1}, lambda g: len(g.count) == 1),
        ({"max_leaves": 5}, lambda g: len(g.count) == 9),
        ({"min_samples_leaf": 9.0}, lambda g: g.count.min() >= 9),
        ({"min_samples_split": 25.0}, lambda g: g.count[g.first_child >= 0].min() >= 25),
        ({"min_samples_leaf": 41.0}, lambda g: len(g.count) == 1),
        ({"min_impurity": 0.4}, lambda g: g.impurity[g.first_child >= 0].min() > 0.4),
        ({"min_impurity_decrease": 0.05}, lambda g: g.gain[g.first_child >= 0].min() >= 0.05 * 80),
        ({"min_impurity_decrease": 9.0}, lambda g: len(g.count) == 1),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",  # no addresses: workers must agree on names
)
def test_stop_rules(grow: Any, rules: dict[str, Any], holds: Any) -> None:
    X, y, _ = table(4)
    free = grow(X, y, Criterion.SQUARED_ERROR, n_levels=LEVELS)
    assert not holds(free)
    assert holds(grow(X, y, Criterion.SQUARED_ERROR, n_levels=LEVELS, **rules))


def test_nodes_are_numbered_in_the_order_of_growth(grow: Any) -> None:
    X, y, _ = table(5)
    grown = grow(X, y, Criterion.SQUARED_ERROR, n_levels=LEVELS)
    first = grown.first_child[grown.first_child >= 0]
    np.testing.assert_array_equal(first, np.arange(1, len(grown.count), 2))
    best = grow(X, y, Criterion.SQUARED_ERROR, n_levels=LEVELS, max_leaves=8)
    order = np.argsort(best.first_child[best.first_child >= 0])
    branch = np.flatnonzero(best.first_child >= 0)[order]
    for done, m in enumerate(branch):  # nothing that was open had a larger gain
        waiting = [k for k in branch[done + 1 :] if k < best.first_child[m]]
        assert all(best.gain[k] <= best.gain[m] for k in waiting)


def test_fewer_leaves_are_the_top_of_more_leaves(grow: Any) -> None:
    X, y, _ = table(6)
    few = grow(X, y, Criterion.SQUARED_ERROR, n_levels=LEVELS, max_leaves=4)
    many = grow(X, y, Criterion.SQUARED_ERROR, n_levels=LEVELS, max_leaves=9)
    branch = few.first_child >= 0
    np.testing.assert_array_equal(few.first_child[branch], many.first_child[:7][branch])
    np.testing.assert_array_equal(few.count, many.count[:7])


def test_ties_go_to_the_lowest_feature_and_threshold(grow: Any) -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    grown = grow(np.column_stack([-x, x, x]), np.array([0, 1, 1, 0]), Criterion.GINI, max_depth=1)
    assert (grown.feature[0], grown.threshold[0]) == (0, -3.5)


def test_ties_far_from_the_mean_of_all_rows_go_to_the_lowest_feature(grow: Any) -> None:
    """Pairs of nearly equal targets, which inputs 0 and 1 separate equally, from opposite ends (fuzz seed 401961)."""
    rng = np.random.default_rng(0)
    pair, side = np.repeat(np.arange(60.0), 2), np.tile([0.0, 1.0], 60)
    y = 1.37 * pair + 1e-6 * rng.random(120)
    grown = grow(np.column_stack([side, -side, pair]), y, Criterion.SQUARED_ERROR)
    pairs = (grown.first_child >= 0) & (grown.count == 2)
    assert pairs.sum() > 50
    assert (grown.feature[pairs] == 0).all()


def test_equal_leaves_are_split_oldest_first(grow: Any) -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    grown = grow(X, np.array([0.0, 1.0, 10.0, 11.0]), Criterion.SQUARED_ERROR, max_leaves=3)
    assert grown.first_child.tolist() == [1, 3, -1, -1, -1]


def test_zero_gain_is_still_a_split(grow: Any) -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    grown = grow(X, np.array([0, 1, 1, 0]), Criterion.GINI)
    assert grown.gain[0] == 0
    assert grown.impurity[grown.first_child < 0].tolist() == [0, 0, 0, 0]


def test_threshold_parts_neighbouring_floats(grow: Any) -> None:
    a, b = 1.0, np.nextafter(1.0, 2.0)
    grown = grow([[a], [b]], np.array([0, 1]), Criterion.GINI)
    assert grown.threshold[0] == a


@pytest.mark.parametrize("value", [0.1, 1e10 / 3])
def test_equal_answers_are_pure(grow: Any, value: float) -> None:
    grown = grow(np.arange(7.0)[:, None], np.full(7, value), Criterion.SQUARED_ERROR)
    assert (len(grown.count), grown.impurity[0], grown.value[0, 0]) == (1, 0, value)


@pytest.mark.parametrize(
    ("y", "w", "median"),
    [([3, 1, 2], [1, 1, 1], 2), ([4, 1, 2, 3], [1, 1, 1, 1], 2.5), ([1, 2, 3], [1, 1, 2], 2.5), ([1, 2], [1, 3], 2),
     ([1, 2, 3], [0.1, 0.7, 0.8], 2.5)],
)  # fmt: skip
def test_weighted_median(grow: Any, y: list[float], w: list[float], median: float) -> None:
    X, y_float = np.zeros((len(y), 1)), np.array(y, float)
    grown = grow(X, y_float, Criterion.ABSOLUTE_ERROR, weight=w)
    assert grown.value[0, 0] == pytest.approx(median)
    assert grown.impurity[0] == pytest.approx(np.average(abs(y_float - median), weights=w))


def test_enough_bins_search_every_value(grow: Any) -> None:
    """The first split is the same; deeper, edges of the whole column replace a node's own midpoints."""
    X, y, _ = table(7)
    for criterion in (Criterion.SQUARED_ERROR, Criterion.ABSOLUTE_ERROR):
        exact, binned = (grow(X, y, criterion, n_levels=LEVELS, max_depth=1, max_bins=bins) for bins in (0, 200))
        assert_same_tree(exact, binned)


def test_bins_are_of_about_equal_weight(grow: Any) -> None:
    """Ten values in four bins: they end where a quarter, a half and three quarters of the weight are reached."""
    X, y = np.arange(10.0)[:, None], np.arange(10.0)
    grown = grow(X, y, Criterion.SQUARED_ERROR, max_bins=4)
    assert sorted(grown.threshold[grown.first_child >= 0]) == [2.5, 4.5, 7.5]
    heavy = grow(X, y, Criterion.SQUARED_ERROR, max_bins=4, weight=[1, 1, 1, 20, 1, 1, 1, 1, 1, 1])
    assert sorted(heavy.threshold[heavy.first_child >= 0]) == [3.5]


@pytest.mark.fewer(12)
@pytest.mark.parametrize("missing", list(Missing))
@pytest.mark.parametrize("criterion", list(Criterion))
def test_order_of_rows_does_not_matter(grow: Any, criterion: Criterion, missing: Missing) -> None:
    X, y, rng = table(8, criterion, gaps=0.1)
    turn = rng.permutation(len(X))
    rules = {"missing": missing, "n_levels": LEVELS, "min_samples_leaf": 2.0}
    assert_same_tree(grow(X, y, criterion, **rules), grow(X[turn], y[turn], criterion, **rules))


def test_one_grower_grows_many_trees(grower_class: Any) -> None:
    X, y, rng = table(9)
    grower, weight = grower_class(X, LEVELS, np.ones(len(X))), rng.integers(0, 3, len(X)).astype(float)
    rules = Growth(Criterion.SQUARED_ERROR, max_depth=4)
    once = grower.grow(Target(y[:, None], weight), rules)
    grower.grow(Target(-y[:, None], np.ones(len(X))), rules)
    assert_same_tree(once, grower.grow(Target(y[:, None], weight), rules))


def test_no_rows_is_an_error(grow: Any) -> None:
    with pytest.raises(ValueError, match="weight > 0"):
        grow([[1.0], [2.0]], np.array([0, 1]), Criterion.GINI, weight=[0, 0])


def test_criterion_must_fit_the_target(grow: Any) -> None:
    with pytest.raises(ValueError, match="SQUARED_ERROR"):
        grow([[1.0], [2.0]], np.array([0, 1]), Criterion.SQUARED_ERROR)
