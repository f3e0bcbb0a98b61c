"""Labels as plain Python, and as JSON with their type: categories of an input, classes of a target.

    labels     str, int, float, bool, None, bytes, date, datetime
    JSON       {"type": "int", "values": [1, 2]}; of several types "type" is a list, one entry for each label

NumPy and pandas scalars are unwrapped, so 1, np.int64(1) and the JSON of either are the same label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any

import numpy as np

WRITE: dict[type, Callable[[Any], Any]] = {
    str: str,
    bool: bool,
    int: int,
    float: lambda value: value if math.isfinite(value) else repr(value),
    type(None): lambda value: None,
    bytes: lambda value: value.hex(),
    datetime: lambda value: value.isoformat(),
    date: lambda value: value.isoformat(),
}
NAMES: dict[type, str] = {kind: kind.__name__ for kind in WRITE} | {type(None): "none"}
# Per type the JSON types it is written as, and how it is read back.
READ: dict[str, tuple[tuple[type, ...], Callable[[Any], Any]]] = {
    "str": ((str,), str),
    "bool": ((bool,), bool),
    "int": ((int,), int),
    "float": ((float, int, str), float),
    "none": ((type(None),), lambda value: None),
    "bytes": ((str,), bytes.fromhex),
    "datetime": ((str,), datetime.fromisoformat),
    "date": ((str,), date.fromisoformat),
}


def plain_label(value: Any) -> Any:
    """The label without its NumPy or pandas wrapping; other labels are returned unchanged.

    Examples
    --------
    >>> plain_label(np.int64(3)), plain_label(np.datetime64("2024-05-01"))
    (3, datetime.date(2024, 5, 1))
    """
    if type(value) in WRITE:
        return value
    if isinstance(value, np.datetime64):
        return value.astype("datetime64[us]").item() if value.item().__class__ is int else value.item()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, datetime):  # pandas' Timestamp is one
        return datetime.fromisoformat(value.isoformat())
    return str(value) if isinstance(value, str) else value


def plain_labels(values: Iterable[Any]) -> tuple[Any, ...]:
    """All labels; fast if there is nothing to do."""
    labels = tuple(values)
    return labels if set(map(type, labels)) <= WRITE.keys() else tuple(map(plain_label, labels))


def labels_to_dict(labels: Iterable[Any]) -> dict[str, Any]:
    """The labels as JSON.

    Examples
    --------
    >>> labels_to_dict(("red", "green"))
    {'type': 'str', 'values': ['red', 'green']}
    >>> labels_to_dict((1, "many"))
    {'type': ['int', 'str'], 'values': [1, 'many']}
    """
    plain = plain_labels(labels)
    for label in plain:
        if type(label) not in WRITE:
            raise TypeError(
                f"label {label!r:.60} ({type(label).__name__}) cannot be written; "
                f"labels must be one of {', '.join(NAMES.values())}: convert them, for example to text."
            )
    kinds = [NAMES[type(label)] for label in plain]
    one = len(set(kinds)) == 1
    return {"type": kinds[0] if one else kinds, "values": [WRITE[type(label)](label) for label in plain]}


def labels_from_dict(stored: Any) -> tuple[Any, ...]:
    """The labels that `labels_to_dict` wrote; otherwise a ValueError.

    Examples
    --------
    >>> labels_from_dict({"type": "date", "values": ["2024-05-01"]})
    (datetime.date(2024, 5, 1),)
    """
    if not isinstance(stored, Mapping) or stored.keys() != {"type", "values"} or not isinstance(stored["values"], list):
        raise ValueError(f"labels must be a dict of type and values, got {stored!r:.80}.")
    values, kinds = stored["values"], stored["type"]
    kinds = [kinds] * len(values) if isinstance(kinds, str) else kinds
    if not isinstance(kinds, list) or len(kinds) != len(values):
        raise ValueError(f"labels must have one type, or one for each of {len(values)} values, got {kinds!r:.80}.")
    return tuple(_read(kind, value) for kind, value in zip(kinds, values, strict=True))


def _read(kind: Any, value: Any) -> Any:
    if not isinstance(kind, str) or kind not in READ:
        raise ValueError(f"the type of a label must be one of {', '.join(READ)}, got {kind!r:.80}.")
    wanted, read = READ[kind]
    if type(value) not in wanted:
        raise ValueError(f"a label of type {kind} cannot be {value!r:.80} ({type(value).__name__}).")
    try:
        return read(value)
    except (ValueError, OverflowError) as problem:
        raise ValueError(f"a label of type {kind} cannot be {value!r:.80}: {problem}.") from None
