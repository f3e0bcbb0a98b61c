"""Nodes below step gates of one input each, and which of their conditions rows meet.

On the path to such a node with k inputs a row meets all conditions of an input or not. Bit i of the row's code is 1 if
it meets those of input i, so a row reaches the node if all k bits are 1. Gates of constant shares are weights, so a
forest is handled like a single tree. Codes of all nodes of one depth are computed at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Longs, Mask
from softwood.kernels.formulas.equation import read_slot
from softwood.kernels.kinds import Missing, Score, Squash
from softwood.tree import Tree

MOST_BITS = 62  # inputs of one path
MOST_SHORT_BITS = 31
MOST_NODES = 2**15  # of several children of the root, of which codes are computed together

Codes = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Level:
    """Nodes of one depth, by their position: above in the previous level, the gate above among `Steps.gates` (-1:
    constant shares), its slot, the bit of its input; `answers` are positions of those with a response, in order.
    """

    above: Longs
    gate: Longs
    slot: Longs
    bit: Longs
    answers: Longs


@dataclass(frozen=True)
class Steps:
    """The nodes with a constant response and only step gates of one input, or constant shares, above.

    Attributes
    ----------
    gates : the step gates.
    levels : all nodes on the way, from the first ones down.
    nodes : those with a response, level by level; `response` and `inputs` have the same order.
    response : the response times the leafness of the node, (nodes, outputs).
    inputs : inputs of the path by bit, (nodes, bits), padded with -1.
    """

    tree: Tree
    gates: Longs
    n_roots: int
    levels: list[Level]
    nodes: Longs
    response: Floats
    inputs: Longs

    @property
    def n_inputs(self) -> Longs:
        """Number of inputs of every path."""
        return np.asarray((self.inputs >= 0).sum(axis=1), np.int64)

    def codes(self, rows: Floats) -> Codes:
        """The code of every node and row, (nodes, rows)."""
        slot, found = _slots(self.tree, self.gates, rows), []
        kind = np.int32 if self.inputs.shape[1] < MOST_SHORT_BITS else np.int64
        code = np.full((self.n_roots, len(rows)), -1, kind)  # every bit is 1
        for depth, level in enumerate(self.levels):
            if depth:
                others = np.invert(np.int64(1) << level.bit).astype(kind)[:, None]
                failed = (level.gate >= 0)[:, None]
                if failed.any():
                    failed = failed & (slot[level.gate] != level.slot[:, None])
                code = code[level.above] & np.where(failed, others, kind(-1))
            found.append(code[level.answers])
        full = ((np.int64(1) << self.n_inputs) - 1).astype(kind)[:, None]
        return np.asarray(np.concatenate(found) & full)


def find_steps(tree: Tree) -> list[Steps]:
    """The nodes of a tree that are of this kind; for a forest of many trees, in several parts."""
    gate = _is_step_gate(tree)
    is_open = (gate | (tree.score == Score.CONSTANT)) & (tree.n_children > 0) & (tree.leafness < 1)
    if not (is_open[0] and tree.score[0] == Score.CONSTANT and tree.leafness[0] == 0):
        return [_steps_below(tree, is_open, np.zeros(1, np.int64), np.ones(1))]
    children = np.arange(tree.first_child[0], tree.first_child[0] + tree.n_children[0], dtype=np.int64)
    part = np.cumsum(_sizes(tree, children)) // MOST_NODES
    at = [children[part == number] for number in np.unique(part)]
    return [_steps_below(tree, is_open, some, tree.fraction[some]) for some in at]


def _sizes(tree: Tree, roots: Longs) -> Longs:
    """The number of nodes of each child of the root."""
    size = [1] * tree.n_nodes
    for node, parent in zip(range(tree.n_nodes - 1, 0, -1), tree.parent[:0:-1].tolist(), strict=True):
        size[parent] += size[node]  # children come after their parents
    return np.array(size)[roots]


def _steps_below(tree: Tree, is_open: Mask, at: Longs, weight: Floats) -> Steps:
    """The nodes of this kind at and below some nodes, of which every row has a given share."""
    n_roots, answers = len(at), (tree.leafness > 0) & (tree.slope_row < 0)
    none = np.zeros(0, np.int64)
    above, gate, slot, bit, inputs = none, none, none, none, np.full((len(at), 0), -1)
    levels: list[Level] = []
    kept: list[tuple[Longs, Floats, Longs]] = []
    while len(at):
        mine = np.flatnonzero(answers[at])
        levels.append(Level(above, gate, slot, bit, mine))
        kept.append((at[mine], (weight * tree.leafness[at])[mine], inputs[mine]))
        above, slot = _children(tree, at, is_open)
        parent = at[above]
        at = tree.first_child[parent] + slot
        shared = tree.score[parent] == Score.CONSTANT
        weight = weight[above] * (1.0 - tree.leafness[parent]) * np.where(shared, tree.fraction[at], 1.0)
        inputs, bit = _with_input(inputs[above], np.where(shared, -1, tree.feature[parent]))
        few = (bit < MOST_BITS) & (weight > 0)
        gate = np.where(shared, -1, parent)
        at, above, gate, slot, bit = (numbers[few] for numbers in (at, above, gate, slot, bit))
        weight, inputs = weight[few], inputs[few]
    return _collected(tree, n_roots, levels, kept)


def _collected(tree: Tree, n_roots: int, levels: list[Level], kept: list[tuple[Longs, Floats, Longs]]) -> Steps:
    """All levels as one: numbers of nodes, their weights, inputs of their paths."""
    wide = max(inputs.shape[1] for _, _, inputs in kept)
    nodes = np.concatenate([node for node, _, _ in kept])
    part = np.concatenate([part for _, part, _ in kept])
    padded = [np.pad(one, ((0, 0), (0, wide - one.shape[1])), constant_values=-1) for _, _, one in kept]
    gates = np.unique(np.concatenate([level.gate[level.gate >= 0] for level in levels]))
    levels = [replace(one, gate=np.where(one.gate < 0, -1, np.searchsorted(gates, one.gate))) for one in levels]
    return Steps(tree, gates, n_roots, levels, nodes, part[:, None] * tree.response[nodes], np.concatenate(padded))


def _is_step_gate(tree: Tree) -> Mask:
    """Gates that send every row to one child, by one input."""
    lost = np.isin(tree.missing, (Missing.DIRECTION, Missing.CATEGORY))
    known = np.isin(tree.score, (Score.THRESHOLD, Score.CATEGORY, Score.INTERVAL))
    return np.asarray(known & lost & (tree.squash == Squash.STEP) & (tree.n_children > 0) & (tree.leafness < 1))


def _children(tree: Tree, at: Longs, is_open: Mask) -> tuple[Longs, Longs]:
    """The children of these nodes: position of the parent, slot."""
    above = np.repeat(np.arange(len(at)), np.where(is_open[at], tree.n_children[at], 0))
    return above, np.arange(len(above)) - np.searchsorted(above, above)


def _with_input(inputs: Longs, feature: Longs) -> tuple[Longs, Longs]:
    """The inputs of paths, (nodes, bits), with another one unless it is known or -1; and its bit."""
    count = (inputs >= 0).sum(axis=1)
    equal = (inputs == feature[:, None]) & (feature >= 0)[:, None]
    known = equal.any(axis=1)
    new = ~known & (feature >= 0)
    bit = np.where(new, count, equal.argmax(axis=1) if inputs.shape[1] else 0)
    if np.any(new & (count == inputs.shape[1])):
        inputs = np.pad(inputs, ((0, 0), (0, 1)), constant_values=-1)
    inputs[new, bit[new]] = feature[new]
    return inputs, bit


def _slots(tree: Tree, gates: Longs, rows: Floats) -> npt.NDArray[np.int16]:
    """The child that every gate sends every row to, (gates, rows)."""
    x = rows[:, tree.feature[gates]].T
    default = tree.default[gates][:, None]
    slot = (~(x <= tree.threshold[gates][:, None])).astype(np.int16)
    lost = np.isnan(x)
    for at in np.flatnonzero(tree.score[gates] != Score.THRESHOLD).tolist():
        slot[at] = read_slot(tree, int(gates[at]), rows)
        lost[at] = slot[at] < 0
    return np.where(lost, default, slot).astype(np.int16, copy=False) if lost.any() else slot
