"""The pictures of docs/reading.md are those that its code draws, and every picture has its line there."""

from __future__ import annotations

import re
from pathlib import Path

from softwood.view import plots

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")


def test_the_page_shows_what_its_code_draws() -> None:
    drawn = set(re.findall(r'savefig\("([^"]+)"', PAGE))
    assert drawn
    assert set(re.findall(r"\]\(figures/([^)]+)\)", PAGE)) == drawn


def test_the_pictures_are_there_and_small() -> None:
    for name in re.findall(r"\]\(figures/([^)]+)\)", PAGE):
        assert (ROOT / "docs" / "figures" / name).stat().st_size < 100_000


def test_every_picture_is_on_the_page() -> None:
    assert [name for name in plots.__all__ if f"`{name}(" not in PAGE] == []
