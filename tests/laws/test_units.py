"""Equivariance under changes of unit: y -> a y + b and x -> a x + b (a > 0), for every estimator.

Multiplication by a power of two is exact, so predictions are equal to the last bit; with other numbers they are equal
up to rounding.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from softwood import (
    BuddingTreeClassifier,
    BuddingTreeRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    LinearDiscriminantTreeClassifier,
    LinearDiscriminantTreeRegressor,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
    OmnivariateTreeClassifier,
    OmnivariateTreeRegressor,
    SoftenedTreeClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
)
from softwood.estimators.budding.shared import BuddingTree
from softwood.estimators.soft.shared import SoftTree

REGRESSORS: list[Any] = [
    CARTRegressor(),
    CARTRegressor(criterion="absolute_error", min_samples_leaf=5),
    CARTRegressor(criterion="quantile", quantile=0.8, min_samples_leaf=5),
    CARTRegressor(criterion="huber"),
    CARTRegressor(missing="mean"),
    LinearDiscriminantTreeRegressor(),
    OmnivariateTreeRegressor(),
    OmnivariateTreeRegressor(soft=True),
    SoftTreeRegressor(max_leaves=4),
    SoftTreeRegressor(learner="incremental"),
    BuddingTreeRegressor(max_nodes=7),
    MixtureOfExpertsRegressor(),
]
CLASSIFIERS: list[Any] = [
    CARTClassifier(),
    C45Classifier(),
    LinearDiscriminantTreeClassifier(),
    OmnivariateTreeClassifier(),
    SoftTreeClassifier(max_leaves=4),
    BuddingTreeClassifier(max_nodes=7),
    MixtureOfExpertsClassifier(),
    SoftenedTreeClassifier(n_successes=2),
]
Table = tuple[np.ndarray, np.ndarray]


def refines(model: Any) -> bool:
    """Whether there are hundreds of steps, which may end elsewhere if a large offset costs digits."""
    return isinstance(model, SoftTree | BuddingTree) or bool(getattr(model, "soft", False))


def keeps_all_digits(model: Any) -> bool:
    """Whether such steps use every digit of an input; the last depends on the unit, so only the exact law holds."""
    return getattr(model, "learner", "") == "incremental" or bool(getattr(model, "soft", False))


def table(seed: int, gaps: bool = True) -> Table:
    """Rows of a step, a line and a curve, some values missing."""
    r = np.random.default_rng(seed)
    X = r.normal(size=(120, 3))
    y = np.where(X[:, 0] > 0, X[:, 1], np.sin(3 * X[:, 2])) + 0.2 * r.normal(size=120)
    if gaps:
        X[r.random(X.shape) < 0.03] = np.nan
    return X, y


def named(models: list[Any]) -> Any:
    return pytest.mark.parametrize("model", models, ids=[repr(model) for model in models])


def moved(models: list[Any], units: list[tuple[float, float]], exact_only: Callable[[Any], bool]) -> Any:
    """Models and units (a, b) for which the law holds: not if a large offset costs digits that a model needs."""
    cases = [
        pytest.param(model, a, b, id=f"{model!r}-{a:g}-{b:g}")
        for model in models
        for a, b in units
        if not exact_only(model) and not (refines(model) and abs(b) > 1e3 * a)
    ]
    return pytest.mark.parametrize(("model", "a", "b"), cases)


def fit(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    """A fit in which any warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return type(model)(**model.get_params()).fit(X, y)


def same_structure(one: Any, other: Any) -> bool:
    a, b = one.tree_, other.tree_
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("first_child", "feature", "score"))


@pytest.mark.fewer
@named(REGRESSORS)
@pytest.mark.parametrize("power", [-425, -27, 3, 490])
def test_a_target_times_a_power_of_two_has_the_same_tree(model: Any, power: int) -> None:
    X, y = table(abs(power))
    a = 2.0**power
    one, other = fit(model, X, y), fit(model, X, a * y)
    assert np.array_equal(other.predict(X), a * one.predict(X))
    assert np.array_equal(other.feature_importances_, one.feature_importances_)


@pytest.mark.fewer
@moved(REGRESSORS, [(0.3048, 100.0), (1e-8, 0.0), (1.0, 1e6), (1e150, 0.0), (37.1, -12.5)], lambda model: False)
def test_the_unit_and_the_zero_of_a_target_change_nothing_else(model: Any, a: float, b: float) -> None:
    X, y = table(5)
    one, other = fit(model, X, y), fit(model, X, a * y + b)
    assert same_structure(one, other)
    assert np.abs((other.predict(X) - b) / a - one.predict(X)).max() < 1e-12 * (1.0 + abs(b) / a)


@pytest.mark.fewer
@named(REGRESSORS + CLASSIFIERS)
@pytest.mark.parametrize("power", [-490, -27, 3, 490])
def test_an_input_times_a_power_of_two_has_the_same_tree(model: Any, power: int) -> None:
    X, y = table(power % 7)
    y = y if model in REGRESSORS else y > 0
    a = 2.0 ** np.array([power, 0, -5])
    one, other = fit(model, X, y), fit(model, a * X, y)
    ask = "predict" if model in REGRESSORS else "predict_proba"
    assert np.array_equal(getattr(other, ask)(a * X), getattr(one, ask)(X))


@pytest.mark.fewer
@moved(REGRESSORS + CLASSIFIERS, [(0.3048, 100.0), (1e-200, 0.0), (3.0, -1e5), (1e150, 0.0)], keeps_all_digits)
def test_the_unit_and_the_zero_of_an_input_change_nothing_else(model: Any, a: float, b: float) -> None:
    X, y = table(6)
    y = y if model in REGRESSORS else y > 0
    one, other = fit(model, X, y), fit(model, a * X + b, y)
    assert same_structure(one, other)
    ask = "predict" if model in REGRESSORS else "predict_proba"
    close = 1e-6 if isinstance(model, MixtureOfExpertsClassifier | MixtureOfExpertsRegressor) else 1e-9
    assert np.abs(getattr(other, ask)(a * X + b) - getattr(one, ask)(X)).max() < close * (1.0 + abs(b) / a)


@named(REGRESSORS)
@pytest.mark.parametrize("size", [1e200, 1e-200, 1e308])
def test_targets_whose_squares_no_double_holds_are_refused_in_words(model: Any, size: float) -> None:
    X, y = table(0)
    with pytest.raises(ValueError, match=r"y must range over 1e-130 to .* so that doubles hold its squares"):
        fit(model, X, size * (y / np.abs(y).max()))


@named(REGRESSORS)
def test_one_large_number_is_a_target_like_another(model: Any) -> None:
    X, _ = table(0)
    assert np.allclose(fit(model, X, np.full(len(X), 1e300)).predict(X), 1e300, rtol=1e-12)


@named(REGRESSORS)
def test_a_target_of_one_column_is_a_vector_with_a_word(model: Any) -> None:
    X, y = table(1)
    with pytest.warns(UserWarning, match="A column-vector y was passed"):
        answer = type(model)(**model.get_params()).fit(X, y[:, None]).predict(X)
    assert np.array_equal(answer, fit(model, X, y).predict(X))


@named(REGRESSORS + CLASSIFIERS)
def test_inputs_far_from_zero_are_learned_from(model: Any) -> None:
    X, y = table(3, gaps=False)
    y = y if model in REGRESSORS else y > 0
    near, far = fit(model, X, y).score(X, y), fit(model, X + 1e9, y).score(X + 1e9, y)
    assert far > 0.8 * near


@pytest.mark.fewer
@named(REGRESSORS + CLASSIFIERS)
@pytest.mark.parametrize("size", [1e-310, 1e307])
def test_inputs_that_no_weight_suits_are_refused_in_words_or_learned_from(model: Any, size: float) -> None:
    X, y = table(3)
    y = y if model in REGRESSORS else y > 0
    refuses = not isinstance(model, CARTRegressor | CARTClassifier | C45Classifier | SoftenedTreeClassifier)
    with pytest.raises(ValueError, match="Multiply or divide it by a constant") if refuses else nullcontext():
        answer = fit(model, size * X, y).predict(size * X)
        assert np.isfinite(answer.astype(np.float64)).all()
