"""Pages of docs/results are written from the committed runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench import intervals, losses, monotone, readable
from bench.effort import CASES, EFFORTS, PAGE, RESULTS, SYSTEMS, to_markdown
from bench.pages import lay_out
from bench.papers import magic, magic_page
from bench.speed.rivals import BY_NAME


def test_the_page_is_made_of_the_runs() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert {key.split("/")[-1] for key in results} == {*EFFORTS, *SYSTEMS}
    assert PAGE.read_text(encoding="utf-8") == to_markdown(results)
    assert all(f"{case}/{system}" in results for case in CASES for system in SYSTEMS)


def test_other_pages_are_made_of_the_runs() -> None:
    pages = {
        readable.PAGE: lay_out(readable.HEAD, readable.to_markdown(_read(readable.RESULTS))),
        intervals.PAGE: lay_out(intervals.HEAD, intervals.to_markdown(_read(intervals.RESULTS))),
        losses.PAGE: lay_out(
            losses.HEAD.format(train=losses.TRAIN, least=losses.LEAST, level=losses.LEVEL),
            losses.to_markdown(_read(losses.RESULTS)),
        ),
        monotone.PAGES / "monotone.md": lay_out(
            monotone.HEAD, monotone.to_markdown(_read(monotone.RESULTS / "monotone.json"))
        ),
        magic_page.PAGE: magic_page.to_markdown(list(_read(magic.RESULTS).values())),
    }
    for page, text in pages.items():
        assert page.read_text(encoding="utf-8") == text, page.name


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def test_every_system_is_known() -> None:
    assert set(SYSTEMS) <= set(BY_NAME)
