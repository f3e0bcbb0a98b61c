"""scikit-learn's own checks of an estimator: every one passes, none is skipped or excused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softwood import CARTClassifier, CARTRegressor
from tests.estimators.sklearn_checks import parametrize_with_checks

# Two checks ask for a fit that is neither too close nor too coarse: hence min_impurity and five folds.
VARIANTS = [
    {},
    {"prune": None, "min_impurity": 1e-3},
    {"missing": "fraction", "one_se": False},
    {"missing": "direction", "max_leaves": 6},
    {"missing": "category", "max_bins": 32},
    {"missing": "mean", "cv": 5, "one_se": False},
]
MODELS = [model(**variant) for variant in VARIANTS for model in (CARTClassifier, CARTRegressor)]
MODELS += [CARTClassifier(criterion="entropy", class_weight="balanced"), CARTClassifier(criterion="error")]
MODELS += [CARTRegressor(criterion="absolute_error", prune=None)]
MODELS += [CARTRegressor(criterion="quantile", quantile=0.4), CARTRegressor(criterion="huber", delta=2.0)]


@parametrize_with_checks(MODELS)
def test_behaves_as_scikit_learn_asks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
