"""`curves`: the table agrees with the tree."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

from softwood import CARTClassifier, CARTRegressor, MixtureOfExpertsRegressor, Schema, SoftTreeRegressor, Tree
from softwood.explain import curves
from softwood.kernels.kinds import Score


@pytest.fixture(scope="module")
def diabetes() -> tuple[pd.DataFrame, pd.Series]:
    data = load_diabetes(as_frame=True)
    return data.data, data.target


@pytest.fixture(scope="module")
def weather() -> tuple[pd.DataFrame, list[str]]:
    rng = np.random.default_rng(0)
    outlook, windy = rng.choice(["sunny", "rain", "overcast"], 200), rng.random(200) < 0.5
    heat = rng.normal(20, 6, 200).round(1)
    play = np.where((outlook == "sunny") & (heat < 22) | (outlook == "overcast") & ~windy, "yes", "no")
    heat[::9] = np.nan
    return pd.DataFrame({"outlook": pd.Categorical(outlook), "windy": windy, "heat": heat}), play.tolist()


def test_the_whole_is_the_mean_output_as_an_input_moves(diabetes: Any) -> None:
    X, y = diabetes
    model = CARTRegressor(random_state=0).fit(X, y)
    table = curves(model, X, inputs=["bmi"])
    whole = table[table["where"] == "whole"]
    for x, value, low, high in zip(whole["x"], whole["value"], whole["low"], whole["high"], strict=True):
        moved = model.predict(X.assign(bmi=x))
        assert value == pytest.approx(moved.mean())
        np.testing.assert_allclose((low, high), np.quantile(moved, [0.05, 0.95], method="inverted_cdf"))


def test_curves_of_one_node_add_up_to_its_output(diabetes: Any) -> None:
    X, y = diabetes
    model = SoftTreeRegressor(max_leaves=1, random_state=0).fit(X, y)
    assert model.tree_.n_nodes == 1
    table = curves(model, X, n_points=5)
    for name in X.columns:
        mine = table[table["input"] == name]
        leaf, whole = (mine[mine["where"] == where] for where in ("leaf", "whole"))
        assert leaf["x"].tolist() == whole["x"].tolist()
        assert np.ptp(whole["value"].to_numpy() - leaf["value"].to_numpy()) < 1e-9 * np.abs(whole["value"]).max()


def test_curves_of_a_gate_add_up_to_its_score(diabetes: Any) -> None:
    X, y = diabetes
    model = MixtureOfExpertsRegressor(random_state=0, depth=1).fit(X, y)
    table = curves(model, X, n_points=2)  # at the least values of all inputs the curves meet the row of least values
    gates = table[(table["where"] == "gate") & (table["node"] == 0)]
    low = gates[gates["x"] == gates.groupby("input")["x"].transform("min")]
    score = model.tree_.bias[0] + low["value"].sum()
    share = model.tree_.reach(X.min().to_numpy()[None])[0, 1]
    assert share == pytest.approx(1.0 / (1.0 + np.exp(-score)))


def test_a_step_is_seen_from_both_sides(weather: Any) -> None:
    X, y = weather
    model = CARTClassifier(random_state=0).fit(X, y)
    table = curves(model, X, inputs=["heat"])
    steps = table[table["where"] == "gate"]
    assert set(steps["what"].str.slice(0, 13)) == {"share of node"}
    for _, gate in steps.groupby("node"):
        known = gate[gate["label"] != "missing"]
        assert set(known["value"]) == {0.0, 1.0}
        assert np.count_nonzero(np.diff(known["value"])) == 1
        at = int(np.argmin(known["value"].to_numpy()))
        assert known["x"].iloc[at] == np.nextafter(known["x"].iloc[at - 1], np.inf)
        assert (gate["label"] == "missing").sum() == 1


def test_categories_and_booleans_have_their_values(weather: Any) -> None:
    X, y = weather
    table = curves(CARTClassifier(random_state=0).fit(X, y), X)
    whole = table[(table["where"] == "whole") & (table["what"] == "probability of yes")]
    assert whole[whole["input"] == "outlook"]["label"].tolist() == ["overcast", "rain", "sunny"]
    assert whole[whole["input"] == "windy"]["label"].tolist() == ["false", "true"]


def test_without_rows_the_typical_row_is_told(weather: Any) -> None:
    X, y = weather
    model = CARTClassifier(random_state=0).fit(X, y)
    table = curves(model, inputs=["outlook"])
    whole = table[(table["where"] == "whole") & (table["what"] == "probability of yes")]
    assert whole["low"].isna().all()
    heat = np.quantile(X["heat"].dropna(), 0.5, method="inverted_cdf")
    typical = pd.DataFrame({"outlook": whole["label"], "windy": X["windy"].median() > 0, "heat": heat})
    np.testing.assert_allclose(whole["value"], model.predict_proba(typical)[:, 1])


def test_rows_count_by_their_weight_in_any_order(diabetes: Any) -> None:
    X, y = diabetes
    model = CARTRegressor(random_state=0).fit(X, y)
    count = np.random.default_rng(0).integers(0, 3, len(X))
    twice = X.iloc[np.random.default_rng(1).permutation(np.repeat(np.arange(len(X)), count))]
    some = {"inputs": ["bmi", "s5"], "n_points": 5}
    a, b = curves(model, X[count > 0], sample_weight=count[count > 0], **some), curves(model, twice, **some)
    pd.testing.assert_frame_equal(a, b)


def test_answers_are_probabilities() -> None:
    iris = load_iris()
    table = curves(CARTClassifier(random_state=0).fit(iris.data, iris.target), iris.data, scale="answer")
    whole = table[table["where"] == "whole"]
    assert set(whole["what"]) == {"probability of 0", "probability of 1", "probability of 2"}
    np.testing.assert_allclose(whole.groupby(["input", "x"])["value"].sum(), 1.0)


def test_without_pandas_it_is_a_dict_of_arrays(diabetes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = diabetes
    model = CARTRegressor(random_state=0).fit(X, y)
    wanted = curves(model, X, n_points=3)
    rows = model.encode(X)
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = curves(model.tree_, rows, n_points=3)
    assert isinstance(table, dict)
    assert list(table) == list(wanted.columns)
    np.testing.assert_array_equal(table["value"], wanted["value"].to_numpy())


def test_what_has_no_curve_is_said(diabetes: Any) -> None:
    X, y = diabetes
    model = CARTRegressor(random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="curves needs a Tree or a fitted softwood estimator, got CARTClassifier"):
        curves(CARTClassifier())
    with pytest.raises(ValueError, match="the model has no input 'weight'; it has 'age', 'sex', 'bmi'"):
        curves(model, inputs=["weight"])
    with pytest.raises(ValueError, match="scale must be 'output' or 'answer', got 'log'"):
        curves(model, scale="log")
    with pytest.raises(ValueError, match="n_points must be an integer of at least 2, got 1"):
        curves(model, n_points=1)
    stump = Tree(
        [[0.5], [0.0], [1.0]], Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
        score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan],
    )  # fmt: skip
    with pytest.raises(ValueError, match="curves needs rows: the tree has no range of input 'x0'; pass X"):
        curves(stump)
    assert len(curves(stump, np.array([[1.0], [4.0]]), n_points=2)) == 8
