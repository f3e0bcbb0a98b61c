"""Predictions of a soft tree on a CUDA device by one kernel (answer_kernel.py), for `softwood.torch.SoftTree`.

It supports trees with one output and without buds, whose leaves are constant, share one slope or have their own, in
float32. Parameters stay on the device, where they are arranged in the kernel's order before each call.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import torch

from softwood.engines.torch.fused import TO_BITS, Launch, Layout, lay_out
from softwood.kernels import make_shape
from softwood.kernels.kinds import Score, Term
from softwood.tree import Tree

MANY_ROWS = 50_000  # minimum rows for which the kernel pays
MOST_TERMS = 256
CHUNK = 32
HOW, PROGRAM_ROWS = Launch(64, 1, 1, 128), 1024


class AnswerPlan:
    """The layout of one tree for the kernel: the basis padded to whole chunks, and the positions of its numbers in the
    module.

    index, scale : for each number of the kernel, its position in [weight] [bias] [response] [slope] [0], and a factor:
        scores are in bits, and absent weights are 0.
    """

    def __init__(self, tree: Tree, layout: Layout, weighed: Any) -> None:
        n, basis, device = len(tree.basis), tree.basis, weighed.device
        self.layout, self.n_columns = layout, n
        self.n_terms = max(16, 1 << (n - 1).bit_length()) if n <= CHUNK else -(-n // CHUNK) * CHUNK
        self.plain = bool(np.all(basis.term == Term.IDENTITY)) and np.array_equal(basis.feature, np.arange(n))
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
        index, scale = _find_numbers(tree, layout, self.n_terms, weighed.cpu().numpy())
        self.index, self.scale = torch.tensor(index, device=device), torch.tensor(scale, device=device)
        self.nothing = torch.zeros(1, device=device)

    def output(self, X: Any, weight: Any, bias: Any, response: Any, slope: Any) -> Any:
        """(rows, 1); `response` has one row per leaf, in the order of the nodes."""
        from softwood.engines.torch.answer_kernel import answer_rows  # Triton comes with PyTorch for CUDA alone

        numbers = torch.cat([weight.flatten(), bias, response.flatten(), slope.flatten(), self.nothing])
        packed = numbers[self.index] * self.scale
        output = X.new_empty((len(X), 1))
        answer_rows[(-(-len(X) // PROGRAM_ROWS),)](
            X, X.stride(0), *self.basis, packed, output, len(X),
            ROWS=HOW.rows, PER_PROGRAM=PROGRAM_ROWS // HOW.rows, TERMS=self.n_terms, CHUNK=min(CHUNK, self.n_terms),
            WIDTH=self.layout.width, **self.layout.kind, COLUMNS=self.n_columns, PLAIN=self.plain,
            **HOW.options(self.layout.width),
        )  # fmt: skip
        return output


def _find_numbers(tree: Tree, layout: Layout, n_terms: int, weighed: Any) -> tuple[Any, Any]:
    """Position and factor of [terms x width] weights, [width] biases, [leaves] responses."""
    gates, leaves, n = len(layout.gate), len(layout.leaf), len(tree.basis)
    bias_begin, response_begin = gates * n, gates * n + gates
    slope_begin = response_begin + leaves
    nothing = slope_begin + tree.slope.size
    weight, bias, response = (
        np.full(shape, nothing) for shape in ((n_terms, layout.width), (layout.width,), (layout.leaves,))
    )
    scale = np.ones((n_terms, layout.width))
    weight[:n, :gates] = np.arange(gates * n).reshape(gates, n)[layout.gate].T
    scale[:n, :gates] = TO_BITS * weighed[layout.gate].T
    bias[:gates] = bias_begin + np.array(layout.gate)
    response[:leaves] = response_begin + np.array(layout.leaf)
    if layout.slopes:
        node = np.flatnonzero(tree.n_children == 0)[layout.leaf]
        row = tree.slope_row[node[:1] if layout.slopes == 1 else node]
        weight[:n, gates : layout.lines] = slope_begin + row[None, :] * n + np.arange(n)[:, None]
    scales = np.concatenate([scale.ravel(), np.full(layout.width, TO_BITS), np.ones(layout.leaves)])
    return np.concatenate([weight.ravel(), bias, response]), scales.astype(np.float32)


def plan_answers(tree: Tree, weighed: Any) -> AnswerPlan | None:
    """The plan of a tree for the device of `weighed`, the mask of its weights; None if the kernel does not support
    it.
    """
    leaf = tree.n_children == 0
    row = tree.slope_row[leaf]
    shared, own = bool(np.all(row == row[0])), len(np.unique(row)) == len(row)
    if (
        not np.array_equal(tree.leafness, leaf)
        or len(tree.basis) > MOST_TERMS
        or bool(np.any(tree.score == Score.CONSTANT))
        or not (shared or (own and row.min() >= 0))
    ):
        return None
    kind = np.full(len(row), -1) if row[0] < 0 and shared else np.zeros(len(row)) if shared else np.arange(len(row))
    slopes = int(kind.max()) + 1
    shape = make_shape(np.array(tree.first_child), kind.astype(np.int32), slopes, len(tree.basis), tree.n_outputs)
    layout = lay_out(shape)
    return None if layout is None or not len(tree.basis) else AnswerPlan(tree, layout, weighed)


def can_answer(X: Any, parameter: Any) -> bool:
    """Whether these rows can use the kernel: many rows on a CUDA device, in float32, without a gradient."""
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
