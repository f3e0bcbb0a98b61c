"""The order of the columns of a data frame does not change a tree by a bit: learners sort columns by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from softwood import (
    Batches,
    CARTClassifier,
    CARTRegressor,
    LinearDiscriminantTreeClassifier,
    OmnivariateTreeClassifier,
    SoftenedTreeClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
)
from softwood.learners.column_order import ColumnOrder
from softwood.tree import Schema


def frame(n: int = 240) -> tuple[pd.DataFrame, Any, Any]:
    """Whole numbers, so that features tie; names out of order; a category; missing values."""
    rng = np.random.default_rng(3)
    names = ["x10", "b", "x2", "a", "c"]
    X = pd.DataFrame(rng.integers(0, 4, (n, 5)).astype(float), columns=names)
    X["b"] = rng.normal(size=n)
    score = X["x10"] + X["b"] * (X["a"] > 1) - X["x2"]
    X.loc[rng.random(n) < 0.1, "x2"] = np.nan
    X["kind"] = pd.Categorical(rng.choice(["red", "blue", "green"], n))
    noisy = score + 0.5 * rng.normal(size=n)
    return X, noisy.to_numpy(), (noisy > 1).to_numpy().astype(int)


LEARNERS: dict[str, tuple[Callable[[], Any], bool]] = {
    "cart": (CARTRegressor, False),
    "cart, mean": (lambda: CARTRegressor(missing="mean", monotonic_cst={"x10": 1}), False),
    "cart classes": (CARTClassifier, True),
    "cart bins": (lambda: CARTClassifier(max_bins=16), True),
    "discriminant": (LinearDiscriminantTreeClassifier, True),
    "omnivariate": (lambda: OmnivariateTreeClassifier(prune=None, min_impurity_decrease=0.05), True),
    "softened": (lambda: SoftenedTreeClassifier(n_successes=2, n_splits=1), True),
    "soft": (lambda: SoftTreeRegressor(effort="quick", max_leaves=4), False),
    "soft classes": (lambda: SoftTreeClassifier(effort="quick", max_leaves=4), True),
    "soft, monotone": (lambda: SoftTreeRegressor(effort="quick", max_leaves=3, monotonic_cst={"x10": 1}), False),
    "incremental": (lambda: SoftTreeRegressor(learner="incremental", max_leaves=4), False),
}


def answers(model: Any, X: Any) -> Any:
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@pytest.mark.parametrize(("make", "classes"), LEARNERS.values(), ids=LEARNERS.keys())
def test_the_order_of_named_columns_changes_no_bit(make: Callable[[], Any], classes: bool) -> None:
    X, number, code = frame()
    y = code if classes else number
    if isinstance(make(), (OmnivariateTreeClassifier, LinearDiscriminantTreeClassifier)):
        X = X.drop(columns="kind").fillna(0.0)
    first = make().fit(X, y)
    rng = np.random.default_rng(0)
    for _ in range(2):
        names = rng.permutation(X.columns)
        other = make().fit(X[names], y)
        assert other.tree_.schema.features == tuple(names)
        assert list(other.feature_names_in_) == list(names)
        np.testing.assert_array_equal(answers(other, X[names]), answers(first, X))
        np.testing.assert_array_equal(other.tree_.n_children, first.tree_.n_children)
        by_name = dict(zip(X.columns, first.feature_importances_, strict=True))
        np.testing.assert_allclose(other.feature_importances_, [by_name[name] for name in names], rtol=1e-12)
    assert first.tree_.n_nodes > 1


def test_columns_of_a_list_of_signs_go_with_their_columns() -> None:
    X, y, _ = frame()
    X = X.drop(columns="kind")
    for make in (CARTRegressor, lambda **how: SoftTreeRegressor(effort="quick", max_leaves=3, **how)):
        by_place = make(monotonic_cst=[1, 0, -1, 0, 0]).fit(X, y)
        by_name = make(monotonic_cst={"x10": 1, "x2": -1}).fit(X, y)
        np.testing.assert_array_equal(by_place.predict(X), by_name.predict(X))


def test_validation_rows_intervals_and_warm_starts_read_the_same_columns() -> None:
    X, y, _ = frame(600)
    mixed = X[X.columns[::-1]]
    for make in (
        lambda: CARTRegressor(prune="validation"),
        lambda: SoftTreeRegressor(effort="quick", max_leaves=4, warm_start=True),
    ):
        models = []
        for table in (X, mixed):
            model = make().fit(table[:400], y[:400], X_val=table[400:500], y_val=y[400:500])
            if "warm_start" in model.get_params():
                model.fit(table, y)
            models.append(model)
        np.testing.assert_array_equal(models[0].predict(X), models[1].predict(mixed))
        ends = [model.predict_interval(table) for model, table in zip(models, (X, mixed), strict=True)]
        np.testing.assert_allclose(*ends, rtol=1e-9)  # widths are sums over the columns, in their order


def test_batches_take_the_columns_of_memory() -> None:
    X, y, code = frame()
    table = X.drop(columns="kind")
    for make, target in (
        (lambda: SoftTreeRegressor(effort="quick", max_leaves=3), y),
        (lambda: CARTClassifier(max_bins=32, missing="direction", prune=None), code),
    ):
        memory = make().fit(table, target)
        given = table.assign(target=target)
        batches = make().fit(Batches(lambda g=given: iter([g[:100], g[100:]])), "target")
        np.testing.assert_array_equal(memory.predict(table), batches.predict(table))
        assert memory.tree_.schema.features == batches.tree_.schema.features


def test_names_are_sorted_with_their_numbers() -> None:
    schema = Schema(("x10", "B", "x2", "b", "x02", "x1"), (None,) * 6, ("y",))
    assert ColumnOrder.of(schema).schema(schema).features == ("B", "b", "x1", "x02", "x2", "x10")
    assert ColumnOrder.of(Schema.plain(12, 1)).is_given
