"""Data frames and arrays of Dask as rows to learn from: partitions on a cluster, read there, numbers from then on.

X                          y and sample_weight
data frame                 names of its columns, or series and frames of Dask with the same partitions
array (rows, features)     arrays of Dask, or NumPy's, of as many rows
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from softwood.engines.dask import DaskParts, align_array, connected_client, submit_partitions
from softwood.engines.parts import Parts
from softwood.intake.cells.frames import pick_columns
from softwood.intake.classify import is_dask
from softwood.intake.options import size_in_bytes
from softwood.intake.parts.column_scan import TargetScan
from softwood.intake.parts.scan import Encode, Piece, Progress, RawPart, Scan, TableScan, scan_of
from softwood.intake.parts.sources import MEMORY, RawBatch


def scan_partitions(estimator: Any, X: Any, y: Any, sample_weight: Any, is_classes: bool) -> Scan:
    """The first pass over the partitions; sets scikit-learn's attributes of the columns on the estimator."""
    client = connected_client()
    raw = _raw_parts(client, X, y, sample_weight)
    count = TableScan(clone(estimator), estimator.categorical_features, TargetScan(is_classes))
    found = raw.collect(count)
    for name in ("n_features_in_", "feature_names_in_"):
        vars(estimator).pop(name, None)
        if hasattr(found.reader, name):
            setattr(estimator, name, getattr(found.reader, name))

    def make_parts(encode: Encode) -> Parts[Piece]:
        told = Progress(int(estimator.verbose), found.n_rows)
        rows = raw.without([size == 0 for size in found.sizes]).map(encode).keep()
        return DaskParts(client, rows.futures, report=told.after_pass)

    return scan_of(estimator, found, make_parts, _describe(X), size_in_bytes("memory", MEMORY))


def _raw_parts(client: Any, X: Any, y: Any, sample_weight: Any) -> DaskParts[RawPart]:
    """The user's partitions, on their workers."""
    if y is None:
        raise ValueError(f"y is missing: {_wanted(X)}.")
    named = hasattr(X, "columns")
    if not named:
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, got an array of Dask of shape {X.shape}.")
        X = X.rechunk({1: -1})
    answers, weights = (_given(what, each, X, named) for what, each in (("y", y), ("sample_weight", sample_weight)))
    n = X.npartitions if named else len(X.chunks[0])
    names = [f"partition {i} of {_describe(X)}" for i in range(n)]
    picked = Picked(*(each if isinstance(each, str | list) else None for each in (answers, weights)))
    others = [None if isinstance(each, str | list) else each for each in (answers, weights)]
    return DaskParts(client, submit_partitions(client, picked, [X, *others], names))


class Picked:
    """A partition as X, y and weights, of which some may be columns of its frame."""

    def __init__(self, y: str | list[str] | None, weight: str | list[str] | None) -> None:
        self.y, self.weight = y, weight

    def __call__(self, name: str, X: Any, y: Any, weight: Any) -> RawPart:
        targets = [self.y] if isinstance(self.y, str) else self.y or []
        weights = [self.weight] if isinstance(self.weight, str) else self.weight or []
        frame = X
        if targets or weights:
            X = pick_columns(frame, [each for each in frame.columns if each not in (*targets, *weights)])
        if targets:
            y = frame[targets[0]] if isinstance(self.y, str) else pick_columns(frame, targets)
        return RawPart(name, RawBatch(X, y, frame[weights[0]] if weights else weight))


def _given(what: str, given: Any, X: Any, named: bool) -> Any:
    """Names of columns, a collection of Dask with the partitions of X, or None."""
    if given is None:
        return None
    names = [given] if isinstance(given, str) else given
    if named and isinstance(names, list | tuple) and names and all(isinstance(each, str) for each in names):
        lost = [each for each in names if each not in X.columns]
        if lost:
            raise ValueError(
                f"X has no column {', '.join(map(repr, lost))}; it has {', '.join(map(str, X.columns)):.300}."
            )
        return given if isinstance(given, str) else list(names)
    if named and is_dask(given) and getattr(given, "npartitions", None) == X.npartitions:
        return given
    if not named and not isinstance(given, str) and (is_dask(given) or np.ndim(given) > 0):
        given = given.to_dask_array() if hasattr(given, "to_dask_array") else given
        rows = (given if is_dask(given) else np.asarray(given)).shape[0]
        if rows == X.shape[0] or np.isnan([rows, X.shape[0]]).any():
            return align_array(given if is_dask(given) else np.asarray(given), X)
    raise ValueError(f"{what} does not match X: {_wanted(X)}, got {_describe(given)}.")


def _wanted(X: Any) -> str:
    if hasattr(X, "columns"):
        return (
            f"of a data frame of Dask it must name a column, or several in a list, or be a series of Dask with its "
            f"{X.npartitions} partitions"
        )
    return f"of an array of Dask it must be an array of its {X.shape[0]} rows"


def _describe(X: Any) -> str:
    if not is_dask(X):
        return f"{type(X).__name__} {X!r:.60}"
    shape = f" of shape {X.shape}" if hasattr(X, "chunks") else f" of {X.npartitions} partitions"
    return f"{type(X).__name__} of Dask{shape if 'object' not in shape else ''}"
