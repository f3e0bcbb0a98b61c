"""Surrogates: rpart's numbers on an example worked by hand, during growth and in a replay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood.kernels.contracts.growth import Growth, Target
from softwood.kernels.kinds import Criterion, Missing

# Feature 0 parts the classes: rows 0-5 go first, rows 6-9 second; rows 10 and 11 lack it. Of ten rows with a known
# primary the majority is 6. Feature 1 (x <= 6.5) errs in row 9 only: agreement 9/10, adjusted (9 - 6) / 4 = 0.75.
# Feature 2 falls, so it is flipped; it is missing in row 0, which therefore does not agree: 9/10 and 0.75 too.
# Feature 3 is a category: level 0 has 5 rows first; level 1 has 1 first, 3 second; level 2 has 1 second: 5 + 3 + 1 = 9.
# Feature 4 is noise: it agrees with no more than the majority and is dropped.
nan = np.nan
X = np.array(
    [
        [1, 1, nan, 0, 1],
        [2, 2, 9, 0, 2],
        [3, 3, 8, 0, 1],
        [4, 4, 7, 0, 2],
        [5, 5, 6, 0, 1],
        [6, 6, 6, 1, 2],
        [11, 7, 4, 1, 1],
        [12, 8, 3, 1, 2],
        [13, 9, 2, 1, 1],
        [14, 0, 1, 2, 2],
        [nan, 9, nan, 1, 1],
        [nan, nan, 8, 2, 1],
    ]
)
Y = np.array([0] * 6 + [1] * 4 + [1, 0])
LEVELS = np.array([0, 0, 0, 3, 0], np.int32)


def grow_example(grower_class: Any, **rules: Any) -> tuple[Any, Any, Any]:
    grower = grower_class(X, LEVELS, np.ones(12))
    target = Target(Y, np.ones(12), 2)
    return grower, target, grower.grow(target, Growth(Criterion.GINI, max_depth=1, **rules))


def test_worked_example(grower_class: Any) -> None:
    _, _, grown = grow_example(grower_class)
    table = grown.surrogates
    assert (grown.feature[0], grown.threshold[0], grown.default[0]) == (0, 8.5, 0)
    assert table.begin.tolist() == [0, 3, 3, 3]
    assert table.feature.tolist() == [1, 2, 3]
    assert table.threshold[:2].tolist() == [6.5, 5.0]
    assert table.flip.tolist() == [False, True, False]
    assert table.group_begin.tolist() == [0, 0, 0, 3]
    assert table.group.tolist() == [0, 1, 1]
    np.testing.assert_allclose(table.agreement, [0.9, 0.9, 0.9])
    np.testing.assert_allclose(table.adjusted, [0.75, 0.75, 0.75])


def test_surrogates_send_the_rows_that_lack_the_primary(grower_class: Any) -> None:
    """Row 10 goes second by feature 1, row 11 lacks that too and goes first by feature 2."""
    _, _, grown = grow_example(grower_class)
    assert grown.count.tolist() == [12, 7, 5]
    assert grown.impurity[1:].tolist() == [0, 0]
    np.testing.assert_allclose(grown.fraction[1:], [0.6, 0.4])


def test_an_undecided_level_goes_to_the_larger_child(grower_class: Any) -> None:
    """Level 2 has one row on each side; the primary sends four rows first and three second."""
    table = np.array([[1, 0], [2, 0], [3, 0], [4, 2], [5, 1], [6, 1], [7, 2]], float)
    for sign, group in ((1, [0, 1, 0]), (-1, [1, 0, 1])):
        grower = grower_class(table * [sign, 1], np.array([0, 3], np.int32), np.ones(7))
        target = Target(np.array([0, 0, 0, 0, 1, 1, 1]), np.ones(7), 2)
        grown = grower.grow(target, Growth(Criterion.GINI))
        found = grower.surrogates(grown, target, 5)
        assert found.group.tolist() == group
        assert found.agreement[0] == pytest.approx(6 / 7)


def test_without_surrogates_missing_rows_join_the_larger_child(grower_class: Any) -> None:
    _, _, grown = grow_example(grower_class, max_surrogates=0)
    assert grown.count.tolist() == [12, 8, 4]
    assert len(grown.surrogates.feature) == 0


def test_max_surrogates_keeps_the_best(grower_class: Any) -> None:
    _, _, grown = grow_example(grower_class, max_surrogates=1)
    assert grown.surrogates.feature.tolist() == [1]


def test_replay_finds_what_the_loop_found(grower_class: Any) -> None:
    grower, target, grown = grow_example(grower_class)
    again = grower.surrogates(grown, target, 5)
    for name, value in vars(grown.surrogates).items():
        np.testing.assert_array_equal(getattr(again, name), value)


def test_replay_finds_surrogates_where_nothing_is_missing(grower_class: Any) -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=(200, 1))
    table = np.hstack([base, base + rng.normal(size=(200, 2)) / 10])
    target = Target(np.sin(2 * base), np.ones(200))
    grower = grower_class(table, np.zeros(3, np.int32), np.ones(200))
    grown = grower.grow(target, Growth(Criterion.SQUARED_ERROR, max_depth=3, min_samples_leaf=10.0))
    assert len(grown.surrogates.feature) == 0
    found = grower.surrogates(grown, target, 1)
    branch = grown.first_child >= 0
    np.testing.assert_array_equal(np.diff(found.begin), branch.astype(int))
    assert (found.adjusted > 0.3).all()
    assert (found.agreement <= 1).all()


@pytest.mark.parametrize("missing", list(Missing))
def test_replay_runs_rows_down_as_growing_did(grower_class: Any, missing: Missing) -> None:
    """Deep in the tree the rows are still the same: the replayed agreement counts the node's known rows."""
    rng = np.random.default_rng(1)
    table = rng.normal(size=(150, 4))
    y = (table[:, :1] + table[:, 1:2] > 0) + rng.normal(size=(150, 1)) / 5
    table[:, 2] = table[:, 0] + rng.normal(size=150) / 4
    table[rng.random(table.shape) < 0.1] = np.nan
    grower, target = grower_class(table, np.zeros(4, np.int32), np.ones(150)), Target(y, np.ones(150))
    grown = grower.grow(target, Growth(Criterion.SQUARED_ERROR, min_samples_leaf=10.0, missing=missing))
    again = grower.surrogates(grown, target, 5)
    if missing != Missing.SURROGATE:
        assert len(grown.surrogates.feature) == 0
        assert len(again.feature) > 0
        return
    for name, value in vars(grown.surrogates).items():
        np.testing.assert_array_equal(getattr(again, name), value)


def test_a_split_of_present_against_missing_has_no_surrogates(grower_class: Any) -> None:
    """All known rows go one way, so there is nothing to imitate."""
    table = np.array([[1, 1], [1, 2], [1, 1], [nan, 2], [nan, 1], [nan, 2]])
    grower = grower_class(table, np.zeros(2, np.int32), np.ones(6))
    target = Target(np.array([0, 0, 0, 1, 1, 1]), np.ones(6), 2)
    grown = grower.grow(target, Growth(Criterion.GINI, missing=Missing.DIRECTION))
    assert (grown.feature[0], grown.threshold[0], grown.default[0]) == (0, np.inf, 1)
    assert len(grower.surrogates(grown, target, 5).feature) == 0


@pytest.mark.parametrize(
    ("signs", "features"),
    [
        ((1, 1, 0, 0, 0), [1, 2, 3]),  # feature 1 rises with the primary: allowed as it is
        ((1, -1, 0, 0, 0), [2, 3, 1]),  # it has to be flipped: at 0.5 it still agrees with 7 rows
        ((1, 0, -1, 0, 0), [1, 2, 3]),  # feature 2 falls and is flipped
        ((1, 0, 1, 0, 0), [1, 3]),
        ((0, 1, -1, 0, 0), [3]),  # the primary is free: none with a sign may stand in
    ],
)
def test_a_constrained_feature_is_a_surrogate_only_in_its_direction(
    grower_class: Any, signs: tuple[int, ...], features: list[int]
) -> None:
    grower, target, grown = grow_example(grower_class, monotone=np.array(signs, np.int8))
    assert grown.feature[0] == 0
    table = grown.surrogates
    assert table.feature.tolist() == features
    assert table.flip.tolist() == [feature == 2 or signs[feature] < 0 for feature in features]
    again = grower.surrogates(grown, target, 5, np.array(signs, np.int8))
    for name, value in vars(grown.surrogates).items():
        np.testing.assert_array_equal(getattr(again, name), value)
