"""A scikit-learn `Pipeline` whose last step is a softwood estimator, as JSON and named arrays, and back.

    {"estimator": "Pipeline", "sklearn": version, "pipeline": {"transformer": "Pipeline", "state": {...}}}

The steps before may be the TRANSFORMERS below and pipelines of them. Their learned attributes are data only: numbers,
text, labels, lists, slices. A file can name no other class, and no function is stored.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from softwood.persistence.parameters import read_one, write_one
from softwood.persistence.registry import ESTIMATORS
from softwood.persistence.stored import Arrays
from softwood.persistence.transformer_checks import check_pipeline, check_transformer

TRANSFORMERS = {
    "StandardScaler": "sklearn.preprocessing",
    "SimpleImputer": "sklearn.impute",
    "OneHotEncoder": "sklearn.preprocessing",
    "OrdinalEncoder": "sklearn.preprocessing",
    "ColumnTransformer": "sklearn.compose",
    "DateParts": "softwood.estimators.dates",
}
# Other parts of such pipelines. The FunctionTransformer of "passthrough" columns has no function inside.
PARTS = {**TRANSFORMERS, "Pipeline": "sklearn.pipeline", "FunctionTransformer": "sklearn.preprocessing"}
NOT_LEARNED = {"memory", "verbose", "n_jobs"}  # options that do not affect predictions
WriteModel = Callable[[Any, str, Arrays], dict[str, Any]]
ReadModel = Callable[[Any, str, Arrays], Any]


def write_pipeline(pipeline: Pipeline, arrays: Arrays, write_model: WriteModel) -> dict[str, Any]:
    """The header of a pipeline; `write_model` writes its last step."""
    check_is_fitted(pipeline)
    stored = _Writer(arrays, write_model).transformer(pipeline, "pipeline")
    return {"estimator": "Pipeline", "sklearn": sklearn.__version__, "pipeline": stored}


def read_pipeline(header: Mapping[str, Any], arrays: Arrays, read_model: ReadModel) -> Pipeline:
    """The stored pipeline; a ValueError if it is not valid."""
    version = header.get("sklearn")
    if header.keys() != {"estimator", "sklearn", "pipeline"} or not isinstance(version, str):
        raise ValueError(f"a pipeline must have estimator, sklearn and pipeline, got {list(header)!r:.80}.")
    found = _Reader(arrays, read_model).value(header["pipeline"], "pipeline")
    if not isinstance(found, Pipeline):
        raise ValueError(f"pipeline must be a Pipeline, got {type(found).__name__}.")
    check_pipeline(found)
    if version.split(".")[:2] != sklearn.__version__.split(".")[:2]:
        warnings.warn(
            InconsistentVersionWarning(
                estimator_name="Pipeline",
                current_sklearn_version=sklearn.__version__,
                original_sklearn_version=version,
            ),
            stacklevel=3,
        )
    return found


class _Writer:
    def __init__(self, arrays: Arrays, write_model: WriteModel) -> None:
        self.arrays, self.write_model = arrays, write_model

    def value(self, value: Any, at: str) -> Any:
        if isinstance(value, BaseEstimator):
            if type(value).__name__ in ESTIMATORS:
                return {"model": self.write_model(value, f"{at}/", self.arrays)}
            return self.transformer(value, at)
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic | float | int)):
            return {"dtype": np.dtype(value).str}
        if isinstance(value, list | tuple):
            inside = [self.value(each, f"{at}/{i}") for i, each in enumerate(value)]
            return {"tuple": inside} if isinstance(value, tuple) else inside
        if isinstance(value, Mapping):
            pairs = enumerate(value.items())
            return {"dict": [[self.value(k, f"{at}/{i}k"), self.value(v, f"{at}/{i}")] for i, (k, v) in pairs]}
        return write_one(value.item() if isinstance(value, np.generic) else value, at, self.arrays)

    def transformer(self, one: Any, at: str) -> dict[str, Any]:
        name, kind = type(one).__name__, type(one)
        if getattr(import_module(PARTS.get(name, "builtins")), name, None) is not kind:
            raise TypeError(
                f"save of a Pipeline needs steps of {', '.join(TRANSFORMERS)} before a softwood estimator, got {name}. "
                "Save the last step alone, and the other steps separately."
            )
        check_transformer(one)
        state = {}
        for attribute, value in _state(one).items():
            try:
                state[attribute] = self.value(value, f"{at}/{attribute}")
            except TypeError as problem:
                if str(problem).startswith("save of a Pipeline"):
                    raise
                told = f"save of a Pipeline cannot write {name}.{attribute}={value!r:.80}: {problem}"
                raise TypeError(told) from None
        return {"transformer": name, "state": state}


def _state(one: Any) -> dict[str, Any]:
    """Parameters and learned attributes. Callables that select columns are replaced by their selection."""
    state = dict(vars(one))
    if type(one).__name__ == "ColumnTransformer":
        chosen = zip(state["transformers"], state["_columns"], strict=True)
        state["transformers"] = [(name, what, columns) for (name, what, _), columns in chosen]
    if type(one) is Pipeline:
        state = {name: value for name, value in state.items() if name not in NOT_LEARNED}
    return state


class _Reader:
    def __init__(self, arrays: Arrays, read_model: ReadModel) -> None:
        self.arrays, self.read_model = arrays, read_model

    def value(self, stored: Any, at: str) -> Any:
        if isinstance(stored, list):
            return [self.value(each, f"{at}/{i}") for i, each in enumerate(stored)]
        if not isinstance(stored, Mapping):
            return read_one(stored, at, self.arrays)
        if stored.keys() == {"model"}:
            return self.read_model(stored["model"], f"{at}/", self.arrays)
        if stored.keys() == {"transformer", "state"}:
            return self._transformer(stored["transformer"], stored["state"], at)
        if stored.keys() == {"slice"}:
            return _read_slice(stored["slice"], at)
        if stored.keys() == {"dtype"}:
            return _read_dtype(stored["dtype"], at)
        if stored.keys() == {"tuple"} and isinstance(stored["tuple"], list):
            return tuple(self.value(stored["tuple"], at))
        if stored.keys() == {"dict"} and isinstance(stored["dict"], list):
            pairs = [(k, v) for k, v in stored["dict"]]
            return {self.value(k, f"{at}/{i}k"): self.value(v, f"{at}/{i}") for i, (k, v) in enumerate(pairs)}
        return read_one(stored, at, self.arrays)

    def _transformer(self, name: Any, state: Any, at: str) -> Any:
        if not isinstance(name, str) or name not in PARTS or not isinstance(state, Mapping):
            raise ValueError(f"{at} must be one of {', '.join(PARTS)} and its state, got {name!r:.80}.")
        kind: Any = getattr(import_module(PARTS[name]), name)
        known = set(kind._get_param_names())
        for attribute in state:
            if not attribute.isidentifier() or attribute.startswith("__") or hasattr(kind, attribute):
                raise ValueError(f"{at} has no attribute {attribute!r:.80}.")
        lost = known - state.keys() - (NOT_LEARNED if kind is Pipeline else set())
        if lost:
            raise ValueError(f"{at} lacks {', '.join(sorted(lost))}.")
        made = object.__new__(kind)
        made.__dict__ = {"memory": None, "verbose": False} if kind is Pipeline else {}
        made.__dict__ |= {each: self.value(state[each], f"{at}/{each}") for each in state}
        check_transformer(made)
        return made


def _read_slice(stored: Any, at: str) -> slice:
    if not isinstance(stored, list) or len(stored) != 3 or not all(e is None or type(e) in (int, str) for e in stored):
        raise ValueError(f"{at} must be a slice, got {stored!r:.80}.")
    return slice(*stored)


def _read_dtype(stored: Any, at: str) -> np.dtype[Any]:
    if not isinstance(stored, str) or len(stored) > 16:
        raise ValueError(f"{at} must be the name of a dtype, got {stored!r:.80}.")
    return np.dtype(stored)
