"""Sparse matrices (SciPy's, of any format): what is not stored is 0, a stored NaN is missing.

CART learns from them as they are (`sparse_table`), by the criteria that are functions of sums, and so do soft trees of
linear gates where the matrix would be large as an array (`is_worth_keeping`). For all other learners `fit` makes a
table of the matrix, in memory of at most MOST_BYTES, and refuses a larger one before any work. Answers of trees of
numbers are given block by block of rows, whatever the matrix's size (kernels/sparse/table.py); with categories each
block is made dense in turn (intake/row_blocks.py).
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
FEW_BYTES = 64 * 2**20  # of an array: up to these soft trees learn from it, with all kinds of gates
MOST_PART = 0.1  # of the cells that are stored where soft trees learn from a matrix as it is
MOST_STORED = 2**31 - 1  # values, which are numbered by four bytes


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix of rows and columns."""
    return bool(sparse.issparse(X)) and X.ndim == 2


def is_worth_keeping(X: Any) -> bool:
    """Whether soft trees learn from a sparse matrix as it is: as an array it would be large, and mostly 0.

    >>> is_worth_keeping(sparse.csr_array((10_000, 20_000))), is_worth_keeping(sparse.csr_array((1_000, 2_000)))
    (True, False)
    """
    cells = X.shape[0] * X.shape[1]
    return bool(NUMBER * cells > MOST_BYTES or (NUMBER * cells > FEW_BYTES and X.nnz <= MOST_PART * cells))


def like_training_rows(table: Any, held: Any) -> Any:
    """Validation rows as the training rows are, sparse or not."""
    if isinstance(table, SparseTable) == isinstance(held, SparseTable):
        return held
    if isinstance(table, SparseTable):
        return SparseTable.of_dense(held)
    rows, columns = held.shape
    refuse_large(rows, columns, "X_val")
    return held.dense()


def sparse_table(X: Any) -> SparseTable:
    """A sparse matrix as the table that trees learn from; X stays as it is.

    >>> sparse_table(sparse.coo_array(np.array([[0, 2], [0, 0]]))).value
    array([2.])
    """
    if X.nnz > MOST_STORED or X.shape[1] > MOST_STORED:
        raise ValueError(
            f"X is a sparse matrix of {X.nnz:,} stored values and {X.shape[1]:,} columns, and at most {MOST_STORED:,} "
            "are taken. Take fewer rows or columns."
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
    """A sparse matrix as an array; all else as it is.

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
            f"{name} is a sparse matrix of {rows:,} rows and {columns:,} columns, {size / 2**30:.3g} GiB as the table "
            f"that this learns from, and at most {MOST_BYTES / 2**30:.3g} GiB is made dense. Sparse matrices of "
            "numbers (no categories) are learned from as they are by SoftTreeClassifier and SoftTreeRegressor (with "
            "learner='joint', gate 'auto', 'linear' or 'axis', no monotonic_cst, engine 'memory') and by "
            "CARTClassifier and CARTRegressor (gini, entropy, error, squared_error, poisson). Or take fewer columns "
            "(such as sklearn.feature_selection.SelectKBest or sklearn.decomposition.TruncatedSVD) or fewer rows."
        )
