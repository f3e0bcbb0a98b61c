"""`importance`: the expectation of random permutations, computed exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

from softwood import CARTClassifier, CARTRegressor, SoftTreeClassifier, SoftTreeRegressor
from softwood.explain import importance


@pytest.fixture(scope="module")
def diabetes() -> tuple[pd.DataFrame, pd.Series]:
    data = load_diabetes(as_frame=True)
    return data.data, data.target


def by_input(table: pd.DataFrame) -> pd.DataFrame:
    return table.set_index("input").sort_index()


def test_it_is_the_mean_over_all_permutations(diabetes: Any) -> None:
    """Each row's input is replaced by that of every row: with all values, over all pairs."""
    X, y = diabetes
    model = SoftTreeRegressor(random_state=0).fit(X, y)
    rows, known = X[:40], y[:40]
    table = by_input(importance(model, rows, known, n_values=40))
    here = np.square(model.predict(rows) - known)
    for name in ("bmi", "sex", "s5"):
        pairs = np.mean([np.square(model.predict(rows.assign(**{name: x})) - known) for x in rows[name]], axis=0)
        rise = pairs - here
        assert table.loc[name, "permutation"] == pytest.approx(rise.mean())
        half = 1.959964 * rise.std(ddof=1) / np.sqrt(40)
        assert table.loc[name, "high"] - table.loc[name, "permutation"] == pytest.approx(half, rel=1e-5)
        assert table.loc[name, "permutation"] - table.loc[name, "low"] == pytest.approx(half, rel=1e-5)
        fixed = np.square(model.predict(rows.assign(**{name: rows[name].mean()})) - known) - here
        assert table.loc[name, "ablation"] == pytest.approx(fixed.mean())


def test_few_spaced_values_come_near_to_all(diabetes: Any) -> None:
    X, y = diabetes
    model = SoftTreeRegressor(random_state=0).fit(X, y)
    few, every = by_input(importance(model, X, y)), by_input(importance(model, X, y, n_values=1000))
    np.testing.assert_allclose(few["permutation"], every["permutation"], rtol=0.1, atol=5.0)


@pytest.mark.parametrize("measure", ["error", "brier", "log loss"])
def test_rows_count_by_their_weight_in_any_order(measure: str) -> None:
    iris = load_iris(as_frame=True)
    model = SoftTreeClassifier(random_state=0).fit(iris.data, iris.target)
    count = np.random.default_rng(0).integers(0, 3, 150)
    places = np.random.default_rng(1).permutation(np.repeat(np.arange(150), count))
    weighted = importance(model, iris.data, iris.target, sample_weight=count, measure=measure)
    repeated = importance(model, iris.data.iloc[places], iris.target.iloc[places], measure=measure)
    pd.testing.assert_frame_equal(by_input(weighted), by_input(repeated), rtol=1e-9, atol=1e-12)


def test_an_input_that_is_not_asked_does_not_matter(diabetes: Any) -> None:
    X, y = diabetes
    model = CARTRegressor(random_state=0, max_depth=1, missing="direction").fit(X, y)
    table = by_input(importance(model, X, y))
    asked = X.columns[model.tree_.feature[0]]
    assert table.loc[asked, "gain"] == 1.0
    assert not table.drop(asked).to_numpy().any()
    assert importance(model, X, y)["input"].iloc[0] == asked


def test_costs_count(diabetes: Any) -> None:
    X, y = diabetes
    high = np.where(y > 150, "high", "low")
    plain = CARTClassifier(random_state=0, max_depth=2).fit(X, high)
    dear = CARTClassifier(random_state=0, max_depth=2, costs=[[0, 10], [10, 0]]).fit(X, high)
    a, b = importance(plain, X, high), importance(dear, X, high)
    np.testing.assert_allclose(10 * a["permutation"].max(), b["permutation"].max())


def test_gain_is_that_of_the_tree_on_its_own_rows() -> None:
    iris = load_iris(as_frame=True)
    model = CARTClassifier(random_state=0, missing="direction").fit(iris.data, iris.target)
    table = importance(model, iris.data, iris.target).set_index("input")
    np.testing.assert_allclose(table.loc[iris.data.columns, "gain"], model.feature_importances_, atol=1e-12)


def test_wrong_answers_and_options_are_refused(diabetes: Any) -> None:
    X, y = diabetes
    model = CARTRegressor(random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="importance needs a Tree or a fitted softwood estimator, got CARTRegressor"):
        importance(CARTRegressor(), X, y)
    with pytest.raises(
        ValueError, match=r"y must be finite numbers of shape \(442, 1\), one line per row, got \(3, 1\)"
    ):
        importance(model, X, y[:3])
    with pytest.raises(ValueError, match="measure must be one of 'squared error', 'absolute error', got 'error'"):
        importance(model, X, y, measure="error")
    with pytest.raises(ValueError, match="level must be between 0 and 1, got 95"):
        importance(model, X, y, level=95)
    with pytest.raises(ValueError, match="n_values must be an integer of at least 2, got 1"):
        importance(model, X, y, n_values=1)
    with pytest.raises(ValueError, match="sample_weight must be 442 finite numbers, one for each row"):
        importance(model, X, y, sample_weight=np.ones(3))
    classes = CARTClassifier(random_state=0).fit(X, y > 150)
    with pytest.raises(ValueError, match="y has 'yes', which is not a class of the model; the classes are False, True"):
        importance(classes, X, ["yes"] * len(X))
    with pytest.raises(ValueError, match="y must have a value for each of 442 rows, got 2"):
        importance(classes, X, [True, False])
