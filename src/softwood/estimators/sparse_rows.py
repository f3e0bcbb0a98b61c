"""Sparse matrices (SciPy's, of any format): what is not stored is 0, a stored NaN is missing.

Learners take tables, so `fit` makes one of the matrix, in memory of at most MOST_BYTES, and refuses a larger one before
any work. Answers are given block by block of rows, each made dense in at most BLOCK_BYTES, whatever the matrix's size.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from scipy import sparse

Method = TypeVar("Method", bound=Callable[..., Any])

NUMBER = 8  # bytes
MOST_BYTES = 4 * 2**30
BLOCK_BYTES = 64 * 2**20


def densified(X: Any) -> Any:
    """A sparse matrix as an array; all else as it is.

    >>> densified(sparse.csr_array(np.array([[0.0, 2.0]])))
    array([[0., 2.]])
    """
    if not sparse.issparse(X):
        return X
    rows, columns = X.shape if X.ndim == 2 else (X.shape[0], 1)
    size = NUMBER * rows * columns
    if size > MOST_BYTES:
        raise ValueError(
            f"X is a sparse matrix of {rows:,} rows and {columns:,} columns, {size / 2**30:.3g} GiB as the table that "
            f"trees learn from, and at most {MOST_BYTES / 2**30:.3g} GiB is made dense. Take fewer columns (such as "
            "sklearn.feature_selection.SelectKBest or sklearn.decomposition.TruncatedSVD) or fewer rows."
        )
    dense: npt.NDArray[Any] = X.toarray()
    return dense if dense.dtype.kind in "fc" else dense.astype(np.float64)


def in_row_blocks(method: Method) -> Method:
    """A method that answers a large sparse matrix block by block of its rows."""

    @wraps(method)
    def answer(self: Any, X: Any, *args: Any, **more: Any) -> Any:
        if not sparse.issparse(X) or X.ndim != 2 or NUMBER * X.shape[0] * X.shape[1] <= BLOCK_BYTES:
            return method(self, X, *args, **more)
        rows, step = X.tocsr(), max(1, BLOCK_BYTES // (NUMBER * X.shape[1]))
        return np.concatenate(
            [method(self, rows[begin : begin + step], *args, **more) for begin in range(0, X.shape[0], step)]
        )

    return cast(Method, answer)
