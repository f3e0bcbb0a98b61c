"""Arrays and nested lists: checked by scikit-learn, read as numbers or as cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from softwood.intake.cells.cells import (
    WANTED,
    Cells,
    Labels,
    are_booleans,
    read_objects,
)
from softwood.intake.table.columns import ADVICE_FIT, ADVICE_PREDICT, Table, as_numbers, number_table, numbered
from softwood.tree import Kind
from softwood.tree.encoding import is_missing


def is_plain(X: Any, dtypes: str = "df") -> bool:
    """Whether X is a table of numbers that validate_data would accept, infinity aside."""
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size:
        return False
    return X.dtype.char in dtypes and X.dtype.isnative  # float64 or float32: comparing dtypes takes a microsecond each


def plain_table(estimator: Any, X: npt.NDArray[Any]) -> Table:
    """A plain table at fit, checked for infinity only: validate_data takes longer than a small tree."""
    vars(estimator).pop("feature_names_in_", None)  # of an earlier fit
    estimator.n_features_in_ = X.shape[1]
    return number_table(np.asarray(X, np.float64), numbered(X.shape[1]))


def check_table(estimator: Any, X: Any, reset: bool, numeric: bool) -> npt.NDArray[Any]:
    """X as a 2-d array: float64 if `numeric`, otherwise of the dtype it has (lists: objects)."""
    array = unmask(X)
    if not numeric:
        array = np.asarray(X, object) if isinstance(X, list | tuple) else array
        return np.asarray(validate_data(estimator, array, reset=reset, dtype=None, ensure_all_finite=False))
    try:
        return np.asarray(
            validate_data(estimator, array, reset=reset, dtype=np.float64, ensure_all_finite=False), np.float64
        )
    except (ValueError, TypeError) as problem:
        if "could not convert string to float" in str(problem):
            _name_text(array, ADVICE_FIT if reset else ADVICE_PREDICT)
        if "float() argument must be" in str(problem):
            _name_objects(array, problem)
        raise


def unmask(X: Any) -> Any:
    """NaN for other markers of missing values: a mask, or pandas' NA among objects."""
    if not isinstance(X, np.ndarray):
        return X
    if X.dtype.kind in "mM":
        raise ValueError(f"X has dtype {X.dtype}; {WANTED}")
    if isinstance(X, np.ma.MaskedArray):
        return np.ma.filled(X if X.dtype == object else X.astype(np.float64), np.nan)
    if X.dtype != object:
        return X
    missing = np.fromiter(map(is_missing, X.flat), bool, X.size).reshape(X.shape)
    return np.where(missing, np.nan, X) if missing.any() else X


def _name_text(X: Any, advice: str) -> None:
    """The error for text among numbers, with the column's name."""
    table = np.asarray(X, object)
    for column, cells in enumerate(table.T if table.ndim == 2 else ()):
        text = [value for value in cells if isinstance(value, str)]
        if text:
            as_numbers(f"x{column}", Labels(text), advice)


def _name_objects(X: Any, problem: Exception) -> None:
    """The error for dates and the like among numbers: the column's name and NumPy's message."""
    table = np.asarray(X, object)
    for column, cells in enumerate(table.T if table.ndim == 2 else ()):
        try:
            read_objects(f"x{column}", cells.tolist())
        except ValueError as told:
            raise TypeError(f"{told} ({problem})") from None


def array_cells(array: npt.NDArray[Any], names: Sequence[str]) -> list[Cells]:
    """The columns of an array, as numbers or labels."""
    if array.dtype.kind in "biuf":
        return list(np.asarray(array, np.float64).T)
    if array.dtype.kind == "U":  # np.array([["red", 1.5]]) converted the numbers to text: convert them back
        return [_numbers_or_labels(column) for column in array.T]
    return [read_objects(name, column.tolist()) for name, column in zip(names, array.T, strict=True)]


def _numbers_or_labels(column: npt.NDArray[Any]) -> Cells:
    try:
        return column.astype(np.float64)
    except ValueError:
        return Labels(column.tolist())


def array_kinds(X: Any, n_columns: int) -> list[Kind | None]:
    """The kinds of boolean arrays; None if the cells determine them."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "bO":
        return [None] * n_columns
    if X.dtype.kind == "b":
        return [Kind.BOOLEAN] * n_columns
    return [Kind.BOOLEAN if are_booleans(column.tolist()) else None for column in X.T]
