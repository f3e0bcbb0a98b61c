"""Twelve data sets: classes and numbers, categories, missing values, weights. Synthetic or from scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine, make_friedman1

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """Rows, answers (integers are classes), weights, and which columns hold category codes."""

    X: Floats
    y: npt.NDArray[Any]
    weight: Floats | None = None
    categories: tuple[int, ...] = ()

    @property
    def is_classes(self) -> bool:
        return self.y.dtype.kind == "i"


def every(step: int, loader: Callable[..., tuple[Floats, npt.NDArray[Any]]]) -> Callable[[], Table]:
    """Every n-th row of one of scikit-learn's data sets."""

    def load() -> Table:
        X, y = loader(return_X_y=True)
        return Table(X[::step].copy(), y[::step].copy())

    return load


def mixed(
    seed: int, *, n_classes: int = 0, gaps: float = 0.0, categories: int = 0, weighted: bool = False, targets: int = 1
) -> Table:
    """A synthetic table: five numbers, two of them equal, followed by category codes."""
    rng = np.random.default_rng(seed)
    n = 240
    X = rng.normal(size=(n, 5))
    X[:, 3] = X[:, 0] + rng.normal(size=n) / 3
    X[:, 4] = np.round(2 * X[:, 4])
    codes = rng.integers(0, [4, 9][:categories], (n, categories))
    signal = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + codes.sum(axis=1) % 3 + rng.normal(size=n) / 3
    X = np.column_stack([X, codes])
    X[rng.random(X.shape) < gaps] = np.nan
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes)) if n_classes else signal
    if targets > 1:
        y = np.column_stack([signal, X[:, 0] ** 2 + signal / 2])
    weight = rng.choice([0.0, 1.0, 2.0, 3.5], n) if weighted else None
    return Table(X, y, weight, tuple(range(5, 5 + categories)))


def friedman() -> Table:
    """Friedman 1 (1991)."""
    return Table(*make_friedman1(200, 8, noise=1.0, random_state=0))


TABLES: dict[str, Callable[[], Table]] = {
    "iris": every(1, load_iris),
    "wine": every(1, load_wine),
    "cancer": every(3, load_breast_cancer),
    "digits": every(12, load_digits),
    "diabetes": every(2, load_diabetes),
    "friedman": friedman,
    "classes missing": lambda: mixed(1, n_classes=3, gaps=0.15),
    "classes categories": lambda: mixed(2, n_classes=2, categories=2, gaps=0.05),
    "classes weights": lambda: mixed(3, n_classes=3, weighted=True),
    "numbers missing": lambda: mixed(4, gaps=0.15),
    "numbers categories weights": lambda: mixed(5, categories=2, weighted=True),
    "two targets": lambda: mixed(6, targets=2),
}
