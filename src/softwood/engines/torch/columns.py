"""Columns as the Triton kernels make them on the fly: terms of inputs without knots, or tables over segments.

    Terms     column = offset + mix . terms,   a term is t of an input, its square, or whether it is missing
    Tables    column = height[segment] + slope[segment] * t

Weights over columns become weights over terms (`spread`), and sums by terms become sums by columns (`gather`), here and
in float64. Scores are read off tables by gate, which are tables by column times the weights: a row looks up one line
per input, for any number of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from softwood.arrays import Floats
from softwood.engines.torch.rows import DeviceRows
from softwood.kernels.contracts.expansion import Expansion

MOST_TERMS = 1024
MOST_AT_ONCE = 32  # terms that are kept from the scores to the gradient
CHUNK = 64  # terms at a time if there are more
MOST_OF_AN_INPUT = 32  # columns,
LARGEST_TABLE = 1 << 16  # and entries of all tables of one column: beyond, they leave the cache
COLUMNS_AT_ONCE, LEAST_AT_ONCE = 64, 16  # columns per program, of several inputs
PLACE, SQUARE, MISSING = 0, 1, 2


@dataclass(frozen=True)
class Terms:
    """Terms (padded with terms of weight 0) and the columns made of them.

    mix : (columns, terms in use).  offset : (columns,).  input_of, kind : of each term, on the device.
    """

    mix: Floats
    offset: Floats
    input_of: Any
    kind: Any
    n_terms: int
    chunk: int
    weigh_kind: dict[str, Any]

    @property
    def sum_kind(self) -> dict[str, Any]:
        return {"SEGMENTS": 0, **self.weigh_kind}

    def spread(self, lines: Floats) -> tuple[Floats, Floats]:
        """Weights over columns as weights over terms, and a bias."""
        by_term = np.zeros((len(lines), self.n_terms))
        by_term[:, : self.mix.shape[1]] = lines @ self.mix
        return by_term, np.asarray(lines @ self.offset)

    def gather(self, by_term: Floats, by_bias: Floats) -> Floats:
        return np.asarray(by_term[:, : self.mix.shape[1]] @ self.mix.T + by_bias[:, None] * self.offset)


@dataclass(frozen=True)
class TablePart:
    """The same number of columns, a power of two, of each of some inputs.

    begin : the first of its terms.  chunk : columns of an input.  at_once : inputs that a program weighs.
    number : of its inputs among those in use.
    height, slope : (inputs, segments, chunk) in float64.  by_column : both side by side in float32, for the kernel.
    """

    begin: int
    chunk: int
    at_once: int
    number: Any
    height: Any
    slope: Any
    by_column: Any
    input_of: Any

    @property
    def n_terms(self) -> int:
        return len(self.height) * self.chunk


@dataclass(frozen=True)
class Tables:
    """Tables of the inputs in use. Their columns are cut into parts whose sizes are powers of two (9 into 8 and 1), to
    limit padding for the matrix units.

    slot : index of each column among the terms.
    """

    slot: npt.NDArray[np.intp]
    parts: tuple[TablePart, ...]
    input_of: Any
    kind: Any
    n_inputs: int
    n_terms: int
    n_segments: int
    chunk: int = 16  # without meaning if the terms are not kept

    @property
    def sum_kind(self) -> dict[str, Any]:
        return {"SEGMENTS": self.n_segments, "SQUARES": False, "GAPS": False}

    def by_gate(self, packed: Any, width: int) -> Any:
        """Tables of scores by input, segment and line: height and slope side by side."""
        found = packed.new_zeros((2, self.n_inputs, self.n_segments, width), dtype=torch.float64)
        for part in self.parts:
            terms = packed[part.begin * width : (part.begin + part.n_terms) * width]
            weight, n = terms.reshape(-1, part.chunk, width).double(), len(part.number)
            found[0, part.number] += (part.height @ weight)[:n]
            found[1, part.number] += (part.slope @ weight)[:n]
        return torch.stack([found[0], found[1]], dim=3).float()

    def spread(self, lines: Floats) -> tuple[Floats, Floats]:
        by_term = np.zeros((len(lines), self.n_terms))
        by_term[:, self.slot] = lines
        return by_term, np.zeros(len(lines))

    def gather(self, by_term: Floats, by_bias: Floats) -> Floats:
        return by_term[:, self.slot]


def choose_columns(rows: DeviceRows, expansion: Expansion) -> Terms | Tables | None:
    """The form of these columns in the kernels; None if not supported."""
    counts = np.diff(expansion.column_begin)
    if not counts.any():
        return None
    if len(expansion.knot) == 0:
        return _make_terms(rows, expansion, counts)
    segments = int(np.diff(expansion.table_begin).max())
    if np.any(expansion.square) or counts.max() > MOST_OF_AN_INPUT or segments * len(counts) > LARGEST_TABLE:
        return None
    return _make_tables(rows, expansion, counts, segments)


def _make_terms(rows: DeviceRows, e: Expansion, counts: npt.NDArray[np.int64]) -> Terms | None:
    gaps = np.zeros(len(counts), np.bool_) if rows.segment is None else (rows.segment != 0).any(dim=1).cpu().numpy()
    squares = bool(np.any(e.square))
    used = np.flatnonzero(counts)
    term = [(int(f), PLACE) for f in used]
    term += [(int(f), SQUARE) for f in used if squares]
    term += [(int(f), MISSING) for f in used[gaps[used]]]
    if len(term) > MOST_TERMS:
        return None
    column_input = np.repeat(np.arange(len(counts)), counts)
    first = e.table_begin[:-1]
    part = {PLACE: e.slope[first], SQUARE: e.square[first], MISSING: e.height[first + 1] - e.height[first]}
    mix = np.stack([np.where(column_input == f, part[kind], 0.0) for f, kind in term], axis=1)
    n_terms = max(16, 1 << (len(term) - 1).bit_length()) if len(term) <= CHUNK else -(-len(term) // CHUNK) * CHUNK
    padded = np.zeros((2, n_terms), np.int32)
    padded[:, : len(term)] = np.array(term).T
    input_of, kind = (torch.from_numpy(one).to(rows.weight.device) for one in padded)
    chunk = n_terms if n_terms <= MOST_AT_ONCE else CHUNK
    return Terms(mix, e.height[first], input_of, kind, n_terms, chunk, {"SQUARES": squares, "GAPS": bool(gaps.any())})


def cut_columns(most: int) -> list[int]:
    """Powers of two that hold this number of columns of an input, two at least.

    >>> [cut_columns(most) for most in (1, 7, 8, 9, 12, 13)]
    [[1], [8], [8], [8, 1], [8, 4], [16]]
    """
    first = 1 << (most.bit_length() - 1)
    rest = 1 << (most - first - 1).bit_length() if most > first else 0
    return [first, rest][: 1 + (rest > 0)] if first + rest < 2 * first or rest == 0 else [2 * first]


def _make_tables(rows: DeviceRows, e: Expansion, counts: npt.NDArray[np.int64], segments: int) -> Tables:
    used, on = np.flatnonzero(counts), rows.weight.device
    slot, parts, begin, first = np.empty(e.n_columns, np.intp), [], 0, 0
    for chunk in cut_columns(int(counts.max())):
        number = np.flatnonzero(counts[used] > first)
        at_once = max(-(-LEAST_AT_ONCE // chunk), min(1 << (len(number) - 1).bit_length(), COLUMNS_AT_ONCE // chunk))
        table = np.zeros((2, -(-len(number) // at_once) * at_once, segments, chunk))
        for i, f in enumerate(used[number].tolist()):
            own = range(e.column_begin[f] + first, min(e.column_begin[f] + first + chunk, e.column_begin[f + 1]))
            for column, c in enumerate(own):
                at = slice(e.table_begin[c], e.table_begin[c + 1])
                table[:, i, : at.stop - at.start, column] = e.height[at], e.slope[at]
                slot[c] = begin + i * chunk + column
        input_of = np.zeros(table.shape[1], np.int32)
        input_of[: len(number)] = used[number]
        height, slope = (torch.from_numpy(one).to(on) for one in table)
        by_column = torch.stack([height, slope], dim=3).float()
        places = (torch.from_numpy(number).to(on), height, slope, by_column, torch.from_numpy(input_of).to(on))
        parts.append(TablePart(begin, chunk, at_once, *places))
        begin, first = begin + parts[-1].n_terms, first + chunk
    numbers = torch.from_numpy(used.astype(np.int32)).to(on)
    return Tables(slot, tuple(parts), numbers, numbers, len(used), begin, segments)
