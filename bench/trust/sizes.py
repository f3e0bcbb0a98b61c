"""Tables of extreme sizes, against scikit-learn and LightGBM: one fit each, in its own process, with a time limit."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.trust.process import MIB

LIMIT = 200  # CPU seconds
ADDRESSES = 8 * 2**30  # bytes that a process may have
NAMES = ("CART", "CART, 255 bins", "SoftTree", "scikit-learn", "LightGBM")


def wide(scale: float) -> tuple[Any, Any]:
    """200 rows of 50,000 numbers, ten of which matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, int(50_000 * scale)))
    return X, (X[:, :10].sum(axis=1) > 0).astype(int)


def classes(scale: float) -> tuple[Any, Any]:
    """50,000 rows of 10 numbers in 2,000 classes: cells of a grid, one row in ten of another class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(int(50_000 * scale), 10))
    n = max(4, int(2_000 * scale))
    cell = np.floor(X[:, 0] * 20) * 40 + np.floor(X[:, 1] * 20)
    y = np.unique(cell, return_inverse=True)[1] % n
    y[:n] = np.arange(n)
    return X, y


def levels(scale: float) -> tuple[Any, Any]:
    """200,000 rows with a category of 100,000 levels and four numbers."""
    import pandas as pd

    rng = np.random.default_rng(0)
    rows, n = int(200_000 * scale), int(100_000 * scale)
    level, effect = rng.integers(n, size=rows), rng.normal(size=n)
    X = pd.DataFrame(
        {
            "who": pd.Categorical(np.char.add("w", level.astype(str))),
            **{f"x{i}": rng.normal(size=rows) for i in range(4)},
        }
    )
    return X, effect[level] + np.asarray(X["x0"]) + rng.normal(size=rows)


def long(scale: float) -> tuple[Any, Any]:
    """2,000,000 rows of 20 numbers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(int(2_000_000 * scale), 20))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0).astype(int)


TABLES: dict[str, Callable[[float], tuple[Any, Any]]] = {
    "wide": wide,
    "classes": classes,
    "levels": levels,
    "long": long,
}


def learner(name: str, regression: bool) -> Any:
    """A learner by its name, with its own defaults, two threads."""
    import softwood

    kind = "Regressor" if regression else "Classifier"
    if name.startswith("scikit-learn"):
        from sklearn import tree

        return getattr(tree, f"DecisionTree{kind}")(random_state=0)
    if name == "LightGBM":
        import lightgbm

        return getattr(lightgbm, f"LGBM{kind}")(n_jobs=2, verbose=-1)
    if name == "CART, 255 bins":
        return getattr(softwood, f"CART{kind}")(max_bins=255, n_jobs=2, random_state=0)
    return getattr(softwood, f"{name}{kind}")(n_jobs=2, random_state=0)


def one_hot(X: Any) -> Any:
    """A sparse table with a column for each level."""
    from scipy.sparse import csr_array, hstack

    code = X["who"].cat.codes
    level = csr_array((np.ones(len(X)), (np.arange(len(X)), code)), (len(X), len(X["who"].cat.categories)))
    both = hstack([csr_array(X.drop(columns="who").to_numpy()), level], format="csr")
    both.indices, both.indptr = both.indices.astype(np.int32), both.indptr.astype(np.int32)  # all that it reads
    return both


def measure(table: str, name: str, scale: float) -> dict[str, Any]:
    """Seconds and memory of one fit and of its answers; scikit-learn gets categories as codes, or one column per
    level.
    """
    X, y = TABLES[table](scale)
    regression = y.dtype.kind == "f"
    if name.startswith("scikit-learn") and hasattr(X, "columns"):
        X = one_hot(X) if "one-hot" in name else X.assign(who=X["who"].cat.codes)
    model = learner(name, regression)
    model.fit(X[:50], y[:50])  # imports and threads
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    begin, cpu = time.perf_counter(), time.process_time()
    model = learner(name, regression).fit(X, y)
    fitted, fit_cpu = time.perf_counter() - begin, time.process_time() - cpu
    begin = time.perf_counter()
    answers = model.predict(X)
    answered = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    right = float(1 - np.mean((answers - y) ** 2) / np.var(y)) if regression else float(np.mean(answers == y))
    size = X.memory_usage(deep=False).sum() if hasattr(X, "columns") else getattr(X, "data", X).nbytes
    leaves = int(model.tree_.n_leaves) if hasattr(model, "tree_") and hasattr(model.tree_, "n_outputs") else None
    return {
        "fit s": round(fitted, 2), "fit processor s": round(fit_cpu, 2), "predict s": round(answered, 2),
        "beyond the table MiB": round((peak - before) / MIB), "table MiB": round(size / MIB),
        "training score": round(right, 4), "leaves": leaves,
    }  # fmt: skip


def run(scale: float, tables: tuple[str, ...] = tuple(TABLES), names: tuple[str, ...] = NAMES) -> None:
    """Print one line per fit."""
    for table in tables:
        for name in (*names, "scikit-learn, one-hot") if table == "levels" else names:
            code = "import json, resource; from bench.trust.sizes import measure; "
            code += f"resource.setrlimit(resource.RLIMIT_CPU, ({LIMIT}, {LIMIT})); "
            code += f"resource.setrlimit(resource.RLIMIT_AS, ({ADDRESSES}, {ADDRESSES})); "
            code += f"print(json.dumps(measure({table!r}, {name!r}, {scale})))"
            line = [sys.executable, "-W", "ignore", "-c", code]
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            said = done.stdout.strip() or (done.stderr.strip().splitlines() or [""])[-1][:300]
            if done.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
                said = f"not within {LIMIT} s of CPU time"
            print(table, name, said, sep=" | ", flush=True)
