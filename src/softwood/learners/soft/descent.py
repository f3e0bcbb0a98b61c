"""Softening by gradient: all ramps at once, by L-BFGS-B on the annealer's own loss. No chance is involved.

The loss is continuous in the widths a, b and the threshold c, and piecewise smooth. Inside the ramp, at distance
x - c < 0 from the threshold (on the other side with b),

    share = 1/2 - (x - c) / (2 a)     d share / d a = (x - c) / (2 a²)     d share / d c = 1 / (2 a)

Outside there is no slope, and a width of 0 has none, so the descent starts from small ramps. Widths are free,
thresholds and the leaves' responses if asked for. Widths that end at the least are 0: those gates jump again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from softwood import kernels
from softwood.kernels.anneal import Ramps
from softwood.learners.soft.freedom import LEAST, Freedom
from softwood.learners.soft.gates import Floats, SoftRows, check_softenable, with_widths
from softwood.learners.soft.ramps import ALPHA, make_problem
from softwood.tree import Tree

MAX_STEPS = 100


def soften_by_gradient(
    tree: Tree,
    rows: SoftRows,
    *,
    alpha: float = ALPHA,
    thresholds: bool = False,
    responses: bool = False,
    max_steps: int = MAX_STEPS,
    n_threads: int = 1,
) -> Tree:
    """The tree with ramps that a descent found; the tree itself where it found nothing better.

    Parameters
    ----------
    tree, rows : a hard, univariate tree and the rows it was grown on.
    alpha : of the exponential error.
    thresholds, responses : whether thresholds, and what the leaves answer, move too.
    max_steps : of L-BFGS-B.
    n_threads : the result does not depend on it.
    """
    check_softenable(tree)
    problem = make_problem(tree, rows.living(), alpha)
    free = Freedom(problem, thresholds, responses)
    if not free.width.any():
        return tree
    loss = kernels.Annealer(problem, 0)

    def measure(vector: Floats) -> tuple[float, Floats]:
        ramps = free.ramps(vector)
        value, slope = loss.gradient(ramps, n_threads)
        return value, free.slopes(ramps, slope)

    found = minimize(
        measure,
        free.start(),
        jac=True,
        method="L-BFGS-B",
        bounds=free.bounds(),
        options={"maxiter": max_steps, "maxfun": 2 * max_steps},
    )
    ramps = free.ramps(found.x)
    ramps = replace(ramps, theta=np.where(ramps.theta > LEAST, ramps.theta, 0.0))
    hard = Ramps(np.zeros_like(problem.scale), problem.threshold, problem.response)
    if loss.gradient(ramps)[0] >= loss.gradient(hard)[0]:
        return tree
    return with_widths(tree.replace(threshold=ramps.threshold, response=ramps.response), ramps.theta * problem.scale)
