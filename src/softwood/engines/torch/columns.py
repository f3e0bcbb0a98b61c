"""Columns as the Triton kernels make them on the fly: terms of inputs without knots, or tables over segments.

    Terms     column = offset + mix . terms,   a term is t of an input, its square, or whether it is missing
    Tables    column = height[segment] + slope[segment] * t

Weights over columns become weights over terms (`spread`), and sums by terms become sums by columns (`gather`), here and
in float64. Scores are read off tables by gate, which are tables by column times the weights: a row looks up one line an
input, however many columns that has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from softwood.engines import Floats
from softwood.engines.torch.rows import DeviceRows
from softwood.kernels.expansion import Expansion

MOST_TERMS = 1024
MOST_AT_ONCE = 32  # terms that are kept from the scores to the gradient
CHUNK = 64  # terms at a time where there are more
MOST_OF_AN_INPUT = 32  # columns,
LARGEST_TABLE = 1 << 16  # and entries of all tables of one column: beyond, they leave the cache
INPUTS_AT_ONCE = 4  # whose columns a program weighs
PLACE, SQUARE, MISSING = 0, 1, 2


@dataclass(frozen=True)
class Terms:
    """Terms (padded with ones that weigh nothing) and what columns are made of them.

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
class Tables:
    """Tables of the inputs in use, each padded to `chunk` columns.

    slot : where each column stands among the padded ones.
    height, slope : (inputs, segments, chunk) in float64.  by_column : both side by side in float32, for the kernel.
    """

    slot: npt.NDArray[np.intp]
    height: Any
    slope: Any
    by_column: Any
    input_of: Any
    kind: Any
    n_inputs: int
    n_terms: int
    chunk: int

    @property
    def n_segments(self) -> int:
        return int(self.height.shape[1])

    @property
    def weigh_kind(self) -> dict[str, Any]:
        return {"SEGMENTS": self.n_segments, "AT_ONCE": INPUTS_AT_ONCE}

    @property
    def sum_kind(self) -> dict[str, Any]:
        return {"SEGMENTS": self.n_segments, "SQUARES": False, "GAPS": False}

    def by_gate(self, packed: Any, width: int) -> Any:
        """Tables of scores by input, segment and line: height and slope side by side."""
        weight = packed[: self.n_terms * width].reshape(-1, self.chunk, width).double()
        return torch.stack([self.height @ weight, self.slope @ weight], dim=3).float()

    def spread(self, lines: Floats) -> tuple[Floats, Floats]:
        by_term = np.zeros((len(lines), self.n_terms))
        by_term[:, self.slot] = lines
        return by_term, np.zeros(len(lines))

    def gather(self, by_term: Floats, by_bias: Floats) -> Floats:
        return by_term[:, self.slot]


def choose_columns(rows: DeviceRows, expansion: Expansion) -> Terms | Tables | None:
    """How the kernels make these columns; None if they cannot."""
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


def _make_tables(rows: DeviceRows, e: Expansion, counts: npt.NDArray[np.int64], segments: int) -> Tables:
    used = np.flatnonzero(counts)
    chunk = max(16, 1 << int(counts.max() - 1).bit_length())
    n_inputs = -(-len(used) // INPUTS_AT_ONCE) * INPUTS_AT_ONCE
    table = np.zeros((2, n_inputs, segments, chunk))
    slot = np.empty(e.n_columns, np.intp)
    for number, f in enumerate(used.tolist()):
        for column, c in enumerate(range(e.column_begin[f], e.column_begin[f + 1])):
            at = slice(e.table_begin[c], e.table_begin[c + 1])
            table[:, number, : at.stop - at.start, column] = e.height[at], e.slope[at]
            slot[c] = number * chunk + column
    input_of = np.zeros(n_inputs, np.int32)
    input_of[: len(used)] = used
    on = rows.weight.device
    height, slope = (torch.from_numpy(one).to(on) for one in table)
    numbers = torch.from_numpy(input_of).to(on)
    by_column = torch.stack([height, slope], dim=3).float()
    return Tables(slot, height, slope, by_column, numbers, numbers, len(used), n_inputs * chunk, chunk)
