"""The public API as text: names, parameters with their defaults, methods, options of the command line.

What is not listed may change at any time; what is listed changes with a line in the changelog (CHANGELOG.md).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import typer.main

from softwood.cli import app

ROOMS = ["softwood", "softwood.datasets", "softwood.explain", "softwood.formats", "softwood.stats", "softwood.view"]
if find_spec("torch"):
    ROOMS.insert(-1, "softwood.torch")


def parameters(function: Any) -> list[str]:
    """`name` or `name=default`, with `*` and `**` as in a signature; `self` is left out."""
    found = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
    said = [str(one.replace(annotation=inspect.Parameter.empty)) for one in found]
    by_name = [one.kind is one.KEYWORD_ONLY for one in found]
    if any(by_name) and not any(one.kind is one.VAR_POSITIONAL for one in found):
        said.insert(by_name.index(True), "*")
    return said


def members(kind: type) -> Iterator[str]:
    """The members of a class that softwood defines: methods with their parameters, and other names."""
    for name in sorted(own_names(kind) - set(inspect.signature(kind).parameters)):
        value = getattr(kind, name, None)
        is_method = inspect.isfunction(value) or inspect.ismethod(value)
        yield f"{name}({', '.join(parameters(value))})" if is_method else name


def own_names(kind: type) -> set[str]:
    ours = [base for base in kind.__mro__ if base.__module__.startswith("softwood")]
    given = {name for base in ours for name in [*vars(base), *inspect.get_annotations(base)]}
    made = {name for name in given if name.startswith("set_") and name.endswith("_request")}  # by scikit-learn
    return {name for name in given - made if not name.startswith("_")}


def lines_of(room: str, name: str) -> Iterator[str]:
    value = getattr(import_module(room), name)
    value = getattr(value, name) if inspect.ismodule(value) else value  # softwood.explain is a room that can be called
    if not callable(value):
        yield f"{room}.{name}"
        return
    if inspect.isclass(value) and issubclass(value, Exception):
        yield f"{room}.{name} (exception)"
        return
    yield f"{room}.{name}"
    yield from (f"    {one}" for one in parameters(value))
    if inspect.isclass(value):
        yield from (f"    .{one}" for one in members(value))


def commands() -> Iterator[str]:
    for name, command in sorted(typer.main.get_command(app).commands.items()):  # type: ignore[attr-defined]
        yield f"$ softwood {name}"
        for one in command.params:
            yield f"    {' '.join(one.opts)}"


def public_api() -> str:
    """The whole API, one name or parameter per line, so that a change is one line of a diff."""
    found = [line for room in ROOMS for name in sorted(import_module(room).__all__) for line in lines_of(room, name)]
    return "\n".join([*found, *commands()]) + "\n"
