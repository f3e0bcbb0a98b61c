"""Every public name says what it is: parameters, attributes, what it returns, an example; see docs/public_api.txt."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

import pytest

from tests.golden.public_api import ROOMS, own_names

HEAD = re.compile(
    r"^(Parameters|Attributes|Returns|Yields|Raises|Examples|See Also|Notes|Methods)\n-{3,}$", re.MULTILINE
)
ELSEWHERE = re.compile(r"parameters (?:and the attributes )?(?:as in|are those of) `?(\w+)")
ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: :.*)?$", re.MULTILINE)


def public() -> dict[str, Any]:
    """Classes and functions by their full public name."""
    found = {}
    for room in ROOMS:
        for name in import_module(room).__all__:
            value = getattr(import_module(room), name)
            value = getattr(value, name) if inspect.ismodule(value) else value
            if callable(value) and not (inspect.isclass(value) and issubclass(value, Exception)):
                found[f"{room}.{name}"] = value
    return found


NAMES = public()
ESTIMATORS = [
    name
    for name, value in NAMES.items()
    if inspect.isclass(value) and hasattr(value, "fit") and hasattr(value, "predict")
]


def sections(value: Any) -> dict[str, str]:
    """The docstring by its headings; what is above the first heading is under no name."""
    parts = HEAD.split(inspect.getdoc(value) or "")
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def explained(value: Any) -> set[str]:
    """Parameters and attributes that a docstring explains, or the one that it names: "those of CARTClassifier"."""
    said = sections(value)
    own = entries(said.get("Parameters", "")) | entries(said.get("Attributes", ""))
    other = ELSEWHERE.search(said[""].replace("\n", " "))
    home = next((name for name in NAMES if other and name.endswith(f".{other[1]}")), None)
    return own | explained(NAMES[home]) if home else own


def entries(section: str) -> set[str]:
    """Names that a section explains: `a, b : …` or `a` above a paragraph."""
    return {name.strip().lstrip("*") for line in ENTRY.findall(section) for name in line.split(",")}


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_explained(name: str) -> None:
    value = NAMES[name]
    wanted = set(inspect.signature(value).parameters) - {"self"}
    one_line = not inspect.isclass(value) and len(wanted) <= 1  # the first sentence says it
    assert sections(value)[""].strip()
    assert one_line or wanted - explained(value) == set()


@pytest.mark.parametrize("name", [name for name, value in NAMES.items() if inspect.isfunction(value)])
def test_every_function_has_an_example(name: str) -> None:
    said = sections(NAMES[name])
    assert "Examples" in said


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_lists_what_it_learns_and_has_an_example(name: str) -> None:
    assert "tree_" in explained(NAMES[name])
    assert "Examples" in sections(NAMES[name])


@pytest.mark.parametrize("name", [name for name, value in NAMES.items() if inspect.isclass(value)])
def test_every_method_and_property_has_a_sentence(name: str) -> None:
    members = {one: inspect.getattr_static(NAMES[name], one, None) for one in own_names(NAMES[name])}
    silent = [one for one, member in members.items() if needs_words(member) and not inspect.getdoc(member)]
    assert silent == []


def needs_words(member: Any) -> bool:
    return isinstance(member, property | classmethod | staticmethod) or inspect.isfunction(member)
