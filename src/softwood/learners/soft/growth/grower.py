"""Best-first growth of a soft tree, with every gate and response refined after each split, and pruning."""

from __future__ import annotations

import math

from softwood.engines import SampleEngine, SumEngine
from softwood.kernels.arithmetic import log2
from softwood.learners.soft.columns.split_features import SplitFeatures
from softwood.learners.soft.growth.scorer import Scorer
from softwood.learners.soft.growth.split_batch import LEAVES_PER_BATCHED_SPLIT, ONE_BY_ONE_MAX_LEAVES, split_leaves
from softwood.learners.soft.growth.split_step import MIN_GAIN_SHARE, ROUGH_TOL, SPLIT_ITER, GrowOptions
from softwood.learners.soft.params.params import SoftTreeParams

POLISH_ITER = 100  # iterations when growth stalls: often the tree is only half refined; and on the final tree
FINE_TOL = 1e-6  # proportion of the objective that an iteration must save when polishing, or a branch in the end


def grow(
    root: SoftTreeParams, engine: SampleEngine, split_features: SplitFeatures, how: GrowOptions, scorer: Scorer
) -> SoftTreeParams:
    """The tree with the lowest held-out loss among all sizes, fully refined and pruned.

    `root` is one leaf, or a tree to grow further, already refined.
    """
    tree = root
    best, kept, idle, polished = scorer.loss(tree), tree, 0, None
    least = {len(tree.leaves): best}  # lowest held-out loss by number of leaves
    while len(tree.leaves) < how.max_leaves and idle < how.patience:
        larger = split_leaves(tree, engine, split_features, how)
        if larger is None:
            break
        tree = larger
        value, enough = scorer.loss(tree), best - how.least_gain * abs(best)
        if value >= enough and idle == 0:
            tree = polished = tree.refine(engine, how.penalty, POLISH_ITER, FINE_TOL)[1]
            value = scorer.loss(tree)
        idle = 0 if value < enough else idle + 1
        saved = best - value
        if value < best:
            best, kept = value, tree
        to_come = how.max_leaves - len(tree.leaves)
        if saved > 0 and to_come <= how.max_leaves // 2 and best - saved * to_come > how.abandon_above:
            break  # too high even if every further split saved as much; not at once: the first few may save less
        least[len(tree.leaves)] = best
        if how.batch_splits and reachable(least, how.max_leaves) > how.abandon_above:
            break
    if kept is not polished:
        finished = kept.refine(engine, how.penalty, POLISH_ITER)[1]
        value = scorer.loss(finished)
        if value <= best:
            best, kept = value, finished
    if how.batch_splits:
        kept, best = prune_in_batches(kept, best, engine, how.penalty, scorer)
    return prune_back(kept, best, engine, how.penalty, scorer)


def reachable(least: dict[int, float], max_leaves: int) -> float:
    """The loss of a tree with `max_leaves`, if every further doubling of the leaves saves what the last one saved.

    least : losses by leaves. With too few of them, or before the tree has doubled, -inf.

    Examples
    --------
    >>> reachable({8: 0.5, 16: 0.375}, 64), reachable({4: 0.5, 8: 0.375}, 64)
    (0.125, -inf)
    """
    leaves = max(least)
    half = max((n for n in least if 2 * n <= leaves), default=0)
    if leaves < ONE_BY_ONE_MAX_LEAVES or not half:
        return -math.inf
    return least[leaves] - float(log2(max_leaves / leaves)) * (least[half] - least[leaves])


def prune_back(tree: SoftTreeParams, best: float, engine: SumEngine, penalty: float, scorer: Scorer) -> SoftTreeParams:
    """Collapse the branch of two leaves that saves least, again and again while the held-out loss hardly increases."""
    most = best + MIN_GAIN_SHARE * abs(best)
    while tree.n_nodes > 1:
        smaller = _with_a_branch_less(tree, engine)[1].refine(engine, penalty, SPLIT_ITER, ROUGH_TOL)[1]
        if not scorer.loss(smaller) <= most:
            break
        tree = smaller
    return tree


def prune_in_batches(
    tree: SoftTreeParams, best: float, engine: SumEngine, penalty: float, scorer: Scorer
) -> tuple[SoftTreeParams, float]:
    """Collapse the branches that save least: a quarter of the leaves at once, fewer if that costs too much.

    Returns the tree and the lowest held-out loss on the way, which the tree is near.
    """
    n = len(tree.leaves) // LEAVES_PER_BATCHED_SPLIT
    while n > 1 and len(tree.leaves) > ONE_BY_ONE_MAX_LEAVES:
        smaller = _with_branches_less(tree, engine, n).refine(engine, penalty, SPLIT_ITER, ROUGH_TOL)[1]
        value = scorer.loss(smaller)
        if value <= best + MIN_GAIN_SHARE * abs(best):
            tree, best, n = smaller, min(best, value), min(n, len(smaller.leaves) // LEAVES_PER_BATCHED_SPLIT)
        else:
            n //= 2
    return tree, best


def without_idle(tree: SoftTreeParams, engine: SumEngine) -> SoftTreeParams:
    """The tree without branches that make no difference: few rows reach them, or both leaves predict the same."""
    most = tree.loss(engine) * (1.0 + FINE_TOL)
    while tree.n_nodes > 1:
        value, least = _with_a_branch_less(tree, engine)
        if not value <= most:
            break
        tree = least
    return tree


def _with_a_branch_less(tree: SoftTreeParams, engine: SumEngine) -> tuple[float, SoftTreeParams]:
    """The lowest loss with one branch of two leaves as a leaf, their responses averaged by reach; and that tree."""
    share = _shares(tree, engine)
    found = [(smaller.loss(engine), smaller) for smaller in (tree.collapse(node, share[node]) for node in share)]
    return min(found, key=lambda pair: pair[0])


def _with_branches_less(tree: SoftTreeParams, engine: SumEngine, n: int) -> SoftTreeParams:
    """The tree with `n` branches of two leaves made leaves: those whose removal alone gives the lowest loss."""
    share = _shares(tree, engine)
    few = sorted(share, key=lambda node: tree.collapse(node, share[node]).loss(engine))[:n]
    for node in sorted(few, key=lambda node: -tree.first_child[node]):  # nodes before the removed ones keep their index
        tree = tree.collapse(node, share[node])
    return tree


def _shares(tree: SoftTreeParams, engine: SumEngine) -> dict[int, float]:
    """For each branch of two leaves, the proportion of its rows that reach the first."""
    reach = engine.mean_reach(tree.shape, tree.parameters)
    found = {}
    for node in tree.last_branches():
        first, second = reach[tree.first_child[node]], reach[tree.first_child[node] + 1]
        found[node] = float(first / max(first + second, 1e-300))
    return found
