"""Best-first growth of a soft tree, every gate and response refined together after each split, and pruning back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from softwood.engines import Engine
from softwood.learners.soft.candidates import Axes, Start, find_starts
from softwood.learners.soft.sapling import Sapling

ALONE = 8  # iterations on a new gate alone, on the rows its leaf sees
TOGETHER = 6  # iterations on the whole tree before candidates are compared
JOINT = 40  # iterations on the whole tree after a split
FINISH = 200  # iterations on the tree that is kept
AFTER_PRUNING = 25
LEAST_GAIN = 1e-3  # part of the validation loss that a larger tree must save


@dataclass(frozen=True)
class Growing:
    """How to grow one tree: penalty, limits, and which leaves to try."""

    penalty: float
    max_leaves: int = 16
    patience: int = 3
    tries: int = 1
    max_gate_features: int | None = None


def grow(
    root: Sapling, engine: Engine, axes: Axes, how: Growing, judge: Callable[[Sapling], float]
) -> tuple[float, Sapling]:
    """The tree on the way of growth that `judge` (a loss on other rows) finds best, finished and pruned back."""
    _, tree = root.refine(engine, how.penalty, FINISH) if root.slopes != "none" else (0.0, root)
    if tree.slopes == "own":
        tree = replace(tree, origin_slope=tree.slope[0])
    best, kept, idle = judge(tree), tree, 0
    while len(tree.leaves) < how.max_leaves and idle < how.patience:
        larger = enlarge(tree, engine, axes, how)
        if larger is None:
            break
        tree = larger
        value = judge(tree)
        idle = 0 if value < best - LEAST_GAIN * abs(best) else idle + 1
        if value < best:
            best, kept = value, tree
    finished = kept.refine(engine, how.penalty, FINISH)[1]
    value = judge(finished)
    if value <= best:
        best, kept = value, finished
    return prune_back(kept, best, engine, how.penalty, judge)


def enlarge(tree: Sapling, engine: Engine, axes: Axes, how: Growing) -> Sapling | None:
    """One split more, the best of the candidates, and everything refined; None where nothing can be split."""
    best: tuple[float, Sapling] | None = None
    for start in find_starts(tree, engine, axes, how.tries):
        trial = _planted(tree, engine, start, axes, how).refine(engine, how.penalty, TOGETHER)
        if best is None or trial[0] < best[0]:
            best = trial
    return None if best is None else best[1].refine(engine, how.penalty, JOINT)[1]


def _planted(tree: Sapling, engine: Engine, start: Start, axes: Axes, how: Growing) -> Sapling:
    """The tree with the new gate, which was refined alone first."""
    alone = Sapling.root(tree.response[start.node], tree.columns, "none")
    alone = replace(alone.split(0, start.gate, start.first, start.second), origin=tree.origin)
    under = engine.under(tree.shape, tree.parameters, start.node)
    _, alone = alone.refine(under, how.penalty, ALONE)
    if how.max_gate_features is not None:
        closed = axes.all_but_heaviest(alone.gate[0], how.max_gate_features)
        alone = alone.split_again(np.where(closed, 0.0, alone.gate[0]), closed)
        _, alone = alone.refine(under, how.penalty, ALONE)
    return tree.split(start.node, alone.gate[0], alone.response[1], alone.response[2], alone.closed[0])


def prune_back(
    tree: Sapling, best: float, engine: Engine, penalty: float, judge: Callable[[Sapling], float]
) -> tuple[float, Sapling]:
    """Collapse branches of two leaves while the judge does not mind."""
    while tree.n_nodes > 1:
        reach = engine.mean_reach(tree.shape, tree.parameters)
        trials = []
        for node in tree.last_branches():
            first = tree.first_child[node]
            share = float(reach[first] / max(reach[first] + reach[first + 1], 1e-300))
            smaller = tree.collapse(node, share).refine(engine, penalty, AFTER_PRUNING)[1]
            trials.append((judge(smaller), smaller))
        value, smaller = min(trials, key=lambda trial: trial[0])
        if not value <= best + LEAST_GAIN * abs(best):
            break
        best, tree = value, smaller
    return best, tree
