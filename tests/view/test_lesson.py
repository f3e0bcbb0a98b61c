"""The lesson: a notebook as it is written, and the same one on the site, where it has run."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from softwood import lesson

ON_THE_SITE = Path(__file__).parents[2] / "docs" / "notebooks" / "lesson.ipynb"


def test_the_notebook_on_the_site_is_the_lesson(tmp_path: Path) -> None:
    written = json.loads(lesson(tmp_path / "lesson.ipynb").read_text(encoding="utf-8"))
    shown = json.loads(ON_THE_SITE.read_text(encoding="utf-8"))
    assert [(cell["cell_type"], cell["source"]) for cell in written["cells"]] == [
        (cell["cell_type"], cell["source"]) for cell in shown["cells"]
    ]
    code = ["".join(cell["source"]) for cell in written["cells"] if cell["cell_type"] == "code"]
    assert [ast.parse(each).body != [] for each in code] == [True] * 8
    assert all(cell["outputs"] == [] for cell in written["cells"] if cell["cell_type"] == "code")


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    place = lesson(tmp_path / "mine.ipynb")
    place.write_text("mine")
    with pytest.raises(FileExistsError, match="exists already"):
        lesson(place)
    assert place.read_text() == "mine"
    with pytest.raises(ValueError, match=r"must end in \.ipynb"):
        lesson(tmp_path / "mine.py")
