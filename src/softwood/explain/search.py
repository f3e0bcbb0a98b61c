"""Counterfactuals of any tree by search: increasing sets of inputs change together until the goal is reached.

All single changes and, unless there are too many, all pairs are tried; then the states nearest to the goal are changed
further. For every set of inputs, the cheapest state that reaches the goal is reduced: each number moves back towards
its original value as far as the goal allows, in every order of up to three inputs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from softwood.arrays import Floats, Longs
from softwood.explain.goals import Goal
from softwood.explain.moves import Free, values_to_try
from softwood.kernels.formulas.equation import expand
from softwood.kernels.kinds import Score, Squash
from softwood.tree import Tree

MOST_PAIRS, MOST_TRIED = 100_000, 20_000  # combinations of two inputs, and of more
MOST_REFINED = 12  # maximum number of sets whose changes are reduced
HALVINGS = 30
FELT = 4.0  # score of the row at a smoothed step


@dataclass(frozen=True)
class Found:
    """New values by input, and their total cost."""

    changes: dict[int, float]
    cost: float


def search(tree: Tree, row: Floats, goal: Goal, free: list[Free], max_changes: int) -> list[Found]:
    """Changes of the fewest inputs found."""
    moves = [(each, value) for each in free for value in values_to_try(tree, each)]
    if not moves:
        return []
    feature = np.array([each.feature for each, _ in moves])
    value = np.array([value for _, value in moves])
    cost = np.array([each.cost(value) for each, value in moves])
    guide = replace(goal, tree=_softer(tree, row))
    states, nearest = np.arange(len(moves))[:, None], np.inf
    for size in range(1, max_changes + 1):
        if size > 1:
            most = MOST_PAIRS if size == 2 else MOST_TRIED
            states = _grown(states[: max(1, most // len(moves))], feature)
        if not len(states):
            return []
        rows = np.repeat(row, len(states), axis=0)
        rows[np.arange(len(states))[:, None], feature[states]] = value[states]
        done = goal.reached(rows)
        if done.any():
            won = states[done][np.argsort(cost[states[done]].sum(axis=1), kind="stable")]
            return _refined(row, goal, free, _first_of_sets(won, feature), feature, value)
        gap = guide.gap(rows)
        if size > 2 and not gap.min() < nearest:  # further changes do not improve
            return []
        nearest = float(gap.min())
        states = states[np.lexsort((cost[states].sum(axis=1), gap))]
    return []


def _softer(tree: Tree, row: Floats) -> Tree:
    """The tree with sigmoids in place of steps, wide enough to give the search a direction."""
    phi, steps = expand(tree.basis, row)[0], tree.squash == Squash.STEP
    squash, softness, bias, weight = tree.squash.copy(), tree.softness.copy(), tree.bias.copy(), tree.weight.copy()
    for m in np.flatnonzero(steps & (tree.score == Score.LINEAR)).tolist():
        at = slice(tree.weight_begin[m], tree.weight_begin[m + 1])
        score = abs(float(bias[m] + weight[at] @ phi[tree.weight_column[at]])) or 1.0
        bias[m], weight[at], squash[m] = bias[m] * FELT / score, weight[at] * FELT / score, Squash.SIGMOID
    for m in np.flatnonzero(steps & (tree.score == Score.THRESHOLD) & np.isfinite(tree.threshold)).tolist():
        away = abs(float(row[0, tree.feature[m]] - tree.threshold[m]))
        if away > 0:  # unless it is missing
            squash[m], softness[m] = Squash.SIGMOID, away / FELT
    return tree.replace(squash=squash, softness=softness, bias=bias, weight=weight)


def _grown(states: Longs, feature: Longs) -> Longs:
    """Every state with one more input changed, each combination once."""
    more = np.arange(len(feature))
    both = np.concatenate([np.repeat(states, len(more), axis=0), np.tile(more, len(states))[:, None]], axis=1)
    new = np.all(feature[both[:, :-1]] != feature[both[:, -1:]], axis=1)
    return np.asarray(np.unique(np.sort(both[new], axis=1), axis=0))


def _first_of_sets(states: Longs, feature: Longs) -> list[Longs]:
    """The first state of every set of inputs."""
    kept: dict[tuple[int, ...], Longs] = {}
    for state in states:
        kept.setdefault(tuple(sorted(feature[state].tolist())), state)
        if len(kept) == MOST_REFINED:
            break
    return list(kept.values())


def _refined(
    row: Floats, goal: Goal, free: list[Free], states: list[Longs], feature: Longs, value: Floats
) -> list[Found]:
    of_input = {each.feature: each for each in free}
    found = []
    for state in states:
        changes = {int(feature[at]): float(value[at]) for at in state}
        numbers = [f for f in changes if of_input[f].is_number and not np.isnan(of_input[f].now)]
        orders = list(permutations(numbers)) if len(numbers) <= 3 else [tuple(numbers)]
        tries = [_smaller(row, goal, of_input, changes, order) for order in orders] or [changes]
        priced = [Found(t, sum(of_input[f].cost(x) for f, x in t.items())) for t in tries]
        found.append(min(priced, key=lambda each: each.cost))
    return found


def _smaller(
    row: Floats, goal: Goal, of_input: dict[int, Free], changes: dict[int, float], order: tuple[int, ...]
) -> dict[int, float]:
    """Reduce the changes of numbers one after the other as far as the goal allows, then round them if possible."""
    changes = dict(changes)
    for f in order:
        near, far = of_input[f].now, changes[f]
        for _ in range(HALVINGS):
            middle = near + (far - near) / 2.0
            if _reaches(row, goal, {**changes, f: middle}):
                far = middle
            else:
                near = middle
        short = of_input[f].outward(far)
        changes[f] = short if _reaches(row, goal, {**changes, f: short}) else far
    return changes


def _reaches(row: Floats, goal: Goal, changes: dict[int, float]) -> bool:
    moved = row.copy()
    for f, value in changes.items():
        moved[0, f] = value
    return bool(goal.reached(moved)[0])
