"""All numbers of a budding tree refined together, leafness among them, by a deterministic optimiser (L-BFGS).

    minimise  mean loss + leafness_penalty sum_m (1 - leafness[m])
              + penalty (1/2 |weights|^2 + 1/20 |responses - root's start|^2 + 1/2 |slopes|^2)
    where  leafness = sigmoid(a free number)

A leafness that ends within EDGE of 0 or 1 is 0 or 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.engines import Engine, Floats
from softwood.kernels.reference.evaluate import sigmoid
from softwood.kernels.reference.refine import minimise
from softwood.learners.budding.bush import Bush
from softwood.learners.budding.graft import Graft
from softwood.learners.soft.sapling import RESPONSE_DECAY

EDGE = 0.01
TOLERANCE = 1e-8  # part of the objective that an iteration must gain


@dataclass(frozen=True)
class Prices:
    """What is paid for: nodes that pass rows on, and the size of numbers; responses are measured from `origin`."""

    leafness: float
    weight: float
    origin: Floats


def refine(
    bush: Bush, engine: Engine, prices: Prices, max_iter: int, hold_leafness: bool = False
) -> tuple[float, Bush]:
    """The objective reached and the better bush, of the same shape; what is at an edge of leafness is 0 or 1."""
    graft, branch = Graft.make(bush), bush.branches
    sizes = np.cumsum([bush.gate[branch].size, len(branch), bush.response.size])
    strength = _strength(bush, prices)

    def unpack(at: Floats) -> Bush:
        gate, kept, response, slope = np.split(at, sizes)
        gates, leafness = bush.gate.copy(), bush.leafness.copy()
        gates[branch], leafness[branch] = gate.reshape(-1, bush.columns + 1), sigmoid(kept)
        return replace(
            bush, gate=gates, leafness=leafness, response=response.reshape(bush.response.shape),
            slope=slope.reshape(bush.slope.shape),
        )  # fmt: skip

    centre = np.concatenate([np.zeros(sizes[1]), np.tile(prices.origin, bush.n_nodes), np.zeros(bush.slope.size)])

    def measure(at: Floats) -> tuple[float, Floats]:
        now = unpack(at)
        value, slope = engine.gradient(graft.shape, graft.parameters(now))
        parts = graft.pull_back(now, slope)
        away = at - centre
        value += 0.5 * float(strength @ (away * away)) + prices.leafness * float(np.sum(1.0 - now.leafness[branch]))
        whole = np.concatenate([part.ravel() for part in parts]) + strength * away
        part = now.leafness[branch]
        whole[sizes[0] : sizes[1]] = 0.0 if hold_leafness else (parts[1] - prices.leafness) * part * (1.0 - part)
        return value, whole

    kept = np.clip(bush.leafness[branch], EDGE, 1.0 - EDGE)
    start = np.concatenate([bush.gate[branch].ravel(), _logit(kept), bush.response.ravel(), bush.slope.ravel()])
    value, found, _ = minimise(measure, start, max_iter, TOLERANCE)
    better = unpack(found)
    if hold_leafness:
        return value, replace(better, leafness=bush.leafness)
    rounded = np.where(better.leafness < EDGE, 0.0, np.where(better.leafness > 1.0 - EDGE, 1.0, better.leafness))
    return value, replace(better, leafness=rounded)


def _logit(part: Floats) -> Floats:
    return np.log(part / (1.0 - part))


def _strength(bush: Bush, prices: Prices) -> Floats:
    """Of the quadratic penalty on each number; biases and leafness are free of it."""
    gate = np.full((len(bush.branches), bush.columns + 1), prices.weight)
    gate[:, -1] = 0.0
    parts = [gate.ravel(), np.zeros(len(bush.branches)), np.full(bush.response.size, RESPONSE_DECAY * prices.weight)]
    return np.concatenate([*parts, np.full(bush.slope.size, prices.weight)])
