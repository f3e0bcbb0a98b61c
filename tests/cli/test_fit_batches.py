"""`softwood fit` on a file larger than memory, or on a folder, learns in batches and reports it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from softwood import load
from tests.cli.conftest import Run

SMALL = ("--memory", "4 KiB")


def test_a_file_larger_than_the_memory_is_learned_in_batches_the_same_tree(run: Run, people: pd.DataFrame) -> None:
    people.loc[:3, "good"] = None  # rows without a target are dropped
    people.to_csv("people.csv", index=False)
    words = ("fit", "people.csv", "--target", "good", "--drop", "limit", "--model", "cart", "--max_depth", "3")
    how = ("--missing", "direction", "--max_bins", "256", "--prune", "None", "--folds", "0")
    said = run(*words, *how, *SMALL, "-o", "batches.softwood").stdout
    assert "people.csv, read in batches, which take 0 MiB; a sample in" in said
    assert f"learned from {len(people) - 4:,} rows in batches" in said
    assert "dropped" in said
    run(*words, *how, "-o", "memory.softwood")
    batched, memory = (load(f"{name}.softwood") for name in ("batches", "memory"))
    np.testing.assert_array_equal(batched.tree_.threshold, memory.tree_.threshold)
    np.testing.assert_array_equal(batched.feature_names_in_, memory.feature_names_in_)


def test_a_folder_is_learned_by_the_model_that_a_sample_chooses(run: Run, people: pd.DataFrame, folder: Path) -> None:
    (folder / "many").mkdir()
    for part in range(3):
        people.iloc[part::3].to_parquet(folder / "many" / f"{part}.parquet")
    found: dict[str, Any] = json.loads(run("fit", "many", "--target", "limit", "--json", "-o", "m.softwood").stdout)
    assert found["engine"] == "batches"
    assert found["rows"] == len(people)
    assert found["task"] == "regression"
    assert found["held_out"]["measure"] in ("R²", "mean squared error")
    assert load("m.softwood").tree_.n_leaves == found["leaves"]


def test_a_target_that_is_not_there_and_a_model_without_batches_are_refused(run: Run) -> None:
    said = run("fit", "people.csv", "--target", "god", *SMALL, code=2).stderr
    assert "'people.csv' has no column 'god', which --target needs; it has" in said
    said = run("fit", "people.csv", "--target", "good", "--model", "c45", *SMALL, code=2).stderr
    assert "C45Classifier needs rows in memory" in said
