"""Sparse matrices (SciPy's, of any format): cells that are not stored are 0, a stored NaN is missing.

CART learns from them without conversion (`sparse_table`) for criteria that are functions of sums, and so do soft trees
with linear gates if the matrix would be large as an array (`is_worth_keeping`). For all other learners `fit` converts
the matrix to a table of at most MOST_BYTES and refuses a larger one before any work. Trees of numbers predict in blocks
of rows, for a matrix of any size (kernels/sparse/table.py); with categories each block is made dense in turn
(intake/row_blocks.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import validate_data

from softwood.kernels.sparse.table import SparseTable

NUMBER = 8  # bytes
MOST_BYTES = 4 * 2**30
FEW_BYTES = 64 * 2**20  # as an array: up to this size soft trees convert the matrix and use all kinds of gates
MOST_PART = 0.1  # maximum proportion of stored cells for which soft trees do not convert the matrix
MOST_STORED = 2**31 - 1  # values, which are numbered by four bytes


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix of rows and columns."""
    return bool(sparse.issparse(X)) and X.ndim == 2


def is_worth_keeping(X: Any) -> bool:
    """Whether soft trees learn from a sparse matrix without conversion: as an array it would be large and mostly 0.

    >>> is_worth_keeping(sparse.csr_array((10_000, 20_000))), is_worth_keeping(sparse.csr_array((1_000, 2_000)))
    (True, False)
    """
    cells = X.shape[0] * X.shape[1]
    return bool(NUMBER * cells > MOST_BYTES or (NUMBER * cells > FEW_BYTES and X.nnz <= MOST_PART * cells))


def like_training_rows(table: Any, held: Any) -> Any:
    """Validation rows in the format of the training rows, sparse or not."""
    if isinstance(table, SparseTable) == isinstance(held, SparseTable):
        return held
    if isinstance(table, SparseTable):
        return SparseTable.of_dense(held)
    rows, columns = held.shape
    refuse_large(rows, columns, "X_val")
    return held.dense()


def sparse_table(X: Any) -> SparseTable:
    """A sparse matrix as the table that trees learn from; X is unchanged.

    >>> sparse_table(sparse.coo_array(np.array([[0, 2], [0, 0]]))).value
    array([2.])
    """
    if X.nnz > MOST_STORED or X.shape[1] > MOST_STORED:
        raise ValueError(
            f"X is a sparse matrix of {X.nnz:,} stored values and {X.shape[1]:,} columns; the maximum is "
            f"{MOST_STORED:,}. Use fewer rows or columns."
        )
    rows = sparse.csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format or not np.all(rows.data):
        rows = rows.copy() if rows.data is getattr(X, "data", None) or np.shares_memory(rows.data, X.data) else rows
        rows.sum_duplicates()
        rows.eliminate_zeros()
    begin, column = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    return SparseTable(begin, column, rows.data, rows.shape[1])


def checked_sparse(estimator: Any, X: Any, reset: bool) -> SparseTable:
    """A sparse matrix by scikit-learn's checks, as a table."""
    return sparse_table(validate_data(estimator, X, reset=reset, accept_sparse=True, ensure_all_finite=False))


def densified(X: Any) -> Any:
    """A sparse matrix as an array; other values unchanged.

    >>> densified(sparse.csr_array(np.array([[0.0, 2.0]])))
    array([[0., 2.]])
    """
    if not sparse.issparse(X):
        return X
    rows, columns = X.shape if X.ndim == 2 else (X.shape[0], 1)
    refuse_large(rows, columns)
    dense: npt.NDArray[Any] = X.toarray()
    return dense if dense.dtype.kind in "fc" else dense.astype(np.float64)


def refuse_large(rows: int, columns: int, name: str = "X") -> None:
    """The error of a sparse matrix that is too large to be made dense."""
    size = NUMBER * rows * columns
    if size > MOST_BYTES:
        raise ValueError(
            f"{name} is a sparse matrix of {rows:,} rows and {columns:,} columns, {size / 2**30:.3g} GiB as a "
            f"dense table; the maximum is {MOST_BYTES / 2**30:.3g} GiB. Sparse matrices of numbers (no categories) "
            "need no conversion for SoftTreeClassifier and SoftTreeRegressor (with learner='joint', gate 'auto', "
            "'linear' or 'axis', no monotonic_cst, engine 'memory') and for CARTClassifier and CARTRegressor (gini, "
            "entropy, error, squared_error, poisson). Or use fewer columns (such as "
            "sklearn.feature_selection.SelectKBest or sklearn.decomposition.TruncatedSVD) or fewer rows."
        )
