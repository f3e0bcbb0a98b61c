"""Data frames and series of any library (pandas, polars, pyarrow, ...) through narwhals; only this file imports it.

dtype                              read as
integer, float, decimal, boolean   number
text, categorical, enum            category
object, null                       by its cells: all numbers, or all text
date, time, duration, nested       refused
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import narwhals
import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.intake.cells.cells import WANTED, Cells, Labels, are_booleans, read_objects
from softwood.tree import Kind

Frame = nw.DataFrame[Any]
Series = nw.Series[Any]

FEW_ROWS = 64  # rows of pandas that are read at once: with more, checking the dtypes pays


def open_frame(X: Any) -> Frame | None:
    """X as a narwhals frame, None if it is none. A lazy frame and equal column names are errors."""
    if type(X) is np.ndarray or isinstance(X, list):
        return None
    if isinstance(
        X, narwhals.DataFrame | narwhals.LazyFrame
    ):  # of another namespace than ours: narwhals < 2.20 keeps it
        X = X.to_native()
    if nw.dependencies.is_into_dataframe(X):
        _refuse_equal_names(X)
    opened = nw.from_native(X, pass_through=True)
    if isinstance(opened, nw.DataFrame):
        return opened
    if isinstance(opened, nw.LazyFrame):
        raise TypeError(f"X is a lazy frame ({type(X).__name__}), which holds no rows yet: call .collect() first.")
    return None


def _refuse_equal_names(X: Any) -> None:
    names = X.column_names if hasattr(X, "column_names") else X.columns  # narwhals itself refuses to list equal names
    equal = [name for name, count in Counter(names).items() if count > 1]
    if equal:
        raise ValueError(
            f"X has more than one column named {', '.join(map(repr, equal))}; give each column its own name."
        )


def read_block(frame: Frame) -> Floats | None:
    """The values of a frame of numbers in one step, None if columns must be read one by one."""
    if not all(map(_is_easy, frame.schema.values())):
        return None
    # its columns are stored separately, and narwhals would interleave them, which is slow
    if frame.implementation.is_pyarrow():
        block = np.empty(frame.shape, order="F")
        for column in range(frame.shape[1]):
            block[:, column] = frame[:, column].to_numpy()
        return block
    block = frame.to_numpy()
    return np.asarray(block, np.float64) if block.dtype.kind in "iuf" else None


def read_few_numbers(X: Any, names: list[str]) -> Floats | None:
    """The values of a few rows of pandas that are all numbers and have these columns; None if X must be checked.

    For streams of single rows: narwhals takes a millisecond to open a frame.
    """
    pandas = nw.dependencies.get_pandas()
    if pandas is None or type(X) is not pandas.DataFrame or len(X) > FEW_ROWS or X.columns.tolist() != names:
        return None
    block = X.to_numpy()
    return np.asarray(block, np.float64) if block.dtype.kind in "iuf" and block.size else None


def read_columns(frame: Frame, names: Sequence[str]) -> tuple[list[Cells], list[Kind | None]]:
    """The cells of every column and its kind: numbers in one step, which is much faster, the others one by one.

    The kind is that of the dtype (for objects, of the cells): boolean or ordered, None for the other columns.
    """
    easy = [column for column, dtype in enumerate(frame.schema.values()) if _is_easy(dtype)]
    block = read_block(frame[:, easy]) if easy else None
    ready = {} if block is None else dict(zip(easy, block.T, strict=True))
    columns = [(ready[c], None) if c in ready else _read_column(name, frame[:, c]) for c, name in enumerate(names)]
    return [cells for cells, _ in columns], [kind for _, kind in columns]


def _is_easy(dtype: nw.dtypes.DType) -> bool:
    return dtype.is_numeric() and not dtype.is_decimal()


def _read_column(name: str, series: Series) -> tuple[Cells, Kind | None]:
    """The cells of one column and its kind, by its dtype."""
    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        cells = np.asarray(series.cast(nw.Float64()).to_numpy(), np.float64)
        return cells, Kind.BOOLEAN if dtype == nw.Boolean else None
    if dtype.is_temporal() or dtype.is_nested() or dtype == nw.Binary:
        raise ValueError(f"column {name!r} has dtype {dtype}; {WANTED}")
    values = _blank(series)
    if dtype == nw.String or dtype == nw.Categorical or dtype == nw.Enum:
        declared = _declared(series)
        return Labels.plain(values, declared), Kind.ORDERED if dtype == nw.Enum else None
    return read_objects(name, values), Kind.BOOLEAN if are_booleans(values) else None


def _blank(series: Series) -> list[Any]:
    """The values, None where missing."""
    values = series.to_list()
    for row in np.flatnonzero(series.is_null().to_numpy()):
        values[row] = None
    return values


def _declared(series: Series) -> list[Any] | None:
    """Levels in the order of the dtype. A polars Categorical declares none: its order is that of the alphabet."""
    if series.dtype == nw.String or (series.dtype == nw.Categorical and series.implementation.is_polars()):
        return None
    if isinstance(series.dtype, nw.Enum):
        return list(series.dtype.categories)
    return [level for level in series.cat.get_categories().to_list() if level is not None]


def target_names(y: Any) -> tuple[str, ...]:
    """Names of a target: of a series, or of the columns of a frame; none if it has no text names.

    >>> target_names([1.0, 2.0])
    ()
    """
    if type(y) is np.ndarray or type(y) is list:
        return ()
    if nw.dependencies.is_into_series(y):
        names = [nw.from_native(y, series_only=True).name] if hasattr(y, "name") else []
    elif nw.dependencies.is_into_dataframe(y):
        names = list(y.column_names if hasattr(y, "column_names") else y.columns)
    else:
        return ()
    return tuple(names) if names and all(isinstance(name, str) and name for name in names) else ()


def read_vector(values: Any, name: str) -> Any:
    """A series, frame or array-like as a NumPy array; other values unchanged.

    A missing value in a series or frame is an error.
    """
    if type(values) is np.ndarray:
        return values
    pandas = nw.dependencies.get_pandas()
    if pandas is not None and type(values) is pandas.Series and isinstance(values.dtype, np.dtype):
        array = values.to_numpy()
        if array.dtype.kind in "iub":  # nothing is missing
            return array
    if nw.dependencies.is_into_series(values):
        return _read_series(nw.from_native(values, series_only=True), name)
    frame = open_frame(values)
    if frame is None:
        return np.asarray(values) if hasattr(values, "__array__") else values
    return np.column_stack([_read_series(frame[:, column], name) for column in range(frame.shape[1])])


def _read_series(series: Series, name: str) -> npt.NDArray[Any]:
    null = series.is_null().to_numpy()
    if null.any():
        refuse_missing(name, int(null.argmax()))
    if series.dtype.is_decimal():
        series = series.cast(nw.Float64())
    if series.dtype.is_numeric():
        return np.asarray(series.to_numpy())
    if series.dtype == nw.Boolean:
        return np.array(series.to_list(), np.bool_)
    values = np.empty(len(series), object)  # filled after: np.array would make a table of nested cells
    values[:] = series.to_list()
    return values


def refuse_missing(name: str, row: int) -> None:
    """The error for a missing value where every row needs a value."""
    raise ValueError(f"Input {name} contains NaN or None, first at row {row}; drop rows without a value.")


def is_frame(X: Any) -> bool:
    """Whether X is a data frame whose rows are in memory."""
    return bool(nw.dependencies.is_into_dataframe(X))


def column_names(frame: Any) -> list[str]:
    """Names of the columns of a data frame."""
    if not is_frame(frame):
        raise TypeError(f"a batch must be a data frame, (X, y) or (X, y, sample_weight), got {type(frame).__name__}.")
    return list(nw.from_native(frame, eager_only=True).columns)


def pick_columns(frame: Any, names: Sequence[str]) -> Any:
    """The columns of these names, as a frame of the same library."""
    return nw.from_native(frame, eager_only=True).select(list(names)).to_native()


def join_rows(one: Any, other: Any) -> Any:
    """The rows of two frames, series or arrays, one after the other."""
    if is_frame(one):
        frames = [nw.from_native(each, eager_only=True) for each in (one, other)]
        return nw.concat(frames).to_native()
    return np.concatenate([np.asarray(one), np.asarray(other)])


def take_rows(rows: Any, place: npt.NDArray[Any]) -> Any:
    """Some rows of a frame, a series or an array."""
    if is_frame(rows):
        return nw.from_native(rows, eager_only=True)[place.tolist(), :].to_native()
    return np.asarray(rows)[place]


# -- dates -------------------------------------------------------------------------------------------------------------

DAY = 86_400_000  # milliseconds
CALENDAR = {  # part -> its numbers of a column of dates
    "year": lambda dates: dates.dt.year(),
    "month": lambda dates: dates.dt.month(),
    "day": lambda dates: dates.dt.day(),
    "weekday": lambda dates: dates.dt.weekday(),
    "day_of_year": lambda dates: dates.dt.ordinal_day(),
    "hour": lambda dates: dates.dt.hour(),
}


def date_columns(X: Any) -> list[str] | None:
    """The names of the columns of a frame that hold dates, with or without a time; None if X is not a frame."""
    frame = open_frame(X)
    if frame is None:
        return None
    return [name for name, dtype in frame.schema.items() if dtype in (nw.Date, nw.Datetime)]


def spread_dates(X: Any, dates: Sequence[str], parts: Sequence[str]) -> Any:
    """The frame with days since 1970 in place of dates, each followed by parts of the calendar named "name part"."""
    frame = nw.from_native(X, eager_only=True)
    found = []
    for name in frame.columns:
        if name not in dates:
            found.append(nw.col(name))
            continue
        given = nw.col(name)
        found.append((given.dt.timestamp("ms").cast(nw.Float64()) / DAY).alias(name))
        hours = frame.schema[name] != nw.Date
        for part in parts:
            value = CALENDAR[part](given) if hours or part != "hour" else given.dt.day() * 0
            found.append(value.cast(nw.Float64()).alias(f"{name} {part}"))
    return frame.select(found).to_native()
