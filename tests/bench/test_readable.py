"""The page on the cost of readable trees agrees with the runs."""

from __future__ import annotations

import json

from bench.pages import lay_out
from bench.readable import HEAD, PAGE, RESULTS, to_markdown, widest
from softwood import SoftTreeRegressor


def test_the_page_is_made_of_the_runs() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert len({key.split("/")[0] for key in results}) == 30
    assert PAGE.read_text(encoding="utf-8") == lay_out(HEAD, to_markdown(results))


def test_inputs_of_the_widest_gate_or_leaf_are_counted() -> None:
    X = [[float(i), float(i % 3), float(i % 5)] for i in range(60)]
    y = [row[0] + 2.0 * row[1] + 3.0 * row[2] for row in X]
    assert widest(SoftTreeRegressor(gate="linear", leaf="linear", max_leaves=1).fit(X, y).tree_) == 3
    assert widest(SoftTreeRegressor(gate="axis", leaf="constant").fit(X, y).tree_) == 1
