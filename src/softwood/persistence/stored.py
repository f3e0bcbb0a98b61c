"""Learned values as JSON and named arrays, and back, by the types that the classes declare.

    None, bool, int, str, finite float    themselves
    another float                         {"float": "nan"}
    an array of numbers                   {"array": its name in the file}
    an array of text, dates, labels       {"text": name}, {"dates": name, "unit": "D"}, {"labels": {...}}
    list, tuple                           a list
    an enumeration                        its number; the same for a loss without a parameter
    a dataclass                           {"is": its name, field: value, ...}
    Tree, Schema, Provenance              as `formats.arrays` and their own `to_dict` describe them

A reader is given the expected type (`read_value(list[int], ...)`), accepts nothing else, and copies every array, so
that checked values cannot change later.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from softwood.arrays import Array
from softwood.formats.arrays import arrays_of, build_tree, description_of
from softwood.kernels.kinds import Loss, LossKind
from softwood.tree import Provenance, Schema, Tree
from softwood.tree.labels import labels_from_dict, labels_to_dict

Arrays = dict[str, Array]
Labels = npt.NDArray[np.object_]  # type of an array of labels of any dtype
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns")
LARGEST_CODE_POINT = 0x10FFFF


# -- write --------------------------------------------------------------------------------------------------------


def write_value(value: Any, at: str, arrays: Arrays) -> Any:
    """The JSON of a value; its arrays go to `arrays` by names that begin with `at`."""
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Loss) and not value.parameter:
        return int(value.kind)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, np.ndarray):
        return write_array(value, at, arrays)
    if isinstance(value, np.generic):
        return write_value(value.item(), at, arrays)
    if isinstance(value, list | tuple):
        return [write_value(each, f"{at}/{i}", arrays) for i, each in enumerate(value)]
    if isinstance(value, Tree):
        arrays |= {f"{at}/{name}": array for name, array in arrays_of(value) if array.size}
        return description_of(value)
    if isinstance(value, Schema | Provenance):
        return value.to_dict()
    if is_dataclass(value):
        names = [each.name for each in fields(value)]
        told = {name: write_value(getattr(value, name), f"{at}/{name}", arrays) for name in names}
        return {"is": type(value).__name__, **told}
    raise TypeError(f"{at} is a {type(value).__name__}, which a file cannot hold.")


def write_array(array: Array, at: str, arrays: Arrays) -> dict[str, Any]:
    """An array of numbers, text, dates or labels."""
    if array.dtype.kind in "biuf":
        arrays[at] = array
        return {"array": at}
    if array.dtype.kind == "U" and array.ndim == 1:
        arrays[at] = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).view("<u4").reshape(len(array), -1)
        return {"text": at}
    if array.dtype.kind == "M" and array.ndim == 1 and np.datetime_data(array.dtype)[1] == 1:
        arrays[at] = array.astype("<i8")
        return {"dates": at, "unit": np.datetime_data(array.dtype)[0]}
    if array.dtype.kind == "O" and array.ndim == 1:
        return {"labels": labels_to_dict(array.tolist())}
    raise TypeError(f"{at} is an array of {array.dtype}, which a file cannot hold.")


# -- read ---------------------------------------------------------------------------------------------------------


def read_value(kind: Any, stored: Any, at: str, arrays: Arrays) -> Any:
    """The stored value of this type; otherwise a ValueError that says where."""
    kind = unaliased(kind)
    origin = get_origin(kind)
    if origin is np.ndarray:
        return _read_array(kind, stored, at, arrays)
    if origin in (Union, UnionType):
        return _read_one_of(get_args(kind), stored, at, arrays)
    if origin is Literal:
        return _require(stored, type(stored) is str and stored in get_args(kind), at, " or ".join(get_args(kind)))
    if origin in (list, tuple, Sequence):
        return _read_list(kind, stored, at, arrays)
    if kind is float:
        return _read_float(stored, at)
    if kind in (bool, int, str, NoneType):
        return _require(stored, type(stored) is kind, at, kind.__name__)
    if kind is Tree:
        return read_tree(stored, at, arrays)
    if kind in (Schema, Provenance):
        return kind.from_dict(stored)
    if isinstance(kind, type) and issubclass(kind, Enum):
        known = [each.value for each in kind]
        return kind(_require(stored, type(stored) is int and stored in known, at, f"one of {known}"))
    if kind is Loss and type(stored) is int:
        return Loss(read_value(LossKind, stored, at, arrays))
    return _read_dataclass(kind, stored, at, arrays)


def unaliased(kind: Any) -> Any:
    """The type behind an alias: from NumPy 2.5 on `NDArray[t]` is one (PEP 695), and its origin is not np.ndarray."""
    alias = get_origin(kind)
    return alias.__value__[get_args(kind)] if hasattr(alias, "__value__") else kind


def read_tree(stored: Any, at: str, arrays: Arrays) -> Tree:
    """The tree with its arrays under `at`; `Tree` copies and checks them."""
    head = f"{at}/"
    names = [name for name in arrays if name.startswith(head)]
    return build_tree({name.removeprefix(head): arrays.pop(name) for name in names}, stored)


def _require(stored: Any, good: bool, at: str, wanted: str) -> Any:
    if not good:
        raise ValueError(f"{at} must be {wanted}, got {stored!r:.80}.")
    return stored


def _read_float(stored: Any, at: str) -> float:
    if isinstance(stored, Mapping) and stored.keys() == {"float"} and stored["float"] in list(NOT_FINITE):
        return NOT_FINITE[stored["float"]]
    return float(_require(stored, type(stored) in (int, float), at, "a number"))


def _read_list(kind: Any, stored: Any, at: str, arrays: Arrays) -> Any:
    _require(stored, isinstance(stored, list), at, "a list")
    inner = get_args(kind)
    many = get_origin(kind) is not tuple or inner[-1] is Ellipsis
    _require(stored, many or len(stored) == len(inner), at, f"a list of {len(inner)}")
    kinds = [inner[0]] * len(stored) if many else inner
    values = [read_value(k, each, f"{at}/{i}", arrays) for i, (k, each) in enumerate(zip(kinds, stored, strict=True))]
    return tuple(values) if get_origin(kind) is tuple else values


def _read_one_of(kinds: tuple[Any, ...], stored: Any, at: str, arrays: Arrays) -> Any:
    """None, the dataclass named in the value, or the first type."""
    if stored is None and NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not NoneType]
    named = [kind for kind in rest if isinstance(stored, Mapping) and stored.get("is") == getattr(kind, "__name__", "")]
    return read_value((named or rest)[0], stored, at, arrays)


def _read_array(kind: Any, stored: Any, at: str, arrays: Arrays) -> Array:
    if kind == unaliased(Labels):
        return _read_labels(stored, at, arrays)
    array = _named(stored, "array", at, arrays)
    wanted = (get_args(get_args(kind)[1]) or (Any,))[0]
    if wanted is not Any and array.dtype != np.dtype(wanted):
        raise ValueError(f"{at} must be an array of {np.dtype(wanted)}, got {array.dtype}.")
    return array


def _read_labels(stored: Any, at: str, arrays: Arrays) -> Array:
    if isinstance(stored, Mapping) and stored.keys() == {"labels"}:
        labels = labels_from_dict(stored["labels"])
        array = np.empty(len(labels), object)
        array[:] = labels
        return array
    if isinstance(stored, Mapping) and stored.keys() == {"text"}:
        points = _named(stored, "text", at, arrays)
        if points.dtype != np.dtype("u4") or points.ndim != 2 or points.max(initial=0) > LARGEST_CODE_POINT:
            raise ValueError(f"{at} must be text: code points in two axes.")
        return points.view(f"U{points.shape[1]}")[:, 0] if points.size else np.zeros(len(points), "U1")
    if isinstance(stored, Mapping) and stored.keys() == {"dates", "unit"}:
        _require(stored["unit"], stored["unit"] in list(UNITS), at, f"dates in one of {UNITS}")
        days = _named({"dates": stored["dates"]}, "dates", at, arrays)
        if days.dtype != np.dtype("i8") or days.ndim != 1:
            raise ValueError(f"{at} must be dates: whole numbers in one axis.")
        return days.view(f"M8[{stored['unit']}]")
    array = _named(stored, "array", at, arrays)
    if array.ndim != 1:
        raise ValueError(f"{at} must have one axis, got {array.ndim}.")
    return array


def _named(stored: Any, key: str, at: str, arrays: Arrays) -> Array:
    """A copy of the array, which is removed from those of the file, so that two values never share one."""
    if not isinstance(stored, Mapping) or stored.keys() != {key} or stored[key] != at or at not in arrays:
        raise ValueError(f"{at} must be an array of the file, got {stored!r:.80}.")
    found = arrays.pop(at)
    return np.array(found, found.dtype.newbyteorder("="))


# Classes with other constructors, additional checks, and fields of earlier versions, which are ignored.
MAKERS: dict[type, Callable[[dict[str, Any]], Any]] = {}
CHECKS: dict[type, Callable[[Any], None]] = {}
FORMER: dict[type, frozenset[str]] = {}


def _read_dataclass(kind: Any, stored: Any, at: str, arrays: Arrays) -> Any:
    hints, known = _declared(kind)
    allowed = {"is", *known, *FORMER.get(kind, ())}
    if not isinstance(stored, Mapping) or stored.get("is") != kind.__name__ or not stored.keys() <= allowed:
        raise ValueError(f"{at} must be a {kind.__name__} with {', '.join(known)}, got {stored!r:.80}.")
    missing = [name for name, each in known.items() if name not in stored and _has_no_default(each)]
    if missing:
        raise ValueError(f"{at} lacks {', '.join(missing)}.")
    values = {name: read_value(hints[name], stored[name], f"{at}/{name}", arrays) for name in known if name in stored}
    made = MAKERS[kind](values) if kind in MAKERS else kind(**values)
    if kind in CHECKS:
        CHECKS[kind](made)
    return made


@cache
def _declared(kind: type) -> tuple[dict[str, Any], dict[str, Field[Any]]]:
    if not is_dataclass(kind):
        raise TypeError(f"{kind} cannot be read from a file.")
    return get_type_hints(kind), {each.name: each for each in fields(kind)}


def _has_no_default(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING
