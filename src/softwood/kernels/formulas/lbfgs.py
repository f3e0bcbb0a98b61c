"""Limited-memory BFGS in NumPy (Nocedal 1980), twin of native/soft/lbfgs.cpp; for any engine with a gradient.

Line search: step halved or doubled until the weak Wolfe conditions hold (Lewis and Overton 2013).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, norm
from softwood.kernels.formulas.penalty import Penalty

Objective = Callable[[Floats], tuple[float, Floats]]

SUFFICIENT, CURVATURE = 1e-4, 0.9  # the usual constants of the Wolfe conditions
TRIALS = 20
MEMORY = 10
STALL = 3  # iterations compared together, since gains are uneven


def penalised(gradient: Objective, penalty: Penalty) -> Objective:
    """The loss plus the penalty; frozen parameters have slope 0."""
    frozen = penalty.strength < 0

    def objective(at: Floats) -> tuple[float, Floats]:
        value, slope = gradient(at)
        cost, penalty_slope = penalty.at(at)
        return value + cost, np.where(frozen, 0.0, slope + penalty_slope)

    return objective


def minimise(objective: Objective, start: Floats, max_iter: int, tol: float) -> tuple[float, Floats, int]:
    """Value, minimiser and number of passes; stops when three iterations gain less than `tol` of the value each."""
    at, passes = start.copy(), 1
    value, slope = objective(at)
    values = [value]
    steps: list[Floats] = []
    changes: list[Floats] = []
    for _ in range(max_iter):
        found = _search(objective, at, value, slope, direction_of(slope, steps, changes))
        passes += found[3]
        if not found[1] < value:
            if not steps:
                break
            steps, changes = [], []  # the curvature model is outdated: try once more along the gradient
            continue
        step, change = found[0] - at, found[2] - slope
        at, value, slope = found[0], found[1], found[2]
        values.append(value)
        if len(values) > STALL and values[-1 - STALL] - value <= STALL * tol * abs(values[-1 - STALL]):
            break
        if dot(step, change) > 1e-12 * dot(change, change):
            steps, changes = [*steps, step][-MEMORY:], [*changes, change][-MEMORY:]
    return value, at, passes


def direction_of(slope: Floats, steps: list[Floats], changes: list[Floats]) -> Floats:
    """A descent direction: the gradient times the inverse curvature estimated from the last steps."""
    d = slope.copy()
    part = np.zeros(len(steps))
    for i in reversed(range(len(steps))):
        part[i] = dot(steps[i], d) / dot(steps[i], changes[i])
        d -= part[i] * changes[i]
    if steps:
        d *= dot(steps[-1], changes[-1]) / dot(changes[-1], changes[-1])
    else:
        d /= max(1.0, norm(slope))
    for i in range(len(steps)):
        d += (part[i] - dot(changes[i], d) / dot(steps[i], changes[i])) * steps[i]
    return -d


def _search(
    objective: Objective, at: Floats, value: float, slope: Floats, direction: Floats
) -> tuple[Floats, float, Floats, int]:
    """The best point along `direction`, its value and gradient, and the number of trials."""
    along = dot(slope, direction)
    best, step, low, high, trials = (at, value, slope), 1.0, 0.0, np.inf, 0
    if not along < 0:
        return (*best, 0)
    while trials < TRIALS:
        trials += 1
        place = at + step * direction
        there, slope_there = objective(place)
        lower = there <= value + SUFFICIENT * step * along
        if lower and there <= best[1]:
            best = (place, there, slope_there)
        if not lower:
            high = step
        elif dot(slope_there, direction) < CURVATURE * along:
            low = step
        else:
            break
        step = 0.5 * (low + high) if np.isfinite(high) else 2 * step
    return (*best, trials)
