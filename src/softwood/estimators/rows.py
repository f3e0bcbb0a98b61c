"""What `fit` is given, read and checked in one place: a table with its labels or numbers and weights, and rows to
choose by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length

from softwood.estimators.cells import Floats
from softwood.estimators.intake import Columns, Table, read_fit, read_predict
from softwood.estimators.target import Codes, encode_classes, read_classes, read_numbers, refuse_extreme
from softwood.estimators.weights import read_weights
from softwood.tree import Schema


@dataclass(frozen=True)
class Labelled:
    """Rows with a class each: `codes` into `classes`, and weights."""

    table: Table
    classes: npt.NDArray[Any]
    codes: Codes
    weight: Floats

    @property
    def schema(self) -> Schema:
        return class_schema(self.table.columns, self.classes)


@dataclass(frozen=True)
class Numbered:
    """Rows with numbers (rows, targets), and weights; `one_target` says that y had one dimension."""

    table: Table
    values: Floats
    one_target: bool
    weight: Floats

    @property
    def schema(self) -> Schema:
        return number_schema(self.table.columns, self.values.shape[1])


def read_labelled(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Labelled:
    """Rows of a classifier; sets what scikit-learn wants to find on it of the columns."""
    table = read_fit(estimator, X, estimator.categorical_features)
    classes, codes = read_classes(y)
    check_consistent_length(table.values, codes)
    return Labelled(table, classes, codes, read_weights(sample_weight, len(codes)))


def read_numbered(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Numbered:
    """Rows of a regressor; sets what scikit-learn wants to find on it of the columns."""
    table = read_fit(estimator, X, estimator.categorical_features)
    values, one_target = read_numbers(y)
    check_consistent_length(table.values, values)
    weight = read_weights(sample_weight, len(values))
    refuse_extreme(values[weight > 0], weight)
    return Numbered(table, values, one_target, weight)


def read_held_labels(
    estimator: Any, X_val: Any, y_val: Any, columns: Columns, classes: npt.NDArray[Any]
) -> tuple[Floats, Codes] | None:
    """Rows to choose by and their codes; None where none are given."""
    if not _given_both(X_val, y_val):
        return None
    rows, codes = _read_held_rows(estimator, X_val, columns), encode_classes(y_val, classes)
    check_consistent_length(rows, codes)
    return rows, codes


def read_held_numbers(
    estimator: Any, X_val: Any, y_val: Any, columns: Columns, n_targets: int
) -> tuple[Floats, Floats] | None:
    """Rows to choose by and their numbers; None where none are given."""
    if not _given_both(X_val, y_val):
        return None
    rows, values = _read_held_rows(estimator, X_val, columns), read_numbers(y_val)[0]
    check_consistent_length(rows, values)
    if values.shape[1] != n_targets:
        raise ValueError(f"y_val must have {n_targets} targets, as y has, got {values.shape[1]}.")
    return rows, values


def _read_held_rows(estimator: Any, X_val: Any, columns: Columns) -> Floats:
    """As rows to predict; an error says that they are X_val's."""
    try:
        return read_predict(estimator, X_val, columns)
    except ValueError as error:
        raise ValueError(f"X_val: {error}") from error


def class_schema(columns: Columns, classes: npt.NDArray[Any]) -> Schema:
    """Names of columns and classes."""
    return Schema(columns.names, columns.categories, tuple(classes.tolist()), "classification")


def number_schema(columns: Columns, n_targets: int) -> Schema:
    """Names of columns and targets: y, or y0, y1 and so on."""
    names = ("y",) if n_targets == 1 else tuple(f"y{i}" for i in range(n_targets))
    return Schema(columns.names, columns.categories, names)


def _given_both(X_val: Any, y_val: Any) -> bool:
    if (X_val is None) != (y_val is None):
        given, missing = ("X_val", "y_val") if y_val is None else ("y_val", "X_val")
        raise ValueError(f"{given} is given without {missing}; rows to choose by need both.")
    return X_val is not None
