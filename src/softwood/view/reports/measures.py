"""Measures of a report on rows that the model was not trained on, each compared with the baseline.

The baseline is the best constant prediction. Measures and intervals are those of `softwood.measures`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from softwood import measures
from softwood.arrays import Floats, Longs, Mask
from softwood.tree import Schema


class Measure(NamedTuple):
    """A number with its interval, and that of the best constant prediction (None if not meaningful)."""

    name: str
    value: float
    low: float
    high: float
    baseline: float | None = None


@dataclass(frozen=True)
class Answers:
    """Actual and predicted: codes and probabilities for classes, one target for regression.

    known : class codes, or numbers.
    given : probabilities (rows, classes), or predicted numbers.
    decided : predicted classes as codes, or predicted numbers.
    """

    known: npt.NDArray[np.generic]
    given: Floats
    decided: npt.NDArray[np.generic]
    schema: Schema

    def __len__(self) -> int:
        return len(self.known)

    def pick(self, rows: Mask) -> Answers:
        """A subset of the rows."""
        return Answers(self.known[rows], self.given[rows], self.decided[rows], self.schema)

    @property
    def losses(self) -> Floats:
        """Loss per row: log loss, or absolute error."""
        if self.schema.task == "classification":
            return measures.log_losses(self.codes, self.given)
        return np.abs(self.numbers - self.given)

    @property
    def codes(self) -> Longs:
        """Actual classes."""
        return np.asarray(self.known, np.int64)

    @property
    def chosen(self) -> Longs:
        """Predicted classes."""
        return np.asarray(self.decided, np.int64)

    @property
    def numbers(self) -> Floats:
        """Actual numbers."""
        return np.asarray(self.known, np.float64)

    @property
    def has_curve(self) -> bool:
        """Whether there are two classes, and rows of both, so that rows can be ranked."""
        if self.schema.task != "classification" or len(self.schema.answers) != 2:
            return False
        return len(np.unique(self.codes)) == 2


def measure(answers: Answers) -> list[Measure]:
    """All measures of a model."""
    return _classes(answers) if answers.schema.task == "classification" else _numbers(answers)


def _classes(answers: Answers) -> list[Measure]:
    known, n, k = answers.codes, len(answers), len(answers.schema.answers)
    base = np.bincount(known, minlength=k) / n
    constant = np.tile(base, (n, 1))
    told = [Measure("error rate", *measures.error_rate(known, answers.chosen), 1.0 - float(base.max()))]
    if answers.schema.costs is not None:
        costs = np.array(answers.schema.costs)
        paid = measures.mean_estimate(costs[known, answers.chosen])
        told.append(Measure("mean cost", *paid, float((base @ costs).min())))
    scores: list[tuple[str, Callable[[Longs, Floats], measures.Estimate]]]
    scores = [("log loss", measures.log_loss), ("Brier score", measures.brier_score)]
    told += [Measure(name, *of(known, answers.given), of(known, constant).value) for name, of in scores]
    return told + _ranked(answers) if answers.has_curve else told


def _ranked(answers: Answers) -> list[Measure]:
    positive, chance = answers.codes == 1, answers.given[:, 1]
    return [
        Measure("ROC AUC", *measures.roc_auc(positive, chance), 0.5),
        Measure("Gini", *measures.gini(positive, chance), 0.0),
        Measure("KS", measures.ks_statistic(positive, chance), np.nan, np.nan, 0.0),
    ]


def _numbers(answers: Answers) -> list[Measure]:
    known, given = answers.numbers, answers.given
    told = [
        Measure("RMSE", *measures.rmse(known, given), float(known.std())),
        Measure("MAE", *measures.mae(known, given), float(np.abs(known - np.median(known)).mean())),
    ]
    explained = measures.r2(known, given)
    if np.isfinite(explained.value):
        told.append(Measure("R²", *explained, 0.0))
    return [*told, Measure("mean residual", *measures.mean_residual(known, given))]
