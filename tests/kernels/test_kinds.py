"""Enumerations shared by Python and C++ have the same names and numbers, and each is declared once in C++."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

import pytest

from softwood.kernels import kinds

NATIVE = Path(__file__).parents[2] / "native"
ENUM = re.compile(r"enum class (\w+)[^{;]*\{([^}]*)\}")
SHARED = {name: kind for name, kind in vars(kinds).items() if isinstance(kind, type) and issubclass(kind, IntEnum)}
SHARED.pop("IntEnum")


def declarations() -> list[tuple[str, str, str]]:
    """File, name and members of every enum in native/."""
    found = []
    for file in sorted(NATIVE.rglob("*.[ch]pp")):
        for name, members in ENUM.findall(file.read_text(encoding="utf-8")):
            found.append((file.relative_to(NATIVE).as_posix(), name, members))
    return found


@pytest.mark.parametrize("name", sorted(SHARED))
def test_shared_enum_is_declared_once_with_the_numbers_of_python(name: str) -> None:
    places = [(file, members) for file, other, members in declarations() if other == name]
    assert [file for file, _ in places] == ["core/kinds.hpp"]
    members = [member.strip() for member in places[0][1].split(",")]
    assert members == [kind.name.lower() for kind in sorted(SHARED[name])]
    assert [int(kind) for kind in sorted(SHARED[name])] == list(range(len(members)))
