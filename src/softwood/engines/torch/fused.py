"""Loss and gradient in one pass by the Triton kernels (kernel.py): supported trees, and their layout.

The kernels support one output and at most WIDEST gates and slopes together; other trees use torch's operators. Columns
have one of two forms (columns.py): inputs without knots are read directly, tables over segments are used with knots.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from softwood.arrays import Floats
from softwood.engines import Shape
from softwood.engines.torch.columns import Tables, Terms, choose_columns
from softwood.engines.torch.rows import DeviceRows
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss

WIDEST = 64  # gates and slopes
PROGRAM_ROWS = 2048  # that a program adds up before it writes its sums
SLAB = 1 << 22  # rows whose derivatives by the scores are kept if there are many terms
TO_BITS = 1.4426950408889634  # scores of gates are in bits: the exponential of base 2 is the fast one


class Launch(NamedTuple):
    """Launch options: rows per block, warps per program, prefetched blocks, registers per thread."""

    rows: int
    warps: int = 1
    stages: int = 1
    registers: int | None = None

    def options(self, width: int) -> dict[str, Any]:
        """Options for Triton, for a tree with this number of lines."""
        registers = self.registers if width <= CAPPED else None
        return {"num_warps": self.warps, "num_stages": self.stages, "maxnreg": registers}


# The fastest of a dozen each on an H200. A tree with more lines needs more registers than the cap.
SUM, SUM_CHUNKS, SUM_TABLES = Launch(32, 1, 2, 128), Launch(128, 4), Launch(32)
SCORE_TABLES, WEIGH_TABLES, WEIGH_TERMS = Launch(32), Launch(32), Launch(128, 4)
WEIGH_WIDE_TABLES = Launch(64, 4)  # for more lines than CAPPED
CAPPED = 16  # lines up to which the cap holds


@dataclass(frozen=True)
class Layout:
    """A tree in the kernel's order: nodes breadth first.

    branches : bit m is set if node m has children.
    gate, leaf : the gate and leaf of the shape at each position.
    slopes : 0 none, 1 shared by all leaves, 2 own slopes per leaf.
    """

    branches: int
    gate: list[int]
    leaf: list[int]
    slopes: int
    columns: int

    @property
    def lines(self) -> int:
        """Gates and slopes."""
        return len(self.gate) + (0, 1, len(self.leaf))[self.slopes]

    @property
    def width(self) -> int:
        """Lines, padded to a power of two."""
        return max(16, 1 << (self.lines - 1).bit_length())

    @property
    def leaves(self) -> int:
        """Leaves, padded to a power of two."""
        return max(2, 1 << (len(self.leaf) - 1).bit_length())

    @property
    def kind(self) -> dict[str, Any]:
        """What a kernel is compiled for."""
        return {
            "LEAVES": self.leaves,
            "GATES": len(self.gate),
            "BRANCHES": self.branches,
            "SLOPES": self.slopes,
        }


def lay_out(shape: Shape) -> Layout | None:
    """The layout of a tree; None if the kernel does not support it."""
    if len(shape.own_columns):
        return None
    return _lay_out(tuple(shape.first_child), tuple(shape.slope_row), shape.slopes, shape.columns, shape.outputs)


@lru_cache(maxsize=64)
def _lay_out(
    first: tuple[int, ...], slope_row: tuple[int, ...], slopes: int, columns: int, outputs: int
) -> Layout | None:
    n_leaves = sum(child < 0 for child in first)
    slope_kind = {(-1,) * n_leaves: 0, (0,) * n_leaves: 1, tuple(range(n_leaves)): 2}.get(slope_row)
    if slope_kind is None or slopes != (0, 1, n_leaves)[slope_kind] or outputs != 1 or n_leaves < 2:
        return None
    is_branch = np.array(first) >= 0
    gate_of, leaf_of = np.cumsum(is_branch) - 1, np.cumsum(~is_branch) - 1
    order, branches = [0], 0
    for at, node in enumerate(order):  # grows as it goes
        if first[node] >= 0:
            order += [first[node], first[node] + 1]
            branches |= 1 << at
    gate = [int(gate_of[node]) for node in order if first[node] >= 0]
    leaf = [int(leaf_of[node]) for node in order if first[node] < 0]
    layout = Layout(branches, gate, leaf, slope_kind, columns)
    return layout if layout.width <= WIDEST else None


class FusedPass:
    """The kernels for some rows and columns."""

    def __init__(self, rows: DeviceRows, columns: Terms | Tables) -> None:
        self.rows, self.columns = rows, columns

    def __call__(self, layout: Layout, parameters: Floats, with_gradient: bool = True) -> tuple[float, Floats]:
        """Sum of weight * loss, and its gradient in the order of the shape's parameters."""
        packed = torch.from_numpy(pack(layout, parameters, self.columns)).to(self.rows.weight.device)
        found = self.launch(layout, packed, with_gradient).sum(dim=0).cpu().numpy()
        return float(found[-1]), unpack(layout, found, self.columns) if with_gradient else np.zeros(0)

    def launch(self, layout: Layout, packed: Any, with_gradient: bool) -> Any:
        """Sums of each program, [WIDTH x TERMS] [WIDTH] [LEAVES] [loss]; only the loss without a gradient."""
        rows, columns = self.rows, self.columns
        once = isinstance(columns, Terms) and columns.chunk == columns.n_terms
        how = SUM if once else SUM_CHUNKS if isinstance(columns, Terms) else SUM_TABLES
        size = layout.width * (columns.n_terms + 1) + layout.leaves + 1
        sums = torch.empty((-(-rows.n_filled // PROGRAM_ROWS), size), dtype=torch.float64, device=rows.weight.device)
        step = rows.n_filled if once else SLAB
        lines = packed.new_empty((layout.width, 0 if once else min(step, rows.n_filled)))
        place = (rows.place, rows.place if rows.segment is None else rows.segment, rows.n_filled)
        tables = columns.by_gate(packed, layout.width) if isinstance(columns, Tables) else None
        flags = {"LOGISTIC": rows.loss == Loss.LOGISTIC, "GRADIENT": with_gradient, **columns.sum_kind}
        for begin in range(0, rows.n_filled, step):
            out = sums[begin // PROGRAM_ROWS :]
            n_rows = min(step, rows.n_filled - begin)
            if isinstance(columns, Tables):
                _kernels().score_tables[(n_rows // SCORE_TABLES.rows,)](
                    *place, columns.input_of, tables, lines, begin, n_rows,
                    ROWS=SCORE_TABLES.rows, WIDTH=layout.width, SEGMENTS=columns.n_segments, INPUTS=columns.n_inputs,
                    **SCORE_TABLES.options(layout.width),
                )  # fmt: skip
            _kernels().sum_rows[(-(-n_rows // PROGRAM_ROWS),)](
                *place, rows.target, rows.weight, columns.input_of, columns.kind, packed, out, lines, begin,
                n_rows // how.rows, ROWS=how.rows, PER_PROGRAM=PROGRAM_ROWS // how.rows, TERMS=columns.n_terms,
                CHUNK=columns.chunk, WIDTH=layout.width, **layout.kind, **flags, **how.options(layout.width),
            )  # fmt: skip
            if with_gradient and not once:
                self._weigh(layout, place, out, size, lines, begin, n_rows)
        return sums if with_gradient else sums[:, -1:]

    def _weigh(
        self, layout: Layout, place: tuple[Any, ...], out: Any, size: int, lines: Any, begin: int, n_rows: int
    ) -> None:
        """Sums of the derivatives by the scores times the columns, to the first part of `out`."""
        columns, programs = self.columns, -(-n_rows // PROGRAM_ROWS)
        how = (
            WEIGH_TERMS if isinstance(columns, Terms) else WEIGH_TABLES if layout.width <= CAPPED else WEIGH_WIDE_TABLES
        )
        where = (out, size, lines, begin, n_rows // how.rows)
        kind = {"ROWS": how.rows, "PER_PROGRAM": PROGRAM_ROWS // how.rows, "TERMS": columns.n_terms}
        kind |= {"WIDTH": layout.width, **how.options(layout.width)}
        if isinstance(columns, Terms):
            _kernels().weigh_terms[(columns.n_terms // columns.chunk, programs)](
                *place, columns.input_of, columns.kind, *where, CHUNK=columns.chunk, **columns.weigh_kind, **kind
            )
            return
        for part in columns.parts:
            _kernels().weigh_tables[(len(part.height) // part.at_once, programs)](
                *place, part.input_of, part.by_column, *where, CHUNK=part.chunk, SEGMENTS=columns.n_segments,
                AT_ONCE=part.at_once, FIRST=part.begin, **kind,
            )  # fmt: skip


def make_fused(rows: DeviceRows, expansion: Expansion) -> FusedPass | None:
    """The kernels for these rows and columns; None if they are not supported."""
    fit = (
        rows.weight.device.type == "cuda"
        and rows.weight.dtype == torch.float32
        and rows.loss in (Loss.SQUARED, Loss.LOGISTIC)
        and find_spec("triton") is not None
    )
    columns = choose_columns(rows, expansion) if fit else None
    return None if columns is None else FusedPass(rows, columns)


def pack(layout: Layout, parameters: Floats, columns: Terms | Tables) -> npt.NDArray[np.float32]:
    """[terms x width] weights, [width] biases, [leaves] responses, as the kernel reads them."""
    gates, leaves, c = len(layout.gate), len(layout.leaf), layout.columns
    end = gates * (c + 1)
    gate = parameters[:end].reshape(gates, c + 1)[layout.gate] * TO_BITS
    slope = parameters[end + leaves :].reshape(-1, c)
    slope = slope[layout.leaf] if layout.slopes == 2 else slope
    by_term, shift = columns.spread(np.concatenate([gate[:, :-1], slope]))
    weight, bias, response = np.zeros((columns.n_terms, layout.width)), np.zeros(layout.width), np.zeros(layout.leaves)
    weight[:, : layout.lines], bias[: layout.lines] = by_term.T, shift
    bias[:gates] += gate[:, -1]
    response[:leaves] = parameters[end : end + leaves][layout.leaf]
    return np.concatenate([weight.ravel(), bias, response]).astype(np.float32)


def unpack(layout: Layout, sums: Floats, columns: Terms | Tables) -> Floats:
    """The gradient in the order of the shape's parameters."""
    gates, leaves, c, width = len(layout.gate), len(layout.leaf), layout.columns, layout.width
    end = width * columns.n_terms
    by_bias = sums[end : end + layout.lines]
    by_weight = columns.gather(sums[:end].reshape(width, -1)[: layout.lines], by_bias)
    gate, response = np.empty((gates, c + 1)), np.empty(leaves)
    gate[layout.gate, :-1], gate[layout.gate, -1] = by_weight[:gates], by_bias[:gates]
    response[layout.leaf] = sums[end + width : end + width + leaves]
    slope = by_weight[gates:]
    if layout.slopes == 2:
        slope = slope[np.argsort(layout.leaf)]
    return np.concatenate([gate.ravel(), response, slope.ravel()])


def _kernels() -> Any:
    from softwood.engines.torch import kernel  # Triton is slow to import, and not everywhere

    return kernel
