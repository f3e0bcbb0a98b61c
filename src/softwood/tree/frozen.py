"""Frozen structs of arrays: read-only fields of a fixed dtype, equality by content."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import numpy as np
import numpy.typing as npt


def freeze(struct: Any, name: str, dtype: npt.DTypeLike) -> None:
    """Replace field `name` by a read-only contiguous array of `dtype`; a dtype that would lose values is an error.

    A read-only array that owns its values is kept without a copy, also if it is shared.
    """
    given = getattr(struct, name)
    if type(given) is np.ndarray and given.dtype == dtype and given.base is None:
        flags = given.flags
        if flags.c_contiguous and not flags.writeable:
            return
    given = np.asarray(given)
    are_numbers = given.dtype.kind in "biuf"
    if given.dtype == dtype:
        array = np.ascontiguousarray(given)
    else:
        with np.errstate(all="ignore"):  # lossy casts are detected below
            array = np.ascontiguousarray(given if are_numbers else np.zeros(0), dtype)
    if not are_numbers or (
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
    """`__setstate__` of a frozen struct: a state from a file is checked like a new struct.

    Arrays are made read-only (those of pickle and copy are writable). A missing field gets its default; an unknown
    field is an error.
    """
    known = {f.name: f for f in fields(struct)}
    if not isinstance(state, dict) or not known.keys() >= state.keys():
        strange = sorted(map(str, state.keys() - known.keys())) if isinstance(state, dict) else type(state).__name__
        raise TypeError(f"the state of a {type(struct).__name__} has fields {', '.join(known)}, got {strange}.")
    for name, field in known.items():
        factory = field.default_factory
        value = state[name] if name in state else field.default if factory is MISSING else factory()
        if value is MISSING:
            raise TypeError(f"the state of a {type(struct).__name__} needs the field {name}.")
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(struct, name, value)
    struct.__post_init__()


def is_whole(struct: object, kind: type) -> bool:
    """Whether it is a struct of this kind with all its fields, which a damaged file may lack."""
    return isinstance(struct, kind) and all(f.name in vars(struct) for f in fields(kind))


def rises(begin: npt.NDArray[Any], size: int, total: int) -> bool:
    """Whether `begin` has `size` entries that increase from 0 to `total` (differences of int32 may wrap)."""
    if begin.shape != (size,):
        return False
    return not size or bool(begin[0] == 0 and begin[-1] == total and np.all(begin[1:] >= begin[:-1]))


def same_arrays(one: Any, other: object) -> bool:
    """Two structs of the same class with equal fields (NaN equals NaN)."""
    names = [f.name for f in fields(one) if f.compare]
    return type(one) is type(other) and all(_same(getattr(one, name), getattr(other, name)) for name in names)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    return bool(a == b)
