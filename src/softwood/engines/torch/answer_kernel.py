"""The Triton kernel for predictions: the output of a soft tree with one output, with one read and one write."""

from __future__ import annotations

import triton
import triton.language as tl

from softwood.engines.torch.kernel import ascend, leaf_values, multiply, reversed_bits, squash, take_apart

LARGEST = tl.constexpr(3e38)  # replaces infinite values: factors of a product must be finite


@triton.jit
def make_basis(x, kind, parameter, when_missing):
    """Terms of a basis (kernels/kinds.py): x, its square, a hinge, a category, or the missing indicator."""
    gone = x != x
    value = tl.where(kind == 1, x * x, tl.where(kind == 2, tl.maximum(x - parameter, 0.0), x))
    value = tl.where(kind == 3, tl.where(x == parameter, 1.0, 0.0), value)
    value = tl.where(gone, when_missing, value)
    value = tl.where(kind == 4, tl.where(gone, 1.0, 0.0), value)
    return tl.minimum(tl.maximum(value, -LARGEST), LARGEST)


@triton.jit
def answer_rows(
    X, stride, feature, kind, parameter, when_missing, packed, output, n_rows,
    ROWS: tl.constexpr, PER_PROGRAM: tl.constexpr, TERMS: tl.constexpr, CHUNK: tl.constexpr, WIDTH: tl.constexpr,
    LEAVES: tl.constexpr, GATES: tl.constexpr, BRANCHES: tl.constexpr, SLOPES: tl.constexpr,
    COLUMNS: tl.constexpr, PLAIN: tl.constexpr,
):  # fmt: skip
    """`packed` holds [TERMS x WIDTH] weights, [WIDTH] biases, [LEAVES] responses, as in `sum_rows`.

    With PLAIN the terms are the inputs themselves, in their order.
    """
    first = tl.program_id(0) * PER_PROGRAM
    line, term = tl.arange(0, WIDTH), tl.arange(0, CHUNK)
    bias = tl.load(packed + TERMS * WIDTH + line)
    for block in range(first, min(first + PER_PROGRAM, tl.cdiv(n_rows, ROWS))):
        rows = block.to(tl.int64) * ROWS + tl.arange(0, ROWS)
        inside = rows < n_rows
        score = tl.zeros((ROWS, WIDTH), tl.float32)
        for chunk in tl.static_range(0, TERMS, CHUNK):
            at = chunk + term
            missing = tl.load(when_missing + at)[None, :]
            if PLAIN:
                there = inside[:, None] if COLUMNS == TERMS else inside[:, None] & (at < COLUMNS)[None, :]
                x = tl.load(X + rows[:, None] * stride + at[None, :], mask=there, other=0.0)
                phi = tl.where(x != x, missing, tl.minimum(tl.maximum(x, -LARGEST), LARGEST))
            else:
                there = rows[:, None] * stride + tl.load(feature + at)[None, :]
                x = tl.load(X + there, mask=inside[:, None], other=0.0)
                phi = make_basis(x, tl.load(kind + at)[None, :], tl.load(parameter + at)[None, :], missing)
            score = multiply(phi, tl.load(packed + at[:, None] * WIDTH + line[None, :]), score)
        parts = take_apart(score + bias[None, :], ROWS, WIDTH)
        share = ()
        for i in tl.static_range(WIDTH):
            if reversed_bits(i, WIDTH) < GATES:
                share = share + (squash(parts[i]),)
            else:
                share = share + (parts[i],)
        answers = leaf_values(parts, packed + TERMS * WIDTH + WIDTH, WIDTH, GATES, SLOPES)
        tl.store(output + rows, ascend(share, answers, WIDTH, GATES, BRANCHES)[0], mask=inside)
