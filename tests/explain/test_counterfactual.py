"""`counterfactual`: changes reach the target, and are the fewest and smallest."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import CARTClassifier, CARTRegressor, LinearDiscriminantTreeClassifier, SoftTreeClassifier
from softwood.explain import counterfactual
from softwood.explain.moves import free_inputs, nearest
from softwood.explain.ranges import cuts_of


@pytest.fixture(scope="module")
def loans() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(1)
    n = 600
    frame = pd.DataFrame(
        {
            "income": rng.gamma(4, 700, n).round(),
            "debt": rng.gamma(2, 400, n).round(1),
            "age": rng.integers(18, 80, n),
            "home": pd.Categorical(rng.choice(["own", "rent", "parents"], n)),
            "guarantor": rng.random(n) < 0.3,
        }
    )
    score = frame["income"] / 900 - frame["debt"] / 400 + (frame["home"] == "own") + 1.5 * frame["guarantor"]
    good = score + 0.02 * frame["age"] + rng.normal(0, 0.5, n) > 3.5
    return frame, np.where(good, "grant", "refuse")


@pytest.fixture(scope="module")
def cancer() -> tuple[pd.DataFrame, Any]:
    data = load_breast_cancer(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.mark.parametrize("max_depth", [3, 6])
def test_changes_of_a_hard_tree_are_the_fewest_and_smallest(loans: Any, max_depth: int) -> None:
    X, y = loans
    model = CARTClassifier(random_state=0, max_depth=max_depth, prune=None, missing="direction").fit(X, y)
    tree = model.tree_
    for at in range(0, 60, 3):
        cells = model.encode(X[at : at + 1])
        free = free_inputs(tree, cells, None, (), None)
        choices = []
        for each in free:  # the nearest value in every part that cuts make of an input, and every level
            if each.is_number:
                ends = [-np.inf, *cuts_of(tree, each.feature), np.inf]
                choices.append(sorted({nearest(each, a, b) for a, b in itertools.pairwise(ends)}))
            else:
                choices.append([float(code) for code in range(each.range.n_levels or 2)])
        rows = np.repeat(cells, np.prod([len(c) for c in choices]), axis=0)
        rows[:, [each.feature for each in free]] = list(itertools.product(*choices))
        won = rows[tree.decide(rows) != tree.decide(cells)[0]]
        costs = [
            (sum(each.now != row[each.feature] for each in free),
             sum(each.cost(row[each.feature]) for each in free if each.now != row[each.feature]))
            for row in won
        ]  # fmt: skip
        found = counterfactual(model, X[at : at + 1])
        n_changes, distance = min(costs)
        assert len(found.changes) == n_changes
        assert distance - 1e-9 <= found.distance <= distance + 0.01 * n_changes  # short numbers go a little further


MODELS = [CARTClassifier(random_state=0), SoftTreeClassifier(random_state=0), LinearDiscriminantTreeClassifier()]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_changed_row_is_predicted_as_it_is_told(loans: Any, model: Any) -> None:
    X, y = loans
    model = model.fit(X, y)
    for at in range(0, 40, 4):
        row = X[at : at + 1]
        before = model.predict(row)[0]
        for found in (first := counterfactual(model, row, n=3), *first.alternatives):
            after = pd.DataFrame([found.row], columns=X.columns).astype({"home": X["home"].dtype})
            assert model.predict(after)[0] == found.answer != before
            told = {change.name for change in found.changes}
            different = {name for name in X.columns if after[name].iloc[0] != row[name].iloc[0]}
            assert told == different
            assert [change.value for change in found.changes] == [found.row[c.name] for c in found.changes]
        assert len({frozenset(c.name for c in f.changes) for f in (first, *first.alternatives)}) == 1 + len(
            first.alternatives
        )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_what_may_not_change_does_not(loans: Any, model: Any) -> None:
    X, y = loans
    model = model.fit(X, y)
    refused = X[model.predict(X) == "refuse"]
    for at in range(0, 30, 5):
        row = refused[at : at + 1]
        ways = {"income": "up", "debt": "down", "age": "up"}
        found = counterfactual(model, row, "grant", fixed=["home", "guarantor"], directions=ways)
        assert found.answer == "grant"
        for change in found.changes:
            assert change.name in ways
            rise = change.value - row[change.name].iloc[0]
            assert rise > 0 if ways[change.name] == "up" else rise < 0
            assert X[change.name].min() <= change.value <= X[change.name].max()
            if change.name in ("income", "age"):
                assert change.value == int(change.value)  # whole, as all that are known


def test_changes_that_were_searched_are_as_small_as_they_can_be(cancer: Any) -> None:
    """A number moved back by more than a hundredth of its spread misses the target; less is rounding."""
    X, y = cancer
    model = SoftTreeClassifier(random_state=0).fit(X, y)
    for at in (0, 20, 40, 60):
        found = counterfactual(model, X[at : at + 1])
        back = [found.cells.copy() for _ in found.changes]
        for cells, change in zip(back, found.changes, strict=True):
            spread = float(np.ptp(np.quantile(X[change.name], [0.05, 0.95])))
            cells[0, change.feature] += 0.011 * spread * np.sign(X[change.name].iloc[at] - change.value)
        reached = [model.tree_.decide(cells)[0] == model.tree_.decide(found.cells)[0] for cells in back]
        assert not all(reached)  # the boundary is near in at least one direction
        probability = model.tree_.predict(found.cells)[0].max()
        assert probability < 0.6


def test_numbers_come_where_they_are_wanted() -> None:
    data = load_diabetes(as_frame=True)
    X, y = data.data, data.target
    model = CARTRegressor(random_state=0).fit(X, y)
    row = X[:1]
    now = model.predict(row)[0]
    assert counterfactual(model, row, now - 50).answer <= now - 50
    low = counterfactual(model, row, (None, 120))
    assert low.answer <= 120
    between = counterfactual(model, row, (90, 100))
    assert 90 <= between.answer <= 100
    both = CARTRegressor(random_state=0).fit(X, np.column_stack([y, -y]))
    pair = counterfactual(both, row, {"y0": (None, 150), "y1": (-150, None)})
    assert pair.answer[0] <= 150
    assert pair.answer[1] >= -150


def test_a_row_may_be_cells(loans: Any) -> None:
    X, y = loans
    model = CARTClassifier(random_state=0).fit(X, y)
    wanted = str(counterfactual(model, X[:1]))
    assert str(counterfactual(model, X.iloc[0])) == wanted
    assert str(counterfactual(model, X.iloc[0].to_dict())) == wanted
    assert str(counterfactual(model, X.iloc[0].tolist())) == wanted
    assert str(counterfactual(model.tree_, X.iloc[0].to_dict())) == wanted


def test_a_missing_value_is_filled_where_that_does_it(loans: Any) -> None:
    X, y = loans
    model = CARTClassifier(random_state=0).fit(X, y)
    row = {**X.iloc[0].to_dict(), "income": None, "debt": None}
    found = counterfactual(model, row)
    assert found.answer != model.tree_.schema.answers[model.tree_.decide(model.tree_.schema.encode([row]))[0]]
    assert not any(change.after == "missing" for change in found.changes)


def test_what_cannot_be_reached_is_said(loans: Any) -> None:
    X, y = loans
    model = CARTClassifier(random_state=0).fit(X, y)
    row = X[:1]
    here, other = model.predict(row)[0], {"grant": "refuse", "refuse": "grant"}[model.predict(row)[0]]
    with pytest.raises(
        TypeError, match="counterfactual needs a Tree or a fitted softwood estimator, got CARTClassifier"
    ):
        counterfactual(CARTClassifier(), row)
    with pytest.raises(ValueError, match=f"the row is '{here}' already; name another class"):
        counterfactual(model, row, here)
    with pytest.raises(ValueError, match="answer must be a class of the model, one of 'grant', 'refuse', got 'maybe'"):
        counterfactual(model, row, "maybe")
    with pytest.raises(ValueError, match="no input that the tree uses may change, so the row stays"):
        counterfactual(model, row, fixed=list(X.columns))
    with pytest.raises(ValueError, match=f"no change of up to 1 of 1 inputs was found that gives {other}; the row is"):
        counterfactual(model, row, other, fixed=["income", "debt", "home", "guarantor"])
    with pytest.raises(ValueError, match="row must be one row, got 2; pass X"):
        counterfactual(model, X[:2])
    with pytest.raises(ValueError, match="fixed must be a list of names, got the text 'age'"):
        counterfactual(model, row, fixed="age")
    with pytest.raises(ValueError, match="directions of 'age' must be 'up' or 'down', got 'left'"):
        counterfactual(model, row, directions={"age": "left"})
    with pytest.raises(ValueError, match="input 'home' is a category without an order; it has no direction"):
        counterfactual(model, row, directions={"home": "up"})
    with pytest.raises(ValueError, match="max_changes must be an integer of at least 1, got 0"):
        counterfactual(model, row, max_changes=0)
    pipe = make_pipeline(StandardScaler(), CARTClassifier(random_state=0)).fit(X[["income", "debt"]], y)
    with pytest.raises(ValueError, match="row must be a table of one row, for the steps standardscaler of the pipe"):
        counterfactual(pipe, {"income": 1000, "debt": 20})
    assert counterfactual(pipe, X[["income", "debt"]][:1]).changes


def test_numbers_that_cannot_be_wanted_are_refused() -> None:
    data = load_diabetes(as_frame=True)
    model = CARTRegressor(random_state=0).fit(data.data, data.target)
    for wrong in ("high", None, (3, 1), (None, None), (1, 2, 3), float("nan")):
        with pytest.raises(ValueError, match="target must be a number to reach or a pair"):
            counterfactual(model, data.data[:1], wrong)
    with pytest.raises(ValueError, match="the row has target ≥ 0 already"):
        counterfactual(model, data.data[:1], (0, None))
    with pytest.raises(ValueError, match="was found that gives target ≥ 1000; the row is"):
        counterfactual(model, data.data[:1], 1000)
    both = CARTRegressor(random_state=0).fit(data.data, np.column_stack([data.target, data.target]))
    with pytest.raises(
        ValueError, match=r"the model has several targets \('y0', 'y1'\); name some: target=\{'y0': 3\}"
    ):
        counterfactual(both, data.data[:1], 100)
