"""Every wrong parameter and input once: the message says what was given, what is wanted and what to do about it."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from softwood import CARTClassifier, CARTRegressor

X = np.arange(40.0).reshape(20, 2)
Y = np.arange(20) // 10

PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"criterion": "mse"}, "criterion must be one of 'gini', 'entropy', 'error', got 'mse'."),
    ({"max_depth": -1}, "max_depth must be None or an integer >= 0, got -1."),
    ({"max_depth": 2.5}, "max_depth must be None or an integer >= 0, got 2.5."),
    ({"max_leaves": 0}, "max_leaves must be None or an integer >= 1, got 0."),
    ({"min_samples_split": 1}, "min_samples_split must be an integer >= 2, or a float between 0 and 1"),
    ({"min_samples_leaf": 1.5}, "min_samples_leaf must be an integer >= 1, or a float between 0 and 1"),
    ({"min_impurity": -1}, "min_impurity must be a number >= 0, got -1."),
    ({"min_impurity_decrease": float("nan")}, "min_impurity_decrease must be a number >= 0, got nan."),
    ({"max_bins": 1}, "max_bins must be None or an integer >= 2 and <= 256, got 1."),
    ({"max_bins": 300}, "max_bins must be None or an integer >= 2 and <= 256, got 300."),
    (
        {"missing": "drop"},
        "missing must be one of 'surrogate', 'direction', 'fraction', 'category', 'mean', got 'drop'.",
    ),
    ({"max_surrogates": -1}, "max_surrogates must be an integer >= 0, got -1."),
    ({"prune": "ccp"}, "prune must be one of 'cv', 'validation', 'reduced_error', None, got 'ccp'."),
    ({"prune": False}, "prune must be one of 'cv', 'validation', 'reduced_error', None, got False."),
    ({"one_se": "yes"}, "one_se must be True or False, got 'yes'."),
    ({"cv": 1}, "cv must be an integer >= 2, a splitter, or a list of (train, test) rows, got 1; to grow without"),
    ({"cv": "five"}, "cv must be an integer >= 2, a splitter, or a list of (train, test) rows, got 'five'"),
    ({"cv": []}, "cv must give at least one pair (train, test) of rows, got none"),
    ({"cv": [(0, 1, 2)]}, "cv must give pairs (rows to train on, rows to test on), got (0, 1, 2)."),
    ({"cv": [([0.5], [1])]}, "cv must give row numbers, or a mask of 20 rows, got [0.5]."),
    ({"cv": [([0, 99], [1])]}, "cv must give row numbers in 0 .. 19, got 99; were they made for another table?"),
    ({"prune": "validation"}, "prune='validation' needs validation rows: fit(X, y, X_val=..., y_val=...)."),
    ({"costs": "high"}, "costs must be a table of shape (2, 2) or a dict {(actual, predicted): cost}, got 'high'."),
    ({"costs": [[0, 1]]}, "costs must have shape (2, 2), one row per actual class, got (1, 2)."),
    ({"costs": [[1, 1], [1, 0]]}, "costs must be finite and >= 0, with zeros on the diagonal"),
    ({"costs": [[0, 0], [1, 0]]}, "misclassifying 0 costs nothing"),
    ({"costs": {(0, 5): 2}}, "costs must have keys (actual label, predicted label) of [0, 1], got (0, 5)."),
    ({"costs": {(0, 1): "a"}}, "costs must hold numbers, got 'a'."),
    (
        {"priors": "equal"},
        "priors must be a list of shares in the order of the classes, or a dict by label, got 'equal'",
    ),
    ({"priors": [0.5, 0.6]}, "priors must be > 0 and sum to 1, got [0.5, 0.6]."),
    ({"priors": [1.0]}, "priors must have one number for each of 2 classes, got shape (1,)."),
    ({"priors": {0: 1.0}}, "priors must have exactly the classes [0, 1] as keys, got [0]."),
    ({"priors": [0.5, 0.5], "class_weight": "balanced"}, "both weight the classes: set one of them."),
    ({"class_weight": "auto"}, "class_weight must be None, 'balanced' or a dict by class label, got 'auto'."),
    ({"class_weight": {7: 1}}, "class_weight has labels that are not classes of y: [7]; the classes are [0, 1]."),
    ({"class_weight": {0: 0, 1: 0}}, "class_weight gives every row the weight 0"),
    ({"monotonic_cst": 1}, "monotonic_cst must be a list of -1, 0 or 1, one for each feature, or a dict"),
    ({"monotonic_cst": [1]}, "monotonic_cst must have one sign for each of 2 features, got 1."),
    ({"monotonic_cst": [1, 2]}, "monotonic_cst must hold -1, 0 or 1, got 2 for feature 'x1'."),
    (
        {"monotonic_cst": {"age": 1}},
        "monotonic_cst names 'age', which is not a feature; the features are ['x0', 'x1'].",
    ),
    ({"categorical_features": ["a"]}, "are names, but the columns of X have none; pass a data frame"),
    ({"n_jobs": 0}, "n_jobs must be None or an integer other than 0 (-1 uses all cores), got 0."),
    ({"n_jobs": "2"}, "n_jobs must be None or an integer other than 0 (-1 uses all cores), got '2'."),
    ({"random_state": "a"}, "random_state must be None, an integer"),
]


@pytest.mark.parametrize(("given", "message"), PARAMETERS, ids=lambda value: str(value)[:40])
def test_a_wrong_parameter_is_explained(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        CARTClassifier(**given).fit(X, Y)


def test_criteria_of_classes_are_none_of_numbers() -> None:
    with pytest.raises(
        ValueError,
        match=re.escape(
            "must be one of 'squared_error', 'absolute_error', 'poisson', 'quantile', 'huber', got 'gini'."
        ),
    ):
        CARTRegressor(criterion="gini").fit(X, Y)


def test_a_category_has_no_order() -> None:
    frame = pd.DataFrame({"colour": list("ab") * 10})
    with pytest.raises(ValueError, match="has a sign for 'colour', which is an unordered category"):
        CARTClassifier(monotonic_cst={"colour": 1}).fit(frame, Y)


def test_validation_rows_are_checked() -> None:
    model = CARTClassifier(prune="validation")
    for given in ({"X_val": X}, {"y_val": Y}):
        with pytest.raises(ValueError, match="needs validation rows"):
            model.fit(X, Y, **given)
    with pytest.raises(
        ValueError, match="X_val and y_val are for prune='validation' or 'reduced_error', got prune='cv'"
    ):
        CARTClassifier().fit(X, Y, X_val=X, y_val=Y)
    with pytest.raises(ValueError, match="X has 1 features, but CARTClassifier is expecting 2"):
        model.fit(X, Y, X_val=X[:, :1], y_val=Y)
    with pytest.raises(
        ValueError, match=re.escape("no label that occurs in y: it has [5, 6]; the classes are [0, 1].")
    ):
        model.fit(X, Y, X_val=X, y_val=Y + 5)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, Y, X_val=X, y_val=Y[:4])
    with pytest.raises(ValueError, match="y_val must have 1 targets, as y has, got 2"):
        CARTRegressor(prune="validation").fit(X, Y, X_val=X, y_val=np.column_stack([Y, Y]))


def test_sizes_are_checked() -> None:
    model = CARTClassifier(prune=None).fit(X, Y)
    for given in ({}, {"alpha": 0.1, "n_leaves": 2}):
        with pytest.raises(ValueError, match="give either alpha or n_leaves"):
            model.prune_to(**given)
    with pytest.raises(ValueError, match="alpha must be a number >= 0, got -1"):
        model.prune_to(alpha=-1)
    with pytest.raises(ValueError, match="n_leaves must be an integer >= 1, got 0"):
        model.prune_to(n_leaves=0)
    with pytest.raises(ValueError, match="node must be an integer >= 0 and <= 2, got 99"):
        model.snip(99)
    with pytest.raises(ValueError, match=re.escape("node 1 is a leaf; the branches are [0].")):
        model.snip(1)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path", "get_depth", "get_n_leaves"])
def test_an_unfitted_model_says_so(method: str) -> None:
    with pytest.raises(NotFittedError, match="Call 'fit'"):
        getattr(CARTClassifier(), method)(*([] if method.startswith("get") else [X]))


def test_weights_too_light_to_split_are_explained() -> None:
    twice, labels, light = np.tile(X, (2, 1)), np.tile(Y, 2), np.full(40, 0.01)  # 40 rows, 20 of them distinct
    with pytest.warns(UserWarning, match="sums to 20, less than the 30 that a split needs, so nothing is split"):
        assert CARTClassifier(min_samples_split=30).fit(twice, labels, light).get_n_leaves() == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CARTClassifier(min_samples_leaf=50).fit(X, Y)  # the user's own limit: nothing to explain
        with pytest.warns(UserWarning, match="y has one class"):
            CARTClassifier().fit(X[:1], Y[:1])


def test_a_class_of_weight_zero_is_not_there() -> None:
    X3, y3 = np.arange(30.0)[:, None], np.repeat([0, 1, 2], 10)
    model = CARTClassifier(class_weight={0: 0}, prune=None).fit(X3, y3)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X3)[:, 0].max() == 0.0
    assert model.tree_.count[0] == 20
