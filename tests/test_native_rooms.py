"""The check of native/'s includes finds what it is there to find."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

NATIVE = Path(__file__).parent.parent / "native"


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_includes", NATIVE / "check_includes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_includes_of_native_point_down(check: ModuleType) -> None:
    assert list(check.violations(NATIVE)) == []


@pytest.mark.parametrize(
    ("room", "line", "message"),
    [
        ("predict", '#include "soft/soft_rows.hpp"', "may not include soft/soft_rows.hpp"),
        ("simd", '#include "predict/tree.hpp"', "may not include predict/tree.hpp"),
        ("hard", "#include <nanobind/nanobind.h>", "only bind/ may know Python"),
        ("hard", '#include "grower.hpp"', "must name its room"),
        ("attic", '#include "core/views.hpp"', "is no room"),
    ],
)
def test_an_include_that_points_up_is_found(
    check: ModuleType, tmp_path: Path, room: str, line: str, message: str
) -> None:
    (tmp_path / room).mkdir()
    (tmp_path / room / "wrong.hpp").write_text(f"#pragma once\n{line}\n", encoding="utf-8")
    found = list(check.violations(tmp_path))
    assert len(found) == 1
    assert message in found[0]
