"""Digests of data: the SHA-256 of rows as a model reads them, and of files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.tree.schema import Schema
from softwood.view.reports.markup import table


def rows_digest(schema: Schema, X: Floats, y: npt.NDArray[Any] | None = None) -> str:
    """SHA-256 of rows in their order: inputs (names, kinds, levels) as JSON, then their values and the targets.

    Doubles are little-endian, row after row; categories and classes are their codes. Missing is one NaN, −0 is 0.

    >>> rows_digest(Schema.plain(1, 1), np.array([[0.0]])) == rows_digest(Schema.plain(1, 1), np.array([[-0.0]]))
    True
    """
    levels = [None if known is None else list(map(str, known)) for known in schema.categories]
    told = [list(schema.features), list(map(str, schema.kinds)), levels, list(map(str, schema.answers))]
    found = hashlib.sha256(json.dumps(told, separators=(",", ":")).encode())
    for values in (X,) if y is None else (X, y):
        numbers = np.asarray(values, np.float64) + 0.0
        found.update(np.where(np.isnan(numbers), np.nan, numbers).astype("<f8").tobytes())
    return found.hexdigest()


def show_files(paths: Iterable[str | os.PathLike[str]]) -> str:
    """A table of files with their size and SHA-256; "" for none."""
    lines = []
    for path in map(Path, paths):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        lines.append([path.name, f"{path.stat().st_size:,}", digest])
    return table(["file", "bytes", "SHA-256"], lines, left=3) if lines else ""
