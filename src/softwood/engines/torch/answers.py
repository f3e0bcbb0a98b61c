"""Answers of a soft tree on a CUDA device by one kernel (answer_kernel.py), for `softwood.torch.SoftTree`.

It takes trees of one output without buds whose leaves are constant, share one slope or have each their own, in float32.
Parameters stay on the device: they are laid out there before each call, in the kernel's order.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import torch

from softwood.engines.torch.fused import TO_BITS, Launch, Layout, lay_out
from softwood.kernels.soft import make_shape
from softwood.tree import Tree

MANY_ROWS = 50_000  # from which a kernel is worth its launch
MOST_TERMS = 256
CHUNK = 32
HOW, PROGRAM_ROWS = Launch(32, 1, 1, 128), 1024


class AnswerPlan:
    """How the kernel reads one tree: its layout, and the basis padded to whole chunks, on a device."""

    def __init__(self, tree: Tree, layout: Layout, device: Any) -> None:
        n, basis = len(tree.basis), tree.basis
        self.tree, self.layout = tree, layout
        self.n_terms = max(16, 1 << (n - 1).bit_length()) if n <= CHUNK else -(-n // CHUNK) * CHUNK
        self.leaves = np.flatnonzero(tree.n_children == 0)[layout.leaf]
        pad = (0, self.n_terms - n)
        self.basis = [
            torch.tensor(np.pad(values.astype(dtype), pad), device=device)
            for values, dtype in (
                (basis.feature, np.int32),
                (basis.term, np.int32),
                (basis.parameter, np.float32),
                (basis.when_missing, np.float32),
            )
        ]

    def output(self, X: Any, weight: Any, bias: Any, response: Any, slope: Any) -> Any:
        """(rows, 1); `response` has one row a leaf, in the order of the nodes."""
        from softwood.engines.torch.answer_kernel import answer_rows  # Triton comes with PyTorch for CUDA alone

        packed = self._pack(weight, bias, response, slope)
        output = X.new_empty((len(X), 1))
        answer_rows[(-(-len(X) // PROGRAM_ROWS),)](
            X, X.stride(0), *self.basis, packed, output, len(X),
            ROWS=HOW.rows, PER_PROGRAM=PROGRAM_ROWS // HOW.rows, TERMS=self.n_terms, CHUNK=min(CHUNK, self.n_terms),
            WIDTH=self.layout.width, **self.layout.kind, **HOW.options(self.layout.width),
        )  # fmt: skip
        return output

    def _pack(self, weight: Any, bias: Any, response: Any, slope: Any) -> Any:
        gates, lines, layout = len(self.layout.gate), self.layout.lines, self.layout
        table, biases = weight.new_zeros((self.n_terms, layout.width)), weight.new_zeros(layout.width)
        table[: weight.shape[1], :gates] = weight[layout.gate].T * TO_BITS
        biases[:gates] = bias[layout.gate] * TO_BITS
        if layout.slopes:
            rows = self.tree.slope_row[self.leaves[:1] if layout.slopes == 1 else self.leaves]
            table[: weight.shape[1], gates:lines] = slope[rows.tolist(), :, 0].T
        answers = weight.new_zeros(layout.leaves)
        answers[: len(layout.leaf)] = response[layout.leaf, 0]
        return torch.cat([table.flatten(), biases, answers])


def plan_answers(tree: Tree, device: Any) -> AnswerPlan | None:
    """The plan of a tree, None where the kernel cannot take it."""
    leaf = tree.n_children == 0
    row = tree.slope_row[leaf]
    shared, own = bool(np.all(row == row[0])), len(np.unique(row)) == len(row)
    if (
        not np.array_equal(tree.leafness, leaf)
        or len(tree.basis) > MOST_TERMS
        or not (shared or (own and row.min() >= 0))
    ):
        return None
    kind = np.full(len(row), -1) if row[0] < 0 and shared else np.zeros(len(row)) if shared else np.arange(len(row))
    slopes = int(kind.max()) + 1
    shape = make_shape(np.array(tree.first_child), kind.astype(np.int32), slopes, len(tree.basis), tree.n_outputs)
    layout = lay_out(shape)
    return None if layout is None or not len(tree.basis) else AnswerPlan(tree, layout, device)


def can_answer(X: Any, parameter: Any) -> bool:
    """Whether these rows may go by the kernel: many, on a CUDA device, in float32, and no gradient is asked for."""
    return (
        X.is_cuda
        and parameter.is_cuda
        and X.dtype == parameter.dtype == torch.float32
        and X.ndim == 2
        and len(X) >= MANY_ROWS
        and X.stride(1) == 1
        and not (torch.is_grad_enabled() and (X.requires_grad or parameter.requires_grad))
        and find_spec("triton") is not None
        and not torch.compiler.is_compiling()
    )
