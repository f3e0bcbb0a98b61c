"""The results of many folds, gathered: one Cell for each method and set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.papers.store import Result
from softwood.datasets import catalog

Floats = npt.NDArray[np.float64]
FOLDS = 10


@dataclass(frozen=True)
class Cell:
    """Results of one method on one data set; arrays by fold. `score` is as printed: mse, or accuracy in per cent."""

    method: str
    code: str
    task: str
    score: Floats
    nodes: Floats
    seconds: Floats
    runs: tuple[Result, ...]

    @property
    def mean(self) -> float:
        return float(self.score.mean())

    @property
    def sd(self) -> float:
        return float(self.score.std(ddof=1)) if len(self.score) > 1 else float("nan")

    @property
    def is_whole(self) -> bool:
        """Whether all ten folds exist, as the papers' tests require."""
        return len(self.score) == FOLDS

    @property
    def error(self) -> Floats:
        """The error; smaller is better for any task."""
        return self.score if self.task == "regression" else 100.0 - self.score

    @property
    def decimals(self) -> int:
        """Digits to print: about four for a mean squared error, two for a percentage."""
        return 4 if self.task == "regression" else 2


Cells = dict[tuple[str, str], Cell]


def gather(results: Iterable[Result]) -> Cells:
    """Cells by (method, code of the set)."""
    grouped: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        grouped[result.method, catalog.BY_NAME[result.set].code].append(result)
    return {key: _cell(*key, sorted(found, key=lambda result: result.fold)) for key, found in grouped.items()}


def _cell(method: str, code: str, runs: list[Result]) -> Cell:
    score = np.array([one.mse if one.accuracy is None else 100.0 * one.accuracy for one in runs], np.float64)
    nodes = np.array([one.nodes for one in runs], np.float64)
    seconds = np.array([one.fit_s for one in runs], np.float64)
    return Cell(method, code, catalog.BY_NAME[runs[0].set].task, score, nodes, seconds, tuple(runs))
