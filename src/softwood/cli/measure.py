"""The error of a model on held-out rows, with a 95 % interval.

Up to MOST_CROSS rows it is cross-validated: every row is predicted by a model that was fitted without it. For more rows
one fold is held out. Folds are assigned by the content of the rows (parts/folds.py), so their order does not matter.
Each fold repeats everything that `fit` does, including the choice of a size by cross-validation.

    classes    error: proportion of rows whose predicted class is wrong (with costs: mean cost); Wilson's interval
    numbers    RMSE; mean ± 1.96 standard errors of the squares, then the root
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.cli.training import Training
from softwood.measures import Z, wilson
from softwood.parts.folds import RowFolds, deal_rows
from softwood.tree.spelling import spell_number

MOST_CROSS = 20_000


@dataclass(frozen=True)
class HeldOutLosses:
    """Losses of held-out rows.

    measure : "error", "cost" or "RMSE".
    losses, weight : of those rows: 0 or 1, costs, or squares.
    rows : their positions among the training rows.
    by : how they were held out.
    """

    measure: str
    losses: Floats
    weight: Floats
    rows: npt.NDArray[np.int64]
    by: str

    @property
    def mean(self) -> float:
        """Mean loss."""
        return float(np.average(self.losses, weights=self.weight))

    @property
    def n_effective(self) -> float:
        """The effective number of rows (Kish)."""
        return float(self.weight.sum() ** 2 / np.square(self.weight).sum())

    @property
    def interval(self) -> tuple[float, float, float]:
        """Value, low and high."""
        mean, n = self.mean, self.n_effective
        if self.measure == "error":
            return mean, *wilson(mean, n)
        spread = float(np.average(np.square(self.losses - mean), weights=self.weight))
        half = Z * float(np.sqrt(spread / max(n - 1, 1)))
        ends = (mean, max(mean - half, 0.0), mean + half)
        if self.measure == "cost":
            return ends
        value, low, high = (float(np.sqrt(end)) for end in ends)
        return value, low, high

    def __str__(self) -> str:
        value, low, high = map(spell_number, self.interval)
        return f"{value} (95 % interval {low} to {high}), {self.by}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        value, low, high = self.interval
        return {"measure": self.measure, "value": value, "low": low, "high": high, "by": self.by}


def deal_folds(training: Training, fitted: Any, n_folds: int, seed: int) -> RowFolds:
    """Folds of the training rows, encoded for the fitted model."""
    known = _answers(training, fitted)
    y = known if training.task == "classification" else known[:, None]
    dealt = deal_rows(fitted.encode(training.X), y, training.weight, n_folds, seed)
    if len(_usable(dealt)) < 2:
        raise ValueError(
            f"there are too few rows ({len(training):,}), or too few distinct ones, to hold some out and estimate "
            "an error; name a --model and skip the error with --folds 0."
        )
    return dealt


def _usable(folds: RowFolds) -> list[int]:
    """Folds with both training and held-out rows; with few rows some lack either."""
    return [fold for fold in range(len(folds)) if all(part.any() for part in folds[fold])]


def measure_model(
    make: Callable[[], Any], training: Training, fitted: Any, folds: RowFolds, tell: Callable[[str], None]
) -> HeldOutLosses:
    """The held-out losses of a model.

    Parameters
    ----------
    make : makes an unfitted estimator like the fitted one.
    fitted : the model fitted to all rows, which has the classes.
    tell : called with a text for each fold.
    """
    X, y, known = training.X, training.y, _answers(training, fitted)
    usable = _usable(folds)[: None if len(training) <= MOST_CROSS else 1]
    n = len(usable)
    losses, weights, rows = [], [], []
    for count, fold in enumerate(usable, 1):
        tell(f"fold {count} of {n}")
        learn, test = folds[fold]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings were shown when all rows were fitted
            model = make().fit(X, y, sample_weight=learn)
        at = np.flatnonzero(test)
        losses.append(_losses(model, fitted, training.table.rows(at).pick(training.inputs), known[at]))
        weights.append(test[at])
        rows.append(at)
    by = f"{n}-fold cross-validation" if n > 1 else f"on {len(rows[0]):,} rows held out"
    return HeldOutLosses(
        _measure(training, fitted), np.concatenate(losses), np.concatenate(weights), np.concatenate(rows), by
    )


def _measure(training: Training, fitted: Any) -> str:
    if training.task == "regression":
        return "RMSE"
    return "error" if fitted.tree_.schema.costs is None else "cost"


def _answers(training: Training, fitted: Any) -> npt.NDArray[Any]:
    """Codes of the classes, or numbers."""
    if training.task == "regression":
        return training.table.numbers(training.target)
    code = {label: place for place, label in enumerate(fitted.classes_.tolist())}
    return np.array([code[label] for label in training.table.values(training.target)], np.int64)


def _losses(model: Any, fitted: Any, X: Any, known: npt.NDArray[Any]) -> Floats:
    given = model.predict(X)
    if fitted.tree_.schema.task == "regression":
        return np.asarray(np.square(np.asarray(given, np.float64) - known))
    code = {label: place for place, label in enumerate(fitted.classes_.tolist())}
    decided = np.array([code[label] for label in given.tolist()], np.int64)
    costs = fitted.tree_.schema.costs
    return np.asarray(decided != known, np.float64) if costs is None else np.array(costs)[known, decided]
