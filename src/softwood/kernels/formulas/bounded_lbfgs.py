"""Limited-memory BFGS within bounds, low <= x <= high, in NumPy; for any engine with a gradient.

    free       numbers inside their bounds, or at one that the gradient leads away from
    direction  L-BFGS (lbfgs.py) of the free numbers; the others stay
    step       halved until the objective decreases enough along the projected path

The two-metric projection of Bertsekas (1982), with the memory of L-BFGS in place of Newton's matrix.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot
from softwood.kernels.formulas.lbfgs import MEMORY, STALL, SUFFICIENT, TRIALS, Objective, direction_of

Bounds = tuple[Floats, Floats]
LEAST_CURVATURE = 1e-12


def minimise_within(
    objective: Objective, start: Floats, low: Floats, high: Floats, max_iter: int, tol: float
) -> tuple[float, Floats, int]:
    """Value, minimiser and number of passes; stops when three iterations gain less than `tol` of the value each.

    Examples
    --------
    >>> bowl = lambda x: (float((x - 2) @ (x - 2)), 2 * (x - 2))
    >>> minimise_within(bowl, np.zeros(2), np.full(2, -1.0), np.array([1.0, 9.0]), 50, 1e-9)[1]
    array([1., 2.])
    """
    at, passes = np.clip(start, low, high), 1
    value, slope = objective(at)
    values, memory = [value], list[tuple[Floats, Floats]]()
    for _ in range(max_iter):
        free = ~(((at <= low) & (slope > 0)) | ((at >= high) & (slope < 0)))
        if not np.any(slope[free]):
            break
        direction = _direction(slope, free, memory)
        place, there, slope_there, trials = _search(objective, at, value, slope, direction, (low, high), not memory)
        passes += trials
        if not there < value:
            if not memory:
                break
            memory = []  # the curvature model is outdated: try once more along the gradient
            continue
        step, change = place - at, slope_there - slope
        at, value, slope = place, there, slope_there
        values.append(value)
        if len(values) > STALL and values[-1 - STALL] - value <= STALL * tol * abs(values[-1 - STALL]):
            break
        if dot(step, change) > LEAST_CURVATURE * dot(change, change):
            memory = [*memory, (step, change)][-MEMORY:]
    return value, at, passes


def _direction(slope: Floats, free: npt.NDArray[np.bool_], memory: list[tuple[Floats, Floats]]) -> Floats:
    """A descent direction of the free numbers, from their part of the memory, or the gradient; 0 for the others."""
    masked = [(np.where(free, step, 0.0), np.where(free, change, 0.0)) for step, change in memory]
    kept = [pair for pair in masked if dot(*pair) > LEAST_CURVATURE * dot(pair[1], pair[1])]
    down = np.where(free, slope, 0.0)
    direction = direction_of(down, [step for step, _ in kept], [change for _, change in kept])
    return direction if dot(direction, down) < 0 else direction_of(down, [], [])


def _search(
    objective: Objective, at: Floats, value: float, slope: Floats, direction: Floats, bounds: Bounds, is_new: bool
) -> tuple[Floats, float, Floats, int]:
    """A point on the projected path with a sufficient decrease, its value and gradient; and the number of trials.

    If nothing is known about the curvature yet, the step is doubled while that decreases the objective further.
    """
    best, step, factor = (at, value, slope), 1.0, 0.5
    for trial in range(TRIALS):
        place = np.clip(at + step * direction, *bounds)
        along = dot(slope, place - at)
        there, slope_there = objective(place)
        if along < 0 and there <= value + SUFFICIENT * along and there < best[1]:
            best = (place, there, slope_there)
            if not (is_new and (trial == 0 or factor == 2.0)):
                return (*best, trial + 1)
            factor = 2.0
        elif factor == 2.0:
            return (*best, trial + 1)
        step *= factor
    return (*best, TRIALS)
