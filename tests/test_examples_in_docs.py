"""Every Python example of these pages runs, one after the other in one folder, and prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ["explain.md", "export.md", "file.md", "reading.md", "serving.md", "torch.md", "view.md"]
PROGRAMS = {
    "serving.md": ("onnxruntime",),
    "export.md": ("node", "gcc", "javac", "java", "onnxruntime"),
}  # and packages, that the examples of a page run
BLOCK = re.compile(r"^```(?P<kind>python|text)\n(?P<body>.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_print_what_the_page_says(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = [program for program in PROGRAMS.get(page, ()) if not (shutil.which(program) or find_spec(program))]
    if lacking:
        pytest.skip(f"{', '.join(lacking)} not installed: the examples of {page} cannot run.")
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
