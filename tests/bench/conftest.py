"""Fictitious results for the tests of the tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.papers.methods import BY_NAME
from bench.papers.store import Result, put, spell_options
from softwood.datasets.catalog import find

Maker = Callable[..., None]
MADE: dict[str, Any] = {
    "version": "0.1.0",
    "processor": "aarch64",
    "kernels": "native",
    "numpy": "2.4.6",
    "sklearn": "1.9.1",
    "published_fold": False,
    "n_train": 40,
    "n_validation": 40,
    "n_test": 40,
    "leaves": 4,
    "fit_wall_s": 1.0,
    "predict_s": 0.1,
}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


@pytest.fixture
def make(results: Path) -> Maker:
    """Write a result for every score, by fold, as `make("soft", "boston", [0.2, 0.3], nodes=7)`."""

    def made(method: str, name: str, scores: list[float], nodes: int = 7, seconds: float = 1.0, **more: Any) -> None:
        for fold, score in enumerate(scores):
            put(results, make_result(method, name, fold, score, nodes=nodes + fold % 2, fit_s=seconds, **more))

    return made


def make_result(method: str, name: str, fold: int, score: float, **more: Any) -> Result:
    """One fictitious result; `score` is a mean squared error, or an accuracy in per cent."""
    metrics: dict[str, Any] = {"mse": score} if find(name).task == "regression" else {"accuracy": score / 100}
    options = spell_options(BY_NAME[method].options)
    told = {
        "commit": "c0ffee1",
        "options": options,
        "rows": BY_NAME[method].rows,
        "seed": fold,
        "nodes": 7,
        "fit_s": 1.0,
    }
    return Result(method=method, set=name, fold=fold, **(MADE | told | metrics | more))
