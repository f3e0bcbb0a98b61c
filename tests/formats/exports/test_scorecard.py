"""Points add up to the log odds of the model, by the stated scaling."""

from __future__ import annotations

import math
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import CARTClassifier, CARTRegressor, SoftTreeClassifier
from softwood.formats.card import BASE, Scorecard
from softwood.formats.points import HALF, scorecard
from tests.formats.exports.cases import learned_cases, make_table, make_target


@pytest.fixture(scope="module")
def loans() -> tuple[pd.DataFrame, Any]:
    table = make_table(3, 500)
    return table, np.where(make_target(table, 4) > 0.3, "paid", "default")


@pytest.fixture(scope="module")
def additive(loans: tuple[pd.DataFrame, Any]) -> SoftTreeClassifier:
    return SoftTreeClassifier(max_leaves=1, leaf="linear", random_state=0).fit(*loans)


def points_of(card: Scorecard, row: dict[str, Any]) -> tuple[float, float]:
    """Points of a row from its bins, and their largest error."""
    total, off = sum(line["points"] for line in card if line["input"] == BASE), 0.0
    for name in {line["input"] for line in card} - {BASE}:
        cell, bins = row[name], [line for line in card if line["input"] == name]
        if pd.isna(cell):
            mine = [line for line in bins if line["bin"] == "missing"]
        elif any(line["level"] is not None for line in bins):
            mine = [line for line in bins if line["level"] == cell]
        else:
            known = [line for line in bins if line["bin"] != "missing"]
            over = [line for line in known if line["lower"] is None or line["lower"] < float(cell)]
            mine = [line for line in over if line["upper"] is None or float(cell) <= line["upper"]]
        assert len(mine) == 1, (name, cell)
        line = mine[0]
        away = 0.0 if pd.isna(cell) or not line["per_unit"] else float(cell) - line["at"]
        total += line["points"] + line["per_unit"] * away + line["per_square"] * away**2
        off += line["off"]
    return total, off


@pytest.mark.parametrize(("good", "sign"), [("paid", 1.0), (None, 1.0), ("default", -1.0)])
def test_points_of_an_additive_model_are_its_log_odds(
    loans: tuple[pd.DataFrame, Any], additive: SoftTreeClassifier, good: Any, sign: float
) -> None:
    """Within the error stated by the bins, on the training rows."""
    table, _ = loans
    card = scorecard(additive, good=good, pdo=40, base_points=500, base_odds=10)
    chance = additive.predict_proba(table)[:, 1]
    wanted = 500 + 40 * (sign * np.log(chance / (1 - chance)) - math.log(10)) / math.log(2)
    for (_, row), points in zip(table.iloc[:200].iterrows(), wanted, strict=False):
        got, off = points_of(card, row.to_dict())
        assert off == 0
        assert abs(got - points) <= 1e-6


def test_points_of_one_input_average_to_nothing(loans: tuple[pd.DataFrame, Any], additive: SoftTreeClassifier) -> None:
    card = scorecard(additive)
    one_of = next(line["input"] for line in card if line["input"] != BASE)
    alone = Scorecard([line for line in card if line["input"] == one_of], additive.tree_)
    assert abs(alone.apply(loans[0]).mean()) < 1e-6


def months() -> tuple[pd.DataFrame, Any]:
    """Terms of credits: 12, 24, 36 or 60, and one of 72."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"months": rng.choice([12.0, 24, 36, 60], 4000), "age": rng.uniform(18, 80, 4000)})
    X.loc[7, "months"] = 72
    good = rng.random(4000) < 1 / (1 + np.exp(-(0.04 * (40 - X.months) + 0.03 * (X.age - 45))))
    return X, np.where(good, "good", "bad")


def test_ties_are_counted_and_points_average_to_nothing() -> None:
    """The bin "> 60" claimed 1,000 rows instead of 1, and points did not average to 0."""
    X, y = months()
    model = SoftTreeClassifier(max_leaves=1, leaf="linear", random_state=0).fit(X, y)
    own = {"months": [12, 24, 36, 60]}
    card = pd.DataFrame(scorecard(model, X, bins=own))
    lines = card[(card.input == "months") & (card.bin != "missing")]
    counts = X.months.value_counts().sort_index()
    assert lines.rows.tolist() == counts.tolist()
    assert lines.bin.tolist()[-1] == "> 60"
    assert lines.rows.iloc[-1] == 1
    assert abs((lines.points * lines.rows).sum()) < 1e-6 * len(X)
    unknown = [line["rows"] for line in scorecard(model, bins=own) if line["input"] == "months"]
    assert unknown == [None] * 5 + [
        0.0
    ]  # quantiles do not give the number of rows with 12, 24, 36 or 60; none is missing
    about = [line["rows"] for line in scorecard(model, bins={"age": [30.0, 50.0]}) if line["input"] == "age"]
    for count, (low, high) in zip(about, [(0, 30), (30, 50), (50, 99)], strict=False):
        assert count == pytest.approx(((X.age > low) & (X.age <= high)).sum(), abs=0.1 * len(X))


@pytest.mark.parametrize("good", ["good", "bad"])
def test_the_sum_of_points_is_the_model(good: str) -> None:
    X, y = months()
    X = X.iloc[:800].assign(town=np.where(np.arange(800) % 3, "a", "b"))
    X.loc[::9, "age"] = np.nan
    y = np.where(np.sin(X.age.fillna(40) / 9) + X.months / 50 > 0.6, y[:800], "bad")
    model = SoftTreeClassifier(max_leaves=1, random_state=0).fit(X, y)
    assert any(line["lower"] is not None for line in scorecard(model))  # a curve
    chance = model.predict_proba(X)[:, list(model.classes_).index(good)]
    wanted = 600 + 20 * (np.log(chance / (1 - chance)) - math.log(50)) / math.log(2)
    exact, whole = scorecard(model, good=good), scorecard(model, good=good, whole=True)
    np.testing.assert_allclose(exact.apply(X), wanted, atol=1e-6)
    assert all(line["points"] == round(line["points"]) and line["off"] <= 0.5 + 1e-9 for line in whole)
    applied = whole.apply(X)
    lines = len({line["input"] for line in whole})
    assert np.abs(applied - wanted).max() <= 0.5 * lines + 1e-6  # also where a curve turns within a bin
    np.testing.assert_array_equal(applied, np.round(applied))


def test_sql_gives_the_same_points() -> None:
    X, y = months()
    X = X.iloc[:300].assign(town=np.where(np.arange(300) % 3, "a", "b"))
    model = SoftTreeClassifier(max_leaves=1, leaf="linear", random_state=0).fit(X, y[:300])
    X.loc[::9, "age"] = np.nan
    X.loc[::7, "town"] = "elsewhere"
    with sqlite3.connect(":memory:") as base:
        X.to_sql("people", base, index=False)
        for whole in (False, True):
            card = scorecard(model, whole=whole)
            found = [row[-1] for row in base.execute(card.to_sql("people", "sqlite"))]
            np.testing.assert_allclose(found, card.apply(X), atol=1e-9)


def test_wrong_bins_are_refused(additive: SoftTreeClassifier, loans: tuple[pd.DataFrame, Any]) -> None:
    with pytest.raises(ValueError, match="bins must name numbers that the model uses"):
        scorecard(additive, bins={"nothing": [1.0]})
    name = next(line["input"] for line in scorecard(additive) if line["lower"] is not None or line["per_unit"])
    with pytest.raises(ValueError, match="must be finite and increasing"):
        scorecard(additive, bins={name: [2.0, 1.0]})
    with pytest.raises(ValueError, match="sample_weight needs X"):
        scorecard(additive, sample_weight=[1.0])
    tree = CARTClassifier(random_state=0).fit(*loans)
    with pytest.raises(ValueError, match="bins are for additive models"):
        scorecard(tree, bins={name: [1.0]})
    with pytest.raises(ValueError, match="one line per leaf"):
        scorecard(tree).to_sql("people")
    with pytest.raises(ValueError, match="dialect must be one of"):
        scorecard(additive).to_sql("people", "cobol")
    leaves = scorecard(tree, whole=True)
    assert set(leaves.apply(loans[0])) <= {line["points"] for line in leaves}


def test_points_of_a_tree_are_the_log_odds_of_its_leaves(loans: tuple[pd.DataFrame, Any]) -> None:
    table, y = loans
    model = CARTClassifier(prune=None, max_depth=4).fit(table, y)
    card = pd.DataFrame(scorecard(model, good="paid", pdo=20, base_points=600, base_odds=50)).set_index("node")
    leaf = model.apply(table)
    assert sorted(card.index) == sorted(set(leaf))
    for node, row in card.iterrows():
        paid = float((y[leaf == node] == "paid").sum()) + HALF
        unpaid = float((y[leaf == node] != "paid").sum()) + HALF
        assert math.isclose(row.points, 600 + 20 / math.log(2) * math.log(paid / unpaid / 50), rel_tol=1e-9)
        assert row.rows == (leaf == node).sum()


def test_pdo_doubles_the_odds(loans: tuple[pd.DataFrame, Any]) -> None:
    model = CARTClassifier(random_state=0).fit(*loans)
    one, two = scorecard(model, pdo=20, base_odds=50), scorecard(model, pdo=20, base_odds=100)
    for a, b in zip(one, two, strict=True):
        assert math.isclose(a["points"] - b["points"], 20.0, rel_tol=1e-9)


def test_what_has_no_scorecard_is_refused(additive: SoftTreeClassifier) -> None:
    by_name = {case.name: case.model for case in learned_cases()}
    with pytest.raises(
        ValueError, match=r"needs a model of two classes, got a model of \d+: .* fit a classifier of one"
    ):
        scorecard(by_name["c45"])
    number = CARTRegressor().fit(np.arange(20.0)[:, None], np.arange(20.0))
    with pytest.raises(ValueError, match=r"got a regression model of y; fit a classifier .*fit\(X, y > limit\)\."):
        scorecard(number)
    with pytest.raises(ValueError, match="needs a hard tree with constant leaves, or an additive model"):
        scorecard(by_name["soft two"])
    with pytest.raises(ValueError, match=r"good must be one of \('default', 'paid'\), got 'good'"):
        scorecard(additive, good="good")
    X = np.arange(20.0)[:, None]
    with pytest.raises(ValueError, match="the points would refer to the output of standardscaler"):
        scorecard(make_pipeline(StandardScaler(), CARTClassifier()).fit(X, X[:, 0] > 7))
    with pytest.raises(ValueError, match="pdo must be a number > 0, got -1"):
        scorecard(additive, pdo=-1)
