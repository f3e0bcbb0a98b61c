"""Best-first growth of a soft tree, every gate and response refined together after each split, and pruning back."""

from __future__ import annotations

from softwood.engines import SampleEngine, SumEngine
from softwood.learners.soft.params import SoftTreeParams
from softwood.learners.soft.scorer import Scorer
from softwood.learners.soft.split_batch import split_some
from softwood.learners.soft.split_features import SplitFeatures
from softwood.learners.soft.split_step import ROUGH, GrowOptions

POLISH = 100  # iterations when growth stalls: often the tree is not at its end, but only half refined
FINISH = 80  # iterations on the tree that growth ends with
AFTER_PRUNING = 25
FINE = 1e-6  # part of the objective that an iteration must save when polishing
PRUNING_TRIES = 2  # branches to try without, those that save least loss
MOST_LOST = 2e-3  # part of the validation loss that pruning may cost in all
IDLE = 1e-5  # part of the loss that a branch saves at least


def grow(
    root: SoftTreeParams, engine: SampleEngine, split_features: SplitFeatures, how: GrowOptions, scorer: Scorer
) -> SoftTreeParams:
    """The tree of least held-out loss among all sizes, refined to the end and pruned back.

    `root` is one leaf, or a tree to grow further; refined already.
    """
    tree = root
    best, kept, idle, polished = scorer.loss(tree), tree, 0, None
    while len(tree.leaves) < how.max_leaves and idle < how.patience:
        larger = split_some(tree, engine, split_features, how)
        if larger is None:
            break
        tree = larger
        value, enough = scorer.loss(tree), best - how.least_gain * abs(best)
        if value >= enough and idle == 0:
            tree = polished = tree.refine(engine, how.penalty, POLISH, FINE)[1]
            value = scorer.loss(tree)
        idle = 0 if value < enough else idle + 1
        saved = best - value
        if value < best:
            best, kept = value, tree
        to_come = how.max_leaves - len(tree.leaves)
        if saved > 0 and to_come <= how.max_leaves // 2 and best - saved * to_come > how.worth:
            break  # too much, even if every split to come saved as much; the first few may save less than later ones
    if kept is not polished:
        finished = kept.refine(engine, how.penalty, FINISH)[1]
        value = scorer.loss(finished)
        if value <= best:
            best, kept = value, finished
    return prune_back(kept, best, engine, how.penalty, scorer)


def prune_back(tree: SoftTreeParams, best: float, engine: SumEngine, penalty: float, scorer: Scorer) -> SoftTreeParams:
    """Collapse branches of two leaves while the held-out loss does not increase."""
    most = best + MOST_LOST * abs(best)
    while tree.n_nodes > 1:
        smaller = _with_a_branch_less(tree, engine)[:PRUNING_TRIES]
        refined = [trial.refine(engine, penalty, AFTER_PRUNING, ROUGH)[1] for _, trial in smaller]
        value, least = min(((scorer.loss(trial), trial) for trial in refined), key=lambda pair: pair[0])
        if not value <= most:
            break
        tree = least
    return tree


def without_idle(tree: SoftTreeParams, engine: SumEngine) -> SoftTreeParams:
    """Without the branches that make no difference: hardly a row arrives, or both leaves answer alike."""
    most = tree.loss(engine) * (1.0 + IDLE)
    while tree.n_nodes > 1:
        value, least = _with_a_branch_less(tree, engine)[0]
        if not value <= most:
            break
        tree = least
    return tree


def _with_a_branch_less(tree: SoftTreeParams, engine: SumEngine) -> list[tuple[float, SoftTreeParams]]:
    """Each branch of two leaves made a leaf, which takes on their answers by their reach; losses, the least first."""
    reach = engine.mean_reach(tree.shape, tree.parameters)
    found = []
    for node in tree.last_branches():
        first, second = reach[tree.first_child[node]], reach[tree.first_child[node] + 1]
        smaller = tree.collapse(node, float(first / max(first + second, 1e-300)))
        found.append((smaller.loss(engine), smaller))
    return sorted(found, key=lambda pair: pair[0])
