"""The page of what effort buys says what the runs say."""

from __future__ import annotations

import json

from bench.effort import CASES, EFFORTS, PAGE, RESULTS, SYSTEMS, to_markdown
from bench.speed.rivals import BY_NAME


def test_the_page_is_made_of_the_runs() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert {key.split("/")[-1] for key in results} == {*EFFORTS, *SYSTEMS}
    assert PAGE.read_text(encoding="utf-8") == to_markdown(results)
    assert all(f"{case}/{system}" in results for case in CASES for system in SYSTEMS)


def test_every_system_is_known() -> None:
    assert set(SYSTEMS) <= set(BY_NAME)
