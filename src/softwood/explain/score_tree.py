"""A tree over scores: the gates and responses of another tree, whose inputs are their scores.

Every linear gate, gate on one input and linear response becomes a column that is a sum of parts, one per input:

    linear gate        its score, squashed as before
    gate of one input  1 - share of the first child, which a ramp from 0 to 1 makes the share again
    linear response    one column per output, with slope 1

So a blend of two rows is a sum of their parts, and the kernels evaluate it like any tree. Gates with more than
two children or with surrogates have no such column; `make_score_tree` then returns None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.explain.factors import Answer, Apart, SumGate
from softwood.kernels.kinds import Link, Score, Squash
from softwood.tree import Basis, Schema, Tree


@dataclass(frozen=True)
class ScoreTree:
    """A tree over scores.

    Attributes
    ----------
    tree : the nodes on the paths to some nodes with responses, and their siblings, whose response is 0.
    place : positions of the nodes of the original tree.
    start : (columns,) initial values of the columns.
    parts : by input its addends, (columns, rows).
    responses : by node with a linear response, the positions of its columns.
    """

    tree: Tree
    place: dict[int, int]
    start: Floats
    parts: dict[int, Floats]
    responses: dict[int, slice]


def make_score_tree(apart: Apart, answers: list[Answer], inputs: frozenset[int]) -> ScoreTree | None:
    """The tree over the scores of some nodes with responses; parts are those of `inputs`, the inputs of their gates."""
    asked = sorted({gate for answer in answers for gate, _ in answer.path})
    gates = {m: apart.gates[m] for m in asked}
    for gate in gates.values():
        if not isinstance(gate, SumGate) and (len(gate.slots) != 2 or any(len(some) != 1 for some in gate.slots)):
            return None
    outputs, linear = apart.tree.n_outputs, [answer for answer in answers if answer.parts]
    first = {answer.node: len(asked) + at * outputs for at, answer in enumerate(linear)}
    responses = {node: slice(at, at + outputs) for node, at in first.items()}
    n_columns = len(asked) + len(linear) * outputs
    start = np.zeros(n_columns)
    parts = {f: np.zeros((n_columns, len(apart.rows))) for f in sorted(inputs)}
    for column, m in enumerate(asked):
        gate = gates[m]
        if isinstance(gate, SumGate):
            start[column] = gate.bias
            for f, part in gate.parts.items():
                parts[f][column] = part
        else:
            ((f, share),) = gate.slots[0][0].items()
            parts[f][column] = 1.0 - share
    for answer in linear:
        start[responses[answer.node]] = answer.constant
        for f in answer.parts.keys() & inputs:
            parts[f][responses[answer.node]] = answer.parts[f].T
    nodes = _nodes(apart.tree, asked)
    tree = _tree(apart, nodes, asked, answers, responses, n_columns)
    return ScoreTree(tree, {m: at for at, m in enumerate(nodes)}, start, parts, responses)


def _nodes(tree: Tree, asked: list[int]) -> list[int]:
    """The root and all children of gates and means, parents before children, siblings side by side."""
    nodes, gates = [0], {*asked, *_means(tree)}
    for m in nodes:  # extended in the loop
        if m in gates:
            nodes.extend(tree.children(m))
    return nodes


def _means(tree: Tree) -> list[int]:
    """Nodes of constant shares, which no input moves."""
    found: list[int] = np.flatnonzero((tree.score == Score.CONSTANT) & (tree.leafness < 1)).tolist()
    return found


def _tree(
    apart: Apart, nodes: list[int], asked: list[int], answers: list[Answer], responses: dict[int, slice], n_columns: int
) -> Tree:
    old, n, outputs = apart.tree, len(nodes), apart.tree.n_outputs
    place, column = {m: at for at, m in enumerate(nodes)}, {m: at for at, m in enumerate(asked)}
    table = {name: np.zeros(n) for name in ("n_children", "score", "squash")}
    table |= {name: np.full(n, -1.0) for name in ("first_child", "feature", "slope_row")}
    threshold, softness, leafness = np.full(n, np.nan), np.zeros((n, 2)), np.ones(n)
    weight_count = np.zeros(n, np.int64)
    for m in asked:
        at, gate = place[m], apart.gates[m]
        table["first_child"][at], table["n_children"][at] = place[int(old.first_child[m])], 2
        leafness[at] = old.leafness[m]
        if isinstance(gate, SumGate):
            table["score"][at], table["squash"][at], weight_count[at] = Score.LINEAR, gate.squash, 1
        else:
            table["score"][at], table["squash"][at], table["feature"][at] = Score.THRESHOLD, Squash.RAMP, column[m]
            threshold[at], softness[at] = 0.5, 0.5
    fraction = np.full(n, np.nan)
    for m in (m for m in _means(old) if m in place):
        at, k = place[m], int(old.n_children[m])
        table["first_child"][at], table["n_children"][at] = place[int(old.first_child[m])], k
        table["score"][at], leafness[at] = Score.CONSTANT, old.leafness[m]
        fraction[place[int(old.first_child[m])] :][:k] = old.fraction[old.children(m)]
    weight_column = [column[nodes[at]] for at in np.flatnonzero(weight_count)]
    response, slope = np.zeros((n, outputs)), np.zeros((len(responses), n_columns, outputs))
    for answer in answers:
        at = place[answer.node]
        kept = old.leafness[answer.node] / leafness[at]  # a bud whose children are not needed is a leaf here
        if answer.node in responses:
            table["slope_row"][at] = row = list(responses).index(answer.node)
            slope[row, responses[answer.node]] = kept * np.eye(outputs)
        else:
            response[at] = kept * answer.constant
    fields: dict[str, Any] = {name: values.astype(np.int32) for name, values in table.items()}
    fields |= {"leafness": leafness, "fraction": fraction, "threshold": threshold, "softness": softness, "slope": slope}
    fields["weight_begin"] = np.concatenate([[0], np.cumsum(weight_count)]).astype(np.int32)
    fields |= {"weight_column": np.array(weight_column, np.int32), "weight": np.ones(len(weight_column))}
    return Tree(response, Schema.plain(n_columns, outputs), Link.IDENTITY, basis=Basis.identity(n_columns), **fields)
