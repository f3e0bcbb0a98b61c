"""Laws of weights: one per row, one factor per class, and clear errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from softwood import (
    BuddingTreeClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    LinearDiscriminantTreeClassifier,
    MixtureOfExpertsClassifier,
    OmnivariateTreeClassifier,
    SoftenedTreeClassifier,
    SoftTreeClassifier,
    soften,
)
from softwood.intake.table.weights import class_weights, read_weights

CLASSES = np.array(["a", "b", "c"])


@pytest.mark.parametrize("container", [list, np.array, pd.Series, pl.Series, lambda values: pa.chunked_array([values])])
def test_weights_are_the_same_through_every_container(container: Any) -> None:
    weight = read_weights(container([2, 0]), 2)
    assert weight.dtype == np.float64
    assert weight.tolist() == [2.0, 0.0]


def test_no_weight_is_one_and_a_scalar_is_for_all_rows() -> None:
    assert read_weights(None, 2).tolist() == [1.0, 1.0]
    assert read_weights(3, 2).tolist() == [3.0, 3.0]
    assert read_weights(np.array(0.5), 2).tolist() == [0.5, 0.5]


def test_float64_weights_are_not_copied() -> None:
    weight = np.ones(3)
    assert read_weights(weight, 3) is weight


REFUSED: list[tuple[Any, str]] = [
    ([1, -1], "sample_weight must be >= 0, got -1.0 at row 1"),
    (-2, "sample_weight must be >= 0, got -2.0 at row 0"),
    ([1, np.nan], "Input sample_weight contains NaN"),
    (pl.Series([1, None]), "Input sample_weight contains NaN or None, first at row 1"),
    ([1, np.inf], "Input sample_weight contains infinity"),
    ([0, 0], "sample_weight must not be all zero"),
    ([1, 2, 3], r"Found input variables with inconsistent numbers of samples: \[2, 3\]"),
    ([[1], [2]], r"sample_weight must have one dimension, .* got shape \(2, 1\)"),
    ("balanced", r"sample_weight must hold numbers, got 'balanced' \(str\)"),
]


@pytest.mark.parametrize(("sample_weight", "words"), REFUSED)
def test_bad_weights_are_refused_in_words(sample_weight: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_weights(sample_weight, 2)


def test_balanced_classes_weigh_the_same() -> None:
    codes = np.array([0, 0, 0, 1, 2, 2], np.int32)
    weight = np.array([1.0, 2.0, 0.5, 4.0, 1.0, 0.0])
    factor = class_weights("balanced", CLASSES, codes, weight)
    total = np.bincount(codes, weight * factor[codes])
    np.testing.assert_allclose(total, weight.sum() / 3)


def test_weight_two_is_a_row_twice_and_weight_zero_its_removal_for_balanced_classes() -> None:
    once = class_weights("balanced", CLASSES, np.array([0, 1, 2], np.int32), np.array([2.0, 1.0, 0.0]))
    twice = class_weights("balanced", CLASSES[:2], np.array([0, 0, 1], np.int32), np.ones(3))
    np.testing.assert_array_equal(once[:2], twice)


def test_classes_left_out_of_a_dict_count_once() -> None:
    codes, weight = np.array([0, 1, 2], np.int32), np.ones(3)
    assert class_weights({"b": 5}, CLASSES, codes, weight).tolist() == [1.0, 5.0, 1.0]
    assert class_weights(None, CLASSES, codes, weight).tolist() == [1.0, 1.0, 1.0]
    assert class_weights({np.int64(1): 2.0}, np.array([0, 1]), codes[:2], weight[:2]).tolist() == [1.0, 2.0]


BAD_CLASS_WEIGHTS: list[tuple[Any, str]] = [
    ({"z": 1, "a": 2}, r"labels that are not classes of y: \['z'\]; the classes are \['a', 'b', 'c'\]"),
    ({"a": -1}, "class_weight must be finite numbers >= 0, got -1 for class 'a'"),
    ({"a": np.nan}, "class_weight must be finite numbers >= 0, got nan for class 'a'"),
    ({"a": "much"}, "class_weight must be finite numbers >= 0, got 'much' for class 'a'"),
    ("even", "class_weight must be None, 'balanced' or a dict by class label, got 'even'"),
    ([1, 2, 3], "class_weight must be None, 'balanced' or a dict by class label"),
]


@pytest.mark.parametrize(("class_weight", "words"), BAD_CLASS_WEIGHTS)
def test_bad_class_weights_are_refused_in_words(class_weight: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        class_weights(class_weight, CLASSES, np.array([0, 1, 2], np.int32), np.ones(3))


@pytest.mark.parametrize("size", [1e-300, 1e20, 1e200])
def test_weights_whose_squares_no_double_holds_are_refused(size: float) -> None:
    with pytest.raises(ValueError, match="sample_weight must have its largest weight between 1e-100 and 1e\\+15, got"):
        read_weights([size, size / 2], 2)


def test_a_weight_that_no_sum_notices_is_zero() -> None:
    np.testing.assert_array_equal(read_weights([1.0, 1e-29, 1e-31, 0.0], 4), [1.0, 1e-29, 0.0, 0.0])


# -- weights count as rows, and those that sum to less are raised ------------------------------------------------------

LEARNERS: list[Any] = [
    CARTClassifier(),
    CARTClassifier(min_samples_leaf=5, prune=None),
    C45Classifier(),
    LinearDiscriminantTreeClassifier(),
    OmnivariateTreeClassifier(),
    SoftenedTreeClassifier(n_successes=1, patience=20),
    SoftTreeClassifier(gate="linear", leaf="constant"),
    BuddingTreeClassifier(gate="linear", leaf="constant"),
    MixtureOfExpertsClassifier(depth=1),
    CARTRegressor(),
]


def distinct_iris() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    first = np.unique(X, axis=0, return_index=True)[1]
    return X[first], y[first]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_equal_weights_that_sum_to_one_change_nothing(learner: Any) -> None:
    X, y = distinct_iris()
    plain = learner.fit(X, y).tree_.output(X)
    light = learner.fit(X, y, sample_weight=np.full(len(y), 1 / len(y))).tree_.output(X)
    np.testing.assert_array_equal(light, plain)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_light_row_of_twice_the_weight_is_the_row_twice(learner: Any) -> None:
    X, y = distinct_iris()
    weight = np.where(np.arange(len(y)) % 3, 2.0**-10, 2.0**-9)
    twice = np.repeat(np.arange(len(y)), np.where(np.arange(len(y)) % 3, 1, 2))
    heavy = learner.fit(X, y, sample_weight=weight).tree_.output(X)
    often = learner.fit(X[twice], y[twice], sample_weight=np.full(len(twice), 2.0**-10)).tree_.output(X)
    np.testing.assert_allclose(often, heavy, rtol=1e-9, atol=1e-12)


def test_light_weights_soften_a_tree_as_ones_do() -> None:
    X, y = distinct_iris()
    model = CARTClassifier().fit(X, y)
    plain = soften(model, X, y).predict_proba(X)
    np.testing.assert_array_equal(soften(model, X, y, sample_weight=np.full(len(y), 1e-3)).predict_proba(X), plain)


@pytest.mark.long
@pytest.mark.parametrize("tree", [CARTClassifier(max_depth=2), LinearDiscriminantTreeClassifier(max_depth=2)])
def test_boosting_is_better_than_one_of_its_trees(tree: Any) -> None:
    """AdaBoost's weights sum to one. Averaged over four tables, because pruning of a single one depends on chance."""
    gain = []
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(600, 2))
        y = (X[:, 0] * X[:, 1] + 0.3 * X[:, 0] > 0).astype(int) + (X[:, 0] ** 2 + X[:, 1] ** 2 > 3)
        learn, test = slice(0, 300), slice(300, None)
        boosted = AdaBoostClassifier(tree, n_estimators=20, random_state=0).fit(X[learn], y[learn])
        gain.append(boosted.score(X[test], y[test]) - tree.fit(X[learn], y[learn]).score(X[test], y[test]))
    assert np.mean(gain) > 0.03


def test_boosted_unpruned_trees_are_as_good_as_scikit_learns() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    y = (X[:, 0] * X[:, 1] + 0.3 * X[:, 0] > 0).astype(int) + (X[:, 0] ** 2 + X[:, 1] ** 2 > 3)
    ours, theirs = (
        AdaBoostClassifier(tree, n_estimators=20, random_state=0).fit(X, y)
        for tree in (CARTClassifier(max_depth=2, prune=None), DecisionTreeClassifier(max_depth=2))
    )
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_)


@pytest.mark.parametrize("learner", [SoftTreeClassifier(gate="linear"), BuddingTreeClassifier(gate="linear")])
def test_rows_of_a_class_that_weighs_much_are_no_copies(learner: Any) -> None:
    """No part of such a row is trained on while another is held out, or a tree would memorise labels."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), (np.arange(200) < 20).astype(int)
    assert learner.set_params(class_weight={0: 1, 1: 9}).fit(X, y).tree_.n_nodes == 1
