"""Softening by gradient: all ramps at once, by L-BFGS within bounds on the annealer's loss, without randomness.

The loss is continuous in the widths a, b and the threshold c, and piecewise smooth. Inside the ramp, at distance
x - c < 0 from the threshold (on the other side with b),

    share = 1/2 - (x - c) / (2 a)     d share / d a = (x - c) / (2 a²)     d share / d c = 1 / (2 a)

Outside, and at a width of 0, the derivative is 0, so the descent starts from small ramps. Widths are refined first;
thresholds and the leaves' responses, if requested, follow. Widths that end at the minimum become 0: those gates are
steps again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood import kernels
from softwood.arrays import Floats, Signs
from softwood.kernels.contracts.anneal import Annealing, Ramps
from softwood.kernels.contracts.growth import UNCONSTRAINED
from softwood.kernels.formulas.bounded_lbfgs import minimise_within
from softwood.learners.softening.free_params import MIN_WIDTH, Bounds, FreeParams
from softwood.learners.softening.gates import SofteningRows, check_softenable, with_widths
from softwood.learners.softening.ramps import ALPHA, make_problem, within_range
from softwood.parts.monotone import clip_responses, find_bounds, upper_tails
from softwood.tree import Tree

MAX_STEPS = 100
MIN_SAVED_SHARE = 2e-9  # relative decrease of the loss below which a descent ends


def soften_by_gradient(
    tree: Tree,
    rows: SofteningRows,
    *,
    alpha: float = ALPHA,
    thresholds: bool = False,
    responses: bool = False,
    monotone: Signs = UNCONSTRAINED,
    max_steps: int = MAX_STEPS,
    n_threads: int = 1,
) -> Tree:
    """The tree with ramps from a descent; the tree itself if nothing better was found.

    Parameters
    ----------
    tree, rows : a hard, univariate tree and the rows it was grown on.
    alpha : of the exponential error.
    thresholds, responses : whether thresholds, and the leaves' responses, are also refined.
    monotone : per feature the sign of the tree's monotone constraint, also for refined responses; empty: none.
    max_steps : of the descent.
    n_threads : does not affect the result.
    """
    check_softenable(tree)
    problem = make_problem(tree, rows.without_zero_weights(), alpha)
    free = FreeParams(problem, thresholds=False, responses=False)
    if not free.width.any():
        return tree
    annealer = kernels.Annealer(problem, 0)
    widths = descend(annealer, free, free.start(), free.bounds(), max_steps, n_threads)
    found = [Ramps(np.zeros_like(problem.scale), problem.threshold, problem.response), free.ramps(widths)]
    if thresholds or responses:
        free = FreeParams(problem, thresholds, responses)
        vector = np.append(widths, free.start()[len(widths) :])
        # Widths and thresholds have kinks, where a line search may fail: first refine responses, then also thresholds.
        for n_held in (len(widths) + int(free.gate.sum()), len(widths), 0):
            low, high = (np.append(vector[:n_held], ends[n_held:]) for ends in free.bounds())
            vector = descend(annealer, free, vector, (low, high), max_steps, n_threads)
        moved = free.ramps(vector)
        found.append(replace(moved, response=keep_order(tree, monotone, moved.response)))
    found = [replace(ramps, theta=np.where(ramps.theta > MIN_WIDTH, ramps.theta, 0.0)) for ramps in found]
    found = [replace(ramps, theta=within_range(problem, ramps.threshold, ramps.theta)) for ramps in found]
    best = min(found, key=lambda ramps: annealer.gradient(ramps, n_threads)[0])
    if best is found[0]:
        return tree
    return with_widths(tree.replace(threshold=best.threshold, response=best.response), best.theta * problem.scale)


def keep_order(tree: Tree, monotone: Signs, response: Floats) -> Floats:
    """Responses clipped to the bounds from the tree's original responses; unchanged without constraints."""
    if not len(monotone):
        return response
    classes = tree.schema.task == "classification"
    quantity = upper_tails(tree.response) if classes else tree.response
    bounds = find_bounds(tree.first_child, tree.feature, monotone, quantity)
    return clip_responses(response, bounds, classes=classes)


def descend(
    annealer: Annealing, free: FreeParams, start: Floats, bounds: Bounds, max_steps: int, n_threads: int
) -> Floats:
    """The result of the descent from a start."""

    def measure(vector: Floats) -> tuple[float, Floats]:
        ramps = free.ramps(vector)
        loss, slope = annealer.gradient(ramps, n_threads)
        return loss, free.slopes(ramps, slope)

    return minimise_within(measure, start, *bounds, max_steps, MIN_SAVED_SHARE)[1]
