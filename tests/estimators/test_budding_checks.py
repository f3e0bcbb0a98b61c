"""scikit-learn's own checks of budding trees: every one passes, none is skipped or excused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softwood import BuddingTreeClassifier, BuddingTreeRegressor
from tests.estimators.sklearn_checks import parametrize_with_checks

VARIANTS: list[dict[str, Any]] = [{"learner": "online", "max_epochs": 20}, {"max_nodes": 3}, {}]  # the quickest first
MODELS = [model(**variant) for variant in VARIANTS for model in (BuddingTreeClassifier, BuddingTreeRegressor)]


@parametrize_with_checks(MODELS)
def test_behaves_as_scikit_learn_asks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
