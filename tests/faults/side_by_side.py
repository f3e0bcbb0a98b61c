"""Fits and answers of all learners in threads of one process, for ThreadSanitizer (tests/tsan.sh).

Each fit asks for two native threads, and several fit at once; the trees are those that each learns alone.
"""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.faults.learners import LEARNERS, fingerprint, make, rows


def learn(name: str) -> str:
    """The tree's fingerprint; native passes over more rows than one thread takes are among it."""
    return fingerprint(make(name, n_jobs=2).fit(*rows(name, 600)))


def main() -> None:
    """Learn alone, then side by side; ask one model from many threads."""
    warnings.simplefilter("ignore")
    alone = {name: learn(name) for name in LEARNERS}
    print("alone: done", flush=True)
    with ThreadPoolExecutor(4) as pool:
        assert dict(zip(LEARNERS, pool.map(learn, LEARNERS), strict=True)) == alone
        print("side by side: done", flush=True)
        for name in LEARNERS:
            X, y = rows(name, 600)
            model = make(name, n_jobs=3).fit(X, y)
            expected = model.predict(X).tobytes()
            assert all(pool.map(lambda _, m=model, X=X, e=expected: m.predict(X).tobytes() == e, range(20)))
    print("answers of one model: done", flush=True)


if __name__ == "__main__":
    main()
