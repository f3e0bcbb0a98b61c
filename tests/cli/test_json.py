"""`--json` is JSON that every parser reads: no NaN, no infinity, nothing beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from softwood import CARTRegressor, save

COMMANDS = [
    ["fit", "people.csv", "--target", "limit", "--drop", "good", "--model", "cart", "--out", "other.softwood"],
    ["fit", "people.csv", "--target", "good", "--model", "cart", "--folds", "0", "--out", "other.softwood"],
    ["fit", "two.csv", "--target", "y", "--model", "cart", "--folds", "2", "--out", "other.softwood"],
    ["compare", "people.csv", "--target", "good", "--drop", "limit", "--models", "cart,ldt", "--folds", "2"],
    ["explain", "MODEL", "people.csv", "--row", "9"],
    ["inspect", "MODEL"],
    ["inspect", "odd.softwood"],
    ["show", "MODEL"],
    ["show", "odd.softwood"],
    ["prune", "MODEL"],
    ["prune", "MODEL", "--n_leaves", "2", "--out", "other.softwood"],
    ["scorecard", "MODEL"],
    ["scorecard", "MODEL", "people.csv", "--apply"],
    ["view", "MODEL"],
    ["report", "MODEL", "people.csv", "--target", "good"],
    ["predict", "MODEL", "people.csv", "--keep", "age", "--proba"],
    ["predict", "MODEL", "odd.parquet", "--keep", "odd,day"],
    ["predict", "odd.softwood", "people.csv"],
]


def strictly(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def odd(model: str) -> None:
    """NaN and infinity in a table and in a tree, and a model of two rows."""
    day = np.array(["2020-01-01", "2020-01-02", "NaT"], "datetime64[D]")
    columns = {"age": [np.nan, 20.0, 30.0], "odd": [np.nan, np.inf, 1.5], "day": day, "income": [1.0, 2.0, 3.0]}
    pyarrow.parquet.write_table(pyarrow.table({**columns, "town": ["Oslo", None, "Rome"]}), "odd.parquet")
    Path("two.csv").write_text("x,y\n1,2.5\n2,3.5\n")
    numbers = CARTRegressor(prune=None).fit(pd.DataFrame({"age": np.arange(20.0)}), np.arange(20.0))
    unknown = np.full(numbers.tree_.n_nodes, np.nan)
    numbers.tree_ = numbers.tree_.replace(impurity=unknown, gain=unknown, count=unknown)
    save(numbers, "odd.softwood")


@pytest.mark.fewer
@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: " ".join(line))
def test_json_is_strict(run: Any, model: str, odd: None, line: list[str]) -> None:
    said = run(*[model if word == "MODEL" else word for word in line], "--json").stdout
    lines = said.splitlines() if line[0] == "predict" else [said]
    told = [strictly(each) for each in lines]
    assert told
    if "odd,day" in line:
        assert [(row["odd"], row["day"]) for row in told] == [(None, "2020-01-01"), (None, "2020-01-02"), (1.5, None)]


def test_a_cell_that_is_no_number_is_empty_in_a_csv(run: Any, model: str, odd: None) -> None:
    said = run("predict", model, "odd.parquet", "--keep", "odd").stdout
    assert [line.split(",")[0] for line in said.splitlines()] == ["odd", "", "", "1.5"]
