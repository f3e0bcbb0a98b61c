"""A folder with a table, and the command run in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import softwood
from softwood.cli import app

Run = Callable[..., Any]
# A child process imports the tested package from any folder.
CHILD = {**os.environ, "PYTHONPATH": str(Path(softwood.__file__).parents[1])}


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame(
        {
            "name": [f"person {row}" for row in range(n)],
            "age": rng.integers(18, 80, n).astype(float),
            "income": rng.lognormal(10, 0.5, n).round(),
            "town": rng.choice(["Paris", "Oslo", "Rome"], n),
        }
    )
    frame.loc[::9, "age"] = np.nan
    frame["good"] = np.where((frame.age > 40) & (frame.town != "Oslo") | (frame.income > 40_000), "yes", "no")
    frame["limit"] = (frame.income / 3 + 10 * frame.age.fillna(50)).round(2)
    return frame


@pytest.fixture
def folder(tmp_path: Path, people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With `people.csv`, and where the commands run."""
    monkeypatch.chdir(tmp_path)
    people.to_csv("people.csv", index=False)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Runs the command; any other than the expected exit code fails."""

    def invoke(*words: str, code: int = 0, stdin: bytes | None = None) -> Any:
        result = CliRunner().invoke(app, list(words), input=stdin)
        told = f"exit code {result.exit_code}: {result.stdout}{result.stderr}"
        assert result.exit_code == code, f"{told} {result.exception!r}"
        return result

    return invoke


@pytest.fixture
def model(run: Run) -> str:
    """A model of the table, written."""
    run("fit", "people.csv", "--target", "good", "--drop", "limit", "--model", "cart", "--folds", "0")
    return "people.softwood"
