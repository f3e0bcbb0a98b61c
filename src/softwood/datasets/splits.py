"""The papers' folds: a test third, and five times two halves of the rest (Alpaydın 1999, 5×2 cross-validation).

Fold 2r + h (r = 0..4, h = 0, 1) trains on half h of replication r, validates on the other half and is tested on the
test third, which is the same for all ten. If the folder has the authors' halves (splits/<name>.csv.gz with columns
test, rep1 … rep5) these are used; otherwise seeded ones, stratified by class (for regression: at random).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Index
from softwood.datasets.files import find_file, read_cells
from softwood.datasets.loader import DataSet, load

REPLICATIONS = 5


@dataclass(frozen=True)
class Fold:
    """One division of a set.

    Attributes
    ----------
    train, validation, test : row numbers.
    published : whether the division is the one published by the authors.
    """

    train: Index
    validation: Index
    test: Index
    published: bool


def folds(data: str | DataSet, *, folder: str | os.PathLike[str] | None = None, seed: int = 0) -> list[Fold]:
    """The ten folds of a set.

    Parameters
    ----------
    data : a name, or the result of `load`.
    folder : folder of the file, if `data` is a name.
    seed : seed of the folds if the authors' are not available.

    Examples
    --------
    >>> X, y = np.zeros((12, 1)), np.array([0, 1] * 6)
    >>> ten = folds(DataSet("two", "TWO", "binary", X, y, ("x",)))
    >>> len(ten), ten[0].published, len(ten[0].train), len(ten[0].validation), len(ten[0].test)
    (10, False, 4, 4, 4)
    """
    rows = load(data, folder=folder) if isinstance(data, str) else data
    file = find_file(rows.folder / "splits", rows.name) if rows.folder else None
    return _published(file, len(rows.y)) if file else _seeded(rows.y, rows.task, seed)


def _published(file: Path, n_rows: int) -> list[Fold]:
    header, rows = read_cells(file)
    wanted = ["test", *(f"rep{r}" for r in range(1, REPLICATIONS + 1))]
    if header != wanted or len(rows) != n_rows:
        raise ValueError(
            f"{file} must have the columns {', '.join(wanted)} and {n_rows} rows, one per row of the data set; "
            f"it has columns {', '.join(header)} and {len(rows)} rows."
        )
    cells = np.array(rows)
    test = np.flatnonzero(cells[:, 0] == "1")
    halves = [[np.flatnonzero(cells[:, r] == h) for h in ("1", "2")] for r in range(1, REPLICATIONS + 1)]
    return [Fold(pair[h], pair[1 - h], test, True) for pair in halves for h in (0, 1)]


def _seeded(y: npt.NDArray[Any], task: str, seed: int) -> list[Fold]:
    code = np.zeros(len(y), np.intp) if task == "regression" else np.unique(y, return_inverse=True)[1]
    test = _deal(np.arange(len(y)), code, REPLICATIONS * 1000 * seed)[::3]
    rest = np.setdiff1d(np.arange(len(y)), test)
    found = []
    for replication in range(1, REPLICATIONS + 1):
        order = _deal(rest, code, REPLICATIONS * 1000 * seed + replication)
        halves = (order[::2], order[1::2])
        found += [Fold(np.sort(halves[h]), np.sort(halves[1 - h]), np.sort(test), False) for h in (0, 1)]
    return found


def _deal(rows: Index, code: npt.NDArray[np.intp], seed: int) -> Index:
    """The rows sorted by class, at random within a class: every n-th row is a stratified sample."""
    return rows[np.lexsort((np.random.RandomState(seed).rand(len(rows)), code[rows]))]
