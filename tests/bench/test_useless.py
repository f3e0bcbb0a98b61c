"""The table of useless inputs: a stopped run goes on, and the best is bold."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import useless


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, cases = tmp_path / "runs.json", {"steps, 5 of 5": useless.CASES["steps, 5 of 5"]}
    first = useless.run(cases, ["CART"], 1, file)
    monkeypatch.setattr(useless, "measure", lambda case, model, seed: {"error": 0.5, "nodes": seed, "seconds": 0.0})
    both = useless.run(cases, ["CART"], 2, file)
    assert both["steps, 5 of 5/0/CART"] == first["steps, 5 of 5/0/CART"]
    assert both["steps, 5 of 5/1/CART"]["error"] == 0.5


def test_cart_finds_steps_in_their_own_inputs() -> None:
    found = useless.measure(useless.CASES["steps, 5 of 20"], "CART", 0)
    assert found["error"] < 0.1
    assert found["nodes"] > 7


def test_the_least_error_is_bold_and_a_missing_run_a_dash() -> None:
    results: useless.Results = {
        "steps, 5 of 5/0/SoftTree": {"error": 0.25, "nodes": 3, "seconds": 1.0},
        "steps, 5 of 5/1/SoftTree": {"error": 0.75, "nodes": 5, "seconds": 2.0},
        "steps, 5 of 5/0/CART": {"error": 0.4, "nodes": 1100, "seconds": 0.1},
    }
    line = useless.to_markdown(results).splitlines()[-1]
    assert line == "| steps, 5 of 5 | 0.500 | – | – | **0.400** | 4, 1.5 s | – | – | 1,100, 0.1 s |"
    assert useless.standing(results) == "Least error on so many of the 1 tables: CART 1."
