"""Checks of a fitted transformer before writing and after reading; a ValueError if they fail."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from softwood.persistence.registry import ESTIMATORS
from softwood.persistence.state_checks import require


def check_transformer(one: Any) -> None:
    """Check that the parts of a transformer are consistent; an unfitted one has parameters only."""
    name = type(one).__name__
    if name in PARAMETERS:
        PARAMETERS[name](one)
    if "n_features_in_" in vars(one):
        n = one.n_features_in_
        require(type(n) is int and n >= 1, f"n_features_in_ of {name} must be a whole number, got {n!r:.80}.")
        _check_names(one, n)
        if name in LEARNED:
            LEARNED[name](one, n)


def check_pipeline(pipeline: Pipeline) -> None:
    """Check a list of steps, the last of which is a softwood estimator with as many inputs as the others provide."""
    last = pipeline.steps[-1][1]
    require(type(last).__name__ in ESTIMATORS, "the last step must be a softwood estimator.")
    require(all(_transforms(step) for _, step in pipeline.steps[:-1]), "the steps before must be transformers.")
    try:
        names = pipeline[:-1].get_feature_names_out() if len(pipeline.steps) > 1 else None
    except (AttributeError, ValueError):  # rows of fit had no names, or a step does not provide them
        return
    given = last.n_features_in_ if names is None else len(names)
    require(given == last.n_features_in_, f"the steps give {given} inputs but the model needs {last.n_features_in_}.")


def _transforms(step: Any) -> bool:
    return step is None or step == "passthrough" or (not isinstance(step, str) and hasattr(step, "transform"))


def _check_names(one: Any, n: int) -> None:
    names = vars(one).get("feature_names_in_")
    require(names is None or (isinstance(names, np.ndarray) and len(names) == n), f"there must be {n} feature names.")


def _check_scaler(one: Any, n: int) -> None:
    for name in ("mean_", "var_", "scale_"):
        value = getattr(one, name, None)
        good = value is None or (isinstance(value, np.ndarray) and value.shape == (n,) and value.dtype.kind == "f")
        require(good, f"{name} must have {n} numbers.")
    require(one.scale_ is None or bool(np.all(one.scale_ > 0)), "scale_ must be > 0.")


def _check_indicator(one: Any) -> None:
    require(not one.add_indicator, "a SimpleImputer with add_indicator=True is not stored: trees take missing values.")


def _check_imputer(one: Any, n: int) -> None:
    fill = getattr(one, "statistics_", None)
    require(isinstance(fill, np.ndarray) and fill.shape == (n,), f"statistics_ must have {n} values.")


def _check_encoder(one: Any, n: int) -> None:
    levels = getattr(one, "categories_", None)
    require(isinstance(levels, list) and len(levels) == n, f"categories_ must be of {n} columns.")
    require(all(isinstance(each, np.ndarray) and each.ndim == 1 for each in levels or ()), "categories_ must be lists.")


def _check_columns(one: Any) -> None:
    for triples in (one.transformers, getattr(one, "transformers_", [])):
        good = isinstance(triples, list) and all(isinstance(each, tuple) and len(each) == 3 for each in triples)
        require(good, "a ColumnTransformer must have triples (name, transformer, columns).")
        require(
            all(_transforms(what) or what == "drop" for _, what, _ in triples), "must have transformers for columns."
        )
    require(not callable(one.verbose_feature_names_out), "verbose_feature_names_out must be True, False or text.")


def _check_steps(one: Any) -> None:
    steps = one.steps
    good = isinstance(steps, list) and steps and all(isinstance(each, tuple) and len(each) == 2 for each in steps)
    require(good and all(isinstance(name, str) for name, _ in steps), "a Pipeline must have steps (name, estimator).")


def _check_function(one: Any) -> None:
    known = one.func is None and one.inverse_func is None
    advice = "apply the function to the table before the pipeline, and save a pipeline without it."
    require(known, f"a FunctionTransformer cannot be stored: it is code; {advice}")


def _check_dates(one: Any, n: int) -> None:
    found = getattr(one, "date_columns_", None)
    names = getattr(one, "feature_names_in_", np.array([], object)).tolist()
    require(isinstance(found, list) and all(each in names for each in found), "date_columns_ must be names of columns.")
    one._checked_parts()


PARAMETERS: dict[str, Any] = {
    "SimpleImputer": _check_indicator,
    "ColumnTransformer": _check_columns,
    "Pipeline": _check_steps,
    "FunctionTransformer": _check_function,
}
LEARNED: dict[str, Any] = {
    "StandardScaler": _check_scaler,
    "SimpleImputer": _check_imputer,
    "OneHotEncoder": _check_encoder,
    "OrdinalEncoder": _check_encoder,
    "DateParts": _check_dates,
}
