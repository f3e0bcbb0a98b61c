"""The memory limit: a fit whose estimated memory exceeds it is refused before it begins.

The limit belongs to the machine, not to the model. So it is an environment variable, SOFTWOOD_MEMORY_LIMIT ("4 GiB", or
"none"), and not a parameter, which would be cloned, searched over and saved with every model. By default it is the
memory of the container or the machine, so that a fit ends with a message before the system kills the process. Rows in
batches have their own limit (`Batches(memory=)`).

The memory of a fit is estimated in bytes per cell of the table, plus, for regressors of unlimited size, bytes per row:
such a tree has one leaf per row before it is pruned. The estimate is between half of the measured memory and all of it
(`python -m bench.trust footprints`, docs/results/trust.md). A refused fit would hardly have succeeded; other fits may
still raise a MemoryError.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from softwood.intake.cells.sparse_rows import is_sparse
from softwood.intake.options import size_in_bytes

SETTING = "SOFTWOOD_MEMORY_LIMIT"
NUMBER = 8  # bytes
NEVER_ASKED = 2**28  # bytes: smaller fits are not checked if no limit is set
FIRST_ROWS = 20_000  # rows that choose the kind of a soft tree; all rows refine the chosen one


@dataclass(frozen=True)
class Bytes:
    """Memory of a fit in addition to its table, in bytes.

    cell : per cell.
    folds : further bytes per cell if folds choose the size.
    row : per row, for a regressor of unlimited size; `row_folds`: further bytes if folds choose the size.
    first, first_quick : per cell of the first FIRST_ROWS rows; with `effort="quick"`.
    """

    cell: int
    folds: int = 0
    row: int = 0
    row_folds: int = 0
    first: int = 0
    first_quick: int = 0


TAKES = {
    "CART": Bytes(cell=8, folds=5, row=500, row_folds=400),
    "C45": Bytes(cell=12),
    "LinearDiscriminantTree": Bytes(cell=24, folds=14, row=250, row_folds=250),
    "OmnivariateTree": Bytes(cell=64),
    "SoftTree": Bytes(cell=8, first=55, first_quick=10),
    "SoftForest": Bytes(cell=8, first=80, first_quick=40),
    "BuddingTree": Bytes(cell=8, first=55, first_quick=10),
    "SoftenedTree": Bytes(cell=40),
    "MixtureOfExperts": Bytes(cell=40),
}
GROUPS = ("memory.max", "memory/memory.limit_in_bytes")  # of Linux' control groups, version 2 and 1


def check_memory(estimator: Any, X: Any, keeps_sparse: bool = False) -> None:
    """The error for a fit that would exceed the limit; X is an array or a frame."""
    shape = getattr(X, "shape", ())
    if keeps_sparse and is_sparse(X):  # takes a small multiple of the memory of X
        return
    if not isinstance(shape, tuple) or len(shape) != 2 or not all(isinstance(size, int) for size in shape):
        return
    wanted = footprint(estimator, *shape, copied=not _is_doubles(X))
    asked = os.environ.get(SETTING, "")
    if asked.lower() == "none" or (not asked and wanted < NEVER_ASKED):
        return
    limit, held = size_in_bytes(SETTING, asked) if asked else _machine_has(), _held()
    if limit is None or held + wanted <= limit:
        return
    advice = "pass a sample of the rows, use fewer columns"
    if hasattr(estimator, "engine") and "batches" in estimator._engines:
        advice = "learn in batches, softwood.Batches(X), pass a sample of the rows"
    raise MemoryError(
        f"{type(estimator).__name__} needs at least {format_bytes(wanted)} for {shape[0]:,} rows of {shape[1]:,} "
        f"columns, in addition to the {format_bytes(held)} in use by the process: more than {format_bytes(limit)}, "
        f"{_whose(asked)}. Remedy: {advice}, or set {SETTING} to another size, or to 'none'."
    )


def footprint(estimator: Any, rows: int, columns: int, copied: bool = False) -> int:
    """Minimum bytes of a fit of this estimator; `copied`: X is not a table of doubles, so a copy is made.

    >>> from softwood import CARTClassifier
    >>> footprint(CARTClassifier(), 1_000_000, 20), footprint(CARTClassifier(prune=None), 1_000_000, 20)
    (260000000, 160000000)
    """
    name = type(estimator).__name__
    takes = TAKES.get(name.removesuffix("Classifier").removesuffix("Regressor"), Bytes(0))
    by_folds = getattr(estimator, "prune", None) == "cv"
    cell = takes.cell + takes.folds * by_folds + NUMBER * copied
    row = (takes.row + takes.row_folds * by_folds) * (name.endswith("Regressor") and _is_unbounded(estimator))
    first = takes.first_quick if getattr(estimator, "effort", None) == "quick" else takes.first
    return rows * (columns * cell + row) + min(rows, FIRST_ROWS) * columns * first


def _is_unbounded(estimator: Any) -> bool:
    """Whether the tree may have one leaf per row."""
    bounds = {"max_depth": None, "max_leaves": None, "min_samples_leaf": 1}
    return all(getattr(estimator, name, free) == free for name, free in bounds.items())


def _is_doubles(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.float64


@cache
def _machine_has() -> int | None:
    """Memory of the container or the machine in bytes; None if unknown."""
    found = []
    for name in GROUPS:
        text = _read(Path("/sys/fs/cgroup") / name)
        found += [int(text)] if text.isdecimal() else []
    with suppress(AttributeError, ValueError, OSError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min((size for size in found if size > 0), default=None)


def _held() -> int:
    """Memory of this process in bytes; 0 if unknown."""
    pages = _read(Path("/proc/self/statm")).split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if len(pages) > 1 else 0


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _whose(asked: str) -> str:
    return f"the limit that {SETTING} sets" if asked else "all that this machine or container has"


def format_bytes(size: int) -> str:
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.3g} MiB"
