"""`partial_fit` of a budding tree over a long stream: rows/s, memory, drift; killed, and resumed from its file.

Rows are synthetic: ten inputs, a fifth of the rows with a missing value; class 0 or 1 by x0 + x1 > 0, class 2 if
x2 > 1.5, which first occurs in the second million. Half-way classes 0 and 1 are swapped.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.trust.process import held
from softwood import BuddingTreeClassifier, load, save

ROWS, CHUNK, INPUTS, SINGLE = 10_000_000, 10_000, 10, 2_000
CLASSES = (0, 1, 2)


def make_chunk(at: int, rows: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The chunk that begins at this row, of a stream of this length."""
    rng = np.random.default_rng(at)
    X = rng.normal(size=(CHUNK, INPUTS))
    y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
    if at >= rows // 2:
        y = 1 - y
    if at >= rows // 10:
        y[X[:, 2] > 1.5] = 2
    gone = rng.random(CHUNK) < 0.2
    X[gone, rng.integers(3, INPUTS, int(gone.sum()))] = np.nan
    return X, y


def learn(model: Any, begin: int, end: int, rows: int, file: Path | None = None) -> list[tuple[int, float, float]]:
    """Learn the chunks between; for each: its first row, the accuracy before it was learned, MiB held.

    With a file the model is saved now and then, and the process kills itself at the end.
    """
    told = []
    for at in range(begin, end, CHUNK):
        X, y = make_chunk(at, rows)
        right = float(np.mean(model.predict(X) == y)) if hasattr(model, "history_") else np.nan
        model.partial_fit(X, y, classes=CLASSES)
        told.append((at, right, held()))
        if file is not None and (at // CHUNK) % 10 == 4:
            save(model, file)
            file.with_suffix(".at").write_text(str(at + CHUNK))
    if file is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return told


def fresh() -> BuddingTreeClassifier:
    """The learner of a stream whose rule may change."""
    return BuddingTreeClassifier(learner="online", optimizer="adam", random_state=0)


def run(scale: float) -> None:
    """Print figures of the whole stream, of single rows, and of a stream that was killed."""
    rows = int(ROWS * scale) // (10 * CHUNK) * 10 * CHUNK
    model, begin = fresh(), time.process_time()
    told = learn(model, 0, rows, rows)
    spent = time.process_time() - begin
    begin = time.process_time()
    for at in range(0, rows, CHUNK):
        make_chunk(at, rows)
    spent -= time.process_time() - begin
    print(
        f"{rows:,} rows: {rows / spent:,.0f} rows/s of CPU time, predicting and learning; {model.tree_.n_nodes} nodes"
    )
    print(
        "MiB held at each tenth:",
        *(f"{told[i][2]:.1f}" for i in range(0, len(told), len(told) // 10)),
        f"{told[-1][2]:.1f}",
    )
    turn = rows // 2 // CHUNK
    print("share right before the turn:", f"{np.mean([line[1] for line in told[turn - 5 : turn]]):.4f}")
    for after in (0, 1, 2, 3, 5, 10, 20, 50):
        if turn + after < len(told):
            print(f"{after * CHUNK:>9,} rows after it: {told[turn + after][1]:.4f}")
    print("at the end:", f"{np.mean([line[1] for line in told[-5:]]):.4f}")
    _single(rows)
    _killed(model, rows)


def _single(rows: int) -> None:
    X, y = make_chunk(0, rows)
    one, whole, begin = fresh(), fresh(), time.process_time()
    for i in range(SINGLE):
        one.partial_fit(X[i : i + 1], y[i : i + 1], classes=CLASSES)
    spent = time.process_time() - begin
    whole.partial_fit(X[:SINGLE], y[:SINGLE], classes=CLASSES)
    same = np.array_equal(one.predict_proba(X), whole.predict_proba(X))
    print(f"{SINGLE:,} rows one at a time: {SINGLE / spent:,.0f} rows/s; same bits as in one call: {same}")


def _killed(model: Any, rows: int) -> None:
    """A child learns and kills itself; what it saved goes on to the end."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stream.softwood"
        code = "from pathlib import Path; from bench.trust.stream import fresh, learn; "
        code += f"learn(fresh(), 0, {rows // 2}, {rows}, Path({str(file)!r}))"
        done = subprocess.run([sys.executable, "-c", code], check=False)
        at = int(file.with_suffix(".at").read_text())
        again = load(file)
        size = file.stat().st_size
        learn(again, at, rows, rows)
    X, _ = make_chunk(0, rows)
    same = np.array_equal(again.predict_proba(X), model.predict_proba(X))
    print(f"killed (signal {-done.returncode}), gone on from row {at:,} of a file of {size:,} bytes: same bits: {same}")
