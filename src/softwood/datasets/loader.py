"""load(name): one of the papers' sets, from a folder or from OpenML."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.datasets.catalog import Entry, find
from softwood.datasets.files import find_file, find_folder, read_cells
from softwood.datasets.openml import fetch


@dataclass(frozen=True)
class DataSet:
    """Rows of one set.

    Attributes
    ----------
    name, code, task : as in the papers; task is "regression", "binary" or "multiclass".
    X : (rows, features); NaN is a missing value.
    y : (rows,): numbers, or class labels (integers if all labels are, else text).
    feature_names : names of the columns of X.
    category : indices of the columns that hold codes of categories, as `categorical_features` takes them.
    folder : folder of the file, or None if the rows are from OpenML.
    """

    name: str
    code: str
    task: str
    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]
    feature_names: tuple[str, ...]
    category: tuple[int, ...] = ()
    folder: Path | None = None


def load(name: str, *, folder: str | os.PathLike[str] | None = None) -> DataSet:
    """One of the papers' thirty sets.

    Parameters
    ----------
    name : one of `names()`, or the papers' three letters.
    folder : folder of <name>.csv.gz (header, inputs, last column target; empty cell: missing). Default: the variable
        SOFTWOOD_DATA. If there is no such file, the set is fetched from OpenML through scikit-learn; if this also
        fails, the error says where to put the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (place / "glass.csv").write_text("RI,Na,target\\n1.52,13.6,1\\n1.51,,2\\n")
    >>> data = load("glass", folder=place)
    >>> data.X, data.y, data.task
    (array([[ 1.52, 13.6 ],
           [ 1.51,   nan]]), array([1, 2]), 'multiclass')
    """
    entry = find(name)
    place = find_folder(folder)
    file = find_file(place, entry.name) if place else None
    if file is not None:
        return _read(entry, file)
    X, target, columns = fetch(entry)
    return DataSet(entry.name, entry.code, entry.task, X, _labels(entry, target), columns, entry.category)


def _read(entry: Entry, file: Path) -> DataSet:
    header, rows = read_cells(file)
    uneven = next((i for i, row in enumerate(rows, 2) if len(row) != len(header)), None)
    if uneven is not None:
        raise ValueError(f"{file}, line {uneven}: {len(rows[uneven - 2])} cells, but the header has {len(header)}.")
    try:
        X = np.array([[float(cell) if cell else np.nan for cell in row[:-1]] for row in rows], np.float64)
    except ValueError as error:
        raise ValueError(f"{file}: inputs must be numbers (or empty: missing); {error}.") from None
    y = _labels(entry, np.array([row[-1] for row in rows]))
    return DataSet(entry.name, entry.code, entry.task, X, y, tuple(header[:-1]), entry.category, file.parent)


def _labels(entry: Entry, target: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers, or labels: integers if all are."""
    if entry.task == "regression":
        return target.astype(np.float64)
    text = target.astype(str)
    try:
        return text.astype(np.int64)
    except ValueError:
        return text
