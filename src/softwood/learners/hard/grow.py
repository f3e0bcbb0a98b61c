"""Growing a hard tree, and conversion of the grower's result into a Tree."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from softwood import kernels
from softwood.arrays import Floats
from softwood.kernels.contracts.growth import Grown, Growth, SurrogateTable
from softwood.kernels.kinds import Missing, Score
from softwood.learners.hard.problem import Problem
from softwood.tree import Schema, Surrogates, Tree, cut_tree
from softwood.tree.arrays import NO_SURROGATES
from softwood.tree.trusted import make_tree, with_fields


def grow_tree(
    grower: kernels.HardGrower, problem: Problem, growth: Growth, schema: Schema, weight: Floats | None = None
) -> Tree:
    """Grow on all rows, or on those of positive `weight`. Nodes are numbered level by level."""
    return as_tree(grower.grow(problem.target(weight), growth), problem, schema, growth)


def as_tree(grown: Grown, problem: Problem, schema: Schema, growth: Growth) -> Tree:
    """The Tree of a grown tree."""
    branch = grown.first_child >= 0
    categorical = np.diff(grown.group_begin) > 0
    tree = make_tree(
        response=problem.responses(grown, growth.monotone),
        schema=schema,
        first_child=grown.first_child,
        n_children=np.where(branch, 2, 0),
        score=np.where(branch, np.where(categorical, Score.CATEGORY, Score.THRESHOLD), Score.NONE),
        feature=grown.feature,
        threshold=grown.threshold,
        group_begin=grown.group_begin,
        group=grown.group,
        group_level=grown.group_level,
        missing=np.where(branch, growth.missing, Missing.DIRECTION),
        default=grown.default,
        fraction=grown.fraction,
        surrogates=as_surrogates(grown.surrogates),
        count=grown.count,
        impurity=grown.impurity,
        gain=grown.gain,
    )
    return cut_tree(tree, np.zeros(tree.n_nodes, np.bool_))  # cuts nothing; the best-first order needs another


def find_surrogates(grower: kernels.HardGrower, problem: Problem, tree: Tree, growth: Growth) -> Tree:
    """The tree with surrogates at every branch."""
    table = grower.surrogates(tree, problem.target(), growth.max_surrogates, growth.monotone)
    return with_fields(tree, surrogates=as_surrogates(table))


def as_surrogates(table: SurrogateTable) -> Surrogates:
    """The tree's own table of a grower's surrogates."""
    if not len(table.feature):
        return NO_SURROGATES
    return Surrogates(**{f.name: getattr(table, f.name) for f in fields(table)})
