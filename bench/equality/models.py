"""Every public estimator with a few of its variants. Names and parameters are public: modules may be renamed."""

from __future__ import annotations

from typing import Any

import softwood
from bench.equality.tables import Table

Variants = dict[str, tuple[str, dict[str, Any]]]  # name: the estimator without Classifier or Regressor, its parameters

BOTH: Variants = {
    "CART": ("CART", {}),
    "CART grown": ("CART", {"prune": None, "min_samples_leaf": 3}),
    "CART best first": ("CART", {"prune": None, "max_leaves": 9}),
    "CART binned": ("CART", {"max_bins": 16, "one_se": False}),
    "CART direction": ("CART", {"missing": "direction"}),
    "CART fraction": ("CART", {"missing": "fraction"}),
    "CART mean": ("CART", {"missing": "mean"}),
    "CART category": ("CART", {"missing": "category", "max_bins": 32}),
    "CART monotone": ("CART", {"monotonic_cst": {0: 1, 1: -1}, "prune": None, "min_samples_leaf": 5}),
    "soft": ("SoftTree", {}),
    "soft curves": ("SoftTree", {"gate": "additive", "leaf": "linear", "max_leaves": 3}),
    "soft incremental": ("SoftTree", {"learner": "incremental", "max_leaves": 4}),
    "soft forest": ("SoftForest", {"n_trees": 2, "gate": "linear", "leaf": "constant"}),
    "budding": ("BuddingTree", {}),
    "budding online": ("BuddingTree", {"learner": "online", "max_epochs": 5}),
    "discriminant": ("LinearDiscriminantTree", {}),
    "discriminant univariate": ("LinearDiscriminantTree", {"univariate": True, "prune": None}),
    "omnivariate": ("OmnivariateTree", {"max_depth": 3}),
    "omnivariate soft": ("OmnivariateTree", {"max_depth": 2, "soft": True}),
    "experts": ("MixtureOfExperts", {"depth": 1, "n_init": 1}),
    "experts joint": ("MixtureOfExperts", {"depth": 1, "n_init": 1, "learner": "joint"}),
}
CLASSES_ONLY: Variants = {
    "CART entropy, balanced": ("CART", {"criterion": "entropy", "class_weight": "balanced"}),
    "C4.5": ("C45", {}),
    "C4.5 subsets": ("C45", {"subsets": True, "soft_thresholds": True}),
    "softened": ("SoftenedTree", {"n_successes": 2, "patience": 5}),
}
NUMBERS_ONLY: Variants = {"CART absolute error": ("CART", {"criterion": "absolute_error"})}
SOFTENED: dict[str, dict[str, Any]] = {
    "CART softened by statistics": {"method": "statistics"},
    "CART annealed": {"method": "anneal", "patience": 3},
    "CART softened by gradient": {"method": "gradient", "thresholds": True, "responses": True},
}


def names_for(table: Table) -> list[str]:
    """The models for a table."""
    return [*BOTH, *(CLASSES_ONLY if table.is_classes else NUMBERS_ONLY), *SOFTENED]


def fit(name: str, table: Table) -> Any:
    """The fitted estimator of that name."""
    if name in SOFTENED:
        hard = fit("CART best first", table)
        return softwood.soften(hard, table.X, table.y, sample_weight=table.weight, **SOFTENED[name])
    kind, parameters = {**BOTH, **CLASSES_ONLY, **NUMBERS_ONLY}[name]
    estimator = getattr(softwood, kind + ("Classifier" if table.is_classes else "Regressor"))
    if table.categories:
        parameters = {**parameters, "categorical_features": list(table.categories)}
    return estimator(n_jobs=1, **parameters).fit(table.X, table.y, sample_weight=table.weight)
