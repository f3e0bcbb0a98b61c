"""The history of a fit (a list of dicts, one per step) as columns, so that a long history needs only a few arrays.

    {"rows": 12, "columns": {"loss": {"numbers": array}, "leafness": {"begin": array, "flat": array},
                             "gate": {"values": [...]}, "held_out_loss": {"rows": array, "numbers": array}}}

`rows` of a column are the rows that have it; by default all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softwood.arrays import Array, Longs
from softwood.persistence.stored import Arrays, read_value, write_array, write_value

History = list[dict[str, Any]]


def write_history(history: History, at: str, arrays: Arrays) -> dict[str, Any]:
    """The columns as JSON and arrays."""
    names = dict.fromkeys(name for line in history for name in line)
    columns = {}
    for name in names:
        rows = [i for i, line in enumerate(history) if name in line]
        told = _write_column([history[i][name] for i in rows], f"{at}/{name}", arrays)
        if len(rows) < len(history):
            told["rows"] = write_array(np.array(rows, np.int64), f"{at}/{name}/rows", arrays)
        columns[name] = told
    return {"rows": len(history), "columns": columns}


def _write_column(values: list[Any], at: str, arrays: Arrays) -> dict[str, Any]:
    kinds = {type(value) for value in values}
    if kinds <= {float, np.float64} or kinds in ({int}, {bool}):
        return {"numbers": write_array(np.array(values), at, arrays)}
    if kinds == {np.ndarray} and len({value.dtype for value in values}) == 1 and values[0].ndim == 1:
        begin = np.cumsum([0, *map(len, values)], dtype=np.int64)
        flat = write_array(np.concatenate(values), f"{at}/flat", arrays)
        return {"begin": write_array(begin, f"{at}/begin", arrays), "flat": flat}
    return {"values": [write_value(value, f"{at}/{i}", arrays) for i, value in enumerate(values)]}


def read_history(stored: Any, at: str, arrays: Arrays) -> History:
    """The list of dicts; a ValueError if it is not valid."""
    if not isinstance(stored, Mapping) or stored.keys() != {"rows", "columns"}:
        raise ValueError(f"{at} must be rows and columns, got {stored!r:.80}.")
    n, columns = stored["rows"], stored["columns"]
    if (
        type(n) is not int
        or not isinstance(columns, Mapping)
        or not all(isinstance(each, Mapping) for each in columns.values())
    ):
        raise ValueError(f"{at} must be a number of rows and columns by name, got {stored!r:.80}.")
    read = {name: _read_column(column, f"{at}/{name}", arrays) for name, column in columns.items()}
    whole = [len(values) for rows, values in read.values() if rows is None]
    if any(size != n for size in whole) or (not whole and n != 0):
        raise ValueError(f"{at} must have columns of {n} rows, one of them whole.")
    history: History = [{} for _ in range(n)]
    for name, (rows, values) in read.items():
        places = range(n) if rows is None else rows.tolist()
        if rows is not None and (rows.shape != (len(values),) or np.any((rows < 0) | (rows >= n))):
            raise ValueError(f"{at}/{name} must be of rows 0..{n - 1}.")
        for i, value in zip(places, values, strict=True):
            history[i][name] = value
    return history


def _read_column(column: Mapping[str, Any], at: str, arrays: Arrays) -> tuple[Longs | None, list[Any]]:
    rows = read_value(Longs, column["rows"], f"{at}/rows", arrays) if "rows" in column else None
    kind = column.keys() - {"rows"}
    if kind == {"numbers"}:
        numbers = read_value(Array, column["numbers"], at, arrays)
        if numbers.ndim == 1:
            return rows, numbers.tolist()
    elif kind == {"begin", "flat"}:
        begin = read_value(Longs, column["begin"], f"{at}/begin", arrays)
        flat = read_value(Array, column["flat"], f"{at}/flat", arrays)
        rises = begin.ndim == flat.ndim == 1 and len(begin) > 0 and begin[0] == 0 and begin[-1] == len(flat)
        if rises and np.all(np.diff(begin) >= 0):
            return rows, [part.copy() for part in np.split(flat, begin[1:-1])] if len(begin) > 1 else []
    elif kind == {"values"} and isinstance(column["values"], list):
        return rows, [read_value(_kind(each), each, at, arrays) for each in column["values"]]
    raise ValueError(f"{at} is not a column of a history: {dict(column)!r:.80}.")


def _kind(stored: Any) -> Any:
    return type(stored) if type(stored) in (bool, int, str, type(None)) else float
