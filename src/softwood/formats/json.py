"""A tree as JSON, for people, diffs and pages in a browser, and back, to the last bit.

    {"format": "softwood", "version": 2, "tree": {"link": 0, "response": [[...]], ...}, "schema": {...},
     "basis": {...}, "surrogates": {...}, "provenance": {...}}

Numbers are the shortest text that reads back the same; NaN is null, infinity is "inf" or "-inf". Keys have a fixed
order, and each array is on its own line. docs/file.md has the whole schema.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.formats.arrays import NEWEST_VERSION, PARTS, arrays_of, build_tree, description_of, form_of, version_of
from softwood.formats.failure import FileError, reading
from softwood.formats.models import look_inside
from softwood.tree import Tree

INFINITE = {"inf": np.inf, "-inf": -np.inf}
MOST_DIGITS = 400  # of an integer: more than any double has before the decimal point
SECTIONS = ("tree", "schema", "basis", "surrogates", "provenance")


def to_json(model: Any) -> str:
    """The tree of a model as JSON text.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, a pipeline or a search that ends in one.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor, from_json, to_json
    >>> X = np.arange(20.0)[:, None]
    >>> model = CARTRegressor().fit(X, X[:, 0] > 7)
    >>> from_json(to_json(model)) == model.tree_
    True
    """
    tree = look_inside(model, wanted_by="to_json").tree
    told = description_of(tree)
    sections: dict[str, dict[str, Any]] = {"tree": {"link": told["link"]}, **{part: {} for part in PARTS}}
    arrays = dict(arrays_of(tree))
    for name, array in arrays.items():
        part, _, inner = name.rpartition("/")
        sections[part or "tree"][inner] = _as_lists(array)
    sections["tree"]["note"] = told["note"]
    sections |= {"schema": told["schema"], "provenance": told["provenance"]}
    lines = ['{\n"format": "softwood"', f'"version": {version_of(arrays)}']
    return ",\n".join(lines + [f'"{name}": {_lines(sections[name])}' for name in SECTIONS]) + "\n}\n"


def from_json(text: str) -> Tree:
    """The tree that `to_json` wrote; otherwise a FileError that says what is wrong.

    Examples
    --------
    >>> from_json("{}")
    Traceback (most recent call last):
    softwood.formats.failure.FileError: the JSON is not a softwood tree: it must be an object with "format": "softwood".
    """
    with reading("the JSON"):
        stored = parse(text)
        if not isinstance(stored, dict) or stored.get("format") != "softwood":
            raise FileError('the JSON is not a softwood tree: it must be an object with "format": "softwood".')
        check_version("the JSON", stored.get("version"), NEWEST_VERSION)
        if stored.keys() != {"format", "version", *SECTIONS}:
            raise FileError(f"the JSON must have format, version, {', '.join(SECTIONS)}, got {list(stored)!r:.200}.")
        return _build(stored)


def parse(text: str) -> Any:
    """JSON as Python, strictly: no NaN, no duplicate keys, no numbers of thousands of digits."""
    return json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse_constant, parse_int=_integer)


def check_version(what: str, version: Any, newest: int) -> None:
    """Refuse an invalid version, and one of a newer softwood."""
    if type(version) is not int or version < 1:
        raise FileError(f"{what} has no version: it must be an integer >= 1, got {version!r:.80}.")
    if version > newest:
        raise FileError(
            f"{what} is of version {version!r:.20}, this softwood reads up to {newest}; install a newer softwood."
        )


def _build(stored: dict[str, Any]) -> Tree:
    tree = stored["tree"]
    for name in ("tree", *PARTS):
        if not isinstance(stored[name], dict):
            raise FileError(f'"{name}" must be an object, got {stored[name]!r:.80}.')
    told = {"link": tree.get("link"), "note": tree.get("note", [])}
    told |= {"schema": stored["schema"], "provenance": stored["provenance"]}
    arrays = {name: _as_array(name, value) for name, value in tree.items() if name not in ("link", "note")}
    for part in PARTS:
        arrays |= {f"{part}/{name}": _as_array(f"{part}/{name}", value) for name, value in stored[part].items()}
    return build_tree(_known_shapes(arrays), told)


# -- arrays -------------------------------------------------------------------------------------------------------


def _as_lists(array: npt.NDArray[Any]) -> list[Any]:
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        values = array.astype(object)
        values[np.isnan(array)] = None
        for name, end in INFINITE.items():
            values[array == end] = name
        array = values
    lists: list[Any] = array.tolist()
    return lists


def _as_array(name: str, lists: Any) -> npt.NDArray[Any]:
    """The numbers of nested lists, all of one shape."""
    dtype, axes = form_of(name)
    flat, shape = _flatten(name, lists, axes)
    wanted = {"f": (float, int), "b": (bool,)}.get(dtype.kind, (int,))
    strange = set(map(type, flat)) - set(wanted)
    if strange and dtype.kind == "f":
        flat = [_number(name, value) for value in flat]
    elif strange:
        raise FileError(f"{name} must hold {np.dtype(dtype).name}, got {sorted(each.__name__ for each in strange)}.")
    return np.array(flat, dtype).reshape(shape)


def _flatten(name: str, lists: Any, axes: int) -> tuple[list[Any], tuple[int, ...]]:
    shape: list[int] = []
    level = [lists]
    for _ in range(axes):
        sizes = {len(each) if isinstance(each, list) else -1 for each in level} or {0}
        if len(sizes) > 1 or -1 in sizes:
            raise FileError(f"{name} must be lists of one length, nested {axes} deep, got {lists!r:.80}.")
        shape += sizes
        level = [value for each in level for value in each]
    return level, tuple(shape)


def _number(name: str, value: Any) -> float:
    if value is None:
        return np.nan
    if isinstance(value, str) and value in INFINITE:
        return INFINITE[value]
    if type(value) not in (int, float):
        raise FileError(f'{name} must hold numbers, null, "inf" or "-inf", got {value!r:.80}.')
    return float(value)


def _known_shapes(arrays: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Without empty arrays of several axes: an empty list loses their shape, which `Tree` knows."""
    return {name: array for name, array in arrays.items() if array.size or array.ndim == 1}


# -- text ---------------------------------------------------------------------------------------------------------


def _lines(section: Any) -> str:
    if not isinstance(section, Mapping):
        return _text(section)
    return "{\n" + ",\n".join(f" {_text(name)}: {_text(value)}" for name, value in section.items()) + "\n}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise FileError(f"duplicate keys in one object: {[name for name, _ in pairs]!r:.200}.")
    return found


def _refuse_constant(name: str) -> Any:
    raise FileError(f'{name} is not JSON; write NaN as null and infinity as "inf".')


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise FileError(f"an integer of {len(digits)} digits cannot be part of a model.")
    return int(digits)
