"""Intake: from a user's X to the float64 table of the learners.

Arrays, nested lists, sparse matrices (sparse_rows.py) and data frames (pandas, polars, pyarrow, ...) give the same
table for the same data:

    number column      its values, missing = NaN, infinity refused
    category column    codes 0 .. L-1 into its levels, missing or unseen = NaN

A float64 array is never copied (unless some of its columns are categories). Names, counts, shapes and their messages
are scikit-learn's, by `validate_data`; other errors are raised here, with the column's name.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from softwood.arrays import Floats
from softwood.intake.cells.choice import choose_categories
from softwood.intake.cells.frames import (
    FEW_ROWS,
    Frame,
    open_frame,
    read_block,
    read_columns,
    read_few_numbers,
)
from softwood.intake.cells.sparse_rows import checked_sparse, densified, is_sparse
from softwood.intake.table.arrays import array_cells, array_kinds, check_table, is_plain, plain_table, unmask
from softwood.intake.table.columns import Table, apply_columns, finite, learn_table, number_table, numbered
from softwood.kernels.sparse.table import SparseTable
from softwood.tree import Schema


def read_fit(
    estimator: BaseEstimator, X: Any, categorical_features: Any = "from_dtype", keep_sparse: bool = False
) -> Table:
    """Read X at fit; sets `n_features_in_` and, where X has column names of text, `feature_names_in_`.

    Parameters
    ----------
    estimator : BaseEstimator
        Its attributes are set, and messages carry its name.
    X : array, nested lists or data frame of shape (rows, columns)
        The table.
    categorical_features : "from_dtype", None, list of names, list of indices or boolean mask
        Which columns are categories. Levels keep the order of a categorical dtype (all of them, used or not);
        otherwise those that occur are sorted.

    keep_sparse : whether a sparse matrix of numbers stays sparse (`values` is then a SparseTable).

    Examples
    --------
    >>> table = read_fit(BaseEstimator(), [["red", 1.5], ["blue", None]], categorical_features=[0])
    >>> table.values
    array([[1. , 1.5],
           [0. , nan]])
    >>> table.columns.features, table.columns.categories
    (('x0', 'x1'), (('blue', 'red'), None))
    """
    by_dtype = isinstance(categorical_features, str) and categorical_features == "from_dtype"  # a mask may be an array
    if is_plain(X) and (by_dtype or categorical_features is None):
        return plain_table(estimator, X)
    if keep_sparse and is_sparse(X) and (by_dtype or categorical_features is None):
        values = checked_sparse(estimator, X, reset=True)
        return number_table(values, numbered(values.shape[1]))
    X = densified(X)
    frame = open_frame(X)
    if frame is not None:
        _check_frame(estimator, frame, reset=True)
        names = tuple(getattr(estimator, "feature_names_in_", numbered(frame.shape[1])))
        chosen = choose_categories(categorical_features, names, named=hasattr(estimator, "feature_names_in_"))
        block = None if chosen else read_block(frame)
        if block is not None:
            return number_table(block, names)
        cells, kinds = read_columns(frame, names)
        return learn_table(cells, names, chosen, kinds)
    wanted = isinstance(categorical_features, str) or categorical_features is None
    array = check_table(estimator, X, reset=True, numeric=wanted or np.size(categorical_features) == 0)
    names = numbered(array.shape[1])
    chosen = choose_categories(categorical_features, names, named=False) or frozenset()
    kinds = array_kinds(X, len(names))
    return learn_table(array_cells(array, names), names, chosen, kinds) if chosen else number_table(array, names, kinds)


def read_predict(estimator: BaseEstimator, X: Any, columns: Schema) -> Floats:
    """Read X after fit, column by column by `columns`. A category unseen at fit becomes NaN, a missing value.

    Examples
    --------
    >>> estimator = BaseEstimator()
    >>> columns = read_fit(estimator, [["red", 1.5], ["blue", 2.0]], categorical_features=[0]).columns
    >>> read_predict(estimator, [["red", 3.0], ["pink", 4.0]], columns)
    array([[ 1.,  3.],
           [nan,  4.]])
    """
    if columns.all_numbers and _is_beyond_doubt(estimator, X):
        return finite(np.asarray(X, np.float64), columns.features)
    few = _read_few(estimator, X) if columns.all_numbers else None
    if few is not None:
        return finite(few, columns.features)
    if not columns.all_numbers and _is_beyond_doubt(estimator, X, "dfO"):
        return apply_columns(array_cells(unmask(X), columns.features), columns)
    frame = open_frame(X)
    if frame is None:
        array = check_table(estimator, densified(X), reset=False, numeric=columns.all_numbers)
        if columns.all_numbers:
            return finite(array, columns.features)
        return apply_columns(array_cells(array, columns.features), columns)
    _check_frame(estimator, frame, reset=False)
    block = read_block(frame) if columns.all_numbers else None
    if block is not None:
        return finite(block, columns.features)
    return apply_columns(read_columns(frame, columns.features)[0], columns)


def read_sparse(estimator: BaseEstimator, X: Any, columns: Schema) -> Floats | SparseTable:
    """Like `read_predict`, but a sparse matrix of numbers stays sparse."""
    if not columns.all_numbers or not is_sparse(X):
        return read_predict(estimator, X, columns)
    return finite(checked_sparse(estimator, X, reset=False), columns.features)


# -- checks --------------------------------------------------------------------------------------------------------


def _is_beyond_doubt(estimator: Any, X: Any, dtypes: str = "df") -> bool:
    """The same for a table to predict; scikit-learn's warning is given where the rows of fit had names."""
    if not is_plain(X, dtypes) or X.shape[1] != estimator.n_features_in_:
        return False
    if hasattr(estimator, "feature_names_in_"):
        name = type(estimator).__name__
        warnings.warn(
            f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning, stacklevel=5
        )
    return True


def _read_few(estimator: Any, X: Any) -> Floats | None:
    """A few rows of lists of numbers, or of pandas with the columns of fit; None if X must be checked."""
    if isinstance(X, list):
        rows = _as_floats(X) if 0 < len(X) <= FEW_ROWS else None
        return rows if rows is not None and _is_beyond_doubt(estimator, rows) else None
    names = vars(estimator).get("feature_names_in_")
    return None if names is None else read_few_numbers(X, names.tolist())


def _as_floats(rows: list[Any]) -> Floats | None:
    """Lists of numbers as a table; None for anything else."""
    if type(rows[0]) is not list or not all(type(value) in (float, int) for row in rows for value in row):
        return None
    try:
        return np.array(rows, np.float64)
    except (ValueError, OverflowError):  # rows of different lengths, infinite numbers
        return None


def _check_frame(estimator: Any, frame: Frame, reset: bool) -> None:
    validate_data(estimator, frame.to_native(), reset=reset, skip_check_array=True)
    if 0 in frame.shape:  # scikit-learn has messages for no rows and no columns, but not for a frame
        check_array(np.empty(frame.shape), estimator=estimator)
