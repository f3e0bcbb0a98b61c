"""The compared systems, one line each. All are optional; what cannot be imported is skipped with a message.

A rival gives a model with `fit` and `predict` for a task ("classes" or "numbers"), or None if it does not support the
task, and the number of its nodes (0: unknown). Parameters are the libraries' defaults unless the name says otherwise;
one thread.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Rival:
    """One system. `package`: what must be importable; `make`: task -> model or None; `nodes`: model -> count.

    `scaled`: it does not scale inputs and learns by gradient, so it gets standardised inputs (and targets).
    """

    name: str
    package: str
    make: Callable[[str], Any]
    nodes: Callable[[Any], int]
    scaled: bool = False

    def absence(self) -> str:
        """Why it cannot run here; "" if it can."""
        missing = [name for name in self.package.split() if importlib.util.find_spec(name) is None]
        return f"{missing[0]} is not installed" if missing else ""


def _named(package: str, classes: str, numbers: str, **options: Any) -> Callable[[str], Any]:
    """A maker of the classes of these names; "" is a task that is not known."""

    def make(task: str) -> Any:
        name = classes if task == "classes" else numbers
        kind = getattr(importlib.import_module(package), name, None) if name else None
        return None if kind is None else kind(**options)

    return make


def _ours(name: str, stem: str, **options: Any) -> Rival:
    make = _named("softwood", f"{stem}Classifier", f"{stem}Regressor", **options)
    return Rival(f"softwood, {name}", "softwood", make, lambda model: int(model.tree_.n_nodes))


def _boosted_nodes(model: Any) -> int:
    trees = model.booster_.dump_model()["tree_info"]
    return sum(2 * int(tree["num_leaves"]) - 1 for tree in trees)


def _full_nodes(model: Any) -> int:
    """A whole binary tree of the model's depth."""
    return int(2 ** (model.depth + 1) - 1)


def _count_nodes(node: Any) -> int:
    """Nodes of the subtree, for any names of the links."""
    if node is None:
        return 0
    return 1 + sum(_count_nodes(getattr(node, side, None)) for side in ("left", "right"))


def _root_nodes(model: Any) -> int:
    return _count_nodes(getattr(model, "root_", None) or getattr(model, "tree_", None))


def _forest_of_one(model: Any) -> int:
    return int(model.n_nodes)


class Yggdrasil:
    """YDF with scikit-learn's interface."""

    def __init__(self, task: str, **options: Any) -> None:
        self.task, self.options = task, options

    def fit(self, X: Any, y: Any) -> Yggdrasil:
        """Train CART."""
        import ydf

        task = ydf.Task.CLASSIFICATION if self.task == "classes" else ydf.Task.REGRESSION
        self.classes = np.unique(y)
        learner = ydf.CartLearner(label="y", task=task, num_threads=1, **self.options)
        self.model = learner.train({"x": X, "y": y}, verbose=0)
        self.n_nodes = _count_ydf(self.model.get_tree(0).root)
        return self

    def predict(self, X: Any) -> Any:
        """Labels or numbers."""
        answer = self.model.predict({"x": X})
        if self.task == "numbers":
            return answer
        if answer.ndim == 1:  # two classes: the probability of the second
            return self.classes[(answer > 0.5).astype(int)]
        return self.classes[answer.argmax(axis=1)]


def _count_ydf(node: Any) -> int:
    if node.is_leaf:
        return 1
    return 1 + _count_ydf(node.pos_child) + _count_ydf(node.neg_child)


def _scikit_nodes(model: Any) -> int:
    return int(model.tree_.node_count)


def _unknown(model: Any) -> int:
    return 0


def _readme_of_softdtree(task: str) -> Any:
    """The parameters that its first page shows."""
    name, eta = ("SoftDecisionTreeClassifier", 0.01) if task == "classes" else ("SoftDecisionTreeRegressor", 0.1)
    return getattr(importlib.import_module("softdtree"), name)(max_depth=4, eta=eta, max_epoch=100, random_seed=0)


RIVALS = (
    _ours("CART", "CART"),
    _ours("C4.5", "C45"),
    _ours("LDT", "LinearDiscriminantTree"),
    _ours("LDT, one tree", "LinearDiscriminantTree", prune=None),  # the default grows eleven
    _ours("soft, incremental", "SoftTree", learner="incremental"),
    _ours("soft, joint", "SoftTree"),
    _ours("soft, quick", "SoftTree", effort="quick"),
    _ours("budding", "BuddingTree"),
    _ours("softened", "SoftenedTree"),
    _ours("omnivariate", "OmnivariateTree"),
    _ours("mixture of experts", "MixtureOfExperts"),
    Rival(
        "scikit-learn CART",
        "sklearn",
        _named("sklearn.tree", "DecisionTreeClassifier", "DecisionTreeRegressor", random_state=0),
        _scikit_nodes,
    ),
    Rival(
        "softdtree",
        "softdtree",
        _named("softdtree", "SoftDecisionTreeClassifier", "SoftDecisionTreeRegressor", random_seed=0),
        _unknown,
        scaled=True,
    ),
    Rival(
        "neural-trees, soft",
        "neural_trees torch",
        _named("neural_trees", "SoftDecisionTree", "SoftDecisionTreeRegressor", random_state=0),
        _full_nodes,
        scaled=True,
    ),
    Rival(
        "softdtree, its README's",
        "softdtree",
        _readme_of_softdtree,
        _unknown,
        scaled=True,
    ),
    Rival(
        "neural-trees, soft, incremental",
        "neural_trees torch",
        _named("neural_trees", "SoftDecisionTree", "SoftDecisionTreeRegressor", growth="incremental", random_state=0),
        _full_nodes,
        scaled=True,
    ),
    Rival(
        "neural-trees, multivariate",
        "neural_trees",
        _named("neural_trees", "MultivariateDecisionTree", "", random_state=0),
        _root_nodes,
    ),
    Rival(
        "neural-trees, omnivariate",
        "neural_trees",
        _named("neural_trees", "OmnivariateDecisionTree", "", random_state=0),
        _root_nodes,
    ),
    Rival(
        "obliquetree, axis",
        "obliquetree",
        _named("obliquetree", "Classifier", "Regressor", use_oblique=False, random_state=0),
        _unknown,
    ),
    Rival(
        "obliquetree, oblique",
        "obliquetree",
        _named("obliquetree", "Classifier", "Regressor", use_oblique=True, random_state=0),
        _unknown,
    ),
    Rival("YDF CART", "ydf", lambda task: Yggdrasil(task), _forest_of_one),
    Rival("YDF sparse oblique", "ydf", lambda task: Yggdrasil(task, split_axis="SPARSE_OBLIQUE"), _forest_of_one),
    Rival(
        "LightGBM (100 trees)",
        "lightgbm",
        _named("lightgbm", "LGBMClassifier", "LGBMRegressor", n_jobs=1, verbose=-1, random_state=0),
        _boosted_nodes,
    ),
)
BY_NAME = {rival.name: rival for rival in RIVALS}
