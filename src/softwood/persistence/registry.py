"""The estimators that a file may name; a file can name no other class."""

from __future__ import annotations

from importlib import import_module
from typing import Any

ESTIMATORS = (
    "BuddingTreeClassifier",
    "BuddingTreeRegressor",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "LinearDiscriminantTreeClassifier",
    "LinearDiscriminantTreeRegressor",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "OmnivariateTreeClassifier",
    "OmnivariateTreeRegressor",
    "SoftForestClassifier",
    "SoftForestRegressor",
    "SoftTreeClassifier",
    "SoftTreeRegressor",
    "SoftenedClassifier",
    "SoftenedRegressor",
    "SoftenedTreeClassifier",
    "SoftenedTreeRegressor",
)


def class_named(name: Any) -> Any:
    """The estimator of this name; another name is a ValueError."""
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise ValueError(f"a file holds one of {', '.join(ESTIMATORS)} or a Tree, got {name!r:.80}.")
    return getattr(import_module("softwood"), name)
