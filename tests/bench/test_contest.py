"""Comparisons with other methods: an interrupted run resumes, the best is bold, and tables are as requested."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench import contest, fresh, useless
from bench.papers.yardsticks import ForestClassifier


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, cases = tmp_path / "runs.json", {"steps, 5 of 5": useless.CASES["steps, 5 of 5"]}
    first = contest.run(cases, ["CART"], 1, file)
    monkeypatch.setattr(contest, "measure", lambda case, model, seed: {"error": 0.5, "nodes": seed, "seconds": 0.0})
    both = contest.run(cases, ["CART"], 2, file)
    assert both["steps, 5 of 5/0/CART"] == first["steps, 5 of 5/0/CART"]
    assert both["steps, 5 of 5/1/CART"]["error"] == 0.5


@pytest.mark.long
def test_cart_finds_steps_in_their_own_inputs() -> None:
    found = contest.measure(useless.CASES["steps, 5 of 20"], "CART", 0)
    assert found["error"] < 0.1
    assert found["nodes"] > 7


def test_the_least_error_is_bold_and_a_missing_run_a_dash() -> None:
    results: contest.Results = {
        "steps, 5 of 5/0/SoftTree": {"error": 0.25, "nodes": 3, "seconds": 1.0},
        "steps, 5 of 5/1/SoftTree": {"error": 0.75, "nodes": 5, "seconds": 2.0},
        "steps, 5 of 5/0/CART": {"error": 0.4, "nodes": 1100, "seconds": 0.1},
    }
    line = contest.to_markdown(results, "inputs").splitlines()[-1]
    assert line == "| steps, 5 of 5 | 0.500 | – | – | **0.400** | 4, 1.5 s | – | – | 1,100, 0.1 s |"
    told = "Number of the 1 tables with the lowest error: CART 1. SoftTree has less error than CART on 0 of 1."
    assert contest.standing(results) == told


@pytest.mark.parametrize(
    ("name", "first", "head"), [("fresh", "table", fresh.HEAD), ("useless", "useful of all inputs", useless.HEAD)]
)
def test_the_committed_page_is_made_of_the_committed_runs(name: str, first: str, head: str) -> None:
    results = json.loads((contest.RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    assert (contest.PAGES / f"{name}.md").read_text(encoding="utf-8") == contest.to_page(results, first, head)


def a_frame() -> pd.DataFrame:
    """Forty people, one without a wage."""
    n = 40
    return pd.DataFrame(
        {
            "rownames": np.arange(n),
            "name": [f"person {i}" for i in range(n)],
            "town": np.where(np.arange(n) % 4 == 0, "Kars", "Van"),
            "age": np.arange(20.0, 20.0 + n),
            "wage": np.r_[np.nan, np.arange(1.0, n)],
            "taxes": np.arange(n) / 5,
        }
    )


def test_a_fresh_table_has_no_names_and_nothing_that_tells_the_answer() -> None:
    source = fresh.Source("a", "b", "wage", classes=False, log=True, without=("taxes",))
    X, y = fresh.prepared(a_frame(), source, 0)
    assert list(X.columns) == ["town", "age"]
    assert X["town"].dtype == "category"
    np.testing.assert_allclose(np.exp(y), X["age"] - 20.0)  # shuffled together
    assert not np.array_equal(y, np.sort(y))
    again = fresh.prepared(a_frame(), source, 1)
    assert not np.array_equal(y, again.y)


@pytest.mark.long
def test_every_model_takes_a_table_with_categories_and_gaps() -> None:
    frame = a_frame().drop(columns="rownames").sample(400, replace=True, random_state=0)
    frame.loc[frame["age"] > 50, "taxes"] = np.nan
    case = contest.Case(True, lambda seed: fresh.prepared(frame, fresh.Source("a", "b", "town"), seed))
    assert contest.measure(case, "CART", 0)["error"] <= 0.3
    assert contest.measure(case, "SoftTree", 0)["error"] <= 0.3
    X, y = fresh.prepared(frame, fresh.Source("a", "b", "wage", without=("name",)), 0)
    assert len(ForestClassifier().fit(X, y).predict(X)) == len(X)
