"""Softening by gradient: the widths of all ramps at once, by L-BFGS-B on the annealer's own loss.

The loss is continuous in the widths and piecewise smooth, its slope by a width w at distance x from the threshold is

    d share / d w = x / (2 w²)   inside the ramp, 0 outside

A width of 0 has no slope, so the descent starts from small ramps: START of the way to the edge of the node's box on
either side. No chance is involved. Widths that end below LEAST are 0: those gates stay steps.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from softwood import kernels
from softwood.learners.soft.gates import Floats, SoftRows, check_softenable, with_widths
from softwood.learners.soft.ramps import ALPHA, make_problem
from softwood.tree import Tree

START = 0.1
LEAST, MOST = 1e-3, 10.0
MAX_STEPS = 100


def soften_by_gradient(
    tree: Tree, rows: SoftRows, *, alpha: float = ALPHA, max_steps: int = MAX_STEPS, n_threads: int = 1
) -> Tree:
    """The tree with ramps that a descent found.

    Parameters
    ----------
    tree, rows : a hard, univariate tree and the rows it was grown on.
    alpha : of the exponential error.
    max_steps : of L-BFGS-B.
    n_threads : the result does not depend on it.
    """
    check_softenable(tree)
    problem = make_problem(tree, rows.living(), alpha)
    free = np.repeat(problem.softens.astype(np.bool_), 2) & (problem.scale.ravel() > 0)
    if not free.any():
        return tree
    loss = kernels.Annealer(problem, 0)

    def full(theta: Floats) -> Floats:
        widths = np.zeros(problem.scale.size)
        widths[free] = theta
        return widths.reshape(problem.scale.shape)

    def measure(theta: Floats) -> tuple[float, Floats]:
        value, slope = loss.gradient(full(theta), n_threads)
        return value, slope.ravel()[free]

    n = int(free.sum())
    found = minimize(
        measure,
        np.full(n, START),
        jac=True,
        method="L-BFGS-B",
        bounds=[(LEAST, MOST)] * n,
        options={"maxiter": max_steps, "maxfun": 2 * max_steps},
    )
    theta = full(np.where(found.x > LEAST, found.x, 0.0))
    # Where the hard tree is better already, it stays.
    return with_widths(tree, theta * problem.scale) if loss.loss(theta) < loss.loss(np.zeros_like(theta)) else tree
