"""The estimators that a file may name, and where they live; a file can name no other class."""

from __future__ import annotations

from importlib import import_module
from typing import Any

HOMES = {
    "BuddingTreeClassifier": "budding",
    "BuddingTreeRegressor": "budding",
    "C45Classifier": "c45",
    "CARTClassifier": "cart",
    "CARTRegressor": "cart",
    "LinearDiscriminantTreeClassifier": "discriminant",
    "LinearDiscriminantTreeRegressor": "discriminant",
    "MixtureOfExpertsClassifier": "mixture",
    "MixtureOfExpertsRegressor": "mixture",
    "OmnivariateTreeClassifier": "omnivariate",
    "OmnivariateTreeRegressor": "omnivariate",
    "SoftTreeClassifier": "soft",
    "SoftTreeRegressor": "soft",
    "SoftenedClassifier": "soften",
    "SoftenedRegressor": "soften",
    "SoftenedTreeClassifier": "softened",
    "SoftenedTreeRegressor": "softened",
}


def class_named(name: Any) -> Any:
    """The estimator of this name; another name is a ValueError."""
    if not isinstance(name, str) or name not in HOMES:
        raise ValueError(f"a file holds one of {', '.join(HOMES)} or a Tree, got {name!r:.80}.")
    return getattr(import_module(f"softwood.estimators.{HOMES[name]}"), name)
