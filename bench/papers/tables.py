"""The papers' tables and figures from the existing results: `python -m bench.papers.tables` (`make tables`).

Pages go to docs/results, figures to docs/results/figures. Only the toy fits are run here.
The MAGIC page has a protocol and a writer of its own: bench/papers/magic.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.papers import page_document, page_family, page_soft
from bench.papers.documents import DOCUMENTS
from bench.papers.published import read_published
from bench.papers.store import RESULTS, read_all
from bench.papers.summary import Cells, gather

PAGES = Path(__file__).parents[2] / "docs" / "results"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write everything and report what was written."""
    parser = argparse.ArgumentParser(prog="python -m bench.papers.tables", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--pages", type=Path, default=PAGES, help="folder to write to")
    asked = parser.parse_args(arguments)
    cells = gather(read_all(asked.results))
    figures = _draw(asked.pages / "figures", cells)
    for name, text in write_pages(cells, figures).items():
        (asked.pages / name).write_text(text, encoding="utf-8")
        print(f"wrote {asked.pages / name}")


def write_pages(cells: Cells, figures: Sequence[str]) -> dict[str, str]:
    """The pages as Markdown, by name; `figures`: names of the files that were drawn."""
    printed = read_published()
    pages = {document.page: page_document.write_page(document, printed, cells) for document in DOCUMENTS}
    pages["family.md"] = page_family.write_page(printed, cells, figures)
    pages["soft.md"] = page_soft.write_page(printed, cells)
    return pages


def _draw(folder: Path, cells: Cells) -> list[str]:
    """Draw what can be drawn; the names of the files."""
    try:
        import matplotlib  # noqa: F401  # only to see whether it is there
    except ImportError:
        print("skipped: figures need matplotlib (pip install 'softwood[bench]').")
        return [path.name for path in folder.glob("*.svg")]
    from bench.papers.figures import draw_all

    return draw_all(folder, cells)


if __name__ == "__main__":
    main()
