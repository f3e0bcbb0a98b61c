"""Rows beyond memory and on a cluster: what passes take, and how that grows.

    python -m bench.engines make FOLDER --rows 100000000    Parquet files of made rows, a million each
    python -m bench.engines fit FOLDER --learner cart       one fit in batches: seconds, peak of memory

Rows are made by rule: ten inputs, y = tanh(2 x0) + sin(2 x1) + x2 x3 / 2 + [x4 > 1] + noise of deviation 0.3.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

INPUTS = 10
PIECE = 1_000_000  # rows of a file
NOISE = 0.3


def make_rows(rows: int, seed: int) -> tuple[Floats, Floats]:
    """Some rows, by their seed."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, INPUTS))
    y = np.tanh(2 * X[:, 0]) + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] / 2 + (X[:, 4] > 1)
    return X, y + NOISE * rng.normal(size=rows)


def write_rows(folder: Path, rows: int) -> None:
    """Parquet files of a million rows each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for begin in range(0, rows, PIECE):
        X, y = make_rows(min(PIECE, rows - begin), begin // PIECE)
        table = pa.table({**{f"x{f}": X[:, f] for f in range(INPUTS)}, "y": y})
        pq.write_table(table, folder / f"{begin // PIECE:05}.parquet", row_group_size=100_000, compression="none")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    write_rows(given.folder, given.rows)
