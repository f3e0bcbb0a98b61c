"""One small fit of every learner, and the environment of its child process."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import softwood

ROOT = Path(__file__).parents[2]
CHILD = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]), "PYTHONFAULTHANDLER": "1"}
QUICK: dict[str, dict[str, Any]] = {
    "BuddingTree": {"learner": "online", "learning_rate": 0.1, "leafness_penalty": 1e-3, "max_epochs": 3},
    "SoftTree": {"gate": "linear", "leaf": "constant", "max_leaves": 3, "weight_penalty": 0.01},
    "SoftForest": {"gate": "linear", "leaf": "constant", "max_leaves": 3, "weight_penalty": 0.01, "n_trees": 2},
    "SoftenedTree": {"patience": 3, "n_splits": 1},
    "MixtureOfExperts": {"depth": 1, "n_init": 1, "max_iter": 10, "weight_penalty": 0.1},
}
LEARNERS = tuple(
    name
    for name in softwood.__all__
    if name.endswith(("Classifier", "Regressor")) and name not in ("SoftenedClassifier", "SoftenedRegressor")
)


def make(name: str, **more: Any) -> Any:
    """An estimator that learns in milliseconds."""
    family = name.removesuffix("Classifier").removesuffix("Regressor")
    return getattr(softwood, name)(**QUICK.get(family, {}), **more)


def rows(name: str, n: int = 80, columns: int = 3, seed: int = 0) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Rows with missing values, and suitable targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    y = X[:, 0] + X[:, -1] ** 2
    X[::7, 1] = np.nan
    return X, (y > 0.5).astype(int) if name.endswith("Classifier") else y


def fingerprint(model: Any, but: tuple[str, ...] = ()) -> str:
    """A hash of all arrays of its tree except the named ones."""
    found = hashlib.sha256()
    for name in sorted(model.tree_.__dataclass_fields__):
        value = getattr(model.tree_, name)
        if isinstance(value, np.ndarray) and name not in but:
            found.update(name.encode() + np.ascontiguousarray(value).tobytes())
    return found.hexdigest()
