"""How well a model answers rows that it was not learned from, each measure with a 95 % interval.

error, parts of rows     Wilson's interval
log loss, Brier, absolute and squared error     mean ± 1.96 standard errors of the rows' losses
R²                       1 - squared error / variance of the known answers
AUC                      probability that a row of the class gets more than one that is not, ties half; Hanley and
                         McNeil's (1982) interval
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from softwood.arrays import Floats, Longs
from softwood.tree import Schema
from softwood.view.plots.calibration import Z, wilson

LEAST_CHANCE = 1e-15  # so that one row that is wholly wrong has a finite loss


class Measure(NamedTuple):
    """A number with its interval, and what a model that ignores the inputs would get (None where that says nothing)."""

    name: str
    value: float
    low: float
    high: float
    blind: float | None = None


@dataclass(frozen=True)
class Answers:
    """What was answered and what was true: of classes codes and probabilities, of numbers one target.

    decided : class codes given; of numbers what was given.
    """

    known: npt.NDArray[np.generic]
    given: Floats
    decided: npt.NDArray[np.generic]
    schema: Schema

    def __len__(self) -> int:
        return len(self.known)

    def pick(self, rows: npt.NDArray[np.bool_]) -> Answers:
        """Of some rows."""
        return Answers(self.known[rows], self.given[rows], self.decided[rows], self.schema)

    @property
    def losses(self) -> Floats:
        """Of every row: log loss, or absolute error."""
        if self.schema.task == "classification":
            chance = self.given[np.arange(len(self)), np.asarray(self.known, np.int64)]
            return np.asarray(-np.log(np.maximum(chance, LEAST_CHANCE)))
        return np.abs(np.asarray(self.known, np.float64) - self.given)


def measure(answers: Answers) -> list[Measure]:
    """All that is measured of a model."""
    return _classes(answers) if answers.schema.task == "classification" else _numbers(answers)


def _classes(answers: Answers) -> list[Measure]:
    known, n = np.asarray(answers.known, np.int64), len(answers)
    counts = np.bincount(known, minlength=len(answers.schema.answers))
    wrong = float((answers.decided != answers.known).mean())
    base = counts / n
    told = [Measure("error", wrong, *wilson(wrong, n), 1.0 - float(base.max()))]
    if answers.schema.costs is not None:
        costs = np.array(answers.schema.costs)
        blind = float((base @ costs).min())
        told.append(_mean("cost", costs[known, np.asarray(answers.decided, np.int64)], blind))
    entropy = -float(np.sum(base[base > 0] * np.log(base[base > 0])))
    told.append(_mean("log loss", answers.losses, entropy))
    one_hot = np.eye(len(counts))[known]
    told.append(_mean("Brier score", np.square(answers.given - one_hot).sum(axis=1), 1.0 - float(base @ base)))
    if len(counts) == 2 and counts.min() > 0:
        told.append(_auc(answers.given[known == 1, 1], answers.given[known == 0, 1]))
    return told


def _numbers(answers: Answers) -> list[Measure]:
    known = np.asarray(answers.known, np.float64)
    missed = known - answers.given
    squared = _mean("squared error", np.square(missed), float(known.var()))
    value, low, high = (float(np.sqrt(max(part, 0.0))) for part in (squared.value, squared.low, squared.high))
    told = [
        Measure("root of squared error", value, low, high, float(known.std())),
        _mean("absolute error", np.abs(missed), float(np.abs(known - np.median(known)).mean())),
    ]
    if known.var() > 0:
        low, high = (1.0 - squared.high / known.var(), 1.0 - squared.low / known.var())
        told.append(Measure("R²", float(1.0 - squared.value / known.var()), float(low), float(high), 0.0))
    return [*told, _mean("mean of known − answer", missed, None)]


def _mean(name: str, losses: Floats, blind: float | None) -> Measure:
    mean = float(losses.mean())
    half = Z * float(losses.std(ddof=1)) / np.sqrt(len(losses)) if len(losses) > 1 else 0.0
    return Measure(name, mean, mean - half, mean + half, blind)


def _auc(positive: Floats, negative: Floats) -> Measure:
    n, m = len(positive), len(negative)
    rank = stats.rankdata(np.concatenate([positive, negative]))[:n]
    area = float((rank.sum() - n * (n + 1) / 2) / (n * m))
    first, second = area / (2 - area), 2 * area**2 / (1 + area)
    variance = (area * (1 - area) + (n - 1) * (first - area**2) + (m - 1) * (second - area**2)) / (n * m)
    half = Z * float(np.sqrt(max(variance, 0.0)))
    return Measure("AUC", area, max(area - half, 0.0), min(area + half, 1.0), 0.5)


def confusion(answers: Answers) -> Longs:
    """Rows by known class (rows) and given class (columns)."""
    k = len(answers.schema.answers)
    flat = np.asarray(answers.known, np.int64) * k + np.asarray(answers.decided, np.int64)
    return np.bincount(flat, minlength=k * k).reshape(k, k)
