"""A tree as named arrays and a JSON description, shared by model files and JSON text.

    arrays        response, first_child, ...; basis/term, ...; surrogates/begin, ...
    description   link, note, schema, provenance

A file may omit arrays (no node uses them, as in `Tree`) and may not have others. `Tree` checks all of them when it is
built, so nothing invalid reaches native code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from softwood.arrays import Array
from softwood.kernels.kinds import Link, Score
from softwood.tree import Basis, Provenance, Schema, Surrogates, Tree
from softwood.tree.arrays import PER_NODE, RAGGED

NEWEST_VERSION = 3  # of files and JSON; a newer one is refused, older ones are always read
PLAIN_VERSION = 2  # for trees without constant gates, so that releases before version 3 can read them
Form = tuple[Any, int]  # dtype and number of axes
Part = TypeVar("Part", Basis, Surrogates)


def _flat(dtype: type[np.generic], *names: str) -> dict[str, Form]:
    return {name: (np.dtype(dtype), 1) for name in names}


_TREE: dict[str, Form] = {name: (np.dtype(dtype), 1) for name, (dtype, _) in PER_NODE.items()}
_TREE |= {begin: (np.dtype(np.int32), 1) for begin, _, _ in RAGGED}
_TREE |= {flat: (np.dtype(dtype), 1) for _, flat, dtype in RAGGED}
_TREE |= _flat(np.int32, "group_level", "weight_column") | _flat(np.float64, "weight_effect")
_TREE |= {name: (np.dtype(np.float64), 2) for name in ("response", "softness", "mean", "arrived", "column_mean")}
_TREE |= {name: (np.dtype(np.float64), 3) for name in ("slope", "slope_effect")}

# In the order of the classes, so that equal trees have equal text.
TREE = {each.name: _TREE[each.name] for each in fields(Tree) if each.name in _TREE}
BASIS = _flat(np.uint8, "term") | _flat(np.int32, "feature") | _flat(np.float64, "parameter", "when_missing")
SURROGATES = {
    each.name: (np.dtype(np.bool_ if each.name == "flip" else np.int32), 1)
    if each.name not in ("threshold", "agreement", "adjusted")
    else (np.dtype(np.float64), 1)
    for each in fields(Surrogates)
}
PARTS = {"basis": BASIS, "surrogates": SURROGATES}


def arrays_of(tree: Tree) -> Iterator[tuple[str, Array]]:
    """Name and values of every array of a tree; `group_level` is omitted if empty."""
    for name in TREE:
        if name != "group_level" or len(tree.group_level):
            yield name, getattr(tree, name)
    for part, names in PARTS.items():
        held = getattr(tree, part)
        for name in names:
            if name != "group_level" or len(held.group_level):
                yield f"{part}/{name}", getattr(held, name)


def version_of(arrays: Mapping[str, Array]) -> int:
    """The lowest version of the format that holds these arrays: gates of constant shares came with version 3."""
    means = (
        name.rpartition("/")[2] == "score" and bool(np.any(array == Score.CONSTANT)) for name, array in arrays.items()
    )
    return NEWEST_VERSION if any(means) else PLAIN_VERSION


def form_of(name: str) -> Form:
    """Dtype and number of axes of an array of a tree; another name is a ValueError."""
    part, _, inner = name.rpartition("/")
    known = PARTS.get(part) if part else TREE
    if known is None or inner not in known:
        raise ValueError(f"a tree has no array {name!r:.80}.")
    return known[inner]


def description_of(tree: Tree) -> dict[str, Any]:
    """The part without arrays, as JSON."""
    return {
        "link": int(tree.link),
        "note": list(tree.note),
        "schema": tree.schema.to_dict(),
        "provenance": None if tree.provenance is None else tree.provenance.to_dict(),
    }


def build_tree(arrays: Mapping[str, Array], description: Any) -> Tree:
    """The tree from its arrays and description; a ValueError or TypeError if invalid."""
    names = {"link", "note", "schema", "provenance"}
    if not isinstance(description, Mapping) or description.keys() != names:
        raise ValueError(f"a tree must have the fields {', '.join(sorted(names))}, got {description!r:.80}.")
    for name, array in arrays.items():
        dtype, axes = form_of(name)
        if array.dtype != dtype or array.ndim != axes:
            raise ValueError(f"{name} must be {dtype} with {axes} axes, got {array.dtype} with {array.ndim}.")
    if "response" not in arrays:
        raise ValueError("a tree needs responses, got none.")
    return Tree(
        schema=Schema.from_dict(description["schema"]),
        link=_link(description["link"]),
        note=_note(description["note"]),
        provenance=_provenance(description["provenance"]),
        basis=Basis(**_part(arrays, "basis")),
        surrogates=Surrogates(**_part(arrays, "surrogates")),
        **{name: array for name, array in arrays.items() if "/" not in name},
    )


def _part(arrays: Mapping[str, Array], part: str) -> dict[str, Any]:
    head = f"{part}/"
    return {name.removeprefix(head): array for name, array in arrays.items() if name.startswith(head)}


def _link(stored: Any) -> Link:
    if type(stored) is not int or stored not in list(Link):
        raise ValueError(f"link must be one of {', '.join(map(str, map(int, Link)))}, got {stored!r:.80}.")
    return Link(stored)


def _note(stored: Any) -> tuple[str, ...]:
    if not isinstance(stored, list) or not all(type(each) is str for each in stored):
        raise ValueError(f"note must be a list of text, got {stored!r:.80}.")
    return tuple(stored)


def _provenance(stored: Any) -> Provenance | None:
    return None if stored is None else Provenance.from_dict(stored)
