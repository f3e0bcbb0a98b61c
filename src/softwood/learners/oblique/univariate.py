"""The best test of one input: CART's native search, one level deep."""

from __future__ import annotations

from softwood import kernels
from softwood.kernels.contracts.growth import Growth
from softwood.kernels.kinds import Missing
from softwood.learners.oblique.gate import InputGate, Split, gain_of
from softwood.learners.oblique.rows import Rows


def find_univariate(rows: Rows, least: float) -> Split | None:
    """The split on one input with the largest decrease of impurity; missing values go where they gain most."""
    problem = rows.problem
    grower = kernels.Grower(problem.X, problem.n_levels, problem.weight)
    growth = Growth(problem.criterion, max_depth=1, min_samples_leaf=least, missing=Missing.DIRECTION)
    grown = grower.grow(problem.target(), growth)
    if grown.first_child[0] < 0:
        return None
    group = grown.group[grown.group_begin[0] : grown.group_begin[1]]
    gate = InputGate(int(grown.feature[0]), float(grown.threshold[0]), group, int(grown.default[0]))
    return Split(gate, gain_of(gate, rows))
