"""The compared methods, one line each. To add one, add its line; a missing class is skipped with a message.

Rows a method sees (the papers' protocol, softwood.datasets.folds):

    half    fitted on the training half; the other half, by which to choose, goes to X_val where `fit` takes it
    both    fitted on both halves, no X_val: the method splits the rows itself
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Method:
    """One line. Classes are dotted names; "" is a task that the method does not support.

    `role`: ours, a yardstick, or a variant of one, which is shown only on request.
    """

    name: str
    title: str
    classifier: str = ""
    regressor: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    rows: str = "half"
    role: str = "ours"


def _pair(stem: str) -> tuple[str, str]:
    return f"{stem}Classifier", f"{stem}Regressor"


CART = _pair("softwood.CART")
LDT = _pair("softwood.LinearDiscriminantTree")
SOFT = _pair("softwood.SoftTree")
BUDDING = _pair("softwood.BuddingTree")
OMNIVARIATE = _pair("softwood.OmnivariateTree")
EXPERTS = _pair("softwood.MixtureOfExperts")
PRUNED = _pair("bench.papers.yardsticks.Pruned")
FOREST = _pair("bench.papers.yardsticks.Forest")
BOOSTED = _pair("bench.papers.yardsticks.Boosted")
BY_OTHER_HALF = {"prune": "validation", "one_se": False}

METHODS = (
    Method("cart", "CART", *CART, BY_OTHER_HALF),
    Method("c45", "C4.5", "softwood.C45Classifier"),
    Method("ldt", "LDT", *LDT, {"prune": "validation"}),
    Method("soft-incremental", "soft, incremental", *SOFT, {"learner": "incremental"}),
    Method("soft", "soft, joint", *SOFT),
    Method("soft-both", "soft, joint, both halves", *SOFT, rows="both"),
    Method("budding-online", "budding, online", *BUDDING, {"learner": "online"}),
    Method("budding", "budding, joint", *BUDDING, {"learner": "joint"}),
    Method("softened", "softened, both halves", "softwood.SoftenedTreeClassifier", rows="both"),
    Method("omnivariate", "omnivariate", *OMNIVARIATE, BY_OTHER_HALF),
    Method("experts", "mixture of experts", *EXPERTS),
    Method("scikit-learn", "scikit-learn CART", *PRUNED, role="yardstick"),
    Method("forest", "random forest", *FOREST, role="yardstick"),
    Method("forest-both", "random forest, both halves", *FOREST, rows="both", role="yardstick"),
    Method("lightgbm", "LightGBM", *BOOSTED, role="yardstick"),
    Method("lightgbm-default", "LightGBM, default step", *BOOSTED, {"step": 0.1}, role="variant"),
    Method("lightgbm-both", "LightGBM, both halves", *BOOSTED, rows="both", role="yardstick"),
)
BY_NAME = {method.name: method for method in METHODS}


def find_methods(wanted: Sequence[str]) -> list[Method]:
    """The methods of these names; all for none."""
    unknown = [name for name in wanted if name not in BY_NAME]
    if unknown:
        raise ValueError(f"There is no method {unknown[0]!r}; there are {', '.join(BY_NAME)}.")
    return [BY_NAME[name] for name in wanted] or list(METHODS)


def knows(method: Method, task: str) -> bool:
    """Whether the method supports such a target."""
    return bool(method.regressor if task == "regression" else method.classifier)


def absence(method: Method) -> str:
    """Why the method cannot run here; "" if it can."""
    for dotted in filter(None, (method.classifier, method.regressor)):
        home, name = dotted.rsplit(".", 1)
        try:
            if not hasattr(importlib.import_module(home), name):
                return f"{home} has no {name}"
        except ImportError as error:
            return f"{home}: {error}"
    if method.name.startswith("lightgbm") and importlib.util.find_spec("lightgbm") is None:
        return "lightgbm is not installed (pip install 'softwood[bench]')"
    return ""


def make(method: Method, task: str, seed: int, category: Sequence[int] = ()) -> Any:
    """A fresh estimator; seed and categories are given to those that take them."""
    home, name = (method.regressor if task == "regression" else method.classifier).rsplit(".", 1)
    kind = getattr(importlib.import_module(home), name)
    takes = inspect.signature(kind).parameters
    extra: dict[str, Any] = {"random_state": seed} if "random_state" in takes else {}
    if category and "categorical_features" in takes:
        extra["categorical_features"] = list(category)
    return kind(**method.options, **extra)


def takes_validation(model: Any) -> bool:
    """Whether `fit` takes validation rows."""
    return "X_val" in inspect.signature(model.fit).parameters
