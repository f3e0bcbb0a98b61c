"""Intake: from whatever a user passes as X to the float64 table that learners take.

Arrays, nested lists, sparse matrices (sparse_rows.py) and data frames (pandas, polars, pyarrow, ...) give the same
table for the same data:

    number column      its values, missing = NaN, infinity refused
    category column    codes 0 .. L-1 into its levels, missing or unseen = NaN

A float64 array is never copied (unless some of its columns are categories). Names, counts, shapes and their messages
are scikit-learn's own, by `validate_data`; what it has no words for is said here, with the column's name.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from softwood.estimators.cells import (
    WANTED,
    Cells,
    Floats,
    Labels,
    Level,
    are_booleans,
    as_numbers,
    encode,
    learn_levels,
    read_objects,
    refuse_infinite,
)
from softwood.estimators.choice import choose_categories
from softwood.estimators.frames import (
    FEW_ROWS,
    Frame,
    open_frame,
    read_block,
    read_columns,
    read_few_numbers,
    read_kinds,
)
from softwood.estimators.sparse_rows import densified, is_sparse, refuse_infinite_stored, sparse_table
from softwood.kernels import any_infinite
from softwood.kernels.sparse.table import SparseTable
from softwood.tree import Kind, Schema
from softwood.tree.encoding import is_missing

ADVICE_FIT = (
    "name it in categorical_features (by dtype only a data frame's columns are found), or convert it to numbers."
)
Cell = TypeVar("Cell", Floats, SparseTable)

FEW_CELLS = 1_000  # that are looked at in less time than it takes to ask whether to look
ADVICE_PREDICT = "it was a number at fit; convert it to numbers."


@dataclass(frozen=True)
class Table:
    """The rows of X as numbers: `values` (rows, columns) float64 or sparse, and what its columns stand for (no answers
    yet).
    """

    values: Any
    columns: Schema


def read_fit(
    estimator: BaseEstimator, X: Any, categorical_features: Any = "from_dtype", keep_sparse: bool = False
) -> Table:
    """Read X at fit; sets `n_features_in_` and, where X has column names of text, `feature_names_in_`.

    Parameters
    ----------
    estimator : BaseEstimator
        On whom the attributes are set and whose name the messages carry.
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
    if _is_plain(X) and (by_dtype or categorical_features is None):
        return _plain_table(estimator, X)
    if keep_sparse and is_sparse(X) and (by_dtype or categorical_features is None):
        values = _check_sparse(estimator, X, reset=True)
        return _number_table(values, _numbered(values.shape[1]))
    frame = open_frame(X)
    if frame is not None:
        _check_frame(estimator, frame, reset=True)
        names = tuple(getattr(estimator, "feature_names_in_", _numbered(frame.shape[1])))
        chosen = choose_categories(categorical_features, names, named=hasattr(estimator, "feature_names_in_"))
        block = None if chosen else read_block(frame)
        if block is not None:
            return _number_table(block, names)
        return _learn(read_columns(frame, names), names, chosen, read_kinds(frame))
    X = densified(X)
    wanted = isinstance(categorical_features, str) or categorical_features is None
    array = _check_array(estimator, X, reset=True, numeric=wanted or np.size(categorical_features) == 0)
    names = _numbered(array.shape[1])
    chosen = choose_categories(categorical_features, names, named=False) or frozenset()
    kinds = _array_kinds(X, len(names))
    return _learn(_array_cells(array, names), names, chosen, kinds) if chosen else _number_table(array, names, kinds)


def read_predict(estimator: BaseEstimator, X: Any, columns: Schema) -> Floats:
    """Read X after fit, column by column as `columns` says. A category unseen at fit becomes NaN, a missing value.

    Examples
    --------
    >>> estimator = BaseEstimator()
    >>> columns = read_fit(estimator, [["red", 1.5], ["blue", 2.0]], categorical_features=[0]).columns
    >>> read_predict(estimator, [["red", 3.0], ["pink", 4.0]], columns)
    array([[ 1.,  3.],
           [nan,  4.]])
    """
    if columns.all_numbers and _is_beyond_doubt(estimator, X):
        return _finite(np.asarray(X, np.float64), columns.features)
    few = _read_few(estimator, X) if columns.all_numbers else None
    if few is not None:
        return _finite(few, columns.features)
    if not columns.all_numbers and _is_beyond_doubt(estimator, X, "dfO"):
        return _apply(_array_cells(_unmask(X), columns.features), columns)
    frame = open_frame(X)
    if frame is None:
        array = _check_array(estimator, densified(X), reset=False, numeric=columns.all_numbers)
        if columns.all_numbers:
            return _finite(array, columns.features)
        return _apply(_array_cells(array, columns.features), columns)
    _check_frame(estimator, frame, reset=False)
    block = read_block(frame) if columns.all_numbers else None
    return _apply(read_columns(frame, columns.features), columns) if block is None else _finite(block, columns.features)


def read_sparse(estimator: BaseEstimator, X: Any, columns: Schema) -> Floats | SparseTable:
    """As `read_predict`, but a sparse matrix of numbers stays sparse."""
    if not columns.all_numbers or not is_sparse(X):
        return read_predict(estimator, X, columns)
    return _finite(_check_sparse(estimator, X, reset=False), columns.features)


# -- checks --------------------------------------------------------------------------------------------------------


def _is_plain(X: Any, dtypes: str = "df") -> bool:
    """Whether X is a table of numbers that validate_data would let pass without a word, infinity aside."""
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size:
        return False
    return X.dtype.char in dtypes and X.dtype.isnative  # float64 or float32: comparing dtypes takes a microsecond each


def _plain_table(estimator: Any, X: npt.NDArray[Any]) -> Table:
    """A table that needs no check but for infinity: validate_data takes longer than a small tree."""
    vars(estimator).pop("feature_names_in_", None)  # of an earlier fit
    estimator.n_features_in_ = X.shape[1]
    return _number_table(np.asarray(X, np.float64), _numbered(X.shape[1]))


def _is_beyond_doubt(estimator: Any, X: Any, dtypes: str = "df") -> bool:
    """The same for a table to predict; scikit-learn's warning is given where the rows of fit had names."""
    if not _is_plain(X, dtypes) or X.shape[1] != estimator.n_features_in_:
        return False
    if hasattr(estimator, "feature_names_in_"):
        name = type(estimator).__name__
        warnings.warn(
            f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning, stacklevel=5
        )
    return True


def _read_few(estimator: Any, X: Any) -> Floats | None:
    """A few rows of lists of numbers, or of pandas with the columns of fit; None where X must be looked at."""
    if isinstance(X, list):
        rows = _as_floats(X) if 0 < len(X) <= FEW_ROWS else None
        return rows if rows is not None and _is_beyond_doubt(estimator, rows) else None
    names = vars(estimator).get("feature_names_in_")
    return None if names is None else read_few_numbers(X, names.tolist())


def _as_floats(rows: list[Any]) -> Floats | None:
    """Lists of numbers as a table; None where they are anything else."""
    if type(rows[0]) is not list or not all(type(value) in (float, int) for row in rows for value in row):
        return None
    try:
        return np.array(rows, np.float64)
    except (ValueError, OverflowError):  # rows of different lengths, numbers without an end
        return None


def _check_frame(estimator: Any, frame: Frame, reset: bool) -> None:
    validate_data(estimator, frame.to_native(), reset=reset, skip_check_array=True)
    if 0 in frame.shape:  # scikit-learn has words for no rows and no columns, but skips them for a frame
        check_array(np.empty(frame.shape), estimator=estimator)


def _check_array(estimator: Any, X: Any, reset: bool, numeric: bool) -> npt.NDArray[Any]:
    """X as a 2-d array: float64 if `numeric`, otherwise of the dtype it has (lists: objects)."""
    array = _unmask(X)
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


def _unmask(X: Any) -> Any:
    """NaN in place of what an array calls missing in its own way: a mask, or pandas' NA among objects."""
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
    """The error for dates and the like among numbers, with the column's name beside the words of NumPy."""
    table = np.asarray(X, object)
    for column, cells in enumerate(table.T if table.ndim == 2 else ()):
        try:
            read_objects(f"x{column}", cells.tolist())
        except ValueError as told:
            raise TypeError(f"{told} ({problem})") from None


def _check_sparse(estimator: Any, X: Any, reset: bool) -> SparseTable:
    """A sparse matrix by scikit-learn's checks, as a table."""
    return sparse_table(validate_data(estimator, X, reset=reset, accept_sparse=True, ensure_all_finite=False))


def _finite(values: Cell, names: Sequence[str]) -> Cell:
    if isinstance(values, SparseTable):
        refuse_infinite_stored(values, names)
        return values
    if values.size <= FEW_CELLS and not any_infinite(values):  # sooner than asking scikit-learn whether to look
        return values
    if not get_config()["assume_finite"]:
        refuse_infinite(values, names)
    return values


# -- columns -------------------------------------------------------------------------------------------------------


def _numbered(n_columns: int) -> tuple[str, ...]:
    return tuple(f"x{column}" for column in range(n_columns))


def _array_cells(array: npt.NDArray[Any], names: Sequence[str]) -> list[Cells]:
    if array.dtype.kind in "biuf":
        return list(np.asarray(array, np.float64).T)
    if array.dtype.kind == "U":  # np.array([["red", 1.5]]) made text of the numbers: make numbers of them again
        return [_numbers_or_labels(column) for column in array.T]
    return [read_objects(name, column.tolist()) for name, column in zip(names, array.T, strict=True)]


def _numbers_or_labels(column: npt.NDArray[Any]) -> Cells:
    try:
        return column.astype(np.float64)
    except ValueError:
        return Labels(column.tolist())


def _array_kinds(X: Any, n_columns: int) -> list[Kind | None]:
    """Booleans of an array; None where the cells say all there is to say."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "bO":
        return [None] * n_columns
    if X.dtype.kind == "b":
        return [Kind.BOOLEAN] * n_columns
    return [Kind.BOOLEAN if are_booleans(column.tolist()) else None for column in X.T]


def _number_table(values: Cell, names: tuple[str, ...], kinds: Sequence[Kind | None] = ()) -> Table:
    told = tuple(kind or Kind.NUMBER for kind in kinds)
    return Table(_finite(values, names), Schema(names, (None,) * len(names), (), kinds=told))


def _learn(
    cells: list[Cells], names: tuple[str, ...], chosen: frozenset[int] | None, kinds: list[Kind | None]
) -> Table:
    """A table of columns read one by one, levels learned on the way; `kinds` as far as dtypes tell them."""
    categories: list[tuple[Level, ...] | None] = []
    for column, (name, cell) in enumerate(zip(names, cells, strict=True)):
        is_category = isinstance(cell, Labels) if chosen is None else column in chosen
        if not is_category:
            cells[column] = as_numbers(name, cell, ADVICE_FIT)
        elif not isinstance(cell, Labels):
            _finite(cell[:, None], (name,))
        categories.append(learn_levels(cell) if is_category else None)
        plain = Kind.CATEGORY if is_category else Kind.NUMBER
        kind = kinds[column] or plain
        kinds[column] = kind if kind.has_levels == is_category else plain
    columns = Schema(names, tuple(categories), (), kinds=tuple(kind or Kind.NUMBER for kind in kinds))
    return Table(_apply(cells, columns), columns)


def _apply(cells: list[Cells], columns: Schema) -> Floats:
    """The table of columns read one by one: numbers as they are, labels by their codes."""
    values = np.empty((len(_vector(cells[0])), len(cells)), order="F")
    for column, (name, cell, levels) in enumerate(zip(columns.features, cells, columns.categories, strict=True)):
        values[:, column] = as_numbers(name, cell, ADVICE_PREDICT) if levels is None else encode(name, cell, levels)
    return _finite(values, columns.features)


def _vector(cells: Cells) -> Sequence[Any] | Floats:
    return cells.values if isinstance(cells, Labels) else cells
