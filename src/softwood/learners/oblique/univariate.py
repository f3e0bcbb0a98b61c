"""The best question about one input: CART's own search, native, one level deep."""

from __future__ import annotations

import numpy as np

from softwood import kernels
from softwood.kernels.growth import Growth
from softwood.kernels.kinds import Missing
from softwood.learners.oblique.gate import InputGate, Split
from softwood.learners.oblique.rows import Rows


def find_univariate(rows: Rows, least: float) -> Split | None:
    """The split of one input that lowers the impurity most; missing values go where they gain most."""
    problem = rows.problem
    grower = kernels.Grower(problem.X, problem.n_levels, problem.weight)
    growth = Growth(problem.criterion, max_depth=1, min_samples_leaf=least, missing=Missing.DIRECTION)
    grown = grower.grow(problem.target(), growth)
    if grown.first_child[0] < 0:
        return None
    group = grown.group[grown.group_begin[0] : grown.group_begin[1]]
    before = rows.tally.sum(axis=0, keepdims=True)
    gate = InputGate(int(grown.feature[0]), float(grown.threshold[0]), group, int(grown.default[0]))
    side = gate.first(rows)
    after = np.array([rows.tally[side].sum(axis=0), rows.tally[~side].sum(axis=0)])
    return Split(gate, float(rows.loss(before)[0] - rows.loss(after).sum()))
