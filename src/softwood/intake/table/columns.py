"""Columns of cells as one table of numbers; infinity is refused.

number column      float64, missing = NaN
category column    codes 0 .. L-1 as float64, missing or unseen = NaN; code i stands for levels[i]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn import get_config

from softwood.arrays import Floats
from softwood.intake.cells.cells import Cells, Labels, Level
from softwood.kernels import any_infinite
from softwood.kernels.sparse.table import SparseTable
from softwood.tree import Kind, Schema
from softwood.tree.encoding import encode_labels

ADVICE_FIT = (
    "name it in categorical_features (by dtype only a data frame's columns are found), or convert it to numbers."
)
ADVICE_PREDICT = "it was a number at fit; convert it to numbers."
Cell = TypeVar("Cell", Floats, SparseTable)
FEW_CELLS = 1_000  # checking so few is faster than asking scikit-learn whether to check


@dataclass(frozen=True)
class Table:
    """The rows of X as numbers: `values` (rows, columns) float64 or sparse, and the schema of its columns (no answers
    yet).
    """

    values: Any
    columns: Schema


def finite(values: Cell, names: Sequence[str]) -> Cell:
    """The values; infinity is an error that names its column."""
    if isinstance(values, SparseTable):
        refuse_infinite_stored(values, names)
        return values
    if values.size <= FEW_CELLS and not any_infinite(values):  # faster than asking scikit-learn whether to check
        return values
    if not get_config()["assume_finite"]:
        refuse_infinite(values, names)
    return values


def numbered(n_columns: int) -> tuple[str, ...]:
    """Generated column names."""
    return tuple(f"x{column}" for column in range(n_columns))


def number_table(values: Cell, names: tuple[str, ...], kinds: Sequence[Kind | None] = ()) -> Table:
    """A table of numbers."""
    told = tuple(kind or Kind.NUMBER for kind in kinds)
    return Table(finite(values, names), Schema(names, (None,) * len(names), (), kinds=told))


def learn_table(
    cells: list[Cells], names: tuple[str, ...], chosen: frozenset[int] | None, kinds: list[Kind | None]
) -> Table:
    """A table of columns read one by one, which learns the levels; `kinds` as far as dtypes determine them."""
    categories: list[tuple[Level, ...] | None] = []
    for column, (name, cell) in enumerate(zip(names, cells, strict=True)):
        is_category = isinstance(cell, Labels) if chosen is None else column in chosen
        if not is_category:
            cells[column] = as_numbers(name, cell, ADVICE_FIT)
        elif not isinstance(cell, Labels):
            finite(cell[:, None], (name,))
        categories.append(learn_levels(cell) if is_category else None)
        plain = Kind.CATEGORY if is_category else Kind.NUMBER
        kind = kinds[column] or plain
        kinds[column] = kind if kind.has_levels == is_category else plain
    columns = Schema(names, tuple(categories), (), kinds=tuple(kind or Kind.NUMBER for kind in kinds))
    return Table(apply_columns(cells, columns), columns)


def apply_columns(cells: list[Cells], columns: Schema) -> Floats:
    """The table of columns read one by one: numbers unchanged, labels as codes."""
    values = np.empty((len(_vector(cells[0])), len(cells)), order="F")
    for column, (name, cell, levels) in enumerate(zip(columns.features, cells, columns.categories, strict=True)):
        values[:, column] = as_numbers(name, cell, ADVICE_PREDICT) if levels is None else encode(name, cell, levels)
    return finite(values, columns.features)


def _vector(cells: Cells) -> Sequence[Any] | Floats:
    return cells.values if isinstance(cells, Labels) else cells


def learn_levels(cells: Cells) -> tuple[Level, ...]:
    """The levels of a category column: as declared by its dtype, used or not, otherwise those that occur, sorted.

    >>> learn_levels(np.array([2.0, np.nan, 1.0]))
    (1, 2)
    """
    if isinstance(cells, Labels):
        return tuple(sorted(set(cells.values) - {None})) if cells.declared is None else cells.declared
    found: list[float] = np.unique(cells[~np.isnan(cells)]).tolist()
    if all(level.is_integer() for level in found):  # a missing value turned integers into floats: convert them back
        return tuple(map(int, found))
    return tuple(found)


def encode(name: str, cells: Cells, levels: Sequence[Level]) -> Floats:
    """Codes of the cells, by the rule of `softwood.tree.encoding`.

    >>> encode("colour", Labels(["red", None, "pink"]), ["blue", "red"])
    array([ 1., nan, nan])
    """
    if isinstance(cells, Labels):
        return encode_labels(name, cells.values, levels)
    known = ~np.isnan(cells)
    found, place = np.unique(cells[known], return_inverse=True)
    codes = np.full(len(cells), np.nan)
    codes[known] = encode_labels(name, found.tolist(), levels)[place]
    return codes


def as_numbers(name: str, cells: Cells, advice: str) -> Floats:
    """The cells of a number column; labels are an error that ends with `advice`."""
    if not isinstance(cells, Labels):
        return cells
    if cells.example() is not None:
        raise ValueError(
            f"column {name!r} holds categories, {cells.example()!r} for example, but numbers are needed: {advice}"
        )
    return np.full(len(cells.values), np.nan)


def refuse_infinite(values: Floats, names: Sequence[str]) -> None:
    """An error that names the first column with an infinite value, and its row. NaN passes.

    >>> refuse_infinite(np.array([[1.0], [np.inf]]), ["size"])
    Traceback (most recent call last):
    ValueError: Input X contains infinity: column 'size', row 1 is inf. Replace it by NaN (missing) or a finite number.
    """
    if not any_infinite(values):
        return
    infinite = np.isinf(values)
    column = int(infinite.any(axis=0).argmax())
    row = int(infinite[:, column].argmax())
    raise ValueError(
        f"Input X contains infinity: column {names[column]!r}, row {row} is {values[row, column]}. "
        "Replace it by NaN (missing) or a finite number."
    )


def refuse_infinite_stored(X: SparseTable, names: Sequence[str]) -> None:
    """An error that names the first column with an infinite value, and its row, as of an array."""
    at = np.flatnonzero(np.isinf(X.value))
    if len(at):
        first = at[np.lexsort((X.row[at], X.column[at]))[0]]
        raise ValueError(
            f"Input X contains infinity: column {names[X.column[first]]!r}, row {X.row[first]} is {X.value[first]}. "
            "Replace it by NaN (missing) or a finite number."
        )
