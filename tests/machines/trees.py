"""Golden trees: every learner on tables with the same numbers on every machine, with the hash of each tree.

    python -m tests.machines.trees            prints the hashes as JSON, one per tree
    python -m tests.machines.trees soft       those whose name contains the word

Rows are made of whole numbers and fractions with few digits, so nothing depends on a library before the first split.
A hash covers all arrays of the tree and the answers to its rows.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import softwood
from tests.faults.learners import fingerprint

Rows = tuple[npt.NDArray[Any], npt.NDArray[Any]]
ROWS = 160


def grid(columns: int, seed: int, rows: int = ROWS) -> npt.NDArray[np.float64]:
    """Numbers between -2 and 2 with three digits."""
    return np.random.default_rng(seed).integers(-2000, 2001, (rows, columns)) / 1000.0


def noise(seed: int, rows: int = ROWS) -> npt.NDArray[np.float64]:
    """Sums of six numbers of `grid`: nearly normal."""
    return grid(6, seed, rows).sum(axis=1) / 4.0


def smooth() -> Rows:
    X = grid(5, 1)
    return X, X[:, 0] * X[:, 1] + np.square(X[:, 2]) + 0.3 * noise(2)


def steps() -> Rows:
    """With missing values, and a column of few values."""
    X = grid(6, 3)
    X[:, 4] = np.round(X[:, 4])
    y = 2.0 * (X[:, 0] > 0.3) + (X[:, 4] > 0) * (X[:, 1] > -0.5) + 0.2 * noise(4)
    X[::9, 0], X[::7, 3] = np.nan, np.nan
    return X, y


def two_classes() -> Rows:
    X = grid(5, 5)
    return X, np.where(X[:, 0] + np.square(X[:, 1]) - X[:, 2] + 0.5 * noise(6) > 1.0, "yes", "no")


def three_classes() -> Rows:
    X, y = steps()
    return X, np.digitize(y, [0.7, 1.9])


def counts() -> Rows:
    X = grid(4, 7)
    return X, np.floor(np.square(X[:, 0] + X[:, 1]) + np.abs(noise(8))) + 1.0


NUMBERS: dict[str, Callable[[], Rows]] = {"smooth": smooth, "steps": steps}
CLASSES: dict[str, Callable[[], Rows]] = {"two": two_classes, "three": three_classes}
HARD: dict[str, dict[str, Any]] = {
    "CARTRegressor": {"": {}, "unpruned": {"prune": None, "max_depth": 4}},
    "CARTClassifier": {"": {}, "entropy": {"criterion": "entropy"}, "direction": {"missing": "direction"}},
    "C45Classifier": {"": {}},
    "LinearDiscriminantTreeClassifier": {"": {}},
    "LinearDiscriminantTreeRegressor": {"": {}},
    "OmnivariateTreeClassifier": {"": {"max_depth": 2}},
    "OmnivariateTreeRegressor": {"": {"max_depth": 2}},
}
SOFT: dict[str, dict[str, Any]] = {
    "SoftTreeClassifier": {"": {}, "linear": {"gate": "linear", "leaf": "constant", "max_leaves": 4}},
    "SoftTreeRegressor": {
        "": {},
        "additive": {"gate": "additive", "leaf": "linear", "max_leaves": 4},
        "incremental": {"learner": "incremental", "max_leaves": 3},
    },
    "BuddingTreeClassifier": {"": {}, "online": {"learner": "online", "learning_rate": 0.1, "max_epochs": 3}},
    "BuddingTreeRegressor": {"": {}, "online": {"learner": "online", "learning_rate": 0.1, "max_epochs": 3}},
    "SoftenedTreeClassifier": {"": {"patience": 3, "n_splits": 1}},
    "SoftenedTreeRegressor": {"": {"patience": 3, "n_splits": 1}},
    "MixtureOfExpertsClassifier": {"": {"depth": 1, "n_init": 1, "max_iter": 10}},
    "MixtureOfExpertsRegressor": {"": {"depth": 1, "n_init": 1, "max_iter": 10}},
}
LOSSES = ("huber", "quantile", "absolute", "poisson", "gamma", "tweedie")
CRITERIA = ("poisson", "absolute_error", "quantile", "huber")


def cases() -> Iterator[tuple[str, Callable[[], tuple[Any, npt.NDArray[Any]]]]]:
    """Name and fit (the model, and the rows it answers) of every golden tree."""
    for learner, ways in (HARD | SOFT).items():
        for way, parameters in ways.items():
            for table, make in (CLASSES if learner.endswith("Classifier") else NUMBERS).items():
                yield _case(learner, way, parameters, table, make)
    for loss in LOSSES:
        yield _case("SoftTreeRegressor", loss, {"loss": loss}, "counts", counts)
        yield _case("BuddingTreeRegressor", loss, {"loss": loss}, "counts", counts)
    for criterion in CRITERIA:
        yield _case("CARTRegressor", criterion, {"criterion": criterion}, "counts", counts)
    for method in ("anneal", "gradient", "statistics"):
        yield _case("SoftenedRegressor", method, {"method": method}, "smooth", smooth)
        yield _case("SoftenedClassifier", method, {"method": method}, "two", two_classes)


def _case(
    learner: str, way: str, parameters: dict[str, Any], table: str, make: Callable[[], Rows]
) -> tuple[str, Callable[[], tuple[Any, npt.NDArray[Any]]]]:
    def fit() -> tuple[Any, npt.NDArray[Any]]:
        X, y = make()
        model = getattr(softwood, learner)(**parameters)
        return model.fit(X, y), X

    return " ".join(filter(None, (learner, way, table))), fit


def digest(model: Any, X: npt.NDArray[Any]) -> str:
    """Of the tree and its answers, after the link; -0 counts as 0.

    What format 2 tells of rows beside is left out: the hashes are older, and show that no tree has changed since.
    """
    answers = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    told = (
        fingerprint(model, ("arrived", "column_mean"))
        + hashlib.sha256(np.ascontiguousarray(answers + 0.0).tobytes()).hexdigest()
    )
    return hashlib.sha256(told.encode()).hexdigest()[:20]


def golden(word: str = "") -> dict[str, str]:
    """The hash of every golden tree whose name contains the word."""
    return {name: digest(*fit()) for name, fit in cases() if word in name}


if __name__ == "__main__":
    print(json.dumps(golden(*sys.argv[1:2]), indent=1))
