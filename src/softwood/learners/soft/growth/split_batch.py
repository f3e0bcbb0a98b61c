"""Several splits at once for trees with many leaves: one split at a time would refine the whole tree for each.

For each of the leaves with the largest gain, the better start is refined alone, on the rows weighted by the leaf's
reach. All are put into the tree, and everything is refined together, once.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from softwood.engines import SampleEngine
from softwood.learners.soft.columns.split_features import SplitFeatures
from softwood.learners.soft.growth.split_candidates import SplitCandidate, find_split_candidates
from softwood.learners.soft.growth.split_step import NEW_SPLIT_ITER, ROUGH_TOL, SPLIT_ITER, GrowOptions, split_step
from softwood.learners.soft.params.new_split import NewSplit
from softwood.learners.soft.params.params import SoftTreeParams

ONE_BY_ONE_MAX_LEAVES = 16  # smaller trees grow by one split at a time
LEAVES_PER_BATCHED_SPLIT = 4  # one leaf in four is split at once


def split_leaves(
    tree: SoftTreeParams, engine: SampleEngine, split_features: SplitFeatures, how: GrowOptions
) -> SoftTreeParams | None:
    """One more split, or several for a large tree with plain gates; None if nothing can be split."""
    leaves = len(tree.leaves)
    has_plain_gates = how.gates == "open" and how.most_inputs is None and tree.rising is None
    if leaves < ONE_BY_ONE_MAX_LEAVES or not has_plain_gates or not how.batch_splits:
        return split_step(tree, engine, split_features, how)
    n = min(leaves // LEAVES_PER_BATCHED_SPLIT, how.max_leaves - leaves)
    starts = find_split_candidates(tree, engine, split_features, n)
    larger = tree
    for node, mine in groupby(starts, key=lambda start: start.node):
        larger = _better(list(mine), tree, engine, how).on(larger, node)
    return None if larger is tree else larger.refine(engine, how.penalty, SPLIT_ITER, ROUGH_TOL)[1]


def _better(starts: list[SplitCandidate], tree: SoftTreeParams, engine: SampleEngine, how: GrowOptions) -> NewSplit:
    """The start with the lower loss after it was refined alone."""
    under = engine.under(tree.shape, tree.parameters, starts[0].node)
    none = np.zeros(tree.columns + 1, np.bool_)
    splits = [NewSplit(start.gate, start.first, start.second, none) for start in starts]
    refined = [split.refined(under, tree, how.penalty, NEW_SPLIT_ITER, ROUGH_TOL) for split in splits]
    return min(refined, key=lambda split: split.loss(under))
