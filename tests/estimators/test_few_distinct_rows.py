"""Tables of few distinct rows with many copies: every learner is as good as with folds of single rows.

The reference are scikit-learn's stratified folds if a learner takes folds, else slightly perturbed inputs, so that no
two rows are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import StratifiedKFold

from softwood import (
    BuddingTreeClassifier,
    BuddingTreeRegressor,
    CARTClassifier,
    CARTRegressor,
    LinearDiscriminantTreeClassifier,
    LinearDiscriminantTreeRegressor,
    OmnivariateTreeClassifier,
    OmnivariateTreeRegressor,
    SoftenedTreeClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
)

CLASSIFIERS: dict[str, Any] = {
    "cart": CARTClassifier(),
    "discriminant": LinearDiscriminantTreeClassifier(),
    "omnivariate": OmnivariateTreeClassifier(),
    "omnivariate validation": OmnivariateTreeClassifier(select="validation"),
    "omnivariate cv": OmnivariateTreeClassifier(prune="cv"),
    "omnivariate soft": OmnivariateTreeClassifier(soft=True),
    "softened": SoftenedTreeClassifier(n_successes=1, patience=20),
    "softened once": SoftenedTreeClassifier(n_successes=1, patience=20, n_splits=1),
    "soft": SoftTreeClassifier(gate="linear", leaf="constant"),
    "incremental": SoftTreeClassifier(learner="incremental"),
    "budding": BuddingTreeClassifier(gate="linear", leaf="constant"),
    "online": BuddingTreeClassifier(learner="online", max_epochs=20),
}
REGRESSORS: dict[str, Any] = {
    "cart": CARTRegressor(),
    "discriminant": LinearDiscriminantTreeRegressor(),
    "omnivariate": OmnivariateTreeRegressor(),
    "soft": SoftTreeRegressor(),
    "incremental": SoftTreeRegressor(learner="incremental"),
    "budding": BuddingTreeRegressor(),
}
# class, man, child, died, survived
BOATS = [(1, 1, 1, 0, 6), (1, 1, 0, 120, 55), (1, 0, 0, 5, 140), (2, 1, 1, 0, 11), (2, 1, 0, 150, 15), (2, 0, 1, 0, 13)]
BOATS += [(2, 0, 0, 14, 80), (3, 1, 1, 35, 13), (3, 1, 0, 390, 75), (3, 0, 1, 17, 14), (3, 0, 0, 90, 75)]
BOATS += [(4, 1, 0, 670, 190), (4, 0, 0, 3, 20)]


def boats() -> tuple[Any, Any]:
    """A ship's passengers: some two thousand rows, two dozen of them distinct."""
    count = np.array(BOATS)[:, 3:].ravel()
    return np.repeat(np.array(BOATS, float)[:, :3], 2, axis=0).repeat(count, axis=0), np.tile([0, 1], 13).repeat(count)


def draw(k: int, seed: int, n: int, n_test: int, certain: bool) -> tuple[Any, Any, Any, Any]:
    """Rows of k places, and fresh ones; the label of a place is certain, or only probable."""
    rng = np.random.default_rng(seed)
    places = np.unique(rng.normal(size=(k, 3)).round(2), axis=0)
    odds = 3 * (places[:, 0] + places[:, 1] * (places[:, 2] > 0))
    share = (odds > np.median(odds)).astype(float) if certain else 1 / (1 + np.exp(-odds))
    learn, test = rng.integers(0, len(places), n), rng.integers(0, len(places), n_test)
    label = [(rng.random(len(at)) < share[at]).astype(int) for at in (learn, test)]
    return places[learn], label[0], places[test], label[1]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_two_distinct_rows_are_told_apart(name: str) -> None:
    y = np.repeat(["a", "b"], 200)
    X = (y == "b")[:, None].astype(float)
    assert CLASSIFIERS[name].fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_two_dozen_distinct_rows_are_learned_from(name: str) -> None:
    X, y = boats()
    assert CLASSIFIERS[name].fit(X, y).score(X, y) > 0.77  # a root has .67


@pytest.mark.parametrize("name", REGRESSORS)
def test_the_mean_outcome_rises_with_five_doses(name: str) -> None:
    rng, share = np.random.default_rng(0), np.array([0.05, 0.2, 0.5, 0.8, 0.95])
    dose = rng.integers(0, 5, 500)
    y = (rng.random(500) < share[dose]).astype(float)
    found = REGRESSORS[name].fit(dose[:, None].astype(float), y).predict(np.arange(5.0)[:, None])
    assert np.sqrt(np.mean((found - share) ** 2)) < 0.12


@pytest.mark.fewer
@pytest.mark.parametrize("certain", [False, True], ids=["probable", "certain"])
@pytest.mark.parametrize("k", [2, 8, 40, 200])
@pytest.mark.parametrize(("name", "tables"), [("cart", 6), ("discriminant", 6), ("omnivariate", 6), ("soft", 1)])
def test_held_out_error_is_that_of_rows_dealt_one_by_one(name: str, tables: int, k: int, certain: bool) -> None:
    """The mean over the tables is within a standard error of one; each distinct row has ten copies or more."""
    n_test, error, reference = 1_000, 0.0, 0.0
    for seed in range(tables):
        X, y, X_test, y_test = draw(k, seed, max(400, 10 * k), n_test, certain)
        error += (1 - CLASSIFIERS[name].fit(X, y).score(X_test, y_test)) / tables
        one_by_one = clone(CLASSIFIERS[name])
        if name in ("cart", "discriminant"):
            one_by_one.set_params(cv=StratifiedKFold(10, shuffle=True, random_state=seed)).fit(X, y)
        else:
            one_by_one.fit(X + 1e-4 * np.random.default_rng(seed).normal(size=X.shape), y)
        reference += (1 - one_by_one.score(X_test, y_test)) / tables
    variance = max(reference * (1 - reference), 1 / n_test)
    assert error <= reference + np.sqrt(variance / n_test)


@pytest.mark.parametrize("name", ["cart", "discriminant", "soft"])
def test_weights_that_sum_to_one_leave_few_distinct_rows_apart(name: str) -> None:
    """As a boosted tree gets them."""
    X, y = boats()
    assert CLASSIFIERS[name].fit(X, y, np.full(len(y), 1 / len(y))).score(X, y) > 0.77


def test_boosted_trees_learn_few_distinct_rows() -> None:
    X, y = boats()
    assert AdaBoostClassifier(CARTClassifier(max_depth=2), n_estimators=10).fit(X, y).score(X, y) > 0.77
