"""Softened models: clones, scores, pruned sizes, printed forms, ramps within the range of their input."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from softwood import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    SoftenedClassifier,
    SoftenedTreeClassifier,
    SoftenedTreeRegressor,
    soften,
    to_text,
)
from softwood.kernels.kinds import Squash
from tests.estimators.test_soften import CANCER, DIABETES, IRIS, METHODS, without_widths


@pytest.mark.parametrize("method", ["statistics", "gradient"])
@pytest.mark.parametrize(
    ("base", "data"),
    [
        (CARTClassifier(one_se=False), CANCER),
        (C45Classifier(thresholds="middle"), CANCER),
        (CARTRegressor(max_leaves=6), DIABETES),
    ],
    ids=["cart", "c45", "numbers"],
)
def test_a_clone_of_a_softened_model_grows_and_softens(base: Any, data: Any, method: str) -> None:
    X, y = data
    soft = soften(clone(base).fit(X, y), X, y, method=method)
    again = clone(soft).fit(X, y)
    assert repr(again) == repr(soft)
    assert repr(soft).startswith("Softened")
    assert type(base).__name__ in repr(soft)
    assert again.tree_ == soft.tree_
    np.testing.assert_array_equal(again.predict(X), soft.predict(X))


def test_cross_validation_scores_the_soft_model() -> None:
    X, y = CANCER
    hard = CARTClassifier(one_se=False).fit(X, y)
    soft = soften(hard, X, y, method="gradient")
    scores = cross_val_score(soft, X, y, cv=3, scoring="neg_log_loss")
    by_hand = []
    for train, test in StratifiedKFold(3).split(X, y):
        part = soften(clone(hard).fit(X[train], y[train]), X[train], y[train], method="gradient")
        by_hand.append(-log_loss(y[test], part.predict_proba(X[test])))
    np.testing.assert_allclose(scores, by_hand)
    assert scores.mean() != pytest.approx(cross_val_score(hard, X, y, cv=3, scoring="neg_log_loss").mean())


def test_a_softened_model_pruned_is_soft_and_no_larger() -> None:
    X, y = CANCER
    hard = CARTClassifier(one_se=False).fit(X, y)
    soft = soften(hard, X, y)
    for n in range(2, soft.get_n_leaves() + 1):
        small = soft.prune_to(n_leaves=n)
        assert isinstance(small, SoftenedClassifier)
        assert not small.tree_.is_hard
        reach, tree = small.tree_.reach(X), small.tree_
        assert tree.n_leaves == hard.prune_to(n_leaves=n).tree_.n_leaves
        np.testing.assert_array_equal(tree.threshold, hard.prune_to(n_leaves=n).tree_.threshold)
        np.testing.assert_allclose(tree.count, reach.sum(axis=0), rtol=1e-9)
        np.testing.assert_allclose(tree.mean[0], small.predict_proba(X).mean(axis=0), rtol=1e-9)
    assert soft.prune_to(n_leaves=1).tree_.n_nodes == 1
    one = soften(hard.prune_to(n_leaves=2), X, y)
    with pytest.raises(ValueError, match=r"has branches that the softened tree \(2 leaves\) lacks"):
        one.prune_to(alpha=0.0)


def test_a_softened_model_snips_prints_and_answers_as_its_estimator() -> None:
    X, y = CANCER
    soft = soften(CARTClassifier(one_se=False, costs=[[0, 1], [10, 0]]).fit(X, y), X, y)
    assert to_text(soft).startswith("SoftenedClassifier: 569 rows")
    snipped = soft.snip(2)
    assert snipped.get_n_leaves() < soft.get_n_leaves()
    assert not snipped.tree_.is_hard
    assert snipped.hard_tree_.n_nodes == snipped.tree_.n_nodes
    costly = soft.predict_proba(X) @ np.array([[0, 1], [10, 0]])
    np.testing.assert_array_equal(soft.predict(X), costly.argmin(axis=1))
    assert soft.hard_tree_.is_hard
    assert len(soft.pruning_table_.alpha) > 1
    assert soft.decision_path(X).shape == (569, soft.tree_.n_nodes)
    assert pickle.loads(pickle.dumps(soft)).tree_ == soft.tree_


def test_softened_estimators_refuse_what_they_cannot_grow() -> None:
    with pytest.raises(TypeError, match="estimator must be a softwood estimator, got DecisionTreeClassifier"):
        SoftenedClassifier(DecisionTreeClassifier()).fit(*IRIS)


def test_a_softened_regressor_is_better_than_its_hard_tree_on_fresh_rows() -> None:
    """Smooth truth: ramps follow it where steps jump."""
    rng = np.random.default_rng(0)
    X, fresh = rng.uniform(-2, 2, (400, 2)), rng.uniform(-2, 2, (2000, 2))
    truth = lambda X: np.sin(2 * X[:, 0]) + X[:, 1]  # noqa: E731
    model = SoftenedTreeRegressor(n_successes=3, patience=20).fit(X, truth(X) + 0.2 * rng.normal(size=400))
    soft, hard = (np.mean((tree.predict(fresh)[:, 0] - truth(fresh)) ** 2) for tree in (model.tree_, model.hard_tree_))
    assert soft < hard
    assert model.predict(fresh).shape == (2000,)
    assert without_widths(model.tree_, model.hard_tree_) == model.hard_tree_


def test_several_targets_are_softened_together() -> None:
    X, y = DIABETES
    model = SoftenedTreeRegressor(n_successes=1, patience=3).fit(X, np.column_stack([y, -y]))
    first, second = model.predict(X).T
    np.testing.assert_allclose(first, -second)
    with pytest.raises(ValueError, match=r"criterion must be one of 'squared_error', 'absolute_error', got 'gini'"):
        SoftenedTreeRegressor(criterion="gini").fit(X, y)


@pytest.mark.parametrize("method", [*METHODS, "gradient and thresholds", "tree"])
@pytest.mark.parametrize("rows", [CANCER, DIABETES], ids=["classes", "numbers"])
def test_ramps_end_inside_the_range_of_their_input(rows: tuple[Any, Any], method: str) -> None:
    X, y = rows
    classes = rows is CANCER
    if method == "tree":
        kind: Any = SoftenedTreeClassifier if classes else SoftenedTreeRegressor
        soft = kind(n_successes=3, patience=10).fit(X, y).tree_
    else:
        hard = (CARTClassifier() if classes else CARTRegressor()).fit(X, y)
        more = {"thresholds": True} if method.endswith("thresholds") else {}
        soft = soften(hard, X, y, method=method.split()[0], **more).tree_
    gates = np.flatnonzero(soft.squash == Squash.RAMP)
    feature, threshold, (below, above) = soft.feature[gates], soft.threshold[gates], soft.softness[gates].T
    slack = 1e-9 * np.ptp(X, axis=0)[feature]
    assert len(gates) > 0
    assert np.all(threshold - below >= X.min(axis=0)[feature] - slack)
    assert np.all(threshold + above <= X.max(axis=0)[feature] + slack)


@pytest.mark.parametrize("rows", [CANCER, DIABETES], ids=["classes", "numbers"])
def test_a_softened_model_stays_what_it_is(rows: tuple[Any, Any]) -> None:
    """Printed, copied, cross-validated and pruned: each grows and softens, or stays soft."""
    X, y = rows
    hard = (CARTClassifier(cv=3) if rows is CANCER else CARTRegressor(cv=3)).fit(X, y)
    soft = soften(hard, X, y, method="gradient")
    assert repr(soft).split("(")[0] == type(soft).__name__
    assert "method='gradient'" in repr(soft)
    again = clone(soft).fit(X, y)
    assert again.tree_ == soft.tree_
    scores = cross_val_score(soft, X, y, cv=3)
    by_hand = cross_val_score(type(soft)(clone(hard), method="gradient"), X, y, cv=3)
    np.testing.assert_allclose(scores, by_hand)
    assert not np.allclose(scores, cross_val_score(hard, X, y, cv=3))
    smaller = soft.prune_to(n_leaves=2)
    assert type(smaller) is type(soft)
    assert repr(smaller) == repr(soft)
    assert not smaller.tree_.is_hard
    assert smaller.tree_.n_leaves == 2
