"""One table of a comparison: for print, as a frame, in HTML."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.tree.spelling import pad, spell_name, spell_number

LONGEST_CELL, LONGEST_LINE = 60, 110  # columns of a terminal


@dataclass(frozen=True)
class Part:
    """A table with its heading.

    Attributes
    ----------
    name : for `to_frame`.
    heading : of the section.
    columns, rows : the table; cells are text, numbers, or None if empty.
    notes : sentences below the table.
    printed : whether it is in the text; the long tables are only in the frame and the pictures.
    """

    name: str
    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    printed: bool = True

    def to_text(self) -> str:
        """The table with aligned columns, and the notes."""
        lines = [self.heading, "-" * len(self.heading)]
        if self.rows:
            table = [list(self.columns), *([spell_cell(cell) for cell in row] for row in self.rows)]
            last = len(self.columns) - 1
            cut = [[_cut(cell) if i < last else cell for i, cell in enumerate(row)] for row in table]
            wide = [max(len(row[i]) for row in cut) for i in range(len(self.columns))]
            lines += ["  ".join(self._place(row, wide)).rstrip() for row in cut]
        return "\n".join([*lines, *(textwrap.fill(note, LONGEST_LINE) for note in self.notes)])

    def _place(self, row: list[str], wide: list[int]) -> list[str]:
        return [pad(cell, wide[i], "<" if self.is_text(i) else ">") for i, cell in enumerate(row)]

    def is_text(self, column: int) -> bool:
        """Whether a column holds text, which is left-aligned."""
        return any(isinstance(row[column], str) for row in self.rows)

    def spelled(self) -> list[list[str]]:
        """The rows as text, for HTML."""
        return [[spell_cell(cell) for cell in row] for row in self.rows]


def spell_cell(cell: Any) -> str:
    """Text on one line; a number with three digits."""
    if cell is None:
        return ""
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if isinstance(cell, int | np.integer):
        return f"{int(cell):,}"
    if isinstance(cell, float | np.floating):
        return spell_number(float(cell)) if np.isfinite(cell) else ""
    return spell_name(cell)


def _cut(cell: str) -> str:
    return cell if len(cell) <= LONGEST_CELL else cell[: LONGEST_CELL - 1] + "…"
