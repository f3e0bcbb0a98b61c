"""A table: its columns by name, for any data frame library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.cli.table_files import Reading, read_table

Series = nw.Series[Any]


class Table:
    """The rows of a file.

    >>> import pandas
    >>> table = Table(pandas.DataFrame({"age": [30, 41], "town": ["Oslo", None]}), "people.csv")
    >>> len(table), table.names, table.kind("town"), table.n_missing("town")
    (2, ['age', 'town'], 'category', 1)
    """

    def __init__(self, native: Any, source: str) -> None:
        names = list(native.column_names if hasattr(native, "column_names") else native.columns)
        equal = [name for name, count in Counter(names).items() if count > 1]
        if equal:
            raise ValueError(f"{source!r} has more than one column named {equal[0]!r}; give each column its own name.")
        self.frame: nw.DataFrame[Any] = nw.from_native(native, eager_only=True)
        self.source = source
        if not len(self):
            raise ValueError(f"{source!r} has column names but no rows.")

    @classmethod
    def read(cls, source: str, reading: Reading | None = None) -> Table:
        """The table in a file, `-` for the standard input."""
        return cls(read_table(source, reading), source)

    def __len__(self) -> int:
        return int(self.frame.shape[0])

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return self.frame.columns

    def require(self, names: Sequence[str], wanted_by: str) -> None:
        """An error for a missing column."""
        lacking = [name for name in names if name not in self.names]
        if lacking:
            close = get_close_matches(lacking[0], self.names, 1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(map(repr, self.names)):.300}."
            told = f"column {lacking[0]!r}" if len(lacking) == 1 else f"columns {', '.join(map(repr, lacking)):.200}"
            raise ValueError(f"{self.source!r} has no {told}, which {wanted_by} needs{hint}")

    def series(self, name: str) -> Series:
        """One column."""
        return self.frame.get_column(name)

    def pick(self, names: Sequence[str]) -> Any:
        """A frame of some columns, in its library."""
        return self.frame.select(list(names)).to_native()

    def rows(self, places: npt.NDArray[np.int64]) -> Table:
        """Some of the rows."""
        return Table(self.frame[places.tolist()].to_native(), self.source)

    def kind(self, name: str) -> str:
        """The kind of a column: number, boolean, category, date, or the name of its dtype."""
        dtype = self.series(name).dtype
        if dtype == nw.Boolean:
            return "boolean"
        if dtype.is_numeric():
            return "number"
        if dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object, nw.Unknown):
            return "category" if not self.is_empty(name) else "number"
        return "date" if dtype.is_temporal() else str(dtype)

    def is_empty(self, name: str) -> bool:
        """Whether no row has a value."""
        return self.n_missing(name) == len(self)

    def is_constant(self, name: str) -> bool:
        """Whether all rows have the same value, or none has one."""
        missing = self.n_missing(name)
        if missing or self.kind(name) == "category":
            return missing == len(self) or (missing == 0 and self.n_distinct(name) == 1)
        numbers = self.numbers(name)
        return bool(np.all(numbers == numbers[0]))

    def n_missing(self, name: str) -> int:
        """Rows without a value."""
        return int(self.missing(name).sum())

    def missing(self, name: str) -> npt.NDArray[np.bool_]:
        """Which rows have no value."""
        series = self.series(name)
        absent = series.is_null()
        if series.dtype.is_float():
            absent = absent | series.is_nan().fill_null(True)
        return np.asarray(absent.to_numpy(), np.bool_)

    def n_distinct(self, name: str) -> int:
        """Number of distinct values, without missing ones."""
        series = self.series(name)
        return int(series.n_unique()) - bool(series.is_null().any())

    def numbers(self, name: str) -> Floats:
        """A column of numbers or booleans; NaN where missing."""
        if self.kind(name) not in ("number", "boolean"):
            raise ValueError(f"column {name!r} of {self.source!r} must hold numbers, it holds a {self.kind(name)}.")
        return np.asarray(self.series(name).cast(nw.Float64()).to_numpy(), np.float64)

    def values(self, name: str) -> list[Any]:
        """The cells of a column as plain Python."""
        return self.series(name).to_list()
