"""Frozen structs of arrays: read-only fields of a fixed dtype, equality by content."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt


def freeze(struct: Any, name: str, dtype: npt.DTypeLike) -> None:
    """Replace field `name` by a read-only contiguous array of `dtype`; a dtype that would lose values is an error.

    A read-only array that owns its values is kept, whoever else has it: a tree of millions of nodes is not held twice.
    """
    given = np.asarray(getattr(struct, name))
    array = np.ascontiguousarray(given, dtype)
    if (
        given.dtype != array.dtype
        and given.size
        and not np.array_equal(array, given, equal_nan=array.dtype.kind == "f")
    ):
        raise TypeError(f"{name} holds values that {np.dtype(dtype)} cannot, got {given.dtype} {given!r:.60}.")
    if array.base is not None or (array is given and given.flags.writeable):
        array = array.copy()
    array.setflags(write=False)
    object.__setattr__(struct, name, array)


def restore(struct: Any, state: dict[str, Any]) -> None:
    """`__setstate__` of a frozen struct: pickle and copy hand out arrays that can be written."""
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(struct, name, value)


def same_arrays(one: Any, other: object) -> bool:
    """Two structs of the same class with equal fields (NaN equals NaN)."""
    names = [f.name for f in fields(one) if f.compare]
    return type(one) is type(other) and all(_same(getattr(one, name), getattr(other, name)) for name in names)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    return bool(a == b)
