"""Every Python example of these pages runs, one after the other in one folder, and prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ["file.md", "view.md"]
BLOCK = re.compile(r"^```(?P<kind>python|text)\n(?P<body>.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_print_what_the_page_says(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    blocks = list(BLOCK.finditer((DOCS / page).read_text(encoding="utf-8")))
    assert blocks
    for block in blocks:
        if block["kind"] == "python":
            heard = io.StringIO()
            with contextlib.redirect_stdout(heard):
                exec(compile(block["body"], page, "exec"), names)
            printed = heard.getvalue()
        else:
            assert printed == block["body"]
