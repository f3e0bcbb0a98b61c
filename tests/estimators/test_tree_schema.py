"""A fitted estimator's tree has its kinds, levels, costs, names, encoding of cells, and origin."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold

import softwood
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
    soften,
)
from softwood.tree import Schema
from softwood.tree.provenance import Provenance, json_value

CLASSIFIERS = [
    CARTClassifier(), C45Classifier(), LinearDiscriminantTreeClassifier(), OmnivariateTreeClassifier(),
    SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=3), BuddingTreeClassifier(gate="linear", max_nodes=5),
    SoftenedTreeClassifier(n_successes=1), MixtureOfExpertsClassifier(depth=1, max_iter=5),
]  # fmt: skip
REGRESSORS = [
    CARTRegressor(), LinearDiscriminantTreeRegressor(), OmnivariateTreeRegressor(max_depth=2),
    SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=3), BuddingTreeRegressor(gate="linear", max_nodes=5),
    MixtureOfExpertsRegressor(depth=1, max_iter=5),
]  # fmt: skip


def name_of(model: Any) -> str:
    return type(model).__name__


def frame(seed: int, n: int = 120, later: bool = False) -> pd.DataFrame:
    """Columns of every kind with missing values; `later` has unseen levels."""
    rng = np.random.default_rng(seed)
    hues = ["red", "green", "blue"] + ["pink"] * later
    grades = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    X = pd.DataFrame({
        "size": rng.normal(size=n),
        "count": rng.integers(0, 9, n),
        "windy": rng.random(n) < 0.4,
        "wet": pd.array(rng.random(n) < 0.4, dtype="boolean"),
        "hue": rng.choice(hues, n),
        "code": pd.Categorical(rng.choice([3, 5, 9] + [11] * later, n)),
        "grade": pd.Series(rng.choice(["low", "middle", "high"], n)).astype(grades),
    })  # fmt: skip
    for name in ("size", "wet", "hue", "code", "grade"):
        X.loc[rng.random(n) < 0.15, name] = None
    return X


def target(X: pd.DataFrame) -> pd.Series:
    value = X["count"] / 3 + X["windy"] + (X["hue"] == "red") + X["size"].fillna(0)
    return pd.Series(value, name="yield")


@pytest.fixture(scope="module", params=CLASSIFIERS + REGRESSORS, ids=name_of)
def fitted(request: pytest.FixtureRequest) -> Any:
    X = frame(0)
    y = target(X)
    if request.param in CLASSIFIERS:
        y = pd.Series(np.where(y > y.median(), "much", "little"), name="harvest")
    return request.param.fit(X, y)


# -- inputs ------------------------------------------------------------------------------------------------------------


def test_the_tree_knows_its_inputs(fitted: Any) -> None:
    schema = fitted.tree_.schema
    assert schema.features == tuple(frame(0).columns)
    kinds = ["number", "number", "boolean", "boolean", "category", "category", "ordered"]
    assert [str(kind) for kind in schema.kinds] == kinds
    assert schema.categories[4:] == (("blue", "green", "red"), (3, 5, 9), ("low", "middle", "high"))
    X = frame(0)
    for name, one in zip(X.columns, schema.inputs, strict=True):
        assert one.summary is not None
        assert (one.summary.known, one.summary.missing) == (X[name].notna().sum(), X[name].isna().sum())
        if one.levels is None:
            numbers = X[name].dropna().astype(float)
            assert one.summary.range == (numbers.min(), numbers.max())
        else:
            assert one.summary.counts == tuple((X[name] == level).sum() for level in one.levels)


def test_the_schema_encodes_cells_as_the_estimator_reads_them(fitted: Any) -> None:
    """For rows with missing values and unseen levels; a schema from a file gives the same."""
    for seed in range(5):
        later = frame(seed, later=True)
        read = fitted._read(later)
        assert np.isnan(read[(later["hue"] == "pink").to_numpy(), 4]).all()
        rows = later.astype(object).to_numpy().tolist()
        np.testing.assert_array_equal(fitted.tree_.schema.encode(rows), read)
        stored = Schema.from_dict(json.loads(json.dumps(fitted.tree_.schema.to_dict())))
        np.testing.assert_array_equal(stored.encode(later.astype(object).to_dict("records")), read)
        np.testing.assert_array_equal(fitted._read(pl.from_pandas(later.astype({"code": "object"}))), read)


def test_the_tree_alone_answers_as_the_estimator(fitted: Any) -> None:
    later = frame(9, later=True)
    tree = pickle.loads(pickle.dumps(fitted.tree_))
    rows = tree.schema.encode(later.astype(object).to_numpy().tolist())
    if tree.schema.task == "classification":
        answers = [tree.schema.answers[code] for code in tree.decide(rows)]
        assert answers == fitted.predict(later).tolist()
    else:
        np.testing.assert_array_equal(tree.predict(rows)[:, 0], fitted.predict(later))


def test_an_estimator_keeps_no_second_schema(fitted: Any) -> None:
    assert not hasattr(fitted, "columns_")


@pytest.mark.parametrize("X", [np.array([[True], [False]] * 5), np.array([[True], [None]] * 5, object)])
def test_booleans_of_an_array_are_booleans(X: Any) -> None:
    assert CARTRegressor().fit(X, np.arange(10.0)).tree_.schema.kinds == ("boolean",)


def test_a_boolean_that_is_named_a_category_is_one() -> None:
    X = pd.DataFrame({"windy": [True, False] * 10})
    assert CARTRegressor(categorical_features=["windy"]).fit(X, np.arange(20.0)).tree_.schema.kinds == ("category",)


def test_rows_of_weight_zero_are_not_in_the_summary() -> None:
    X = np.arange(10.0)[:, None]
    summary = CARTRegressor().fit(X, X[:, 0], sample_weight=X[:, 0] < 5).tree_.schema.inputs[0].summary
    assert summary is not None
    assert summary.range == (0.0, 4.0)


# -- answers -----------------------------------------------------------------------------------------------------------


def test_the_tree_knows_the_name_of_its_target(fitted: Any) -> None:
    schema = fitted.tree_.schema
    if schema.task == "classification":
        assert (schema.target, schema.answers) == ("harvest", ("little", "much"))
    else:
        assert schema.answers == ("yield",)


@pytest.mark.parametrize("library", [pd, pl])
def test_names_of_several_targets_are_kept(library: Any) -> None:
    X = np.arange(20.0)[:, None]
    y = library.DataFrame({"height": X[:, 0], "weight": -X[:, 0]})
    assert CARTRegressor().fit(X, y).tree_.schema.answers == ("height", "weight")
    assert SoftTreeRegressor(max_leaves=2).fit(X, y).tree_.schema.answers == ("height", "weight")


def test_targets_without_names_are_numbered() -> None:
    X = np.arange(20.0)[:, None]
    assert CARTRegressor().fit(X, np.hstack([X, X])).tree_.schema.answers == ("y0", "y1")
    assert CARTRegressor().fit(X, pd.Series(X[:, 0])).tree_.schema.answers == ("y",)
    assert CARTRegressor().fit(X, pd.DataFrame({0: X[:, 0], 1: X[:, 0]})).tree_.schema.answers == ("y0", "y1")


COSTS = np.array([[0, 1, 6], [1, 0, 3], [9, 1, 0.0]])


@pytest.mark.parametrize("model", [CARTClassifier, LinearDiscriminantTreeClassifier, OmnivariateTreeClassifier])
@pytest.mark.parametrize("costs", [COSTS, {(0, 2): 6, (1, 2): 3, (2, 0): 9}])
def test_the_tree_knows_what_mistakes_cost(model: Any, costs: Any) -> None:
    X, y = load_iris(return_X_y=True)
    X = X[:, :2]
    fitted = model(costs=costs, max_depth=2, prune=None).fit(X, y)
    assert fitted.tree_.schema.costs == tuple(map(tuple, COSTS.tolist()))
    chance = fitted.predict_proba(X)
    assert fitted.tree_.decide(X).tolist() == (chance @ COSTS).argmin(axis=1).tolist()
    assert fitted.predict(X).tolist() == (chance @ COSTS).argmin(axis=1).tolist()
    assert (chance.argmax(axis=1) != fitted.predict(X)).any()  # the costs count


def test_answers_do_not_change_with_parameters_that_are_set_after_fit() -> None:
    X, y = load_iris(return_X_y=True)
    fitted = CARTClassifier().fit(X, y)
    before = fitted.predict(X)
    assert fitted.set_params(costs=COSTS).predict(X).tolist() == before.tolist()


# -- provenance --------------------------------------------------------------------------------------------------------


def test_the_tree_knows_where_it_comes_from(fitted: Any) -> None:
    origin = fitted.tree_.provenance
    assert (origin.estimator, origin.version) == (name_of(fitted), softwood.__version__)
    assert (origin.n_rows, origin.weight, origin.changes) == (120, 120.0, ())
    assert origin.parameters == json_value(fitted.get_params())
    assert Provenance.from_dict(json.loads(json.dumps(origin.to_dict()))) == origin


def test_parameters_that_are_not_json_say_what_they_are() -> None:
    X, y = load_iris(return_X_y=True)
    model = CARTClassifier(cv=KFold(3), costs={(0, 1): 2.0}, priors=np.ones(3) / 3).fit(X, y)
    stored = json.loads(json.dumps(model.tree_.provenance.to_dict()))["parameters"]
    assert stored["cv"] == {"repr": "KFold(n_splits=3, random_state=None, shuffle=False)"}
    assert stored["costs"] == {"pairs": [[[0, 1], 2.0]]}
    assert stored["priors"] == [1 / 3] * 3


def test_the_error_held_out_is_that_of_the_pruning_table() -> None:
    X, y = load_iris(return_X_y=True)
    model = CARTClassifier().fit(X, y)
    held, table = model.tree_.provenance.held_out, model.pruning_table_
    assert (held.measure, held.method) == ("error", "cross-validation")
    assert held.value == table.tested_error[table.chosen]
    assert held.standard_error == table.standard_error[table.chosen]
    root = model.prune_to(n_leaves=1).tree_.provenance
    assert root.changes == ("prune_to",)
    assert root.held_out.value == table.tested_error[0]
    assert CARTClassifier(prune=None).fit(X, y).tree_.provenance.held_out is None
    assert CARTRegressor().fit(X, y).tree_.provenance.held_out.measure == "squared_error"


def test_the_error_held_out_of_a_soft_tree_is_in_units_of_the_variance() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    noise = rng.normal(size=400) * 50
    held = SoftTreeRegressor(gate="linear", max_leaves=2).fit(X, 100 * X[:, 0] + noise).tree_.provenance.held_out
    assert 0.1 < held.value < 0.35  # 50² of 100² + 50² is 0.2


def test_changes_are_told_and_leave_no_error_behind() -> None:
    X, y = load_iris(return_X_y=True)
    cart = CARTClassifier().fit(X, y)
    snipped = cart.snip(2)
    assert soften(snipped, X, y).tree_.schema == cart.tree_.schema
    assert snipped.tree_.provenance.changes == ("snip node 2",)
    assert snipped.tree_.provenance.held_out is None
    assert cart.tree_.provenance.changes == ()
    assert soften(snipped, X, y).tree_.provenance.changes == ("snip node 2", "soften by statistics")
    soft = SoftTreeClassifier(gate="linear", max_leaves=3).fit(X, y)
    assert soft.harden().tree_.provenance.changes == ("harden",)
    assert soft.tree_.provenance.held_out is not None


def test_a_stream_counts_its_rows() -> None:
    X, y = load_iris(return_X_y=True)
    model = BuddingTreeClassifier().partial_fit(X[::2], y[::2], classes=[0, 1, 2]).partial_fit(X[1::2], y[1::2])
    assert model.tree_.provenance.n_rows == 150
    assert model.fit(X, y).tree_.provenance.n_rows == 150
    assert model.partial_fit(X[:50], y[:50]).tree_.provenance.n_rows == 200
