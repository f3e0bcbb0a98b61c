"""An interrupted or refused fit leaves the estimator unchanged, with everything that it had learned before."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier

import softwood
from tests.interruption import Interruption

R = np.random.default_rng(5)
X, LESS = R.normal(size=(40, 2)), R.normal(size=(30, 1))
PLACES = (0.0, 0.05, 0.3, 0.6, 0.9, 0.99)  # parts of all calls after which a fit is interrupted

ESTIMATORS: dict[str, Callable[[], Any]] = {
    "cart": lambda: softwood.CARTClassifier(cv=2),
    "cart numbers": lambda: softwood.CARTRegressor(cv=2),
    "c45": lambda: softwood.C45Classifier(rules=True),
    "soft": lambda: softwood.SoftTreeClassifier(gate="linear", leaf="constant", max_leaves=2, weight_penalty=0.1),
    "soft numbers": lambda: softwood.SoftTreeRegressor(gate="linear", leaf="linear", max_leaves=2, weight_penalty=0.1),
    "forest": lambda: softwood.SoftForestClassifier(2, gate="linear", leaf="constant", weight_penalty=0.1),
    "incremental": lambda: softwood.SoftTreeClassifier(learner="incremental", max_leaves=2),
    "budding": lambda: softwood.BuddingTreeClassifier(gate="linear", leaf="constant", weight_penalty=0.1, max_nodes=3),
    "online": lambda: softwood.BuddingTreeClassifier(learner="online", max_epochs=2),
    "online numbers": lambda: softwood.BuddingTreeRegressor(learner="online", max_epochs=2),
    "discriminant": lambda: softwood.LinearDiscriminantTreeClassifier(cv=2),
    "discriminant numbers": lambda: softwood.LinearDiscriminantTreeRegressor(cv=2),
    "omnivariate": lambda: softwood.OmnivariateTreeClassifier(soft=True),
    "omnivariate numbers": lambda: softwood.OmnivariateTreeRegressor(),
    "mixture": lambda: softwood.MixtureOfExpertsClassifier(depth=1, n_init=1, max_iter=3),
    "mixture numbers": lambda: softwood.MixtureOfExpertsRegressor(depth=1, n_init=1, max_iter=3),
    "softened": lambda: softwood.SoftenedTreeClassifier(n_successes=1, patience=50),
}


def targets(model: Any, X: Any, labels: str) -> Any:
    """Classes with names of their own, or numbers."""
    code = (X[:, 0] > 0).astype(int)
    return np.array(list(labels))[code] if is_classifier(model) else X[:, 0] * code


class Kept:
    """The state of an estimator: its attributes, their content, and its predictions."""

    def __init__(self, model: Any) -> None:
        self.model, self.answer = model, model.predict(X)
        self.attributes, self.content = dict(vars(model)), pickle.dumps(model)

    def check(self) -> None:
        assert vars(self.model).keys() == self.attributes.keys()
        assert all(vars(self.model)[name] is value for name, value in self.attributes.items())
        assert np.array_equal(self.model.predict(X), self.answer)
        assert pickle.dumps(self.model) == self.content


@pytest.mark.fewer
@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_interrupted_fit_changes_nothing(name: str) -> None:
    model = ESTIMATORS[name]()
    model.fit(X, targets(model, X, "ab"))
    kept, other = Kept(model), targets(model, LESS, "cd")
    twin = copy.copy(model)  # knows all that was computed once, so that it makes the same calls
    calls = Interruption().during(lambda: twin.fit(LESS, other))
    for place in PLACES:
        with pytest.raises(KeyboardInterrupt):
            Interruption(max(int(place * calls), 1)).during(lambda: model.fit(LESS, other))
        kept.check()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_refused_fit_changes_nothing(name: str) -> None:
    model = ESTIMATORS[name]()
    model.fit(X, targets(model, X, "ab"))
    kept, other = Kept(model), targets(model, LESS, "cd")
    for refused in ((LESS, other[1:]), (LESS, other, -np.ones(len(LESS))), (np.full_like(LESS, np.inf), other)):
        with pytest.raises(ValueError):
            model.fit(*refused)
        kept.check()
    if "X_val" in type(model).fit.__wrapped__.__code__.co_varnames:
        with pytest.raises(ValueError, match="X_val"):
            model.fit(LESS, other, X_val=LESS)
        kept.check()


@pytest.mark.parametrize("name", ["online", "online numbers"])
def test_an_interrupted_chunk_changes_nothing(name: str) -> None:
    model, y = ESTIMATORS[name](), targets(ESTIMATORS[name](), X, "ab")
    classes = {"classes": ["a", "b"]} if is_classifier(model) else {}
    with pytest.raises(KeyboardInterrupt):
        Interruption(20).during(lambda: model.partial_fit(X, y, **classes))
    assert not hasattr(model, "tree_")
    assert not hasattr(model, "n_features_in_")
    model.partial_fit(X, y, **classes)
    kept = Kept(model)
    twin = copy.copy(model)  # knows all that was computed once, so that it makes the same calls
    calls = Interruption().during(lambda: twin.partial_fit(X, y))
    for place in PLACES:
        with pytest.raises(KeyboardInterrupt):
            Interruption(max(int(place * calls), 1)).during(lambda: model.partial_fit(X, y))
        kept.check()
    assert np.array_equal(model.partial_fit(X, y).predict(X), twin.predict(X))
