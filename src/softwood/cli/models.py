"""The models of the command line by name, and their parameters as options: `--max_depth 3` is `max_depth=3`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

# By name: classifier, regressor ("" if there is none), and a description.
MODELS = {
    "cart": ("CARTClassifier", "CARTRegressor", "hard tree, pruned by cross-validation"),
    "c45": ("C45Classifier", "", "hard tree by gain ratio, pruned by error"),
    "soft": ("SoftTreeClassifier", "SoftTreeRegressor", "small soft tree, chosen on held-out rows"),
    "soft-forest": ("SoftForestClassifier", "SoftForestRegressor", "the mean of a few soft trees, as one tree"),
    "budding": ("BuddingTreeClassifier", "BuddingTreeRegressor", "soft tree whose nodes are both leaf and branch"),
    "softened": ("SoftenedClassifier", "SoftenedRegressor", "CART with ramps in place of thresholds"),
    "ldt": (
        "LinearDiscriminantTreeClassifier", "LinearDiscriminantTreeRegressor", "hard tree of linear discriminants",
    ),
    "omnivariate": ("OmnivariateTreeClassifier", "OmnivariateTreeRegressor", "the simplest sufficient gate per node"),
    "experts": ("MixtureOfExpertsClassifier", "MixtureOfExpertsRegressor", "mixture of linear experts"),
}  # fmt: skip


def models_for(task: str) -> list[str]:
    """Names of the models for a task."""
    return [name for name, row in MODELS.items() if row[task == "regression"]]


def find_class(name: str, task: str) -> Any:
    """The estimator of a model for a task."""
    if name not in MODELS:
        raise ValueError(f"--model must be one of auto, {', '.join(MODELS)}, got {name!r}.")
    estimator = MODELS[name][task == "regression"]
    if not estimator:
        raise ValueError(
            f"--model {name} is a classifier, the task is {task}; choose one of {', '.join(models_for(task))}."
        )
    return getattr(import_module("softwood"), estimator)


def make_model(name: str, task: str, words: Sequence[str] = (), seed: int = 0) -> Any:
    """An unfitted estimator.

    Parameters
    ----------
    words : options of the model on the command line.
    seed : `random_state`, where the estimator has one.

    Examples
    --------
    >>> make_model("cart", "classification", ["--max-depth", "3", "--no-one-se"])
    CARTClassifier(max_depth=3, one_se=False, random_state=0)
    """
    kind = find_class(name, task)
    defaults = parameters_of(kind)
    given = read_options(words, defaults, f"model {name}")
    if "random_state" in defaults:
        given.setdefault("random_state", seed)
    return kind(**given)


def check_words(name: str, words: Sequence[str]) -> None:
    """An error, before any work, for an unknown model or unknown options of it."""
    if name == "auto":
        if words:
            raise ValueError(f"{words[0]} is an option of a model: name the model with --model ({', '.join(MODELS)}).")
        return
    tasks = [task for task in ("classification", "regression") if name not in MODELS or name in models_for(task)]
    known = {option: None for task in tasks for option in parameters_of(find_class(name, task))}
    read_options(words, known, f"model {name}")


def parameters_of(kind: Any) -> dict[str, Any]:
    """Parameters of an estimator or a function that have defaults."""
    found = inspect.signature(kind).parameters.values()
    return {each.name: each.default for each in found if each.default is not each.empty}


def read_options(words: Sequence[str], known: Sequence[str] | dict[str, Any], of: str) -> dict[str, Any]:
    """Words such as `--max_depth 3 --one-se false --no-shuffle` as parameters.

    >>> read_options(["--costs=[[0, 1], [5, 0]]", "--criterion", "gini"], ["costs", "criterion"], "model cart")
    {'costs': [[0, 1], [5, 0]], 'criterion': 'gini'}
    """
    given: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            raise ValueError(
                f"{word!r} is not expected here: options begin with --, and a name with spaces needs quotes."
            )
        name, has_value, text = word[2:].replace("-", "_").partition("=")
        text = word[2:].partition("=")[2] if has_value else ""
        if name not in known and name.startswith("no_") and name[3:] in known and not has_value:
            given[name[3:]] = False
            continue
        if name not in known:
            raise ValueError(_unknown(name, known, of))
        if not has_value and (not rest or rest[0].startswith("--")):
            given[name] = True
        else:
            given[name] = read_value(text if has_value else rest.pop(0))
    return given


def read_value(text: str) -> Any:
    """The value of a word: JSON, none, true, false, or the word itself.

    >>> read_value("3"), read_value("None"), read_value("auto"), read_value('{"age": 1}')
    (3, None, 'auto', {'age': 1})
    """
    plain = {"none": None, "true": True, "false": False}
    if text.lower() in plain:
        return plain[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        return text


def _unknown(name: str, known: Sequence[str] | dict[str, Any], of: str) -> str:
    close = get_close_matches(name, list(known), 1)
    hint = f"did you mean --{close[0]}?" if close else f"it has {', '.join(f'--{each}' for each in known)}."
    return f"--{name} is not an option of {of}; {hint}"
