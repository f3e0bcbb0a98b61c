"""Development tables: the papers' 30, large public ones, and synthetic ones. None of them is a confirmation set."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from softwood.arrays import Floats
from softwood.datasets import load, names

LARGE = ("adult", "flights", "letter", "protein_casp")
MADE_ROWS = 4_000  # from which each seed draws its own


class Sample(NamedTuple):
    """Rows to learn from and rows to test on; inputs are arrays or data frames."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    classes: bool


Rows = tuple[Floats, np.ndarray]
Function = Callable[[Floats], np.ndarray]

# The target as a function of eight inputs between 0 and 1.
SURFACES: dict[str, Function] = {
    "lines": lambda x: x[:, 0] + 2 * x[:, 1] - x[:, 2],
    "curves": lambda x: np.sin(6 * x[:, 0]) + 4 * (x[:, 1] - 0.5) ** 2 + np.abs(x[:, 2] - 0.3),
    "steps": lambda x: 1.0 * (x[:, 0] > 0.3) + 1.0 * (x[:, 0] > 0.7) - 1.0 * (x[:, 1] > 0.5),
    "product": lambda x: 4 * x[:, 0] * x[:, 1] + x[:, 2],
    "friedman": lambda x: 2 * np.sin(3 * x[:, 0] * x[:, 1]) + 4 * (x[:, 2] - 0.5) ** 2 + 2 * x[:, 3] + x[:, 4],
    "xor": lambda x: 2.0 * ((x[:, 0] > 0.5) ^ (x[:, 1] > 0.5)),
    "regimes": lambda x: np.where(x[:, 0] > 0.6, 3 * x[:, 1], 1.5 - 2 * x[:, 2]),
    "ball": lambda x: 2.0 * (np.square(x[:, :4] - 0.5).sum(axis=1) < 0.25),
    "diagonal": lambda x: 2.0 * (x.sum(axis=1) > 4.0),
    "local": lambda x: 2 * np.exp(-80 * (x[:, 0] - 0.2) ** 2) + 2 * np.exp(-80 * (x[:, 0] - 0.75) ** 2) + x[:, 1],
    "heap": lambda x: np.round(5 * x[:, 0]) % 2 + x[:, 1],
    "nothing": lambda x: 0.0 * x[:, 0],
}
NOISE = {"little": 0.1, "much": 1.0}


def make_rows(surface: str, noise: str, classes: bool, seed: int) -> Rows:
    """Eight inputs: four even, two with heavy tails, two of few values; numbers, or classes by a logistic of them."""
    rng = np.random.default_rng(seed)
    x = rng.random((MADE_ROWS, 8))
    mean = SURFACES[surface](x)
    X = x.copy()
    X[:, 4:6] = np.exp(4 * x[:, 4:6])
    X[:, 6:] = np.floor(6 * x[:, 6:])
    if not classes:
        return X, mean + NOISE[noise] * max(float(mean.std()), 0.5) * rng.normal(size=MADE_ROWS)
    score = (mean - np.median(mean)) / max(float(mean.std()), 0.5) * (4.0 if noise == "little" else 1.0)
    return X, (rng.random(MADE_ROWS) < 1 / (1 + np.exp(-score))).astype(np.int64)


def _papers(name: str) -> tuple[Rows, bool]:
    data = load(name)
    return (np.asarray(data.X, np.float64), np.asarray(data.y)), data.task != "regression"


def _large(name: str) -> tuple[Rows, bool]:
    frame = pd.read_csv(Path(os.environ["SOFTWOOD_DATA"]) / "large" / f"{name}.csv.gz")
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    codes = [X[c] if X[c].dtype.kind in "if" else X[c].astype("category").cat.codes for c in X]
    classes = y.dtype.kind not in "f" and y.nunique() <= 30
    return (np.column_stack(codes).astype(np.float64), np.asarray(y)), classes


def _made(surface: str, noise: str, classes: bool) -> tuple[Rows, bool]:
    return make_rows(surface, noise, classes, 0), classes


def tables() -> dict[str, Callable[[], tuple[Rows, bool]]]:
    """Every development table by name; those from files only if SOFTWOOD_DATA names their folder."""
    found: dict[str, Callable[[], tuple[Rows, bool]]] = {}
    for surface in SURFACES:
        for noise in NOISE:
            for classes in (False, True):
                kind = "classes" if classes else "numbers"
                found[f"{surface}, {noise} noise, {kind}"] = partial(_made, surface, noise, classes)
    if "SOFTWOOD_DATA" in os.environ:
        found |= {name: partial(_papers, name) for name in names()}
        found |= {name: partial(_large, name) for name in LARGE}
    return found


def sample(table: tuple[Rows, bool], n_rows: int, seed: int) -> Sample:
    """At most `n_rows` training rows, at most two thirds of the table; at most 4,000 of the others are test rows."""
    (X, y), classes = table
    order = np.random.default_rng(seed).permutation(len(X))
    n = min(n_rows, 2 * len(X) // 3)
    learn, test = order[:n], order[n : n + 4_000]
    return Sample(X[learn], y[learn], X[test], y[test], classes)
