"""Results made up for the tests of the tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.papers.methods import BY_NAME
from bench.papers.store import FORMAT, Task, write
from softwood.datasets.catalog import find

Maker = Callable[..., None]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


@pytest.fixture
def make(results: Path) -> Maker:
    """Write a result for every score, by fold, as `make("soft", "boston", [0.2, 0.3], nodes=7)`."""

    def made(method: str, name: str, scores: list[float], nodes: int = 7, seconds: float = 1.0) -> None:
        entry = find(name)
        for fold, score in enumerate(scores):
            metrics: dict[str, Any] = {"mse": score} if entry.task == "regression" else {"accuracy": score / 100}
            told = {"format": FORMAT, "method": method, "options": BY_NAME[method].options, "rows": "half"}
            told |= {"set": name, "code": entry.code, "task": entry.task, "fold": fold, "metrics": metrics}
            told |= {"nodes": nodes + fold % 2, "leaves": 4, "seconds": {"fit": seconds}}
            write(Task(fold, method, name).path(results), told)

    return made
