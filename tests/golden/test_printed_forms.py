"""Printed forms, word for word.

After a wanted change: `SOFTWOOD_REGENERATE=1 pytest tests/golden`, then read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from softwood import Tree, to_text
from softwood.tree.spelling import display_width

HERE = Path(__file__).parent
WIDEST = 100

NAMES = ("cancer", "bikes", "intervals", "soft", "species", "pair", "stump", "mean", "forest")

# file name -> how the tree of that name (before the first dot) is printed
FORMS: dict[str, dict[str, Any] | None] = {
    **{f"{name}.sketch": None for name in NAMES},
    **{f"{name}.text": {} for name in NAMES},
    "cancer.surrogates": {"surrogates": True},
    "cancer.exact": {"digits": None},
    "bikes.whole": {"width": None, "missing": False},
    "soft.shallow": {"max_depth": 2, "digits": 2},
}


@pytest.mark.parametrize("name", FORMS)
def test_a_printed_form_is_as_the_golden_file_has_it(name: str, specimens: dict[str, Any]) -> None:
    model, how = specimens[name.split(".")[0]], FORMS[name]
    tree = model if isinstance(model, Tree) else model.tree_
    text = str(tree) if how is None else to_text(model, **how)
    file = HERE / f"{name}.txt"
    if os.environ.get("SOFTWOOD_REGENERATE"):
        file.write_text(text + "\n", encoding="utf-8")
    assert text + "\n" == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name, how in FORMS.items() if how == {}])
def test_a_report_keeps_to_its_width(name: str, specimens: dict[str, Any]) -> None:
    assert max(map(display_width, to_text(specimens[name.split(".")[0]]).splitlines())) <= WIDEST


def test_no_golden_file_is_forgotten() -> None:
    assert {file.stem for file in HERE.glob("*.txt")} == set(FORMS)
