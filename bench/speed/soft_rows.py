"""Scaling of a default soft fit with the number of rows, in seconds and memory: `python -m bench.speed.soft_rows ROWS`.

Friedman 1 with ten inputs (noise of variance 1, so no tree can have a lower error). Each size has its own process.
The peak includes the float64 input and all that the fit allocates, minus the memory of interpreter and imports.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

import numpy as np
from sklearn.datasets import make_friedman1

from bench.speed.memory import peak_bytes
from softwood import SoftTreeRegressor

ROWS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
TESTED = 20_000


@dataclass(frozen=True)
class Fit:
    """CPU seconds, peak in multiples of the input, nodes, mean squared error on fresh rows."""

    seconds: float
    peak: float
    nodes: int
    error: float


def fit_of(n: int) -> Fit:
    """Fit n rows in a process of its own."""
    command = [sys.executable, "-m", "bench.speed.soft_rows", str(n)]
    return Fit(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def _measure(n: int) -> Fit:
    model = SoftTreeRegressor(n_jobs=1)
    small = np.random.default_rng(0).normal(size=(100, 10))
    model.fit(small, small[:, 0])  # all that is imported late is there now
    test, answer = make_friedman1(TESTED, 10, noise=1.0, random_state=1)
    before = peak_bytes()
    X, y = make_friedman1(n, 10, noise=1.0, random_state=0)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    peak = (peak_bytes() - before) / X.nbytes
    return Fit(seconds, peak, model.tree_.n_nodes, float(np.square(model.predict(test) - answer).mean()))


if __name__ == "__main__":
    print(json.dumps(asdict(_measure(int(sys.argv[1])))))
