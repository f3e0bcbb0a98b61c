"""What a fit will take of memory, said before it begins where that would pass the limit.

The limit is a fact of the machine, not of the model: so it is a setting of the process, the environment variable
SOFTWOOD_MEMORY_LIMIT ("4 GiB", or "none"), and no parameter, which would be cloned, searched over and saved with every
model. Where it is not set it is what the container or the machine has, so that a fit ends in words before the system
kills the process. Rows in batches have a memory of their own (`Batches(memory=)`).

What a fit takes is a lower bound, so many bytes for every cell of the table: well below what was measured
(docs/results/trust.md), a guess for mixtures and softened trees. Who is refused would not have ended; who is not may
still see a MemoryError.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from softwood.estimators.options import size_in_bytes
from softwood.estimators.sparse_rows import is_sparse

SETTING = "SOFTWOOD_MEMORY_LIMIT"
NUMBER = 8  # bytes
NEVER_ASKED = 2**28  # bytes: a smaller fit is not worth the question where nothing is set
# Bytes that a fit holds for every cell of its table, beside the table.
PER_CELL = {
    "CART": 8, "C45": 16, "LinearDiscriminantTree": 8, "OmnivariateTree": 8, "SoftTree": 4, "BuddingTree": 4,
    "SoftenedTree": 8, "MixtureOfExperts": 8,
}  # fmt: skip
GROUPS = ("memory.max", "memory/memory.limit_in_bytes")  # of Linux' control groups, version 2 and 1


def check_memory(estimator: Any, X: Any, keeps_sparse: bool = False) -> None:
    """The error of a fit that would take more than the limit; X is an array or a frame."""
    shape = getattr(X, "shape", ())
    if keeps_sparse and is_sparse(X):  # takes a small multiple of what is there already
        return
    if not isinstance(shape, tuple) or len(shape) != 2 or not all(isinstance(size, int) for size in shape):
        return
    wanted = footprint(type(estimator).__name__, *shape, copied=not _is_doubles(X))
    asked = os.environ.get(SETTING, "")
    if asked.lower() == "none" or (not asked and wanted < NEVER_ASKED):
        return
    limit, held = size_in_bytes(SETTING, asked) if asked else _machine_has(), _held()
    if limit is None or held + wanted <= limit:
        return
    advice = "give a sample of the rows, fewer columns"
    if hasattr(estimator, "engine") and "batches" in estimator._engines:
        advice = "learn in batches, softwood.Batches(X), give a sample of the rows"
    raise MemoryError(
        f"{type(estimator).__name__} needs at least {_told(wanted)} for {shape[0]:,} rows of {shape[1]:,} columns, "
        f"beside the {_told(held)} that the process holds: more than {_told(limit)}, {_whose(asked)}. To do: {advice}, "
        f"or set {SETTING} to another size, or to 'none'."
    )


def footprint(name: str, rows: int, columns: int, copied: bool = False) -> int:
    """Bytes that a fit of this estimator takes at least; `copied`: X is no table of doubles, so that one is made.

    >>> footprint("CARTClassifier", 1_000_000, 20)
    160000000
    """
    family = name.removesuffix("Classifier").removesuffix("Regressor")
    return rows * columns * (PER_CELL.get(family, 0) + NUMBER * copied)


def _is_doubles(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.float64


@cache
def _machine_has() -> int | None:
    """Bytes that the container or the machine has; None where it does not say."""
    found = []
    for name in GROUPS:
        text = _read(Path("/sys/fs/cgroup") / name)
        found += [int(text)] if text.isdecimal() else []
    with suppress(AttributeError, ValueError, OSError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min((size for size in found if size > 0), default=None)


def _held() -> int:
    """Bytes that this process holds; 0 where the system does not say."""
    pages = _read(Path("/proc/self/statm")).split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if len(pages) > 1 else 0


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _whose(asked: str) -> str:
    return f"the limit that {SETTING} sets" if asked else "all that this machine or container has"


def _told(size: int) -> str:
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.3g} MiB"
