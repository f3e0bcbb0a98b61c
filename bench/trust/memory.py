"""Soak test of fits and predictions: the memory of the process at each tenth of the run."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

import softwood
from bench.trust.process import held

FITS, ANSWERS = 100_000, 10_000_000
SOFT = {"gate": "linear", "leaf": "constant", "max_leaves": 2, "weight_penalty": 0.01, "max_iter": 5}
ONLINE = {"learner": "online", "learning_rate": 0.1, "leafness_penalty": 1e-3, "max_epochs": 1}
# Each learner's share of the fits: quick ones more often.
LEARNERS: list[tuple[str, dict[str, Any], int]] = [
    ("CARTClassifier", {"prune": None}, 30), ("CARTRegressor", {"prune": None}, 15), ("C45Classifier", {}, 35),
    ("LinearDiscriminantTreeClassifier", {"prune": None}, 10), ("BuddingTreeRegressor", ONLINE, 5),
    ("BuddingTreeClassifier", ONLINE, 4), ("SoftTreeRegressor", SOFT, 1),
]  # fmt: skip


def small_rows(name: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Thirty rows of three inputs, some missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = X[:, 0] + X[:, 2] ** 2
    X[::7, 1] = np.nan
    return X, (y > 0.5).astype(int) if name.endswith("Classifier") else y


def fit_again_and_again(n: int) -> list[float]:
    """Small fits, of all families in turn; MiB at each tenth."""
    order = [(name, how, *small_rows(name)) for name, how, share in LEARNERS for _ in range(share)]
    at = np.random.default_rng(1).permutation(len(order))
    found = []
    for turn in range(n):
        name, how, X, y = order[at[turn % len(order)]]
        getattr(softwood, name)(**how).fit(X, y)
        if turn % (n // 10) == 0:
            found.append(held())
            print(f"{turn:,} fits: {found[-1]:.1f} MiB", flush=True)
    return [*found, held()]


def answer_again_and_again(n: int) -> list[float]:
    """Answers of one row each, by a hard tree and a soft one in turn; MiB at each tenth."""
    models = [getattr(softwood, name)(**how).fit(*small_rows(name)) for name, how, _ in (LEARNERS[0], LEARNERS[-1])]
    row, found = small_rows("CARTClassifier")[0][:1], []
    for tenth in range(10):
        found.append(held())
        print(f"{n * tenth // 10:,} answers: {found[-1]:.1f} MiB", flush=True)
        for model in models:
            predict = model.predict
            for _ in range(n // 20):
                predict(row)
    return [*found, held()]


def run(scale: float) -> None:
    """Print both."""
    warnings.simplefilter("ignore")
    for told, work, n in (
        ("fits", fit_again_and_again, int(FITS * scale)),
        ("answers", answer_again_and_again, int(ANSWERS * scale)),
    ):
        begin = time.process_time()
        found = work(n)
        spent = time.process_time() - begin
        print(f"{n:,} {told}: {spent:.0f} s of CPU time, MiB held at each tenth:", *(f"{x:.1f}" for x in found))
