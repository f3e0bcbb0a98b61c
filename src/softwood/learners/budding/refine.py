"""Joint refinement of all parameters of a budding tree, including leafness, by a deterministic optimiser (L-BFGS).

    minimise  mean loss + leafness_penalty sum_m (1 - leafness[m])
              + penalty * (log penalty of weights + 1/20 |responses - root's start|^2 + 1/2 |slopes|^2)
    where  leafness = sigmoid(a free number)

A leafness within LEAFNESS_MARGIN of 0 or 1 is rounded; nodes below a leafness of 1 are dropped.

Trees with monotone inputs are refined within bounds, as soft trees are (learners/soft/params/monotone_refine.py):
weights and slopes of their columns are >= 0, and under a gate on them all responses below the first child, including
those of buds, are at least those below the second. A bud adds the constant leafness times its response, so the output
is monotone for any leafness. The optimiser works on numbers that always give ordered responses (monotone_buds.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats
from softwood.engines import Penalty, SumEngine
from softwood.kernels.arithmetic import log
from softwood.kernels.formulas.bounded_lbfgs import minimise_within
from softwood.kernels.formulas.equation import sigmoid
from softwood.kernels.formulas.lbfgs import minimise
from softwood.learners.budding.fold_buds import fold_buds, shape_of, unfold_slopes, without_buds
from softwood.learners.budding.monotone_buds import MonotoneBuds
from softwood.learners.budding.params import BuddingParams
from softwood.learners.soft.params.params import RESPONSE_PENALTY, gate_penalty

LEAFNESS_MARGIN = 0.01  # from 0 and from 1


@dataclass(frozen=True)
class BuddingPenalty:
    """Penalties on nodes that pass rows on and on the size of parameters; responses are shrunk to `origin`.

    log_penalty : of the penalty on weights (kernels/formulas/penalty.py).
    """

    leafness: float
    weight: float
    origin: Floats
    origin_slope: Floats | float = 0.0
    log_penalty: float = 0.0


def settle(
    params: BuddingParams, engine: SumEngine, penalties: BuddingPenalty, max_iter: int, tol: float
) -> tuple[float, BuddingParams]:
    """Refine, drop nodes that no longer receive rows, and refine the rest again; returns the objective."""
    while True:
        value, refined = refine(params, engine, penalties, max_iter, tol)
        params = refined.without(refined.leafness >= 1.0)
        if params.n_nodes == refined.n_nodes:
            return value, params


def round_buds(
    params: BuddingParams, engine: SumEngine, penalties: BuddingPenalty, max_iter: int, tol: float
) -> BuddingParams:
    """Round every bud to a branch or a leaf, and refine all other parameters again."""
    whole = without_buds(params.without(params.leafness >= 0.5))
    return refine(whole, engine, penalties, max_iter, tol, hold_leafness=True)[1]


def refine(
    params: BuddingParams,
    engine: SumEngine,
    penalties: BuddingPenalty,
    max_iter: int,
    tol: float,
    hold_leafness: bool = False,
) -> tuple[float, BuddingParams]:
    """The objective and the better tree of the same shape; leafness at an edge is 0 or 1."""
    shape, branch = shape_of(params), params.branches
    order = None if params.rising is None else MonotoneBuds.of(params, params.rising)
    sizes = np.cumsum([params.gate[branch].size, len(branch), params.response.size])
    penalty = _penalty(params, penalties)

    def unpack(at: Floats) -> BuddingParams:
        gate, kept, response, slope = np.split(at if order is None else order.values(at), sizes)
        gates, leafness = params.gate.copy(), params.leafness.copy()
        gates[branch] = gate.reshape(-1, params.columns + 1)
        if not hold_leafness:
            leafness[branch] = sigmoid(kept)
        return replace(
            params, gate=gates, leafness=leafness, response=response.reshape(params.response.shape),
            slope=slope.reshape(params.slope.shape),
        )  # fmt: skip

    def measure(at: Floats) -> tuple[float, Floats]:
        now = unpack(at)
        value, slope = engine.gradient(shape, fold_buds(now))
        cost, penalty_slope = penalty.at(at if order is None else order.values(at))
        part = now.leafness[branch]
        value += cost + penalties.leafness * float(np.sum(1.0 - part))
        whole = unfold_slopes(now, slope).vector
        whole[sizes[0] : sizes[1]] -= penalties.leafness
        whole[sizes[0] : sizes[1]] *= 0.0 if hold_leafness else part * (1.0 - part)
        whole = np.where(penalty.strength < 0, 0.0, whole + penalty_slope)
        return value, whole if order is None else order.slopes(at, whole)

    kept = np.clip(params.leafness[branch], LEAFNESS_MARGIN, 1.0 - LEAFNESS_MARGIN)
    free = log(kept / (1.0 - kept))
    start = np.concatenate([params.gate[branch].ravel(), free, params.response.ravel(), params.slope.ravel()])
    if order is None:
        value, found, _ = minimise(measure, start, max_iter, tol)
    else:
        low, high = order.bounds(start, penalty.strength < 0)
        value, found, _ = minimise_within(measure, order.start(start), low, high, max_iter, tol)
    better = unpack(found)
    leafness = np.where(better.leafness < LEAFNESS_MARGIN, 0.0, better.leafness)
    leafness = np.where(leafness > 1.0 - LEAFNESS_MARGIN, 1.0, leafness)
    return value, replace(better, leafness=leafness)


def _penalty(params: BuddingParams, penalties: BuddingPenalty) -> Penalty:
    """The penalty of each parameter; none on leafness."""
    branch = params.branches
    gate, gate_log_penalty = gate_penalty(
        params.frozen[branch], params.unpenalized[branch], penalties.weight, penalties.log_penalty
    )
    free = gate.size + len(branch)
    strength = [gate, np.zeros(len(branch)), np.full(params.response.size, RESPONSE_PENALTY * penalties.weight)]
    strength += [np.full(params.slope.size, penalties.weight)]
    slope = np.zeros_like(params.slope) + (penalties.origin_slope if params.slopes == "own" else 0.0)
    centre = [np.zeros(free), np.tile(penalties.origin, params.n_nodes), slope.ravel()]
    log_penalty = [gate_log_penalty, np.zeros(len(branch) + params.response.size + params.slope.size)]
    return Penalty(np.concatenate(strength), np.concatenate(centre), np.concatenate(log_penalty))
