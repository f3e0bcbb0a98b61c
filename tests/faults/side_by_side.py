"""Fits and predictions of all learners in threads of one process, for ThreadSanitizer (tests/tsan.sh).

Each fit uses two native threads, and several run at once; the trees must equal those learned alone.
"""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

sys.path.insert(0, str(Path(__file__).parents[2]))

import softwood
from tests.faults.learners import LEARNERS, fingerprint, make, rows

MANY = 6_400  # rows, beyond which soft trees sum by tables of segments
SPARSE, TABLES, STREAM = "CART of a sparse matrix", "soft tree by tables", "budding tree, part after part"
JOBS = (*LEARNERS, SPARSE, TABLES, STREAM)


def learn(job: str) -> str:
    """The tree's fingerprint; includes native passes on several threads."""
    if job == SPARSE:
        X, y = rows("CARTClassifier", 600, columns=40)
        X[np.abs(X) < 1.5] = 0.0
        return fingerprint(softwood.CARTClassifier(n_jobs=2).fit(sparse.csr_array(X), y))
    if job == TABLES:
        how: dict[str, Any] = {"gate": "additive", "leaf": "constant", "max_leaves": 2, "weight_penalty": 0.01}
        return fingerprint(softwood.SoftTreeRegressor(**how, n_jobs=2).fit(*rows("SoftTreeRegressor", MANY)))
    if job == STREAM:
        model = make("BuddingTreeRegressor", n_jobs=2)
        for seed in range(5):
            model.partial_fit(*rows("BuddingTreeRegressor", 400, seed=seed))
        return fingerprint(model)
    return fingerprint(make(job, n_jobs=2).fit(*rows(job, 600)))


def main() -> None:
    """Learn alone, then concurrently; predict with one model from many threads."""
    warnings.simplefilter("ignore")
    alone = {job: learn(job) for job in JOBS}
    print("alone: done", flush=True)
    with ThreadPoolExecutor(4) as pool:
        assert dict(zip(JOBS, pool.map(learn, JOBS), strict=True)) == alone
        print("side by side: done", flush=True)
        for name in LEARNERS:
            X, y = rows(name, 600)
            model = make(name, n_jobs=3).fit(X, y)
            expected = model.predict(X).tobytes()
            assert all(pool.map(lambda _, m=model, X=X, e=expected: m.predict(X).tobytes() == e, range(20)))
    print("answers of one model: done", flush=True)


if __name__ == "__main__":
    main()
