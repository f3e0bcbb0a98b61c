"""Growth with outlying targets for absolute error, quantile and huber, if the tree is to be pruned.

A split that isolates one outlier saves its whole distance, more than any true split. Such splits come first in the tree
and in its pruning sequence, and every tree but the root predicts an outlier for some rows. So a tree that is to be
pruned grows on targets clipped to within WILD_SPREADS of the median (a spread is 1.48 times the median distance from
it; with huber, where true splits save squares of small steps, within HUBER_WILD_SPREADS and its width). Centres within
the limits do not change; those at a limit are recomputed from the original targets. Trees that are not pruned grow on
the original targets, as in scikit-learn.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.kinds import Criterion
from softwood.learners.hard.number_losses import HUBER_WILD_SPREADS, LINEAR_CRITERIA, find_center, wild_distance
from softwood.learners.hard.problem import Problem
from softwood.parts.quantiles import weighted_quantile
from softwood.tree import Tree
from softwood.tree.trusted import with_fields

WILD_SPREADS = 30.0


def hold_wild(problem: Problem) -> Problem:
    """The problem with clipped outliers; the problem itself if there are none, or for another criterion."""
    if problem.criterion not in LINEAR_CRITERIA or not problem.weight.any():
        return problem
    y = problem.y.astype(np.float64)
    spreads = HUBER_WILD_SPREADS if problem.criterion == Criterion.HUBER else WILD_SPREADS
    beyond = wild_distance(problem.criterion, problem.parameter, y, problem.weight, spreads)
    if not beyond.any():
        return problem
    return replace(problem, y=y - np.sign(y - weighted_quantile(y, problem.weight, 0.5)) * beyond)


def answer_wild(tree: Tree, problem: Problem, near: Problem) -> Tree:
    """The tree with centres from the original targets, where targets are outliers."""
    y, held = problem.y.astype(np.float64), near.y.astype(np.float64)
    width = (
        problem.parameter if problem.criterion == Criterion.HUBER else 0.0
    )  # distance from the limit at which clipping has an effect
    low, high = held.min(axis=0) + width, held.max(axis=0) - width
    edge = np.flatnonzero(((tree.response <= low) | (tree.response >= high)).any(axis=1))
    if not len(edge):
        return tree
    reach: Floats = tree.reach(problem.X)[:, edge] * problem.weight[:, None]
    response = tree.response.copy()
    for node, weight in zip(edge, reach.T, strict=True):
        here = weight > 0
        if here.any():
            response[node] = find_center(problem.criterion, problem.parameter, y[here], weight[here])
    return with_fields(tree, response=response)
