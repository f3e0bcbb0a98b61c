"""Predictions in blocks of rows, for a large sparse matrix or out-of-core rows (files, lazy frames, `Batches`).

Only one block of rows is in memory at a time; all predictions are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from softwood.intake.cells.frames import column_names, is_frame, pick_columns
from softwood.intake.cells.sparse_rows import NUMBER, is_sparse
from softwood.intake.classify import describe_source, is_dask, is_out_of_core
from softwood.intake.parts.sources import open_batches

Method = TypeVar("Method", bound=Callable[..., Any])

BLOCK_BYTES = 64 * 2**20  # of a block of a sparse matrix as an array


def in_row_blocks(method: Method) -> Method:
    """Make a method predict block by block if there are too many rows."""

    @wraps(method)
    def answer(self: Any, X: Any, *args: Any, **more: Any) -> Any:
        blocks = None if type(X) is np.ndarray else _blocks_of(self, X)
        if blocks is None:
            return method(self, X, *args, **more)
        return np.concatenate([method(self, block, *args, **more) for block in blocks])

    return cast(Method, answer)


def _blocks_of(model: Any, X: Any) -> Iterator[Any] | None:
    """The rows in blocks; None if they are predicted at once."""
    if is_sparse(X):
        large = NUMBER * X.shape[0] * X.shape[1] > BLOCK_BYTES and not _all_numbers(model)
        return _sparse_blocks(X) if large else None
    if is_out_of_core(X) and not is_dask(X) and "tree_" in vars(model):
        return _batches(model, X)
    return None


def _sparse_blocks(X: Any) -> Iterator[Any]:
    rows, step = X.tocsr(), max(1, BLOCK_BYTES // (NUMBER * X.shape[1]))
    return (rows[begin : begin + step] for begin in range(0, X.shape[0], step))


def _batches(model: Any, X: Any) -> Iterator[Any]:
    """The inputs of the model, by name if both have names; other columns of a file are ignored."""
    wanted = list(model.tree_.schema.features) if hasattr(model, "feature_names_in_") else None
    empty = True
    for given in open_batches(X).frames():
        rows = given[0] if isinstance(given, tuple) else given
        if is_frame(rows) and wanted is not None:
            missing = [name for name in wanted if name not in column_names(rows)]
            if missing:
                has = ", ".join(column_names(rows))
                raise ValueError(
                    f"{describe_source(X)} has no column {', '.join(map(repr, missing)):.200}, which the model reads; "
                    f"it has {has:.300}."
                )
            rows = pick_columns(rows, wanted)
        if len(rows):
            empty = False
            yield rows
    if empty:
        raise ValueError(f"{describe_source(X)} has no rows to predict.")


def _all_numbers(model: Any) -> bool:
    return "tree_" not in vars(model) or model.tree_.schema.all_numbers
