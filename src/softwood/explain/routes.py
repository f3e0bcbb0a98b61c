"""Counterfactuals of hard trees whose gates use one input each, by the paths to the target leaves.

A path requires each of its inputs to lie in a set: a number between two cuts, a category among some levels. Inputs
inside their set need not change; others move to the nearest value in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softwood.arrays import Floats
from softwood.explain.goals import Goal
from softwood.explain.moves import Free, nearest
from softwood.explain.search import Found
from softwood.kernels.formulas.equation import expand, shares
from softwood.kernels.kinds import Score
from softwood.tree import Tree
from softwood.tree.views import CategoryGate, ConstantGate, IntervalGate, LinearGate, ThresholdGate

Sets = dict[int, tuple[float, float] | frozenset[int]]


def is_stepwise(tree: Tree) -> bool:
    """Whether all gates are steps on one input each, and all responses constants."""
    return tree.is_whole and not bool(np.any(tree.score == Score.LINEAR))


def follow_paths(tree: Tree, row: Floats, goal: Goal, free: list[Free], max_changes: int) -> list[Found]:
    """Changes for every path to a leaf that meets the goal."""
    movable = {each.feature: each for each in free}
    here = {m: _slot(tree, m, row) for m in np.flatnonzero(tree.n_children).tolist()}
    found = []
    for leaf in np.flatnonzero(tree.n_children == 0).tolist():
        changes = _changes(tree, leaf, row, movable, here)
        if changes is None or not 0 < len(changes) <= max_changes:
            continue
        moved = row.copy()
        for f, value in changes.items():
            moved[0, f] = value
        if goal.reached(moved)[0]:
            found.append(Found(changes, sum(movable[f].cost(value) for f, value in changes.items())))
    return found


def _slot(tree: Tree, m: int, row: Floats) -> int:
    """The slot of the row at the gate of a node, even if the row does not reach it."""
    return int(np.argmax(shares(tree, m, row, expand(tree.basis, row))[0]))


def _changes(
    tree: Tree, leaf: int, row: Floats, movable: dict[int, Free], here: dict[int, int]
) -> dict[int, float] | None:
    """The changes by which the row reaches a leaf; None if impossible."""
    sets: Sets = {}
    wrong: set[int] = set()
    for m, slot in _path(tree, leaf):
        gate = tree.gate(m)
        if gate is None or isinstance(gate, LinearGate | ConstantGate):
            return None
        f = gate.feature
        sets[f] = _narrow(sets.get(f), gate, slot)
        if here[m] != slot:
            wrong.add(f)
    changes = {}
    for f in wrong:
        value = _into(movable[f], sets[f]) if f in movable else None
        if value is None:
            return None
        changes[f] = value
    return changes


def _path(tree: Tree, leaf: int) -> Iterator[tuple[int, int]]:
    while leaf:
        above = int(tree.parent[leaf])
        yield above, leaf - int(tree.first_child[above])
        leaf = above


def _narrow(
    old: tuple[float, float] | frozenset[int] | None, gate: ThresholdGate | CategoryGate | IntervalGate, slot: int
) -> tuple[float, float] | frozenset[int]:
    """The part of a set of values that a gate sends to a slot."""
    if isinstance(gate, CategoryGate):
        mine = frozenset(code for code, to in enumerate(gate.slots) if to == slot)
        return mine if not isinstance(old, frozenset) else old & mine
    if isinstance(gate, ThresholdGate):
        low, high = (gate.threshold, np.inf) if slot else (-np.inf, gate.threshold)
    else:
        ends = (-np.inf, *gate.cuts, np.inf)
        low, high = ends[slot], ends[slot + 1]
    return (low, high) if not isinstance(old, tuple) else (max(low, old[0]), min(high, old[1]))


def _into(free: Free, wanted: tuple[float, float] | frozenset[int]) -> float | None:
    """The nearest value in a set that the input may take."""
    if isinstance(wanted, frozenset):
        allowed = [float(code) for code in sorted(wanted) if free.allows(float(code))]
        return min(allowed, key=free.cost) if allowed else None
    low, high = free.ends()
    if not wanted[0] < wanted[1] or high <= wanted[0] or low > wanted[1]:
        return None
    if free.is_number:
        value = nearest(free, *wanted)
        return value if value <= high and free.allows(value) else None
    inside = [float(code) for code in range(free.range.n_levels or 2) if wanted[0] < code <= wanted[1]]
    allowed = [code for code in inside if free.allows(code)]
    return min(allowed, key=free.cost) if allowed else None
