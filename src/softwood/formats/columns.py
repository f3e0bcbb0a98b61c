"""Columns of a printed table: content and alignment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.tree.once import computed_once
from softwood.tree.spelling import display_width, pad, spell_fixed, spell_number

GAP = "  "


@dataclass(frozen=True)
class Column:
    """A header and one cell per row; numbers are right-aligned, text left-aligned.

    Examples
    --------
    >>> Column("n", ["7", "12"], ">").lines()
    [' n', ' 7', '12']
    """

    header: str
    cells: Sequence[str]
    align: str = "<"

    @computed_once
    def width(self) -> int:
        """Width of the widest cell or the header."""
        return max(map(display_width, (self.header, *self.cells)))

    def lines(self) -> list[str]:
        """Header and cells, padded to one width."""
        return [pad(text, self.width, self.align) for text in (self.header, *self.cells)]


def total_width(columns: Sequence[Column]) -> int:
    """Width of the columns side by side, with a gap before each."""
    return sum(column.width + len(GAP) for column in columns)


def spell_counts(count: Floats) -> list[str]:
    """Counts of rows; sums of weights that are not whole get one decimal."""
    whole = bool(np.all(count == np.round(count)))
    return [spell_fixed(float(n), 0 if whole else 1) for n in count]


def spell_shares(share: Floats) -> list[str]:
    """Per cent with one decimal; positive shares that round to 0 are shown as smaller than the last digit."""
    return ["<0.1%" if 0 < part < 0.0005 else f"{100 * part:.1f}%" for part in share]


def spell_column(values: Floats, digits: int | None) -> list[str]:
    """Numbers with the same decimals: `digits` significant digits of their range (or size, if all are equal)."""
    if digits is None:
        return [spell_number(float(value), None) for value in values]
    known = values[np.isfinite(values)]
    spread = float(np.ptp(known)) if len(known) else 0.0
    size = spread or (float(np.abs(known).max()) if len(known) else 0.0)
    if size >= 1e15 or 0 < size < 1e-6:  # fixed decimals would need too many digits
        return [spell_number(float(value), digits) for value in values]
    decimals = max(0, digits - 1 - math.floor(math.log10(size))) if size else 0
    return [spell_fixed(float(value), decimals) for value in values]


def spell_chances(chance: Floats, digits: int | None) -> list[str]:
    """Probabilities with `digits` decimals."""
    return [spell_number(float(p), None) if digits is None else spell_fixed(float(p), digits) for p in chance]
