"""Parameters of an estimator as JSON and named arrays, and back; no code.

None, bool, int, str, floats, arrays   as in `stored`
list                                   a list
tuple, dict                            {"tuple": [...]}, {"dict": [[key, value], ...]}
numpy.random.RandomState               {"random_state": [place, has_gauss, gauss], "keys": array}
a splitter of scikit-learn             {"splitter": "KFold", "parameters": {...}}
a softwood estimator                   {"estimator": its name, "parameters": {...}}, not fitted
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn import model_selection

from softwood.estimators.base.base import TreeEstimator
from softwood.persistence.registry import class_named
from softwood.persistence.stored import Arrays, Labels, read_value, write_array, write_value

SPLITTERS = (
    "KFold", "StratifiedKFold", "ShuffleSplit", "StratifiedShuffleSplit", "TimeSeriesSplit", "LeaveOneOut",
    "GroupKFold", "StratifiedGroupKFold", "GroupShuffleSplit", "LeaveOneGroupOut", "PredefinedSplit",
)  # fmt: skip
KEYS = 624  # of a Mersenne twister


def write_parameters(estimator: TreeEstimator, at: str, arrays: Arrays) -> dict[str, Any]:
    """All parameters of an estimator, by name."""
    given = estimator.get_params(deep=False)
    told = {}
    for name, value in given.items():
        try:
            told[name] = write_one(value, f"{at}/{name}", arrays)
        except (TypeError, ValueError) as problem:
            raise TypeError(
                f"{name}={value!r:.80} cannot be written to a file ({problem}). A fitted model does not need it: "
                f"set_params({name}=...) to text, numbers or lists, then save again."
            ) from None
    return told


def read_parameters(kind: type[TreeEstimator], stored: Any, at: str, arrays: Arrays) -> dict[str, Any]:
    """Parameters of the class; one that the file lacks gets its default."""
    known = set(kind._get_param_names())
    if not isinstance(stored, Mapping) or not stored.keys() <= known:
        raise ValueError(f"parameters of {kind.__name__} must be of {', '.join(sorted(known))}, got {stored!r:.80}.")
    return {name: read_one(value, f"{at}/{name}", arrays) for name, value in stored.items()}


def write_one(value: Any, at: str, arrays: Arrays) -> Any:
    """The JSON of one value."""
    if type(value) is list:
        return [write_one(each, f"{at}/{i}", arrays) for i, each in enumerate(value)]
    if isinstance(value, tuple):
        return {"tuple": [write_one(each, f"{at}/{i}", arrays) for i, each in enumerate(value)]}
    if isinstance(value, Mapping):
        pairs = enumerate(value.items())
        return {
            "dict": [[write_one(k, f"{at}/{i}k", arrays), write_one(v, f"{at}/{i}", arrays)] for i, (k, v) in pairs]
        }
    if isinstance(value, np.ndarray):
        return write_array(value, at, arrays)
    if isinstance(value, np.random.RandomState):
        state: Any = value.get_state(legacy=True)
        _, keys, place, has_gauss, gauss = state
        return {"random_state": [place, has_gauss, float(gauss)], "keys": write_array(keys, f"{at}/keys", arrays)}
    if type(value).__name__ in SPLITTERS and type(value).__module__.startswith("sklearn."):
        names = inspect.signature(type(value)).parameters
        told = {name: write_one(getattr(value, name), f"{at}/{name}", arrays) for name in names}
        return {"splitter": type(value).__name__, "parameters": told}
    if isinstance(value, TreeEstimator):
        class_named(type(value).__name__)
        return {"estimator": type(value).__name__, "parameters": write_parameters(value, at, arrays)}
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return write_value(value, at, arrays)
    raise TypeError(f"it is a {type(value).__name__}")


def read_one(stored: Any, at: str, arrays: Arrays) -> Any:
    """The value that was written."""
    if stored is None or type(stored) in (bool, int, float, str):
        return stored
    if isinstance(stored, list):
        return [read_one(each, f"{at}/{i}", arrays) for i, each in enumerate(stored)]
    if isinstance(stored, Mapping):
        for keys, read in READERS.items():
            if stored.keys() == set(keys):
                return read(stored, at, arrays)
    raise ValueError(f"{at} is not a valid parameter value: {stored!r:.80}.")


def _read_float(stored: Any, at: str, arrays: Arrays) -> float:
    value: float = read_value(float, stored, at, arrays)
    return value


def _read_array(stored: Any, at: str, arrays: Arrays) -> Any:
    """Numbers of any shape, or labels."""
    return read_value(np.ndarray[Any, np.dtype[Any]] if stored.keys() == {"array"} else Labels, stored, at, arrays)


def _read_tuple(stored: Any, at: str, arrays: Arrays) -> tuple[Any, ...]:
    if not isinstance(stored["tuple"], list):
        raise ValueError(f"{at} must be a list, got {stored!r:.80}.")
    return tuple(read_one(each, f"{at}/{i}", arrays) for i, each in enumerate(stored["tuple"]))


def _read_dict(stored: Any, at: str, arrays: Arrays) -> dict[Any, Any]:
    pairs = stored["dict"]
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ValueError(f"{at} must be pairs, got {stored!r:.80}.")
    return {read_one(k, f"{at}/{i}k", arrays): read_one(v, f"{at}/{i}", arrays) for i, (k, v) in enumerate(pairs)}


def _read_random_state(stored: Any, at: str, arrays: Arrays) -> np.random.RandomState:
    place, has_gauss, gauss = read_value(tuple[int, int, float], stored["random_state"], at, arrays)
    keys = read_value(np.ndarray[Any, np.dtype[np.uint32]], stored["keys"], f"{at}/keys", arrays)
    if keys.shape != (KEYS,) or not 0 <= place <= KEYS or has_gauss not in (0, 1) or not math.isfinite(gauss):
        raise ValueError(f"{at} is not a state of numpy.random.RandomState.")
    made = np.random.RandomState(0)  # what the user gave
    made.set_state(("MT19937", keys, place, has_gauss, gauss))
    return made


def _read_splitter(stored: Any, at: str, arrays: Arrays) -> Any:
    name, given = stored["splitter"], stored["parameters"]
    if not isinstance(name, str) or name not in SPLITTERS or not isinstance(given, Mapping):
        raise ValueError(f"{at} must be one of {', '.join(SPLITTERS)} and its parameters, got {stored!r:.80}.")
    return getattr(model_selection, name)(**{each: read_one(given[each], f"{at}/{each}", arrays) for each in given})


def _read_estimator(stored: Any, at: str, arrays: Arrays) -> TreeEstimator:
    kind: type[TreeEstimator] = class_named(stored["estimator"])
    return kind(**read_parameters(kind, stored["parameters"], at, arrays))


READERS: dict[tuple[str, ...], Callable[[Any, str, Arrays], Any]] = {
    ("float",): _read_float,
    ("array",): _read_array,
    ("text",): _read_array,
    ("labels",): _read_array,
    ("dates", "unit"): _read_array,
    ("tuple",): _read_tuple,
    ("dict",): _read_dict,
    ("random_state", "keys"): _read_random_state,
    ("splitter", "parameters"): _read_splitter,
    ("estimator", "parameters"): _read_estimator,
}
