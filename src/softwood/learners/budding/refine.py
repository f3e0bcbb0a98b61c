"""All numbers of a budding tree refined together, leafness among them, by a deterministic optimiser (L-BFGS).

    minimise  mean loss + leafness_penalty sum_m (1 - leafness[m])
              + penalty (1/2 eased |weights|^2 + 1/20 |responses - root's start|^2 + 1/2 |slopes|^2)
    where  leafness = sigmoid(a free number)

A leafness that ends within EDGE of 0 or 1 is 0 or 1; what hangs below a leafness of 1 is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.engines import Engine, Floats, Penalty
from softwood.kernels.reference.evaluate import sigmoid
from softwood.kernels.reference.refine import minimise
from softwood.learners.budding.bush import Bush
from softwood.learners.budding.fold import fold, shape_of, unfold_slopes, without_buds
from softwood.learners.soft.sapling import RESPONSE_DECAY, price_of_gates

EDGE = 0.01


@dataclass(frozen=True)
class Prices:
    """What is paid for: nodes that pass rows on, and the size of numbers; responses are measured from `origin`.

    ease : of the penalty on weights (kernels/penalty.py).
    """

    leafness: float
    weight: float
    origin: Floats
    origin_slope: Floats | float = 0.0
    ease: float = 0.0


def settle(bush: Bush, engine: Engine, prices: Prices, max_iter: int, tol: float) -> tuple[float, Bush]:
    """Refined, what no longer passes rows on dropped, and the rest refined again; the objective reached."""
    while True:
        value, refined = refine(bush, engine, prices, max_iter, tol)
        bush = refined.without(refined.leafness >= 1.0)
        if bush.n_nodes == refined.n_nodes:
            return value, bush


def round_buds(bush: Bush, engine: Engine, prices: Prices, max_iter: int, tol: float) -> Bush:
    """Every bud the branch or the leaf it is nearer to, and all other numbers refined again."""
    whole = without_buds(bush.without(bush.leafness >= 0.5))
    return refine(whole, engine, prices, max_iter, tol, hold_leafness=True)[1]


def refine(
    bush: Bush, engine: Engine, prices: Prices, max_iter: int, tol: float, hold_leafness: bool = False
) -> tuple[float, Bush]:
    """The objective reached and the better bush, of the same shape; what is at an edge of leafness is 0 or 1."""
    shape, branch = shape_of(bush), bush.branches
    sizes = np.cumsum([bush.gate[branch].size, len(branch), bush.response.size])
    penalty = _penalty(bush, prices)

    def unpack(at: Floats) -> Bush:
        gate, kept, response, slope = np.split(at, sizes)
        gates, leafness = bush.gate.copy(), bush.leafness.copy()
        gates[branch] = gate.reshape(-1, bush.columns + 1)
        if not hold_leafness:
            leafness[branch] = sigmoid(kept)
        return replace(
            bush, gate=gates, leafness=leafness, response=response.reshape(bush.response.shape),
            slope=slope.reshape(bush.slope.shape),
        )  # fmt: skip

    def measure(at: Floats) -> tuple[float, Floats]:
        now = unpack(at)
        value, slope = engine.gradient(shape, fold(now))
        cost, pull = penalty.at(at)
        part = now.leafness[branch]
        value += cost + prices.leafness * float(np.sum(1.0 - part))
        whole = unfold_slopes(now, slope).vector
        whole[sizes[0] : sizes[1]] -= prices.leafness
        whole[sizes[0] : sizes[1]] *= 0.0 if hold_leafness else part * (1.0 - part)
        return value, np.where(penalty.strength < 0, 0.0, whole + pull)

    kept = np.clip(bush.leafness[branch], EDGE, 1.0 - EDGE)
    free = np.log(kept / (1.0 - kept))
    start = np.concatenate([bush.gate[branch].ravel(), free, bush.response.ravel(), bush.slope.ravel()])
    value, found, _ = minimise(measure, start, max_iter, tol)
    better = unpack(found)
    edged = np.where(better.leafness < EDGE, 0.0, np.where(better.leafness > 1.0 - EDGE, 1.0, better.leafness))
    return value, replace(better, leafness=edged)


def _penalty(bush: Bush, prices: Prices) -> Penalty:
    """What each number costs; leafness is free."""
    branch = bush.branches
    gate, eased = price_of_gates(bush.closed[branch], bush.steep[branch], prices.weight, prices.ease)
    free = gate.size + len(branch)
    strength = [gate, np.zeros(len(branch)), np.full(bush.response.size, RESPONSE_DECAY * prices.weight)]
    strength += [np.full(bush.slope.size, prices.weight)]
    slope = np.zeros_like(bush.slope) + (prices.origin_slope if bush.slopes == "own" else 0.0)
    centre = [np.zeros(free), np.tile(prices.origin, bush.n_nodes), slope.ravel()]
    ease = [eased, np.zeros(len(branch) + bush.response.size + bush.slope.size)]
    return Penalty(np.concatenate(strength), np.concatenate(centre), np.concatenate(ease))
