"""The cells of one column as they are read: float64 (missing is NaN), or labels (missing is None).

table/columns.py makes numbers of them.

Missing are None, NaN, pandas' NA, and nulls of polars and Arrow. Levels are plain Python (str, int, float, bool), so
they pickle and print anywhere; other values (an interval, a date) are converted to text.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.tree.encoding import MISSING_TYPES, PLAIN, is_missing

Level = str | int | float | bool


WANTED = (
    "a cell must be one number or one category. "
    "Convert it to numbers (for dates: softwood.DateParts) or drop the column."
)


@dataclass(frozen=True)
class Labels:
    """Cells of a category column, None if missing; `declared` holds the levels of its dtype, None if it has none."""

    values: list[Any]
    declared: tuple[Level, ...] | None = None

    @classmethod
    def plain(cls, values: list[Any], declared: Iterable[Any] | None = None) -> Labels:
        """Labels as plain Python."""
        if set(map(type, values)) - PLAIN:
            values = [plain(value) for value in values]
        return cls(values, None if declared is None else tuple(map(plain, declared)))

    def example(self) -> Any:
        """The first label that is not missing, None if there is none."""
        return next((value for value in self.values if value is not None), None)


Cells = Floats | Labels


def plain(value: Any) -> Any:
    """The value as plain Python: str, int, float, bool or None; its text if it is something else."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if type(value) in PLAIN else str(value)


def blank(values: list[Any]) -> list[Any]:
    """The values, with None for missing ones."""
    if set(map(type, values)) <= PLAIN - {float}:  # the common case, at the cost of one quick pass
        return values
    return [None if is_missing(value) else value for value in values]


def are_booleans(values: Iterable[Any]) -> bool:
    """Whether all values that are not missing are True or False, and there is at least one.

    >>> are_booleans([True, None]), are_booleans([True, 2]), are_booleans([None])
    (True, False, False)
    """
    kinds = {kind for kind in set(map(type, values)) if kind.__name__ not in MISSING_TYPES}
    return bool(kinds) and kinds <= {bool, np.bool_}


def read_objects(name: str, values: list[Any]) -> Cells:
    """Cells of a column without a dtype: numbers if all are numbers or missing, labels if all are text, else an error.

    >>> read_objects("colour", ["red", None]).values
    ['red', None]
    >>> read_objects("size", [1, None, 2.5])
    array([1. , nan, 2.5])
    """
    values = blank(values)
    families = set(map(_family, set(map(type, values)))) - {"missing"}
    if len(families) > 1:
        one, other = _examples(values)
        raise ValueError(
            f"column {name!r} mixes types, for example {_describe(one)} and {_describe(other)}; "
            "convert it to one of them, for example to text."
        )
    if families == {"text"}:
        return Labels.plain(values)
    if families <= {"number"}:
        return np.array([np.nan if value is None else float(value) for value in values], np.float64)
    raise ValueError(f"column {name!r} holds values like {_describe(_examples(values)[0])}; {WANTED}")


def _describe(value: Any) -> str:
    return f"{value!r:.40} ({type(value).__name__})"


def _family(kind: type) -> str:
    if kind.__name__ in MISSING_TYPES:
        return "missing"
    if issubclass(kind, numbers.Real | np.bool_ | Decimal):
        return "number"
    return "text" if issubclass(kind, str) else kind.__name__


def _examples(values: list[Any]) -> list[Any]:
    """The first value of each type, in order of occurrence."""
    first: dict[str, Any] = {}
    for value in values:
        first.setdefault(_family(type(value)), value)
    return [value for family, value in first.items() if family != "missing"]


def refuse_nonnumbers(name: str, values: Any) -> None:
    """An error that shows the first value that is neither a real number nor missing.

    >>> refuse_nonnumbers("y", [1.5, "two"])
    Traceback (most recent call last):
    ValueError: y must hold numbers, got 'two' (str).
    """
    dtype = values.dtype if hasattr(values, "dtype") else np.asarray(values).dtype
    if getattr(dtype, "kind", "O") in "biuf":
        return
    for value in np.asarray(values, object).ravel():
        if _family(type(value)) not in ("number", "missing"):
            raise ValueError(f"{name} must hold numbers, got {_describe(value)}.")
