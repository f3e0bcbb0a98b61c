"""Monotone constraints hold for every value of the other inputs, missing ones included.

The law: if two rows differ only in one constrained input, with both values known, the prediction for the larger value
is never on the wrong side. For every treatment of missing values and every size of a tree, hard and softened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import CARTClassifier, CARTRegressor, soften
from tests.examples import examples

seeds = st.integers(0, 2**32 - 1)
every_missing = pytest.mark.parametrize("missing", ["surrogate", "direction", "fraction", "mean", "category"])
nan = np.nan


@dataclass(frozen=True)
class Case:
    """A table with missing values, signs of its inputs, and a model under these constraints."""

    X: Any
    y: Any
    signs: Any
    model: Any


def draw_case(seed: int, missing: str, **rules: Any) -> Case:
    """Correlated inputs (one of them a category), with signs that the data do not follow."""
    rng = np.random.default_rng(seed)
    n, n_features = int(rng.integers(30, 150)), int(rng.integers(2, 6))
    common = rng.normal(size=(n, 1))
    X = common * rng.choice([-1.0, 1.0], n_features) + rng.choice([0.1, 0.5, 2.0], n_features) * rng.normal(
        size=(n, n_features)
    )
    if rng.random() < 0.5:
        X = np.round(X * 2)
    signal = X @ rng.normal(size=n_features) + np.sin(3 * X[:, 0]) + rng.normal(size=n) / 2
    signs = rng.integers(-1, 2, n_features)
    categories = [n_features - 1] if rng.random() < 0.4 else None
    if categories:
        X[:, -1], signs[-1] = np.digitize(X[:, -1], [-1.0, 0.0, 1.0]), 0
    X[rng.random(X.shape) < rng.choice([0.05, 0.3], n_features)] = nan
    rules = {"min_samples_leaf": int(rng.integers(1, 6)), "max_bins": rng.choice([None, 8]), **rules}
    rules |= {"missing": missing, "monotonic_cst": signs.tolist(), "categorical_features": categories}
    n_classes = int(rng.integers(0, 5))
    weight = rng.integers(1, 4, n) if rng.random() < 0.3 else None
    if n_classes < 2:
        criterion = rng.choice(["squared_error", "absolute_error", "quantile", "huber"])
        return Case(X, signal, signs, CARTRegressor(criterion=criterion, **rules).fit(X, signal, weight))
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    rules["class_weight"] = rng.choice([None, "balanced"])
    return Case(X, y, signs, CARTClassifier(**rules).fit(X, y, weight))


def rising_answers(model: Any, X: Any) -> Any:
    """(rows, quantities): P(class >= 1), P(class >= 2), ..., or the prediction."""
    if not hasattr(model, "classes_"):
        return model.predict(X)[:, None]
    return model.predict_proba(X)[:, :0:-1].cumsum(axis=1)


def worst_step(case: Case, model: Any, seed: int = 0) -> float:
    """The largest step in the wrong direction, over random rows with gaps, in units of the answers."""
    rng = np.random.default_rng(seed)
    rows = case.X[rng.integers(0, len(case.X), 40)].copy()
    gone = rng.random(rows.shape) < rng.choice([0.0, 0.5, 0.9], (len(rows), 1))
    rows[gone] = nan
    worst = 0.0
    for feature in np.flatnonzero(case.signs):
        known = case.X[~np.isnan(case.X[:, feature]), feature]
        grid = np.sort(np.concatenate([known, known + 1e-3, [-1e3, 1e3]]))
        table = np.repeat(rows, len(grid), axis=0)
        table[:, feature] = np.tile(grid, len(rows))
        answer = rising_answers(model, table).reshape(len(rows), len(grid), -1)
        fall = -case.signs[feature] * np.diff(answer, axis=1)
        worst = max(worst, float(fall.max()) / max(1.0, float(np.abs(answer).max())))
    return worst


@every_missing
@examples(15)
@given(seed=seeds)
def test_grown_trees_obey(missing: str, seed: int) -> None:
    case = draw_case(seed, missing, prune=None)
    assert worst_step(case, case.model, seed) <= 1e-12


@every_missing
@examples(5)
@given(seed=seeds)
def test_every_size_obeys(missing: str, seed: int) -> None:
    """The chosen size, every other size of the sequence, and a branch cut by hand."""
    case = draw_case(seed, missing, one_se=bool(seed % 2), cv=3)
    for n_leaves in np.unique(case.model.pruning_table_.n_leaves):
        assert worst_step(case, case.model.prune_to(n_leaves=int(n_leaves)), seed) <= 1e-12
    assert worst_step(case, case.model, seed) <= 1e-12
    if case.model.tree_.n_nodes > 3:
        branch = int(np.flatnonzero(case.model.tree_.n_children)[-1])
        assert worst_step(case, case.model.snip(branch), seed) <= 1e-12


@pytest.mark.parametrize(
    "rules",
    [
        {"method": "statistics"},
        {"method": "anneal", "patience": 3},
        {"method": "gradient"},
        {"method": "gradient", "thresholds": True, "responses": True},
    ],
    ids=str,
)
@every_missing
@examples(5)
@given(seed=seeds)
def test_softened_trees_obey(missing: str, rules: dict[str, Any], seed: int) -> None:
    case = draw_case(seed, missing, prune=None, max_leaves=8)
    assert worst_step(case, soften(case.model, case.X, case.y, **rules), seed) <= 1e-12


@examples(40)
@given(seed=seeds)
def test_costs_change_no_direction(seed: int) -> None:
    """Costs change class weights in splits, but predictions are probabilities of the rows, which stay monotone."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    X = rng.normal(size=(120, 2))
    y = np.digitize(X[:, 0] + np.abs(X[:, 1]) + rng.normal(size=120), np.linspace(0, 2, k - 1))
    costs = rng.choice([0.2, 1.0, 9.0], (k, k)) * (1 - np.eye(k))
    model = CARTClassifier(costs=costs, monotonic_cst=[1, 0], prune=None, min_samples_leaf=5)
    if len(np.unique(y)) == k:
        assert worst_step(Case(X, y, np.array([1, 0]), None), model.fit(X, y), seed) <= 1e-12


def test_a_constrained_input_stands_in_only_in_its_direction() -> None:
    """The input with sign -1 imitates a free one perfectly, and would reverse the prediction."""
    rng = np.random.default_rng(0)
    d = rng.normal(size=1000)
    x = d + 0.3 * rng.normal(size=1000)
    y = x + 0.5 * rng.normal(size=1000) > 0
    X, asked = np.column_stack([x, d]), [[nan, -1.0], [nan, 1.0]]
    for signs, steps in (([0, -1], 0), ([0, 1], 0), ([1, -1], 0), ([1, 1], 1), ([0, 0], 1)):
        model = CARTClassifier(monotonic_cst=signs, max_depth=1, prune=None).fit(X, y)
        low, high = model.predict_proba(asked)[:, 1]
        assert (high > low) == steps
        assert high >= low or signs[1] < 0
