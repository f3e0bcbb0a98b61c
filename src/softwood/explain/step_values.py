"""Shapley values of nodes below step gates of one input each: exact, for all of them at once.

With the inputs of a coalition S from a row and the others from a background row, a node is reached if S is within the
row's code (steps.py) and the other inputs are within that of the background row. There are two algorithms:

    tables   for every code of a row, from the weight of background rows of every code       time 2^k
    pairs    with A = inputs whose conditions only the row meets, B = those that only the background row meets, the
             node counts for (a - 1)! b! / (a + b)! with each input in A, and for minus a! (b - 1)! / (a + b)! with
             each in B, if the two meet all conditions (a, b = sizes)                        time of all pairs of rows

The second is how Lundberg et al. ("From local explanations to global understanding with explainable AI for trees",
2020) compute interventional values. The order of summation does not depend on the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from softwood.arrays import Floats, Longs
from softwood.explain.products import MOST_INPUTS, coalitions, orderings
from softwood.explain.steps import Codes, Steps

MOST_CELLS = 2**21  # of a table
MOST_CODES = 2**23  # of rows to explain
CODES_AT_ONCE = 2**19  # this fits into the processor's cache


def most_inputs(parts: Sequence[Steps]) -> int:
    """The largest number of inputs of a path."""
    return max((int(steps.n_inputs.max(initial=0)) for steps in parts), default=0)


def add_steps(total: Floats, steps: Steps, rows: Floats, background: Floats, weight: Floats) -> None:
    """Add the Shapley values of all nodes to `total`, (rows, inputs, outputs).

    Parameters
    ----------
    weight : weights of the background rows; they sum to 1.
    """
    size = steps.n_inputs
    few, many = np.flatnonzero((size > 0) & (size <= MOST_INPUTS)), np.flatnonzero(size > MOST_INPUTS)
    table, z = _read_background(steps, few, many, background, weight)
    step = max(1, MOST_CODES // max(1, len(size)))
    for at in range(0, len(rows), step):
        code = np.concatenate(list(_codes(steps, rows[at : at + step])), axis=1)
        _add_tables(total[at : at + step], steps, few, table, code)
        _add_pairs(total[at : at + step], steps, many, z, weight, code)


def _read_background(steps: Steps, few: Longs, many: Longs, background: Floats, weight: Floats) -> tuple[Floats, Codes]:
    """The weight of the background rows of every code for nodes of few inputs, one node after the other; the codes of
    all background rows for the others.
    """
    begin = _begins(steps, few)
    table, z, at = np.zeros(begin[-1]), [], 0
    for code in _codes(steps, background):
        share = np.broadcast_to(weight[at : at + code.shape[1]], (len(few), code.shape[1]))
        table += np.bincount((begin[:-1, None] + code[few]).ravel(), share.ravel(), len(table))
        z.append(code[many])
        at += code.shape[1]
    return table, np.concatenate(z, axis=1)


def _codes(steps: Steps, rows: Floats) -> Iterator[Codes]:
    """The codes of all nodes, computed for some rows at a time."""
    step = max(1, CODES_AT_ONCE // max(1, len(steps.nodes)))
    return (steps.codes(rows[at : at + step]) for at in range(0, len(rows), step))


def _begins(steps: Steps, few: Longs) -> Longs:
    """The start of each node's part of the table, and its end."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.int64(1) << steps.n_inputs[few])])


def _add_tables(total: Floats, steps: Steps, few: Longs, table: Floats, code: Codes) -> None:
    size, begin = steps.n_inputs[few], _begins(steps, few)
    for k in np.unique(size).tolist():
        mine, step = np.flatnonzero(size == k), max(1, MOST_CELLS // (k << k))
        for at in range(0, len(mine), step):
            some = mine[at : at + step]
            value = _values_by_code(table[begin[some, None] + np.arange(1 << k)], k)
            found = np.take_along_axis(value, code[few[some], :, None], axis=1)
            _scatter(total, steps, few[some], found)


def _values_by_code(weight: Floats, k: int) -> Floats:
    """The value of every input for every code of a row, (nodes, codes, inputs); `weight` of background rows by code."""
    rest = weight  # of the background rows whose code holds a coalition, at its place
    for bit in range(k):
        pairs = rest.reshape(len(rest), -1, 2, 1 << bit)
        pairs[:, :, 0] += pairs[:, :, 1]
    member, w = coalitions(k), orderings(k)
    size = member.sum(axis=1)
    value = np.where(member, w[size - 1][:, None], -w[size][:, None]) * rest[:, ::-1, None]
    for bit in range(k):  # the sum over the coalitions within a code
        halves = value.reshape(len(value), -1, 2, 1 << bit, k)
        halves[:, :, 1] += halves[:, :, 0]
    return np.asarray(value)


def _scatter(total: Floats, steps: Steps, nodes: Longs, value: Floats) -> None:
    """Add the values of nodes, (nodes, rows, bits), times their responses to those of their inputs."""
    n, n_features, n_outputs = total.shape
    feature = np.maximum(steps.inputs[nodes, : value.shape[2]], 0)  # beyond a path's inputs values are 0
    cell = (np.arange(n)[:, None] * n_features + feature[:, None, :]).ravel()
    for output in range(n_outputs):
        part = (value * steps.response[nodes, output, None, None]).ravel()
        total[:, :, output] += np.bincount(cell, part, n * n_features).reshape(n, n_features)


def _add_pairs(total: Floats, steps: Steps, many: Longs, z: Codes, weight: Floats, code: Codes) -> None:
    step = max(1, MOST_CELLS // max(1, z.size))
    for at in range(0, code.shape[1] if len(many) else 0, step):
        x = code[many, at : at + step]
        full = (np.int64(1) << steps.n_inputs[many]) - 1
        node, row, other = np.nonzero((x[:, :, None] | z[:, None, :]) == full[:, None, None])
        by_pair = _values_of_pairs(x[node, row], z[node, other], weight[other], steps.inputs.shape[1])
        cell = node * x.shape[1] + row
        value = [np.bincount(cell, column, x.size).reshape(x.shape) for column in by_pair.T]
        _scatter(total[at : at + step], steps, many, np.stack(value, axis=2).astype(np.float64))


def _values_of_pairs(x: Codes, z: Codes, weight: Floats, n_bits: int) -> Floats:
    """The value of every input of a pair of codes that together meet all conditions, (pairs, bits)."""
    bits, ways = np.arange(n_bits), np.cumprod(np.maximum(np.arange(n_bits + 1.0), 1.0))  # factorials
    only_x, only_z = ((code[:, None] >> bits & 1).astype(np.float64) for code in (x & ~z, z & ~x))
    a, b = (only.sum(axis=1).astype(np.int64) for only in (only_x, only_z))
    share = weight / ways[a + b]
    gain, loss = share * ways[np.maximum(a - 1, 0)] * ways[b], share * ways[a] * ways[np.maximum(b - 1, 0)]
    return np.asarray(only_x * gain[:, None] - only_z * loss[:, None])
