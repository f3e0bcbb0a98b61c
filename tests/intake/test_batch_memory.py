"""A fit in batches keeps to its memory for any number of rows: measured in its own process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

ROWS, INPUTS = 900_000, 10  # 76 MiB
MOST = 64  # MiB that a fit with memory of 48 MiB may take: libraries and threads need some

PROGRAM = """
import resource, sys
import pyarrow.dataset, pyarrow.parquet
from softwood import Batches, CARTRegressor, SoftTreeRegressor
CARTRegressor(max_leaves=3, prune=None).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 2**20)
before = peak()
CARTRegressor(max_leaves=4, prune=None).fit(Batches(sys.argv[1], memory="48 MiB"), "y")
hard = peak() - before
SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=2, max_iter=1, weight_penalty=1e-3).fit(
    Batches(sys.argv[1], memory="48 MiB"), "y"
)
print(hard, peak() - before)
"""


@pytest.mark.long
def test_peak_memory_is_what_was_asked_for(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    with pa.parquet.ParquetWriter(
        tmp_path / "rows.parquet", pa.schema([(f"x{f}", "f8") for f in range(INPUTS)] + [("y", "f8")])
    ) as writer:
        for _ in range(ROWS // 30_000):
            X = rng.normal(size=(30_000, INPUTS))
            columns = {f"x{f}": X[:, f] for f in range(INPUTS)}
            writer.write_table(pa.table({**columns, "y": X[:, 0] + np.tanh(X[:, 1])}))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "rows.parquet")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    hard, both = map(int, done.stdout.split())
    assert hard < MOST
    assert both < MOST
