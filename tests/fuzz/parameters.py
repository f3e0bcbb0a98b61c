"""Every estimator with its options, from which parameters are drawn; a few are deliberately wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.fuzz.columns import Random
from tests.fuzz.tables import Table

Draw = Callable[[Random, Table], Any]
WRONG: list[Any] = [-1, 0, 2.5, "nonsense", None, float("nan"), float("inf"), [], True, 10**20]


@dataclass(frozen=True)
class Learner:
    """An estimator of softwood and its options.

    options : parameter -> its values, or functions that draw one for a table.
    always : parameters set in every case, so that a slow learner stays bounded.
    often : its part of the cases.
    most_rows : of its tables.
    exact : whether both kernels promise the same gates to the bit.
    held : whether `fit` takes X_val and y_val.
    """

    classify: bool
    options: dict[str, list[Any]]
    always: dict[str, list[Any]] = field(default_factory=dict)
    often: float = 1.0
    most_rows: int = 200
    exact: bool = True
    held: bool = True


def _signs(rng: Random, table: Table) -> list[int]:
    signs = [int(sign) for sign in rng.integers(-1, 2, len(table.columns))]
    numbers = [any(isinstance(cell, float) for cell in cells) for cells in table.columns.values()]
    return [sign if number else 0 for sign, number in zip(signs, numbers, strict=True)]


def _costs(rng: Random, table: Table) -> list[list[float]]:
    costs = np.round(rng.random((len(table.classes),) * 2) * 5 + 0.1, 1)
    return list((costs * (1 - np.eye(len(costs)))).tolist())


def _priors(rng: Random, table: Table) -> list[float]:
    share = rng.random(len(table.classes)) + 1e-3
    return list((share / share.sum()).tolist())


def _factors(rng: Random, table: Table) -> dict[Any, float]:
    return {label: float(rng.choice([1e-6, 0.5, 1, 3, 1e6])) for label in table.classes}


def _categories(rng: Random, table: Table) -> list[int]:
    """Text columns must be named, whole numbers may be."""
    small = [
        i
        for i, cells in enumerate(table.columns.values())
        if all(isinstance(cell, float) and cell.is_integer() and abs(cell) < 50 for cell in cells)
    ]
    return sorted({*table.words, *(i for i in small if rng.random() < 0.5)})


CLASSES: dict[str, list[Any]] = {"class_weight": ["balanced", _factors]}
PRICES: dict[str, list[Any]] = {"costs": [_costs], "priors": [_priors]}
SIZE: dict[str, list[Any]] = {
    "max_depth": [0, 1, 2, 3, 5, 8],
    "min_samples_split": [2, 5, 0.3],
    "min_samples_leaf": [1, 2, 3, 10, 0.1],
    "min_impurity_decrease": [0.0, 1e-6, 0.001, 0.01],
}
PRUNING: dict[str, list[Any]] = {
    "prune": ["cv", "validation", "reduced_error", None, None],
    "one_se": [True, False],
    "cv": [2, 3, 5],
    "random_state": [0, 1, 7],
}
COLUMNS: dict[str, list[Any]] = {"categorical_features": [None, _categories]}
HARD: dict[str, list[Any]] = {
    **SIZE,
    **PRUNING,
    **COLUMNS,
    "max_leaves": [1, 2, 6, 20],
    "min_impurity": [0.0, 0.01],
    "max_bins": [None, 2, 16, 256],
    "missing": ["surrogate", "direction", "fraction", "mean", "category"],
    "max_surrogates": [0, 1, 5],
    "monotonic_cst": [_signs],
}
SOFT: dict[str, list[Any]] = {
    **COLUMNS,
    "learner": ["joint", "incremental"],
    "gate": ["auto", "axis", "linear", "quadratic", "additive"],
    "leaf": ["auto", "constant", "linear"],
    "mix": ["output", "probability"],
    "weight_penalty": ["auto", 0.0, 1e-6, 0.01, 10.0, 1e10],
    "max_gate_features": [1, 2],
    "monotonic_cst": [_signs],
    "start": ["hard", "random"],
    "effort": ["quick", "normal"],
    "early_stopping": [True, False],
    "n_iter_no_change": [1, 3],
    "tol": [0.0, 1e-3, 0.5],
    "warm_start": [True],
    "random_state": [0, 1, 7],
}
FOREST = {name: SOFT[name] for name in SOFT if name not in ("learner", "start", "warm_start")}
BUDDING: dict[str, list[Any]] = {
    **COLUMNS,
    "leafness_penalty": ["auto", 0.0, 1e-4, 0.1, 100.0],
    "learning_rate": ["auto", 1e-3, 0.3, 10.0],
    "optimizer": ["adagrad", "sgd", "adam"],
    "batch_size": [1, 7, 64],
    "leaf": ["auto", "constant", "linear"],
    "weight_penalty": ["auto", 0.0, 0.01, 10.0],
    "shuffle": [True, False],
    "round_buds": [True, False],
    "random_state": [0, 1, 7],
}
OBLIQUE: dict[str, list[Any]] = {**SIZE, **PRUNING, **COLUMNS}
DISCRIMINANT: dict[str, list[Any]] = {
    **OBLIQUE,
    "shrinkage": ["auto", 0.0, 0.5, 10.0],
    "univariate": [True, False],
}
OMNIVARIATE: dict[str, list[Any]] = {
    **OBLIQUE,
    "candidates": [("threshold",), ("threshold", "linear"), ("linear", "quadratic"), ("mlp",), ("threshold", "mlp")],
    "select": ["f_test", "aic", "bic", "validation"],
    "alpha": [0.0, 0.05, 1.0],
    "soft": [True, False],
    "prune": ["prepruning", "cv", "validation", "reduced_error", None],
}
MIXTURE: dict[str, list[Any]] = {
    **COLUMNS,
    "depth": [0, 1, 2],
    "branching": [2, 3],
    "learner": ["em", "joint"],
    "weight_penalty": ["auto", 0.0, 1e-3, 10.0],
    "tol": [0.0, 1e-5, 0.1],
    "random_state": [0, 1, 7],
}
C45: dict[str, list[Any]] = {
    **COLUMNS,
    "confidence": [None, 0.01, 0.25, 0.5],
    "min_cases": [0, 0.5, 2, 5],
    "subtree_raising": [True, False],
    "subsets": [True, False],
    "thresholds": ["value", "middle"],
    "soft_thresholds": [True, False],
    "rules": [True, False],
    "smoothing": ["laplace", "m_estimate", 0.5],
}
SOFTENED: dict[str, list[Any]] = {
    **COLUMNS,
    "criterion": ["gini", "entropy"],
    "min_samples_leaf": [1, 3, 0.1],
    "alpha": [0.0, 1.0, 4.0, 50.0],
    "n_splits": [1, 3],
    "mean_widths": [True, False],
    "random_state": [0, 1, 7],
}
RAMPS: dict[str, list[Any]] = {
    "method": ["statistics", "anneal", "gradient", "gradient"],
    "alpha": [0.0, 1.0, 4.0, 50.0],
    "random_state": [0, 1, 7],
}
BRIEF_SOFT: dict[str, list[Any]] = {"max_leaves": [1, 2, 3, 4, 8], "max_iter": [1, 5, 20, 50, 200]}
BRIEF_FOREST: dict[str, list[Any]] = {**BRIEF_SOFT, "n_trees": [1, 2, 5]}
BRIEF_JOINT: dict[str, list[Any]] = {"learner": ["joint"], "max_nodes": [1, 3, 7]}
BRIEF_ONLINE: dict[str, list[Any]] = {"learner": ["online"], "max_nodes": [1, 3, 7], "max_epochs": [1, 3, 10]}
BRIEF_MIXTURE: dict[str, list[Any]] = {"n_init": [1, 2], "max_iter": [1, 5, 20]}
GATES: dict[str, list[Any]] = {"gate": ["auto", "axis", "linear", "quadratic", "additive"]}
SIGNS: dict[str, list[Any]] = {"monotonic_cst": [_signs]}
CRITERION: dict[str, list[Any]] = {
    "criterion": ["gini", "entropy", "error"],
    "smoothing": ["laplace", "m_estimate", 0.5],
}
NUMBERS: dict[str, list[Any]] = {
    "criterion": ["squared_error", "absolute_error", "poisson", "quantile", "huber"],
    "quantile": [0.1, 0.5, 0.75, 0.99],
    "delta": [0.1, 1.0, 3.0, 100.0],
}
LOSSES: dict[str, list[Any]] = {
    "loss": ["absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"],
    "quantile": NUMBERS["quantile"],
    "delta": NUMBERS["delta"],
    "power": [1.0, 1.01, 1.5, 1.99, 2.0],
}

LEARNERS: dict[str, list[Learner]] = {
    "CARTClassifier": [Learner(True, {**HARD, **CRITERION, **CLASSES, **PRICES}, often=6)],
    "CARTRegressor": [Learner(False, {**HARD, **NUMBERS}, often=6)],
    "C45Classifier": [Learner(True, C45, often=4, held=False)],
    "LinearDiscriminantTreeClassifier": [
        Learner(True, {**DISCRIMINANT, **CRITERION, **CLASSES, **PRICES, "threshold": ["gaussian", "gain"]}, often=4)
    ],
    "LinearDiscriminantTreeRegressor": [Learner(False, DISCRIMINANT, often=3)],
    "OmnivariateTreeClassifier": [
        Learner(True, {**OMNIVARIATE, **CRITERION, **CLASSES, **PRICES}, often=1.5, most_rows=100, exact=False)
    ],
    "OmnivariateTreeRegressor": [Learner(False, OMNIVARIATE, often=1.5, most_rows=100, exact=False)],
    "SoftTreeClassifier": [Learner(True, {**SOFT, **CLASSES, "costs": [_costs]}, BRIEF_SOFT, 1.5, 60, exact=False)],
    "SoftTreeRegressor": [Learner(False, {**SOFT, **LOSSES}, BRIEF_SOFT, 1.5, 60, exact=False)],
    "SoftForestClassifier": [
        Learner(True, {**FOREST, **CLASSES, "costs": [_costs]}, BRIEF_FOREST, 0.6, 40, exact=False)
    ],
    "SoftForestRegressor": [Learner(False, {**FOREST, **LOSSES}, BRIEF_FOREST, 0.6, 40, exact=False)],
    "SoftenedTreeClassifier": [
        Learner(True, SOFTENED, {"n_successes": [1, 2], "patience": [1, 3]}, 1, 80, exact=False, held=False)
    ],
    "SoftenedTreeRegressor": [
        Learner(
            False,
            {**SOFTENED, "criterion": ["squared_error", "absolute_error"]},
            {"n_successes": [1, 2], "patience": [1, 3]},
            1,
            80,
            exact=False,
            held=False,
        )
    ],
    "SoftenedClassifier": [Learner(True, RAMPS, {"patience": [1, 3]}, 0.7, 80, exact=False, held=False)],
    "SoftenedRegressor": [Learner(False, RAMPS, {"patience": [1, 3]}, 0.7, 80, exact=False, held=False)],
    "BuddingTreeClassifier": [
        Learner(True, {**BUDDING, **CLASSES, **GATES, **SIGNS}, BRIEF_JOINT, 0.8, 40, exact=False),
        Learner(True, {**BUDDING, **CLASSES}, BRIEF_ONLINE, 0.8, 60, exact=False),
    ],
    "BuddingTreeRegressor": [
        Learner(False, {**BUDDING, **GATES, **LOSSES, **SIGNS}, BRIEF_JOINT, 0.8, 40, exact=False),
        Learner(False, BUDDING, BRIEF_ONLINE, 0.8, 60, exact=False),
    ],
    "MixtureOfExpertsClassifier": [
        Learner(True, {**MIXTURE, **CLASSES}, BRIEF_MIXTURE, 1.5, 80, exact=False, held=False)
    ],
    "MixtureOfExpertsRegressor": [Learner(False, MIXTURE, BRIEF_MIXTURE, 1.5, 80, exact=False, held=False)],
}


def draw_learner(rng: Random) -> tuple[str, Learner]:
    """The name of an estimator, and one variant."""
    every = [(name, learner) for name, learners in LEARNERS.items() for learner in learners]
    share = np.array([learner.often for _, learner in every])
    return every[int(rng.choice(len(every), p=share / share.sum()))]


def draw_parameters(rng: Random, learner: Learner, table: Table) -> tuple[dict[str, Any], list[str]]:
    """Some parameters, and which of them are wrong."""
    chosen = {name: _draw(rng, values, table) for name, values in learner.always.items()}
    share = rng.choice([0.0, 0.15, 0.4])
    for name, values in learner.options.items():
        if rng.random() < share and name not in learner.always:
            chosen[name] = _draw(rng, values, table)
    if "prune" in learner.options and rng.random() < 0.5:
        chosen["prune"] = None  # unpruned trees are more likely to fail
    if table.words and table.container == "objects" and "categorical_features" in learner.options:
        chosen["categorical_features"] = _categories(rng, table)
    if "priors" in chosen:
        chosen.pop("class_weight", None)
    wrong = []
    if rng.random() < 0.03:
        name = str(rng.choice([*learner.options, *learner.always]))
        chosen[name] = WRONG[int(rng.integers(len(WRONG)))]
        wrong = [f"{name}={chosen[name]!r}"]
    return chosen, wrong


def _draw(rng: Random, values: list[Any], table: Table) -> Any:
    value = values[int(rng.integers(len(values)))]
    return value(rng, table) if callable(value) else value
