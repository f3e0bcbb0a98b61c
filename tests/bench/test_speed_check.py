"""The check against regressions in speed: what it compares, and how it handles a ratio that fell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.speed import check
from bench.speed.report import Report
from bench.speed.summary import LINES, summarize

ROOT = Path(__file__).parents[2]


def test_the_committed_ratios_are_of_all_cases_and_on_the_page() -> None:
    history = json.loads((ROOT / check.HISTORY).read_text(encoding="utf-8"))
    assert len(check.CASES) == 12
    assert set(history[-1]["ratios"]) == set(check.CASES)
    page = (ROOT / check.PAGE).read_text(encoding="utf-8")
    section = page.partition(f"## {check.TITLE}\n")[2].partition("\n## ")[0]
    assert all(one["label"] in section for one in history)
    assert all(f"| {name} |" in section for name in check.CASES)


def test_a_ratio_that_fell_is_measured_again_and_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, other = list(check.CASES)[:2]
    file = tmp_path / "history.json"
    file.write_text(json.dumps([{"label": "then", "ratios": {name: 2.0, other: 1.0}}]))
    monkeypatch.setattr(check, "HISTORY", file)
    found = {name: iter([1.0, 1.9]), other: iter([0.7, 0.75])}
    monkeypatch.setattr(check, "measure", lambda case: next(found[case]))
    monkeypatch.setattr(check, "CASES", {one: check.CASES[one] for one in (name, other)})
    assert check.main([]) == 1
    told = capsys.readouterr().out
    assert f"1 ratios fell by more than a quarter: {other}." in told
    assert "1.90" in told


def test_what_is_saved_is_what_the_next_run_is_compared_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "HISTORY", tmp_path / "history.json")
    monkeypatch.setattr(check, "PAGE", tmp_path / "speed.md")
    monkeypatch.setattr(check, "measure", lambda case: 1.0)
    assert check.main(["--save", "first"]) == 0
    assert check.main([]) == 0
    monkeypatch.setattr(check, "measure", lambda case: 0.5)
    assert check.main([]) == 1
    assert "| times as fast as scikit-learn or LightGBM | first |" in (tmp_path / "speed.md").read_text()


def test_the_page_opens_with_the_summary_of_its_sections() -> None:
    page = ROOT / check.PAGE
    summary = summarize(Report(page).sections)
    assert page.read_text(encoding="utf-8").startswith(f"# Speed and memory\n\n{summary}\n\n## ")
    assert all(f"| {line.work} |" in summary for line in LINES)
