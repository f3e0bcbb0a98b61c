"""One rival on one table, in its own process: `python -m bench.speed.rival NAME CASE ROWS SECONDS` prints JSON.

Processor seconds of fit and of predicting 10,000 rows, peak memory of the whole process in MB, imports included, nodes,
and the error on the third of the rows that was not fitted (misclassified in per cent, or mean squared error); breast
cancer: means of three splits.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from bench.speed.clock import time_mean
from bench.speed.data import Rows, california_like
from bench.speed.memory import peak_bytes
from bench.speed.rivals import BY_NAME, Rival
from softwood.datasets import make_friedman

PREDICTED = 10_000
PATIENCE = 6  # times the limit on the wall: the machine may be busy with other work
LEAST = 0.3  # seconds; what is shorter is run several times
SPLITS = {"breast cancer": 3}  # its test third is small; elsewhere one
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
CASES: dict[str, tuple[str, Callable[[int], Rows]]] = {
    "breast cancer": ("classes", lambda n: _first(n, *load_breast_cancer(return_X_y=True))),
    "digits": ("classes", lambda n: _first(n, *load_digits(return_X_y=True))),
    "Friedman 1": ("numbers", lambda n: make_friedman(min(n, 5000))),
    "California-like": ("numbers", lambda n: california_like(min(n, 20_640))),
}


def ask(name: str, case: str, rows: int, limit: int) -> dict[str, float] | str:
    """The figures of a rival, or the reason why there are none; `limit`: maximum processor seconds."""
    command = [sys.executable, "-m", "bench.speed.rival", name, case, str(rows), str(limit)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE * limit, env=os.environ | ONE_THREAD
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {limit} s"
    if done.returncode == -signal.SIGXCPU:
        return f"no answer in {limit} s"
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        return f"failed: {said[-1] if said else f'exit {done.returncode}'}"
    figures: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


def measure(rival: Rival, case: str, rows: int) -> dict[str, float]:
    """The figures, in this process: means over the splits."""
    task, table = CASES[case]
    X, y = table(rows)
    each = [_measure(rival, task, X, y, split) for split in range(SPLITS.get(case, 1))]
    figures = {key: float(np.mean([one[key] for one in each])) for key in each[0]}
    return figures | {"memory": peak_bytes() / 1e6}


def _measure(rival: Rival, task: str, X: Any, y: Any, split: int) -> dict[str, float]:
    third = np.random.default_rng(split).permutation(len(X))
    test, train = third[: len(X) // 3], third[len(X) // 3 :]
    inputs, targets, unit = _scale(X, y, train, task) if rival.scaled else (X, y, 1.0)
    model = rival.make(task)
    if model is None:
        raise SystemExit(f"{rival.name} does not know {task}")
    fit = time_mean(lambda: model.fit(inputs[train], targets[train]), LEAST)
    many = np.resize(inputs[test], (PREDICTED, X.shape[1]))
    predict = time_mean(lambda: model.predict(many), LEAST)
    answer = np.asarray(model.predict(inputs[test])).reshape(len(test))
    wrong = 100 * np.mean(answer != y[test]) if task == "classes" else unit * np.mean((answer - targets[test]) ** 2)
    return {"fit": fit, "predict": predict, "nodes": rival.nodes(model), "error": float(wrong)}


def _scale(X: Any, y: Any, train: Any, task: str) -> tuple[Any, Any, float]:
    """Standardised inputs and numbers, and the unit that gives errors back their scale."""
    spread = X[train].std(axis=0)
    inputs = (X - X[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if task == "classes":
        return inputs, y, 1.0
    unit = y[train].std()
    return inputs, (y - y[train].mean()) / unit, float(unit**2)


def _first(n: int, X: Any, y: Any) -> Rows:
    return X[:n], y[:n]


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[4]), int(sys.argv[4]) + 5))
    print(json.dumps(measure(BY_NAME[sys.argv[1]], sys.argv[2], int(sys.argv[3]))))
