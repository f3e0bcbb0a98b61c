"""The results of many folds, gathered: one Cell for each method and set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.papers.store import Result

Floats = npt.NDArray[np.float64]
FOLDS = 10


@dataclass(frozen=True)
class Cell:
    """What one method does on one set; arrays by fold. `score` is as printed: mse, or accuracy in per cent."""

    method: str
    code: str
    task: str
    score: Floats
    nodes: Floats
    seconds: Floats

    @property
    def mean(self) -> float:
        return float(self.score.mean())

    @property
    def sd(self) -> float:
        return float(self.score.std(ddof=1)) if len(self.score) > 1 else float("nan")

    @property
    def is_whole(self) -> bool:
        """Whether all ten folds are there, so that the papers' tests can be made."""
        return len(self.score) == FOLDS

    @property
    def error(self) -> Floats:
        """Smaller is better, whatever the task."""
        return self.score if self.task == "regression" else 100.0 - self.score

    @property
    def decimals(self) -> int:
        """Digits that a reader wants: about four of a mean squared error, two of a percentage."""
        return 4 if self.task == "regression" else 2


Cells = dict[tuple[str, str], Cell]


def gather(results: Iterable[Result]) -> Cells:
    """Cells by (method, code of the set)."""
    grouped: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        grouped[result["method"], result["code"]].append(result)
    return {key: _cell(sorted(found, key=lambda result: int(result["fold"]))) for key, found in grouped.items()}


def _cell(found: list[Result]) -> Cell:
    first = found[0]
    regression = first["task"] == "regression"
    score = [r["metrics"]["mse"] if regression else 100.0 * r["metrics"]["accuracy"] for r in found]
    nodes = [r["nodes"] for r in found]
    seconds = [r["seconds"]["fit"] for r in found]
    arrays = [np.array(column, np.float64) for column in (score, nodes, seconds)]
    return Cell(first["method"], first["code"], first["task"], arrays[0], arrays[1], arrays[2])
