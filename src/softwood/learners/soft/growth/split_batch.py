"""Several splits at once, where a tree has many leaves: one split at a time would refine it anew for each.

Of each of the leaves that gain most the better start is refined alone, on the rows as the leaf sees them; all are put
into the tree, and everything is refined together, once.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from softwood.engines import SampleEngine
from softwood.learners.soft.columns.split_features import SplitFeatures
from softwood.learners.soft.growth.split_candidates import SplitCandidate, find_split_candidates
from softwood.learners.soft.growth.split_step import ALONE, JOINT, ROUGH, GrowOptions, split_step
from softwood.learners.soft.params.new_split import NewSplit
from softwood.learners.soft.params.params import SoftTreeParams

ONE_BY_ONE = 16  # leaves up to which a tree grows by one split at a time
PART = 4  # one leaf in so many is split at once


def split_some(
    tree: SoftTreeParams, engine: SampleEngine, split_features: SplitFeatures, how: GrowOptions
) -> SoftTreeParams | None:
    """One split more, or several of a tree with many leaves and plain gates; None where nothing can be split."""
    leaves = len(tree.leaves)
    by_one = leaves < ONE_BY_ONE or how.gates != "open" or how.most_inputs is not None or tree.rising is not None
    if by_one or not how.several:
        return split_step(tree, engine, split_features, how)
    n = min(leaves // PART, how.max_leaves - leaves)
    starts = find_split_candidates(tree, engine, split_features, n)
    larger = tree
    for node, mine in groupby(starts, key=lambda start: start.node):
        larger = _better(list(mine), tree, engine, how).on(larger, node)
    return None if larger is tree else larger.refine(engine, how.penalty, JOINT, ROUGH)[1]


def _better(starts: list[SplitCandidate], tree: SoftTreeParams, engine: SampleEngine, how: GrowOptions) -> NewSplit:
    """The start of less loss after it was refined alone."""
    under = engine.under(tree.shape, tree.parameters, starts[0].node)
    none = np.zeros(tree.columns + 1, np.bool_)
    splits = [NewSplit(start.gate, start.first, start.second, none) for start in starts]
    refined = [split.refined(under, tree, how.penalty, ALONE, ROUGH) for split in splits]
    return min(refined, key=lambda split: split.loss(under))
