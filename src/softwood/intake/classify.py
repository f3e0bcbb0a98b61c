"""Classify X by its type alone: rows in memory, rows of Dask, or a source that is read in batches.

This module reads no rows and imports no data frame library.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np


class OutOfCore:
    """Rows that are read batch by batch (`softwood.Batches`)."""


def is_out_of_core(X: Any) -> bool:
    """Whether the rows of X are not in memory."""
    return is_dask(X) or isinstance(X, OutOfCore) or is_path(X) or is_paths(X) or is_dataset(X) or is_lazy_frame(X)


def is_dask(X: Any) -> bool:
    """Whether X is a data frame, a series or an array of Dask."""
    return type(X).__module__.startswith("dask.")


def is_path(X: Any) -> bool:
    """Whether X is the path of a file or folder."""
    return isinstance(X, str | os.PathLike)


def is_paths(X: Any) -> bool:
    """Whether X is a list of paths."""
    return isinstance(X, list | tuple) and bool(X) and all(isinstance(each, os.PathLike) for each in X)


def is_array(X: Any) -> bool:
    """Whether X is an array of two dimensions."""
    return isinstance(X, np.ndarray) and X.ndim == 2


def is_lazy_frame(X: Any) -> bool:
    """Whether X is a query of polars."""
    return type(X).__name__ == "LazyFrame" and type(X).__module__.startswith("polars")


def is_dataset(X: Any) -> bool:
    """Whether X is a dataset of pyarrow."""
    return type(X).__module__.startswith("pyarrow._dataset")


def describe_source(X: Any) -> str:
    """A description of out-of-core rows for error messages.

    >>> describe_source("rows.parquet")
    "Batches('rows.parquet')"
    """
    if is_dask(X):
        return f"{'a data frame' if hasattr(X, 'columns') else 'an array'} of Dask"
    return repr(X) if isinstance(X, OutOfCore) else f"Batches({name_source(X)})"


def name_source(source: Any) -> str:
    """The paths of a source, or its type."""
    if is_path(source) or is_paths(source):
        return repr([str(path) for path in source] if is_paths(source) else str(source))
    return f"{type(source).__name__} of shape {source.shape}" if is_array(source) else type(source).__name__


def refuse_out_of_core(estimator: Any, X: Any) -> None:
    """An error if X is not in memory and the estimator learns from individual rows."""
    if is_out_of_core(X):
        sample = "X.sample(frac=0.01).compute()" if is_dask(X) else "Batches(...).sample(100_000)"
        where = "on a cluster" if is_dask(X) else "in batches"
        raise TypeError(
            f"{type(estimator).__name__} needs rows in memory, but X is {describe_source(X)}. Pass a sample, "
            f"{sample}, or use CART, soft or budding trees, which support rows {where}."
        )


def refuse_out_of_core_validation(X_val: Any) -> None:
    """An error if the validation rows are not in memory."""
    if is_out_of_core(X_val):
        some = "X_val.compute()" if is_dask(X_val) else "Batches(...).sample(100_000)"
        raise TypeError(f"X_val must be rows in memory, because the search reads them often; use a sample, {some}.")
