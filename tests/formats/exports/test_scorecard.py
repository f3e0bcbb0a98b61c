"""Points add up to the log odds of the model, by the stated scaling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import CARTClassifier, SoftTreeClassifier
from softwood.formats.points import BASE, HALF, scorecard
from tests.formats.exports.cases import learned_cases, make_table, make_target


@pytest.fixture(scope="module")
def loans() -> tuple[pd.DataFrame, Any]:
    table = make_table(3, 500)
    return table, np.where(make_target(table, 4) > 0.3, "paid", "default")


@pytest.fixture(scope="module")
def additive(loans: tuple[pd.DataFrame, Any]) -> SoftTreeClassifier:
    return SoftTreeClassifier(max_leaves=1, leaf="linear", random_state=0).fit(*loans)


def points_of(card: pd.DataFrame, row: dict[str, Any]) -> tuple[float, float]:
    """Points of a row by looking its bins up, and how far off they may be."""
    total, off = float(card.points[card.input == BASE].sum()), 0.0
    for name, bins in card[card.input != BASE].groupby("input"):
        cell = row[name]
        if pd.isna(cell):
            mine = bins[bins.bin == "missing"]
        elif bins.level.notna().any():
            mine = bins[bins.level == cell]
        else:
            x, known = float(cell), bins[bins.bin != "missing"]
            over = known.lower.isna() | (known.lower.astype(float) < x)
            mine = known[over & (known.upper.isna() | (x <= known.upper.astype(float)))]
        assert len(mine) == 1, (name, cell)
        total, off = total + float(mine.points.iloc[0]), off + float(mine.off.iloc[0])
    return total, off


@pytest.mark.parametrize(("good", "sign"), [("paid", 1.0), (None, 1.0), ("default", -1.0)])
def test_points_of_an_additive_model_are_its_log_odds(
    loans: tuple[pd.DataFrame, Any], additive: SoftTreeClassifier, good: Any, sign: float
) -> None:
    """Within what the bins say of themselves, on the training rows."""
    table, _ = loans
    card = pd.DataFrame(scorecard(additive, good=good, pdo=40, base_points=500, base_odds=10))
    chance = additive.predict_proba(table)[:, 1]
    wanted = 500 + 40 * (sign * np.log(chance / (1 - chance)) - math.log(10)) / math.log(2)
    for (_, row), points in zip(table.iloc[:200].iterrows(), wanted, strict=False):
        got, off = points_of(card, row.to_dict())
        assert abs(got - points) <= off + 1e-6


def test_bins_of_one_input_average_to_nothing(additive: SoftTreeClassifier) -> None:
    card = pd.DataFrame(scorecard(additive))
    for _, bins in card[card.input != BASE].groupby("input"):
        assert abs((bins.points * bins.rows).sum()) < 1e-6 * bins.rows.sum()


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
    with pytest.raises(ValueError, match="a scorecard is of two classes"):
        scorecard(by_name["c45"])
    with pytest.raises(ValueError, match="needs a hard tree with constant leaves, or an additive model"):
        scorecard(by_name["soft two"])
    with pytest.raises(ValueError, match=r"good must be one of \('default', 'paid'\), got 'good'"):
        scorecard(additive, good="good")
    X = np.arange(20.0)[:, None]
    with pytest.raises(ValueError, match="points would be about what standardscaler makes of a row"):
        scorecard(make_pipeline(StandardScaler(), CARTClassifier()).fit(X, X[:, 0] > 7))
    with pytest.raises(ValueError, match="pdo must be a number > 0, got -1"):
        scorecard(additive, pdo=-1)
