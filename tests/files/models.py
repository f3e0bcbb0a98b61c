"""Small fitted models of every estimator, for files of every format version and for tests of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import softwood
from softwood.tree import join_trees

N_ROWS = 48


def rows(n: int = N_ROWS, seed: int = 0) -> pd.DataFrame:
    """Numbers with missing values, a category, a boolean."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": np.round(rng.normal(size=n), 2),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n), ["red", "green", "blue"]),
            "open": rng.random(n) < 0.5,
            "weight": np.round(rng.normal(size=n), 2),
        }
    )
    X.loc[::7, "weight"] = np.nan
    return X


def classes(X: pd.DataFrame) -> list[str]:
    """Three, by size and colour."""
    large = X["size"].to_numpy() > 0
    return ["none" if not a else "blue" if c == "blue" else "other" for a, c in zip(large, X["colour"], strict=True)]


def numbers(X: pd.DataFrame) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One target."""
    size = X["size"].to_numpy()
    return np.where(X["open"], np.abs(size), 1.0 + size)


def two_numbers(X: pd.DataFrame) -> pd.DataFrame:
    """Two targets with names."""
    return pd.DataFrame({"length": numbers(X), "price": numbers(X) ** 2})


def _fit(estimator: Any, target: Callable[[pd.DataFrame], Any]) -> Callable[[], Any]:
    return lambda: estimator.fit(rows(), target(rows()))


def _stream() -> Any:
    model = softwood.BuddingTreeRegressor(optimizer="adam", batch_size=4, max_nodes=7, leaf="linear", random_state=1)
    whole = rows(46)  # not a whole number of batches: the last one is pending
    return model.partial_fit(whole[:21], numbers(whole)[:21]).partial_fit(whole[21:], numbers(whole)[21:])


def _mean() -> softwood.Tree:
    X, y = rows(), numbers(rows())
    soft = softwood.SoftTreeRegressor(gate="linear", max_leaves=2, random_state=0).fit(X, y).tree_
    return join_trees([softwood.CARTRegressor(max_depth=2, prune=None).fit(X, y).tree_, soft], [1, 2])


COSTS = {("none", "blue"): 3.0, ("other", "none"): 0.5}
# By name of the file; making one takes a second at most.
MAKERS: dict[str, Callable[[], Any]] = {
    "CARTClassifier": _fit(softwood.CARTClassifier(costs=COSTS, cv=3), classes),
    "CARTRegressor": _fit(softwood.CARTRegressor(cv=3, max_depth=3), two_numbers),
    "CARTClassifier-fraction": _fit(softwood.CARTClassifier(missing="fraction", prune=None, max_depth=3), classes),
    "C45Classifier": _fit(softwood.C45Classifier(rules=True), classes),
    "C45Classifier-soft": _fit(softwood.C45Classifier(soft_thresholds=True), classes),
    "LinearDiscriminantTreeClassifier": _fit(softwood.LinearDiscriminantTreeClassifier(cv=3), classes),
    "LinearDiscriminantTreeRegressor": _fit(softwood.LinearDiscriminantTreeRegressor(cv=3, max_depth=3), numbers),
    "OmnivariateTreeClassifier": _fit(softwood.OmnivariateTreeClassifier(), classes),
    "OmnivariateTreeRegressor": _fit(softwood.OmnivariateTreeRegressor(soft=True, max_depth=2), numbers),
    "MixtureOfExpertsClassifier": _fit(softwood.MixtureOfExpertsClassifier(depth=1), classes),
    "MixtureOfExpertsRegressor": _fit(softwood.MixtureOfExpertsRegressor(depth=1, branching=3), numbers),
    "SoftTreeClassifier": _fit(softwood.SoftTreeClassifier(gate="linear", leaf="constant"), classes),
    "SoftTreeRegressor": _fit(softwood.SoftTreeRegressor(gate="additive", leaf="linear", max_leaves=3), numbers),
    "SoftTreeRegressor-incremental": _fit(softwood.SoftTreeRegressor(learner="incremental", max_leaves=4), two_numbers),
    "SoftForestClassifier": _fit(softwood.SoftForestClassifier(2, gate="linear", leaf="constant"), classes),
    "SoftForestRegressor": _fit(softwood.SoftForestRegressor(2, gate="linear", max_leaves=2), numbers),
    "BuddingTreeClassifier": _fit(softwood.BuddingTreeClassifier(gate="linear", max_nodes=7), classes),
    "BuddingTreeRegressor": _fit(
        softwood.BuddingTreeRegressor(learner="online", leafness_penalty=1e-3, learning_rate=0.3, max_epochs=5,
                                      max_nodes=7), numbers),
    "BuddingTreeRegressor-stream": _stream,
    "SoftenedClassifier": _fit(softwood.SoftenedClassifier(softwood.CARTClassifier(cv=3)), classes),
    "SoftenedRegressor": _fit(softwood.SoftenedRegressor(softwood.CARTRegressor(max_depth=2, prune=None)), numbers),
    "SoftenedTreeClassifier": _fit(softwood.SoftenedTreeClassifier(n_successes=1), classes),
    "SoftenedTreeRegressor": _fit(softwood.SoftenedTreeRegressor(n_successes=1), numbers),
    "Tree-mean": _mean,
    "Tree": lambda: softwood.CARTRegressor(max_depth=2, prune=None).fit(rows(), numbers(rows())).tree_,
}  # fmt: skip


def answers(model: Any, X: pd.DataFrame) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Probabilities, numbers, or outputs of a bare tree."""
    if isinstance(model, softwood.Tree):
        found = model.predict(model.schema.encode(X.to_dict("records")))
    else:
        found = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    return np.asarray(found, np.float64)
