"""The encoding of cells as the numbers of a tree. Exports follow the same rule.

    number      the number; missing is NaN
    boolean     true is 1, false is 0; missing is NaN
    category    the position of the label among the input's levels, from 0; missing is NaN
    ordered     as a category; the levels are in their order

A label that is not among the levels was not seen at fit and counts as missing (`Schema.unseen`). Labels that are equal
in Python are the same level: 1, 1.0 and True; a cell of another type (an interval, a date) counts as its text. Missing
is None, NaN, pandas' NA and NaT. Infinite numbers are refused.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import repeat
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.kernels import any_infinite
from softwood.tree.labels import plain_label

Codes = tuple[tuple[int, dict[Any, int]], ...]  # for every input with levels: its position, and the code of each level
FRACTIONS = (float, np.floating, Decimal)  # the types that have a NaN
PLAIN = {str, int, float, bool, type(None)}
PLAIN_NUMBERS = {int, float, bool, type(None), np.float64, np.int64}
MISSING_TYPES = {"NoneType", "NAType", "NaTType"}  # by name: pandas need not be installed


def is_missing(value: Any) -> bool:
    """None, NaN, pandas' NA or NaT."""
    return type(value).__name__ in MISSING_TYPES or (isinstance(value, FRACTIONS) and value != value)


def encode_labels(name: str, values: Sequence[Any], levels: Sequence[Any]) -> Floats:
    """Codes of plain labels, None if missing; an unseen level is NaN, as a missing value.

    Numbers if all levels are text, or text if all are numbers, are an error: they indicate another column, or codes
    instead of labels.

    Examples
    --------
    >>> encode_labels("colour", ["red", None, "pink"], ["blue", "red"])
    array([ 1., nan, nan])
    """
    code = dict(zip(levels, range(len(levels)), strict=True))
    _refuse_stranger(name, next((value for value in values if value is not None), None), levels)
    return np.fromiter(map(code.get, values, repeat(np.nan)), np.float64, len(values))


def put_in_order(names: Sequence[str], rows: Iterable[Sequence[Any] | Mapping[str, Any]]) -> list[Sequence[Any]]:
    """The cells of every row in the order of the inputs."""
    known = frozenset(names)
    return [_in_order(names, known, row) for row in rows]


def encode_plain(table: list[Sequence[Any]], codes: Codes) -> Floats | None:
    """Like `encode_rows`, for plain Python numbers and known levels; None if a cell needs a closer check.

    A fast path for single rows, ten times as fast.
    """
    cells = [[*row] for row in table]
    for row in cells:
        for column, code in codes:
            cell = row[column]
            if type(cell) not in PLAIN or (cell is not None and cell not in code):
                return None
            row[column] = code.get(cell)
        if not PLAIN_NUMBERS.issuperset(map(type, row)):
            return None
    try:
        values = np.array(cells, np.float64)  # None is NaN
    except OverflowError:  # an integer beyond all doubles
        return None
    return None if values.ndim != 2 or any_infinite(values) else values


def encode_rows(names: Sequence[str], categories: Sequence[Sequence[Any] | None], table: list[Sequence[Any]]) -> Floats:
    """Rows of cells, in the order of the inputs, as numbers, (rows, inputs)."""
    values = np.empty((len(table), len(names)))
    for column, (name, levels) in enumerate(zip(names, categories, strict=True)):
        cells = [None if is_missing(row[column]) else plain_label(row[column]) for row in table]
        if levels is None:
            values[:, column] = _numbers(name, cells)
        else:
            values[:, column] = encode_labels(name, [_as_label(cell, levels) for cell in cells], levels)
    return values


def _in_order(names: Sequence[str], known: frozenset[str], row: Sequence[Any] | Mapping[str, Any]) -> Sequence[Any]:
    if isinstance(row, Mapping):
        strange = row.keys() - known
        if strange:
            raise ValueError(f"the row has {sorted(map(str, strange))!r:.200}, which are not inputs of the tree.")
        return [row.get(name) for name in names]
    if isinstance(row, str) or len(row) != len(names):
        raise ValueError(f"a row must have {len(names)} cells, one for each input, got {row!r:.80}.")
    return row


def _as_label(cell: Any, levels: Sequence[Any]) -> Any:
    """A cell that is neither text nor a number (an interval, a date) counts as its text, unless it is a level
    itself.
    """
    if isinstance(cell, Decimal):
        return float(cell)
    return cell if type(cell) in PLAIN or cell in levels else str(cell)


def _numbers(name: str, cells: list[Any]) -> list[float]:
    for cell in cells:
        if cell is not None and not isinstance(cell, numbers.Real | Decimal):
            raise ValueError(f"input {name!r} is a number, got {cell!r:.40} ({type(cell).__name__}).")
    values = [np.nan if cell is None else float(cell) for cell in cells]
    if np.isinf(values).any():
        raise ValueError(f"input {name!r} must be finite or missing, got {values[int(np.isinf(values).argmax())]}.")
    return values


def _refuse_stranger(name: str, example: Any, levels: Sequence[Any]) -> None:
    if example is None or not levels:
        return
    kinds = {isinstance(level, str) for level in levels}
    if isinstance(example, str) not in kinds:
        raise ValueError(
            f"column {name!r} had categories like {levels[0]!r} at fit and holds {example!r} now; "
            "pass the categories themselves, of the same type as at fit."
        )
