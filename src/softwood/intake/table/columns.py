"""Columns of cells as one table: categories become codes, infinity is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn import get_config

from softwood.arrays import Floats
from softwood.intake.cells.cells import Cells, Labels, Level, as_numbers, encode, learn_levels, refuse_infinite
from softwood.intake.cells.sparse_rows import refuse_infinite_stored
from softwood.kernels import any_infinite
from softwood.kernels.sparse.table import SparseTable
from softwood.tree import Kind, Schema

ADVICE_FIT = (
    "name it in categorical_features (by dtype only a data frame's columns are found), or convert it to numbers."
)
ADVICE_PREDICT = "it was a number at fit; convert it to numbers."
Cell = TypeVar("Cell", Floats, SparseTable)
FEW_CELLS = 1_000  # looking at so few takes less time than asking scikit-learn whether to look


@dataclass(frozen=True)
class Table:
    """The rows of X as numbers: `values` (rows, columns) float64 or sparse, and what its columns stand for (no answers
    yet).
    """

    values: Any
    columns: Schema


def finite(values: Cell, names: Sequence[str]) -> Cell:
    """The values; infinity is an error that names its column."""
    if isinstance(values, SparseTable):
        refuse_infinite_stored(values, names)
        return values
    if values.size <= FEW_CELLS and not any_infinite(values):  # sooner than asking scikit-learn whether to look
        return values
    if not get_config()["assume_finite"]:
        refuse_infinite(values, names)
    return values


def numbered(n_columns: int) -> tuple[str, ...]:
    """Names of columns that have none."""
    return tuple(f"x{column}" for column in range(n_columns))


def number_table(values: Cell, names: tuple[str, ...], kinds: Sequence[Kind | None] = ()) -> Table:
    """A table of numbers."""
    told = tuple(kind or Kind.NUMBER for kind in kinds)
    return Table(finite(values, names), Schema(names, (None,) * len(names), (), kinds=told))


def learn_table(
    cells: list[Cells], names: tuple[str, ...], chosen: frozenset[int] | None, kinds: list[Kind | None]
) -> Table:
    """A table of columns read one by one, levels learned on the way; `kinds` as far as dtypes tell them."""
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
    """The table of columns read one by one: numbers as they are, labels by their codes."""
    values = np.empty((len(_vector(cells[0])), len(cells)), order="F")
    for column, (name, cell, levels) in enumerate(zip(columns.features, cells, columns.categories, strict=True)):
        values[:, column] = as_numbers(name, cell, ADVICE_PREDICT) if levels is None else encode(name, cell, levels)
    return finite(values, columns.features)


def _vector(cells: Cells) -> Sequence[Any] | Floats:
    return cells.values if isinstance(cells, Labels) else cells
