"""Reads and checks the arguments of `fit`: a table with its targets and weights, and validation rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length

from softwood.arrays import Floats, Ints, Longs
from softwood.intake.cells.frames import target_names
from softwood.intake.cells.sparse_rows import is_sparse, refuse_large
from softwood.intake.classify import refuse_out_of_core
from softwood.intake.table.columns import Table
from softwood.intake.table.groups import read_groups
from softwood.intake.table.memory_limit import check_memory
from softwood.intake.table.table import read_fit, read_predict, read_sparse
from softwood.intake.table.target import match_classes, read_classes, read_numbers, refuse_extreme, warn_of_one_class
from softwood.intake.table.weights import read_weights
from softwood.tree import Schema, Summary
from softwood.tree.once import computed_once
from softwood.tree.summary import summarize

Summaries = tuple[Summary, ...]


@dataclass(frozen=True)
class Labelled:
    """Rows with classes: `codes` into `classes`, weights, the name of the target and groups, if any."""

    table: Table
    classes: npt.NDArray[Any]
    codes: Ints
    weight: Floats
    names: tuple[str, ...] = ()
    group: Longs | None = None

    @computed_once
    def schema(self) -> Schema:
        """The schema of the tree."""
        return class_schema(self.table.columns, self.classes, self.names, summaries_of(self.table, self.weight))


@dataclass(frozen=True)
class Numbered:
    """Rows with numbers (rows, targets), weights, and the names of the targets if they have some; `one_target` says
    that y had one dimension.
    """

    table: Table
    values: Floats
    one_target: bool
    weight: Floats
    names: tuple[str, ...] = ()
    group: Longs | None = None

    @computed_once
    def schema(self) -> Schema:
        """The schema of the tree."""
        summaries = summaries_of(self.table, self.weight)
        return number_schema(self.table.columns, self.values.shape[1], self.names, summaries)


def read_table(estimator: Any, X: Any) -> Table:
    """The table that `fit` learns from; sets what scikit-learn expects on an estimator about the columns.

    A sparse matrix stays sparse if the estimator learns from it without conversion. Tables that are too large are
    refused first.
    """
    refuse_out_of_core(estimator, X)
    keep = keeps_sparse(estimator, X)
    if is_sparse(X) and not keep:
        refuse_large(*X.shape)
    check_memory(estimator, X, keep)
    return read_fit(estimator, X, estimator.categorical_features, keep)


def read_labelled(table: Table, y: Any, sample_weight: Any, groups: Any = None) -> Labelled:
    """The rows of a table with their classes."""
    classes, codes = read_classes(y)
    check_consistent_length(table.values, codes)
    warn_of_one_class(classes)
    weight = read_weights(sample_weight, len(codes))
    return Labelled(table, classes, codes, weight, target_names(y), read_groups(groups, weight))


def read_numbered(table: Table, y: Any, sample_weight: Any, groups: Any = None) -> Numbered:
    """The rows of a table with their numbers."""
    values, one_target = read_numbers(y)
    check_consistent_length(table.values, values)
    weight = read_weights(sample_weight, len(values))
    refuse_extreme(values[weight > 0], weight)
    return Numbered(table, values, one_target, weight, target_names(y), read_groups(groups, weight))


def read_held_labels(
    estimator: Any, X_val: Any, y_val: Any, columns: Schema, classes: npt.NDArray[Any]
) -> tuple[Any, Ints] | None:
    """Validation rows and their codes; None where none are given.

    A row of a class that the training rows lack is dropped, with a warning: every tree is wrong on it.
    """
    if not _given_both(X_val, y_val):
        return None
    rows, (codes, unknown) = _read_held_rows(estimator, X_val, columns), match_classes(y_val, classes)
    check_consistent_length(rows, codes)
    if not unknown:
        return rows, codes
    known = codes >= 0
    if not known.any():
        raise ValueError(
            f"y_val has no label that occurs in y: it has {unknown!r:.200}; the classes are {classes.tolist()!r:.200}."
        )
    warnings.warn(
        f"y_val has labels that y lacks: {unknown!r:.200}; their {int((~known).sum())} rows are ignored.",
        UserWarning,
        stacklevel=2,
    )
    return rows[known], codes[known]


def read_held_numbers(
    estimator: Any, X_val: Any, y_val: Any, columns: Schema, n_targets: int
) -> tuple[Any, Floats] | None:
    """Validation rows and their numbers; None where none are given."""
    if not _given_both(X_val, y_val):
        return None
    rows, values = _read_held_rows(estimator, X_val, columns), read_numbers(y_val)[0]
    check_consistent_length(rows, values)
    if values.shape[1] != n_targets:
        raise ValueError(f"y_val must have {n_targets} targets, as y has, got {values.shape[1]}.")
    return rows, values


def keeps_sparse(estimator: Any, X: Any) -> bool:
    """Whether it learns from the sparse matrix X without conversion."""
    return is_sparse(X) and hasattr(estimator, "_keeps_sparse") and bool(estimator._keeps_sparse(X))


def _read_held_rows(estimator: Any, X_val: Any, columns: Schema) -> Any:
    """X_val as rows to predict; errors name X_val."""
    try:
        return (read_sparse if keeps_sparse(estimator, X_val) else read_predict)(estimator, X_val, columns)
    except ValueError as error:
        raise ValueError(f"X_val: {error}") from error


def summaries_of(table: Table, weight: Floats) -> Summaries:
    """Summaries of the columns."""
    return summarize(table.values, weight, table.columns.level_counts.tolist())


def class_schema(
    columns: Schema, classes: npt.NDArray[Any], names: Sequence[str] = (), summaries: Summaries = ()
) -> Schema:
    """Columns and classes; `names` are those of the target."""
    target, answers = names[0] if len(names) == 1 else "", tuple(classes.tolist())
    return replace(columns, answers=answers, task="classification", target=target, summaries=summaries)


def number_schema(columns: Schema, n_targets: int, names: Sequence[str] = (), summaries: Summaries = ()) -> Schema:
    """Columns and targets by their names, else y, or y0, y1 and so on."""
    plain = ("y",) if n_targets == 1 else tuple(f"y{i}" for i in range(n_targets))
    return replace(columns, answers=tuple(names) if len(names) == n_targets else plain, summaries=summaries)


def with_costs(schema: Schema, costs: Floats | None) -> Schema:
    """The schema with these costs."""
    return schema if costs is None else replace(schema, costs=tuple(map(tuple, costs.tolist())))


def _given_both(X_val: Any, y_val: Any) -> bool:
    if (X_val is None) != (y_val is None):
        given, missing = ("X_val", "y_val") if y_val is None else ("y_val", "X_val")
        raise ValueError(f"{given} is given without {missing}; validation rows need both.")
    return X_val is not None
