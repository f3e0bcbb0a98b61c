"""One pass over rows by torch's own operators, on any device: twin of kernels/reference/gradient.py.

    value[leaf] = d loss / d output . response[leaf](x),   value[m] = share value[first] + (1 - share) value[second]
    d loss / d score[m] = reach[second] * share * (value[first] - value[second])

Rows go through in chunks; within a chunk, blocks of rows are added up in their own type and the blocks in float64, all
in a fixed order, so the same rows on the same device give the same sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from softwood.arrays import Floats
from softwood.engines import Shape
from softwood.engines.torch.rows import BLOCK, DeviceRows
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss

CELLS = {"cpu": 1 << 19}  # of a chunk's columns: on a CPU they stay in the cache,
MANY_CELLS = 1 << 27  # elsewhere a launch should be worth its while


class Columns:
    """Makes the columns of rows from tables that lie on the device."""

    def __init__(self, expansion: Expansion, rows: DeviceRows) -> None:
        e = expansion
        self.n = e.n_columns
        like = {"dtype": rows.place.dtype, "device": rows.place.device}
        first, counts = e.table_begin[:-1], np.diff(e.column_begin)
        self.input_of = torch.tensor(np.repeat(np.arange(len(counts)), counts), device=rows.place.device)
        self.flat = [torch.tensor(part[first][:, None], **like) for part in (e.height, e.slope, e.square)]
        self.spans = [
            (f, slice(int(begin), int(end)))
            for f, (begin, end) in enumerate(zip(e.column_begin[:-1], e.column_begin[1:], strict=True))
            if end > begin
        ]
        self.tables = [
            [torch.tensor(_table(e, part, span), **like) for part in (e.height, e.slope, e.square)]
            for _, span in self.spans
        ]
        self.curved = bool(np.any(e.square))

    def make(self, rows: DeviceRows, at: slice) -> Any:
        """(columns, rows)."""
        if rows.segment is None:
            height, slope, square = self.flat
            t = rows.place[:, at][self.input_of]
            return height + (slope + square * t) * t if self.curved else height + slope * t
        phi = rows.place.new_empty((self.n, at.stop - at.start))
        for (f, span), (height, slope, square) in zip(self.spans, self.tables, strict=True):
            t, segment = rows.place[f, at], rows.segment[f, at].int()
            steep = slope[:, segment]
            phi[span] = height[:, segment] + (steep + square[:, segment] * t if self.curved else steep) * t
        return phi


def _table(e: Expansion, part: Floats, span: slice) -> Floats:
    """(columns, segments) of one input."""
    begin, end = e.table_begin[span.start], e.table_begin[span.stop]
    return np.asarray(part[begin:end].reshape(span.stop - span.start, -1))


@dataclass(frozen=True)
class DeviceTree:
    """Shape and parameters of a tree on the device.

    weight : (gates, columns).  response : (leaves, outputs).  slope : (slopes, outputs, columns).
    uses_slope : (leaves, slopes), 1 where a leaf has that slope.
    own_columns, own_slope : columns that each leaf has its own slopes for, and these (leaves, outputs, own columns).
    """

    branches: list[tuple[int, int]]
    leaves: list[int]
    weight: Any
    bias: Any
    response: Any
    slope: Any
    uses_slope: Any
    own_columns: Any
    own_slope: Any

    @classmethod
    def of(cls, shape: Shape, parameters: Floats, like: Any) -> DeviceTree:
        first = np.asarray(shape.first_child)
        branches, leaves = np.flatnonzero(first >= 0), np.flatnonzero(first < 0)
        gates_end = len(branches) * (shape.columns + 1)
        end = gates_end + len(leaves) * shape.outputs
        own = end + shape.slopes * shape.outputs * shape.columns
        kind = {"dtype": like.dtype, "device": like.device}
        gates = torch.tensor(parameters[:gates_end].reshape(-1, shape.columns + 1), **kind)
        uses = np.asarray(shape.slope_row)[:, None] == np.arange(shape.slopes)
        return cls(
            [(int(m), int(first[m])) for m in branches],
            leaves.tolist(),
            gates[:, :-1].contiguous(),
            gates[:, -1:].contiguous(),
            torch.tensor(parameters[gates_end:end].reshape(-1, shape.outputs), **kind),
            torch.tensor(parameters[end:own].reshape(shape.slopes, shape.outputs, shape.columns), **kind),
            torch.tensor(uses, **kind),
            torch.tensor(list(shape.own_columns), dtype=torch.long, device=like.device),
            torch.tensor(parameters[own:].reshape(len(leaves), shape.outputs, len(shape.own_columns)), **kind),
        )

    def reach(self, phi: Any) -> tuple[list[Any], Any]:
        """Reach of each node (rows,), and the shares (gates, rows)."""
        share = torch.sigmoid(self.weight @ phi + self.bias)
        reach: list[Any] = [phi.new_ones(phi.shape[1])] * (len(self.branches) + len(self.leaves))
        for gate, (m, first) in enumerate(self.branches):
            reach[first] = reach[m] * share[gate]
            reach[first + 1] = reach[m] - reach[first]
        return reach, share

    def answer(self, phi: Any, leaf_reach: Any) -> tuple[Any, Any, Any]:
        """The output (outputs, rows), and what slopes and own slopes make of each row (slopes, outputs, rows)."""
        output = self.response.T @ leaf_reach
        score = torch.einsum("sqc,cr->sqr", self.slope, phi)
        if len(self.slope):
            output = output + ((self.uses_slope.T @ leaf_reach)[:, None] * score).sum(dim=0)
        own_score = torch.einsum("lqc,cr->lqr", self.own_slope, phi[self.own_columns])
        if len(self.own_columns):
            output = output + (leaf_reach[:, None] * own_score).sum(dim=0)
        return output, score, own_score


def chunks(rows: DeviceRows, width: int) -> list[slice]:
    """Slices of whole blocks; the table of a chunk has `width` columns."""
    cells = CELLS.get(rows.weight.device.type, MANY_CELLS)
    step = max(1, cells // (max(width, 1) * BLOCK)) * BLOCK
    return [slice(begin, min(begin + step, rows.n_filled)) for begin in range(0, rows.n_filled, step)]


def row_loss(loss: Loss, output: Any, target: Any) -> tuple[Any, Any]:
    """Loss of each row, and its derivative by the outputs; both tables are (outputs, rows)."""
    if loss == Loss.SQUARED:
        error = output - target
        return 0.5 * error.square().sum(dim=0), error
    if loss == Loss.LOGISTIC:
        return (functional.softplus(output, threshold=30.0) - target * output)[0], torch.sigmoid(output) - target
    log_p = torch.log_softmax(output, dim=0)
    return -(target * log_p).sum(dim=0), log_p.exp() - target


def loss_and_gradient(
    rows: DeviceRows, columns: Columns, tree: DeviceTree, with_gradient: bool = True
) -> tuple[float, Floats]:
    """Sum of weight * loss, and its gradient in the order of the parameters."""
    total: list[Any] = []
    for at in chunks(rows, columns.n + 4 * len(tree.branches)):
        phi = columns.make(rows, at)
        reach, share = tree.reach(phi)
        leaf_reach = torch.stack([reach[m] for m in tree.leaves])
        output, *scores = tree.answer(phi, leaf_reach)
        loss, output_slope = row_loss(rows.loss, output, rows.target[:, at])
        sums = [_add_up(rows.weight[None, at] * loss[None])]
        if with_gradient:
            output_slope = output_slope * rows.weight[at]
            sums += _gradient(tree, phi, reach, leaf_reach, share, scores, output_slope)
        total.append(torch.cat([part.flatten() for part in sums]))
    found = torch.stack(total).cpu().double().numpy().sum(axis=0)
    return float(found[0]), found[1:]


def _gradient(
    tree: DeviceTree, phi: Any, reach: list[Any], leaf_reach: Any, share: Any, scores: list[Any], output_slope: Any
) -> list[Any]:
    """Sums over the rows of one chunk."""
    leaf_value = tree.response @ output_slope
    score, own_score = scores
    if len(tree.slope):
        leaf_value = leaf_value + tree.uses_slope @ (score * output_slope).sum(dim=1)
    if len(tree.own_columns):
        leaf_value = leaf_value + (own_score * output_slope).sum(dim=1)
    value: list[Any] = list(reach)
    for leaf, m in enumerate(tree.leaves):
        value[m] = leaf_value[leaf]
    by_score = torch.empty_like(share)
    for gate, (m, first) in reversed(list(enumerate(tree.branches))):
        step = share[gate] * (value[first] - value[first + 1])
        value[m] = value[first + 1] + step
        by_score[gate] = reach[first + 1] * step
    sums = [torch.cat([_products(by_score, phi), _add_up(by_score)[:, None]], dim=1)]
    sums.append(_products(leaf_reach, output_slope))
    if len(tree.slope):
        by_slope = (tree.uses_slope.T @ leaf_reach)[:, None] * output_slope
        sums.append(_products(by_slope.flatten(0, 1), phi))
    if len(tree.own_columns):
        by_own = leaf_reach[:, None] * output_slope
        sums.append(_products(by_own.flatten(0, 1), phi[tree.own_columns]))
    return sums


def mean_reach(rows: DeviceRows, columns: Columns, tree: DeviceTree) -> Floats:
    """Sum of weight * reach of each node."""
    total = []
    for at in chunks(rows, columns.n + 4 * len(tree.branches)):
        reach, _ = tree.reach(columns.make(rows, at))
        total.append(_add_up(torch.stack(reach) * rows.weight[at]))
    return np.asarray(torch.stack(total).cpu().double().numpy().sum(axis=0))


def _products(left: Any, right: Any) -> Any:
    """Products left @ right.T, (left rows, right rows): blocks in their own type, then added in float64."""
    blocks = [table.reshape(len(table), table.shape[1] // BLOCK, BLOCK).transpose(0, 1) for table in (left, right)]
    return _in_double(torch.bmm(blocks[0], blocks[1].transpose(1, 2)))


def _add_up(table: Any) -> Any:
    """Sums over the rows, (table rows,)."""
    return _in_double(table.reshape(len(table), table.shape[1] // BLOCK, BLOCK).sum(dim=2).T)


def _in_double(blocks: Any) -> Any:
    """Sum over the first axis; an MPS device has no float64 and adds blocks in float32."""
    return blocks.sum(dim=0) if blocks.device.type == "mps" else blocks.sum(dim=0, dtype=torch.float64)
