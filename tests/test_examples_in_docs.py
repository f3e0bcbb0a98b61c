"""Every Python example of every page runs, one after the other in one folder, and prints what the page says.

After a wanted change: `SOFTWOOD_REGENERATE=1 pytest tests/test_examples_in_docs.py`, then read the diff.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import runpy
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PROGRAMS = {
    "serving.md": ("onnxruntime",),
    "export.md": ("node", "gcc", "javac", "java", "onnxruntime"),
    "torch.md": ("torch",),
    "howto/online.md": ("river",),
}  # and packages, that the examples of a page run
BLOCK = re.compile(r"^```(?P<kind>python|text)\n(?P<body>.*?)^```", re.DOTALL | re.MULTILINE)
ELSEWHERE = {"cli.md", "papers.md"}  # tests/cli/test_docs.py runs the first; the second needs the papers' data
PAGES = sorted(
    {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if "```python\n" in page.read_text("utf-8")} - ELSEWHERE
)
SCRIPTS = sorted(path.name for path in DOCS.glob("gallery/*.py"))
NOTEBOOKS = sorted(path.name for path in DOCS.glob("notebooks/*.ipynb"))


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


def run(code: str, name: str, names: dict[str, object]) -> str:
    """What the code prints; what it defines stays in `names`."""
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard):
        exec(compile(code, name, "exec"), names)
    return heard.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_print_what_the_page_says(page: str) -> None:
    lacking = [program for program in PROGRAMS.get(page, ()) if not (shutil.which(program) or find_spec(program))]
    if lacking:
        pytest.skip(f"{', '.join(lacking)} not installed: the examples of {page} cannot run.")
    text = (DOCS / page).read_text(encoding="utf-8")
    names: dict[str, object] = {}
    printed, outputs = "", []
    for block in BLOCK.finditer(text):
        if block["kind"] == "python":
            printed = run(block["body"], page, names)
        else:
            outputs.append((block, printed))
    if os.environ.get("SOFTWOOD_REGENERATE"):
        for block, printed in reversed(outputs):
            text = text[: block.start("body")] + printed + text[block.end("body") :]
        (DOCS / page).write_text(text, encoding="utf-8")
        for drawn in Path().glob("*.png"):
            shutil.copy(drawn, (DOCS / page).parent / "figures" / drawn.name)
        return
    for block, printed in outputs:
        assert printed == block["body"]


@pytest.mark.long
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_of_the_gallery_draws_the_pictures_that_the_page_shows(script: str, tmp_path: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(DOCS / "gallery" / script))
    drawn = sorted(tmp_path.glob("*.png"))
    assert drawn
    page = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    assert [file.name for file in drawn if f"({file.name})" not in page] == []
    assert f'--8<-- "gallery/{script}"' in page
    if os.environ.get("SOFTWOOD_REGENERATE"):
        for file in drawn:
            shutil.copy(file, DOCS / "gallery" / file.name)


@pytest.mark.long
@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_runs_from_top_to_bottom(notebook: str) -> None:
    """Cells are plain Python; what they print stands in the notebook."""
    path = DOCS / "notebooks" / notebook
    book = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    for place, cell in enumerate(cell for cell in book["cells"] if cell["cell_type"] == "code"):
        printed = run("".join(cell["source"]), f"{notebook}[{place}]", names)
        told = (
            [{"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}] if printed else []
        )
        if os.environ.get("SOFTWOOD_REGENERATE"):
            cell["execution_count"], cell["outputs"] = place + 1, told
        assert cell["outputs"] == told
    if os.environ.get("SOFTWOOD_REGENERATE"):
        path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
