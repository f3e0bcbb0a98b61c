"""The rows of a page: encoded cells, and the actual values as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.explain.rows import read_table
from softwood.tree import Tree
from softwood.tree.spelling import spell_label

MOST_ROWS, MOST_CELLS = 300, 6_000  # to keep the page small
DIGITS = 10  # significant digits of a cell on the page


def read_rows(tree: Tree, X: Any, y: Any = None) -> dict[str, Any]:
    """Number, cells (null if missing) and actual value of evenly spaced rows."""
    table = read_table(tree, X).astype(object)
    n = len(table)
    if n == 0:
        raise ValueError("X has no rows; pass some, or None for sliders only.")
    most = max(1, min(MOST_ROWS, MOST_CELLS // max(tree.n_features, 1), n))
    chosen = np.unique(np.linspace(0, n - 1, most).round().astype(np.int64))
    cells = tree.schema.encode([table[at] for at in chosen])
    rows = [[None if np.isnan(x) else float(f"{x:.{DIGITS}g}") for x in row] for row in cells]
    return {"number": chosen.tolist(), "cells": rows, "truth": None if y is None else _truth(y, n, chosen)}


def _truth(y: Any, n: int, chosen: npt.NDArray[np.int64]) -> list[str]:
    known = np.asarray(y, object)
    if len(known) != n:
        raise ValueError(f"y must have a value for each of {n} rows, got {len(known)}.")
    return [", ".join(spell_label(each) for each in np.atleast_1d(known[at])) for at in chosen]
