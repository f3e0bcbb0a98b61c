"""Budding trees in NumPy, row by row: the definition of native/budding/ (İrsoy, Yıldız, Alpaydın 2014).

    share    = sigmoid(gate . x)
    mix[m]   = share output[first child] + (1 - share) output[second child]
    output[m] = leafness response[m](x) + (1 - leafness) mix[m]

    J = loss + leafness_penalty sum_m (1 - leafness[m]) + 1/2 weight_penalty |weights|^2, and for each row

    delta[root] = dJ / d output;   delta[child] = delta[m] (1 - leafness[m]) share[m -> child]
    dJ / d gate     = delta . (output[first] - output[second]) (1 - leafness) share (1 - share) x
    dJ / d response = delta leafness   (times x where it is linear)
    dJ / d leafness = delta . (response - mix) - leafness_penalty

(The poster prints the index of the child instead of the parent for leafness and share.) Leafness is clipped to [0, 1].
A leaf whose leafness would fall below 1 buds: its gate and the responses of two new leaves start from small random
numbers. If there is no room for two more nodes, its leafness stays 1. A node whose leafness is back at 1 loses all
nodes below it. A leaf has no mix yet; its future children would predict about 0, so its mix counts as 0.

Random numbers depend only on the seed and on how many were drawn before (splitmix64; Steele, Lea, Flood 2014).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.contracts.online_state import DRAWS, NODES, PENDING, Numbers, OnlineOptions, OnlineState, Rule
from softwood.kernels.formulas.equation import sigmoid
from softwood.kernels.formulas.losses import loss_derivatives, row_loss

START = 0.01  # largest absolute value of new parameters
TINY = 1e-12  # added to squares: no division by 0
FADE, FADE_SQUARES, ADAM_TINY = 0.9, 0.999, 1e-8  # the usual constants of Adam
GOLDEN, MIX_1, MIX_2, WORD = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 2**64 - 1


@np.errstate(over="ignore", invalid="ignore")
def train_buds(
    state: OnlineState,
    x: Numbers,
    target: Numbers,
    weight: Numbers,
    order: npt.NDArray[np.int64],
    options: OnlineOptions,
) -> float:
    """Learn from the rows in the given order, in place; the sum of their losses, each before its update."""
    total = 0.0
    one = np.zeros_like(state.number) if options.batch == 1 else state.pending
    for row in order:
        if weight[row] == 0:
            continue
        total += add_gradient(state, x[row], target[row], float(weight[row]), options, one)
        state.count[PENDING] += 1
        if state.count[PENDING] == options.batch:
            one /= options.batch
            _move(state, one, options)
            _remove(state)
            _bud(state)
            one[:] = 0.0
            state.count[PENDING] = 0
    return total


def evaluate_buds(state: OnlineState, x: Numbers, n_threads: int = 1) -> Floats:
    """Outputs of the root, (rows, outputs)."""
    return np.array([_forward(state, row)[2][0] for row in x], np.float64).reshape(len(x), state.outputs)


def draw(state: OnlineState) -> float:
    """The next random number, uniform in [-1, 1)."""
    state.count[DRAWS] += 1
    z = (state.seed + GOLDEN * int(state.count[DRAWS])) & WORD
    z = ((z ^ (z >> 30)) * MIX_1) & WORD
    z = ((z ^ (z >> 27)) * MIX_2) & WORD
    return ((z ^ (z >> 31)) >> 11) * 2.0**-52 - 1.0


def _forward(state: OnlineState, x: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Share, response, output and mix of every node."""
    n = state.n_nodes
    gate, response, _ = state.parts(state.number)
    share = sigmoid(gate[:n] @ x)
    response = response[:n] @ x if state.linear else response[:n, :, 0]
    output, mix = response.copy(), np.zeros_like(response)
    for m in reversed(range(n)):
        first = state.first_child[m]
        if first >= 0:
            mix[m] = share[m] * output[first] + (1 - share[m]) * output[first + 1]
            output[m] = state.leafness[m] * response[m] + (1 - state.leafness[m]) * mix[m]
    return share, response, output, mix


def add_gradient(
    state: OnlineState, x: Numbers, target: Numbers, weight: float, options: OnlineOptions, slope: Numbers
) -> float:
    """Add a row's gradient to `slope`; its loss by weight."""
    n, leafness, gate = state.n_nodes, state.leafness, state.parts(state.number)[0]
    by_gate, by_response, by_leafness = state.parts(slope)
    share, response, output, mix = _forward(state, x)
    delta = np.zeros_like(output)
    delta[0] = weight * loss_derivatives(options.loss, output[:1], target[None])[0][0]
    for m in range(n):
        first = state.first_child[m]
        by_response[m] += np.outer(delta[m] * leafness[m], x if state.linear else 1.0)
        by_leafness[m] += delta[m] @ (response[m] - mix[m]) - weight * options.leafness_penalty
        if first >= 0:
            passed = delta[m] * (1 - leafness[m])
            delta[first], delta[first + 1] = passed * share[m], passed * (1 - share[m])
            by_score = passed @ (output[first] - output[first + 1]) * share[m] * (1 - share[m])
            by_gate[m] += by_score * x
            by_gate[m, 1:] += options.weight_penalty * weight * gate[m, 1:]
    return weight * float(row_loss(options.loss, output[:1], target[None])[0])


def _move(state: OnlineState, slope: Numbers, options: OnlineOptions) -> None:
    """One update of all parameters of all nodes."""
    n, step = state.n_nodes, options.step
    state.age[:n] += options.rule == Rule.ADAM
    for number, memory, part, speed in zip(*(state.parts(of) for of in _arrays(state, slope)), strict=True):
        number, memory, part = number[:n], memory[:n], part[:n]
        if options.rule == Rule.SGD:
            number -= step * part
        elif options.rule == Rule.ADAGRAD:
            memory += part**2
            number -= step * part / np.sqrt(memory + TINY)
        else:
            speed, age = speed[:n], state.age[:n].reshape((n,) + (1,) * (number.ndim - 1))
            speed += (1 - FADE) * (part - speed)
            memory += (1 - FADE_SQUARES) * (part**2 - memory)
            number -= step * (speed / (1 - FADE**age)) / (np.sqrt(memory / (1 - FADE_SQUARES**age)) + ADAM_TINY)
    np.clip(state.leafness, 0.0, 1.0, out=state.leafness)


def _arrays(state: OnlineState, slope: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    return state.number, state.memory, slope, state.speed


def _remove(state: OnlineState) -> None:
    """Nodes whose leafness is back at 1 lose all nodes below them; the rest is compacted, in the same order."""
    n = state.n_nodes
    gone = np.zeros(n, np.bool_)
    for m in range(n):
        first = state.first_child[m]
        if first >= 0 and (gone[m] or state.leafness[m] == 1.0):
            gone[first] = gone[first + 1] = True
            state.first_child[m] = -1
            for of in (state.number, state.memory, state.speed):
                state.parts(of)[0][m : m + 1] = 0.0
    if not gone.any():
        return
    place = np.cumsum(~gone) - 1
    child = state.first_child[:n]
    state.first_child[:n] = np.where(child >= 0, place[child], -1)
    keep = np.flatnonzero(~gone)
    arrays: list[Numbers] = [state.first_child, state.age]
    for of in (state.number, state.memory, state.speed):
        arrays += state.parts(of)
    for rows in arrays:
        if len(rows):  # only for Adam
            rows[: len(keep)] = rows[keep]
    state.count[NODES] = len(keep)


def _bud(state: OnlineState) -> None:
    """Leaves whose leafness fell below 1 get a gate and two leaves, in node order, while there is room."""
    gate, response, leafness = state.parts(state.number)
    for m in range(state.n_nodes):
        if state.first_child[m] >= 0 or leafness[m] == 1.0:
            continue
        n = state.n_nodes
        if n + 2 > state.room:
            leafness[m] = 1.0
            continue
        state.first_child[m] = n
        for of in (state.number, state.memory, state.speed):
            for rows in state.parts(of):
                rows[n : n + 2] = 0.0
        gate[m, : state.started + 1] = [START * draw(state) for _ in range(state.started + 1)]
        for child in (n, n + 1):
            state.first_child[child], state.age[child], leafness[child] = -1, 0, 1.0
            response[child, :, 0] = [START * draw(state) for _ in range(state.outputs)]
        state.count[NODES] = n + 2
