"""The fused Triton kernels: loss and gradient of a soft tree with one output in one pass over the rows.

A program takes some blocks of rows through the whole tree. Scores are a product on the tensor cores (in three parts,
which together are as exact as float32) or sums of tables over segments; shares, reach and values are straight code for
the tree at hand; the gradient is another product. With one output the value of the root is the output itself,

    value[leaf] = response (+ slope . phi),   value[m] = value[second] + share * (value[first] - value[second])
    output = value[root]
    d loss / d score[m] = d loss / d output * reach[second] * share * (value[first] - value[second])

so values go up before the loss is known. Blocks are added in float64, each program writes its own sums, and these are
added in order: no atomics, the same sums every time. Nodes are numbered breadth first, so that the bits BRANCHES (bit
m: node m has children) say all of the tree's shape: children of the k-th branch are the nodes 2 k + 1 and 2 k + 2.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.constexpr_function
def is_branch(branches: int, node: int) -> bool:
    return bool(branches >> node & 1)


@triton.constexpr_function
def gate_of(branches: int, node: int) -> int:
    """How many branches come before a node: its gate if it is one, its leaf is node - gate."""
    return (branches & ((1 << node) - 1)).bit_count()


@triton.constexpr_function
def children_after(branches: int, node: int) -> int:
    """How many nodes lie between a branch and its first child."""
    return 2 * (branches & ((1 << node) - 1)).bit_count() - node


@triton.constexpr_function
def parent_of(branches: int, gate: int) -> int:
    """The node of a gate."""
    nodes = [node for node in range(branches.bit_length()) if branches >> node & 1]
    return nodes[gate]


@triton.constexpr_function
def node_of_leaf(branches: int, leaf: int) -> int:
    """The node of a leaf."""
    nodes = [node for node in range(2 * branches.bit_count() + 1) if not branches >> node & 1]
    return nodes[leaf]


@triton.constexpr_function
def reversed_bits(number: int, width: int) -> int:
    """Where `take_apart` puts a column of a table that is `width` wide."""
    found = 0
    while width > 1:
        found, number, width = found * 2 + number % 2, number // 2, width // 2
    return found


@triton.constexpr_function
def halvings(width: int) -> int:
    return width.bit_length() - 1


@triton.jit
def take_apart(table, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """The columns of a table, as vectors in the order of `reversed_bits`."""
    parts = (table,)
    for level in tl.static_range(halvings(WIDTH)):
        halves = ()
        for i in tl.static_range(2**level):
            if WIDTH // 2 ** (level + 1) == 1:
                even, odd = tl.split(parts[i])
            else:
                even, odd = tl.split(tl.reshape(parts[i], (ROWS, WIDTH // 2 ** (level + 1), 2)))
            halves = halves + (even, odd)
        parts = halves
    return parts


@triton.jit
def put_together(parts, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """The table whose columns `take_apart` would give."""
    for level in tl.static_range(halvings(WIDTH)):
        pairs = ()
        for i in tl.static_range(WIDTH // 2 ** (level + 1)):
            both = tl.join(parts[2 * i], parts[2 * i + 1])
            pairs = pairs + (tl.reshape(both, (ROWS, 2 ** (level + 1))),)
        parts = pairs
    return parts[0]


@triton.jit
def in_halves(table):
    """Two tables that sum to the given one; the first has as many digits as a tensor core reads of a float32."""
    bits = table.to(tl.int32, bitcast=True)
    high = ((bits + 0x1000) & -0x2000).to(tl.float32, bitcast=True)
    return high, table - high


@triton.jit
def multiply(left, right, total):
    """The product of two float32 tables, added to `total`; what is left out is below float32's rounding."""
    left_high, left_low = in_halves(left)
    right_high, right_low = in_halves(right)
    total = tl.dot(left_low, right_high, total, input_precision="tf32")
    total = tl.dot(left_high, right_low, total, input_precision="tf32")
    return tl.dot(left_high, right_high, total, input_precision="tf32")


@triton.jit
def read_terms(place, segment, stride, rows, term, input_of, kind, SQUARES: tl.constexpr, GAPS: tl.constexpr):
    """A table (rows, terms) of inputs without knots: t, its square (kind 1), or whether it is missing (kind 2)."""
    at = tl.load(input_of + term).to(tl.int64)[None, :] * stride + rows[:, None]
    found = tl.load(place + at)
    if SQUARES:
        found = tl.where(tl.load(kind + term)[None, :] == 1, found * found, found)
    if GAPS:
        found = tl.where(tl.load(kind + term)[None, :] == 2, tl.load(segment + at).to(tl.float32), found)
    return found


@triton.jit
def read_tables(place, segment, stride, rows, number, input_of, tables, SEGMENTS: tl.constexpr, WIDTH: tl.constexpr):
    """Height + slope * t of the tables of one input, (rows, WIDTH); heights and slopes lie side by side."""
    at = tl.load(input_of + number).to(tl.int64) * stride + rows
    t, found = tl.load(place + at), tl.load(segment + at).to(tl.int32)
    entry = (number * SEGMENTS + found)[:, None] * (2 * WIDTH) + tl.arange(0, 2 * WIDTH)[None, :]
    height, slope = tl.split(tl.reshape(tl.load(tables + entry), (rows.shape[0], WIDTH, 2)))
    return height + slope * t[:, None]


@triton.jit
def descend(share, ROWS: tl.constexpr, WIDTH: tl.constexpr, GATES: tl.constexpr, BRANCHES: tl.constexpr):
    """Reach of every node."""
    reach = (tl.full((ROWS,), 1.0, tl.float32),)
    for gate in tl.static_range(GATES):
        above = reach[parent_of(BRANCHES, gate)]
        first = above * share[reversed_bits(gate, WIDTH)]
        reach = reach + (first, above - first)
    return reach


@triton.jit
def ascend(share, leaf_value, WIDTH: tl.constexpr, GATES: tl.constexpr, BRANCHES: tl.constexpr):
    """The value of the root, and share * (value[first] - value[second]) of every gate."""
    values = ()  # of this node and those after it
    steps = ()
    for node in tl.static_range(2 * GATES, -1, -1):
        if is_branch(BRANCHES, node):
            first, second = values[children_after(BRANCHES, node)], values[children_after(BRANCHES, node) + 1]
            step = share[reversed_bits(gate_of(BRANCHES, node), WIDTH)] * (first - second)
            steps = (step,) + steps
            values = (second + step,) + values
        else:
            values = (leaf_value[node - gate_of(BRANCHES, node)],) + values
    return values[0], steps


@triton.jit
def loss_of(output, target, LOGISTIC: tl.constexpr):
    """Loss of each row and its derivative by the output."""
    if LOGISTIC:
        tail = tl.exp(-tl.abs(output))
        p = tl.where(output > 0, 1.0, tail) / (1.0 + tail)
        return tl.maximum(output, 0.0) + tl.log(1.0 + tail) - target * output, p - target
    error = output - target
    return 0.5 * error * error, error


@triton.jit
def leaf_values(parts, response, WIDTH: tl.constexpr, GATES: tl.constexpr, SLOPES: tl.constexpr):
    """What each leaf answers."""
    values = ()
    for leaf in tl.static_range(GATES + 1):
        value = tl.load(response + leaf)
        if SLOPES == 2:
            value = value + parts[reversed_bits(GATES + leaf, WIDTH)]
        elif SLOPES == 1:
            value = value + parts[reversed_bits(GATES, WIDTH)]
        values = values + (value,)
    return values


@triton.jit
def gradient_parts(
    reach, steps, slope, WIDTH: tl.constexpr, GATES: tl.constexpr, BRANCHES: tl.constexpr, SLOPES: tl.constexpr
):
    """Derivatives by the scores of gates and slopes, in the order of `put_together`; nothing where WIDTH is wider."""
    lines = ()
    for i in tl.static_range(WIDTH):
        if reversed_bits(i, WIDTH) < GATES:
            lines = lines + (slope * reach[2 * reversed_bits(i, WIDTH) + 2] * steps[reversed_bits(i, WIDTH)],)
        elif SLOPES == 2 and reversed_bits(i, WIDTH) < 2 * GATES + 1:
            lines = lines + (slope * reach[node_of_leaf(BRANCHES, reversed_bits(i, WIDTH) - GATES)],)
        elif SLOPES == 1 and reversed_bits(i, WIDTH) == GATES:
            lines = lines + (slope,)
        else:
            lines = lines + (slope * 0.0,)
    return lines


@triton.jit
def response_parts(reach, slope, LEAVES: tl.constexpr, GATES: tl.constexpr, BRANCHES: tl.constexpr):
    """Derivatives by the response of each leaf, in the order of `put_together`."""
    lines = ()
    for i in tl.static_range(LEAVES):
        if reversed_bits(i, LEAVES) < GATES + 1:
            lines = lines + (slope * reach[node_of_leaf(BRANCHES, reversed_bits(i, LEAVES))],)
        else:
            lines = lines + (slope * 0.0,)
    return lines


@triton.jit
def squash(score):
    """1 / (1 + 2^-score), by the two approximations of the hardware, each within two units of the last place."""
    return tl.inline_asm_elementwise(
        """{
        .reg .f32 a;
        neg.f32 a, $1;
        ex2.approx.ftz.f32 a, a;
        add.ftz.f32 a, a, 0f3F800000;
        rcp.approx.ftz.f32 $0, a;
        }""",
        "=f,f",
        [score],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )


@triton.jit
def score_tables(
    place, segment, stride, input_of, tables, lines, begin, n_rows,
    ROWS: tl.constexpr, WIDTH: tl.constexpr, SEGMENTS: tl.constexpr, INPUTS: tl.constexpr,
):  # fmt: skip
    """Scores without their biases to `lines`, (WIDTH, rows): sums over the inputs of what their tables by gate say."""
    at = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    score = tl.zeros((ROWS, WIDTH), tl.float32)
    for number in tl.range(0, INPUTS, loop_unroll_factor=4):
        score += read_tables(place, segment, stride, begin + at, number, input_of, tables, SEGMENTS, WIDTH)
    line = tl.arange(0, WIDTH)
    tl.store(lines + line[None, :].to(tl.int64) * n_rows + at[:, None], score)


@triton.jit
def sum_rows(
    place, segment, stride, target, weight, input_of, kind, packed, sums, lines, begin, n_blocks,
    ROWS: tl.constexpr, PER_PROGRAM: tl.constexpr, TERMS: tl.constexpr, CHUNK: tl.constexpr, WIDTH: tl.constexpr,
    LEAVES: tl.constexpr, GATES: tl.constexpr, BRANCHES: tl.constexpr, SLOPES: tl.constexpr, SEGMENTS: tl.constexpr,
    SQUARES: tl.constexpr, GAPS: tl.constexpr, LOGISTIC: tl.constexpr, GRADIENT: tl.constexpr,
):  # fmt: skip
    """Each program writes [WIDTH x TERMS] [WIDTH] [LEAVES] [loss] to its row of `sums`.

    `packed` holds [TERMS x WIDTH] weights, [WIDTH] biases, [LEAVES] responses. With SEGMENTS the scores are in
    `lines` already (`score_tables`). Where all terms are one chunk, they are kept for the gradient; otherwise the
    derivatives by the scores go to `lines`, and `weigh_terms` or `weigh_tables` do the rest.
    """
    program = tl.program_id(0)
    line, leaf, term = tl.arange(0, WIDTH), tl.arange(0, LEAVES), tl.arange(0, CHUNK)
    by_weight = tl.zeros((WIDTH, CHUNK), tl.float64)
    by_bias = tl.zeros((ROWS, WIDTH), tl.float32)
    by_response = tl.zeros((ROWS, LEAVES), tl.float32)
    loss_sum = tl.zeros((ROWS,), tl.float64)
    bias = tl.load(packed + TERMS * WIDTH + line)
    for block in range(program * PER_PROGRAM, min((program + 1) * PER_PROGRAM, n_blocks)):
        rows = begin + block * ROWS + tl.arange(0, ROWS)
        score = tl.zeros((ROWS, WIDTH), tl.float32)
        at = line[None, :].to(tl.int64) * (n_blocks * ROWS) + (rows - begin)[:, None]
        if SEGMENTS:
            score = tl.load(lines + at)
        elif TERMS == CHUNK:
            terms = read_terms(place, segment, stride, rows, term, input_of, kind, SQUARES, GAPS)
            score = multiply(terms, tl.load(packed + term[:, None] * WIDTH + line[None, :]), score)
        else:
            for chunk in range(0, TERMS, CHUNK):
                some = read_terms(place, segment, stride, rows, chunk + term, input_of, kind, SQUARES, GAPS)
                w = tl.load(packed + (chunk + term)[:, None] * WIDTH + line[None, :])
                score = multiply(some, w, score)
        parts = take_apart(score + bias[None, :], ROWS, WIDTH)
        share = ()
        for i in tl.static_range(WIDTH):
            if reversed_bits(i, WIDTH) < GATES:
                share = share + (squash(parts[i]),)
            else:
                share = share + (parts[i],)
        answers = leaf_values(parts, packed + TERMS * WIDTH + WIDTH, WIDTH, GATES, SLOPES)
        output, steps = ascend(share, answers, WIDTH, GATES, BRANCHES)
        row_loss, by_output = loss_of(output, tl.load(target + rows), LOGISTIC)
        row_weight = tl.load(weight + rows)
        loss_sum += (row_loss * row_weight).to(tl.float64)
        if GRADIENT:
            by_output = by_output * row_weight
            reach = descend(share, ROWS, WIDTH, GATES, BRANCHES)
            by_score = gradient_parts(reach, steps, by_output, WIDTH, GATES, BRANCHES, SLOPES)
            by_line = put_together(by_score, ROWS, WIDTH)
            by_bias += by_line
            by_response += put_together(response_parts(reach, by_output, LEAVES, GATES, BRANCHES), ROWS, LEAVES)
            if SEGMENTS == 0 and TERMS == CHUNK:
                nothing = tl.zeros((WIDTH, CHUNK), tl.float32)
                by_weight += multiply(tl.trans(by_line), terms, nothing).to(tl.float64)
            else:
                tl.store(lines + at, by_line)
    sums += program.to(tl.int64) * (WIDTH * TERMS + WIDTH + LEAVES + 1)
    if GRADIENT:
        if SEGMENTS == 0 and TERMS == CHUNK:
            tl.store(sums + line[:, None] * TERMS + term[None, :], by_weight)
        tl.store(sums + WIDTH * TERMS + line, tl.sum(by_bias.to(tl.float64), axis=0))
        tl.store(sums + WIDTH * TERMS + WIDTH + leaf, tl.sum(by_response.to(tl.float64), axis=0))
    tl.store(sums + WIDTH * TERMS + WIDTH + LEAVES, tl.sum(loss_sum, axis=0))


@triton.jit
def weigh_terms(
    place, segment, stride, input_of, kind, sums, size, lines, begin, n_blocks,
    ROWS: tl.constexpr, PER_PROGRAM: tl.constexpr, TERMS: tl.constexpr, CHUNK: tl.constexpr, WIDTH: tl.constexpr,
    SQUARES: tl.constexpr, GAPS: tl.constexpr,
):  # fmt: skip
    """Sums of the derivatives by the scores times each term of a chunk, [WIDTH x TERMS] in the program's `sums`."""
    program = tl.program_id(1)
    line, term = tl.arange(0, WIDTH), tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    by_weight = tl.zeros((WIDTH, CHUNK), tl.float64)
    nothing = tl.zeros((WIDTH, CHUNK), tl.float32)
    for block in range(program * PER_PROGRAM, min((program + 1) * PER_PROGRAM, n_blocks)):
        at = block * ROWS + tl.arange(0, ROWS)
        terms = read_terms(place, segment, stride, begin + at, term, input_of, kind, SQUARES, GAPS)
        by_line = tl.load(lines + line[:, None].to(tl.int64) * (n_blocks * ROWS) + at[None, :])
        by_weight += multiply(by_line, terms, nothing).to(tl.float64)
    tl.store(sums + program.to(tl.int64) * size + line[:, None] * TERMS + term[None, :], by_weight)


@triton.jit
def weigh_tables(
    place, segment, stride, input_of, tables, sums, size, lines, begin, n_blocks,
    ROWS: tl.constexpr, PER_PROGRAM: tl.constexpr, TERMS: tl.constexpr, CHUNK: tl.constexpr, WIDTH: tl.constexpr,
    SEGMENTS: tl.constexpr, AT_ONCE: tl.constexpr, FIRST: tl.constexpr,
):  # fmt: skip
    """The same for the terms of some inputs from FIRST on, CHUNK of each, made of `tables`: one product for all."""
    program, number = tl.program_id(1), tl.program_id(0) * AT_ONCE + tl.arange(0, AT_ONCE)
    line, column = tl.arange(0, WIDTH), FIRST + tl.program_id(0) * AT_ONCE * CHUNK + tl.arange(0, AT_ONCE * CHUNK)
    of_input = tl.load(input_of + number).to(tl.int64)[None, :] * stride + begin
    side_by_side = tl.arange(0, 2 * CHUNK)[None, None, :]
    nothing = tl.zeros((AT_ONCE * CHUNK, WIDTH), tl.float32)
    by_weight = tl.zeros((AT_ONCE * CHUNK, WIDTH), tl.float64)
    for block in range(program * PER_PROGRAM, min((program + 1) * PER_PROGRAM, n_blocks)):
        at = block * ROWS + tl.arange(0, ROWS)
        t = tl.load(place + of_input + at[:, None])
        entry = number[None, :] * SEGMENTS + tl.load(segment + of_input + at[:, None]).to(tl.int32)
        found = tl.load(tables + entry[:, :, None] * (2 * CHUNK) + side_by_side)
        height, slope = tl.split(tl.reshape(found, (ROWS, AT_ONCE, CHUNK, 2)))
        phi = tl.reshape(height + slope * t[:, :, None], (ROWS, AT_ONCE * CHUNK))
        by_line = tl.load(lines + line[None, :].to(tl.int64) * (n_blocks * ROWS) + at[:, None])
        by_weight += multiply(tl.trans(phi), by_line, nothing).to(tl.float64)
    sums += program.to(tl.int64) * size + line[None, :] * TERMS
    tl.store(sums + column[:, None], by_weight)
