"""Budding trees in NumPy, row by row: the definition that native/budding.cpp is held to (İrsoy, Yıldız, Alpaydın 2014).

    share    = sigmoid(gate . x)
    mix[m]   = share output[first child] + (1 - share) output[second child]
    output[m] = leafness response[m](x) + (1 - leafness) mix[m]

    J = loss + leafness_penalty sum_m (1 - leafness[m]) + 1/2 weight_penalty |weights|^2, and for each row

    delta[root] = dJ / d output;   delta[child] = delta[m] (1 - leafness[m]) share[m -> child]
    dJ / d gate     = delta . (output[first] - output[second]) (1 - leafness) share (1 - share) x
    dJ / d response = delta leafness   (times x where it is linear)
    dJ / d leafness = delta . (response - mix) - leafness_penalty

(The poster prints the index of the child where the parent's leafness and share are meant.) Leafness is held in [0, 1].
A leaf whose leafness would fall below 1 buds: its gate and the responses of two new leaves start from small random
numbers. Where there is no room for two more, its leafness stays 1. A node whose leafness is back at 1 loses everything
below it. A leaf has no mix yet; the children it would get answer about 0, so 0 it is.

Random numbers are a function of the seed and of how many were drawn before (splitmix64; Steele, Lea, Flood 2014).
"""

from __future__ import annotations

import numpy as np

from softwood.kernels.plant import DRAWS, NODES, PENDING, Floats, Numbers, Plant, Rule, Tending
from softwood.kernels.reference.evaluate import sigmoid
from softwood.kernels.reference.gradient import bend, row_loss

START = 0.01  # new numbers lie within so much of 0
TINY = 1e-12  # added to squares: no division by 0
FADE, FADE_SQUARES, ADAM_TINY = 0.9, 0.999, 1e-8  # the usual constants of Adam
GOLDEN, MIX_1, MIX_2, WORD = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 2**64 - 1


def train(plant: Plant, x: Numbers, target: Numbers, weight: Numbers, order: np.ndarray, tending: Tending) -> float:
    """Learn from the rows in the given order; the sum of their losses, each taken before the row was learned from."""
    total = 0.0
    one = np.zeros_like(plant.number) if tending.batch == 1 else plant.pending
    for row in order:
        if weight[row] == 0:
            continue
        total += add_gradient(plant, x[row], target[row], float(weight[row]), tending, one)
        plant.count[PENDING] += 1
        if plant.count[PENDING] == tending.batch:
            one /= tending.batch
            _move(plant, one, tending)
            _remove(plant)
            _bud(plant)
            one[:] = 0.0
            plant.count[PENDING] = 0
    return total


def answers(plant: Plant, x: Numbers, n_threads: int = 1) -> Floats:
    """Outputs of the root, (rows, outputs)."""
    return np.array([_forward(plant, row)[2][0] for row in x], np.float64).reshape(len(x), plant.outputs)


def draw(plant: Plant) -> float:
    """The next random number, uniform in [-1, 1)."""
    plant.count[DRAWS] += 1
    z = (plant.seed + GOLDEN * int(plant.count[DRAWS])) & WORD
    z = ((z ^ (z >> 30)) * MIX_1) & WORD
    z = ((z ^ (z >> 27)) * MIX_2) & WORD
    return ((z ^ (z >> 31)) >> 11) * 2.0**-52 - 1.0


def _forward(plant: Plant, x: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Share, response, output and mix of every node."""
    n = plant.n_nodes
    gate, response, _ = plant.parts(plant.number)
    share = sigmoid(gate[:n] @ x)
    response = response[:n] @ x if plant.linear else response[:n, :, 0]
    output, mix = response.copy(), np.zeros_like(response)
    for m in reversed(range(n)):
        first = plant.first_child[m]
        if first >= 0:
            mix[m] = share[m] * output[first] + (1 - share[m]) * output[first + 1]
            output[m] = plant.leafness[m] * response[m] + (1 - plant.leafness[m]) * mix[m]
    return share, response, output, mix


def add_gradient(plant: Plant, x: Numbers, target: Numbers, weight: float, tending: Tending, slope: Numbers) -> float:
    """Add a row's gradient to `slope`; its loss by weight."""
    n, leafness, gate = plant.n_nodes, plant.leafness, plant.parts(plant.number)[0]
    by_gate, by_response, by_leafness = plant.parts(slope)
    share, response, output, mix = _forward(plant, x)
    delta = np.zeros_like(output)
    delta[0] = weight * bend(tending.loss, output[:1], target[None])[0][0]
    for m in range(n):
        first = plant.first_child[m]
        by_response[m] += np.outer(delta[m] * leafness[m], x if plant.linear else 1.0)
        by_leafness[m] += delta[m] @ (response[m] - mix[m]) - weight * tending.leafness_penalty
        if first >= 0:
            passed = delta[m] * (1 - leafness[m])
            delta[first], delta[first + 1] = passed * share[m], passed * (1 - share[m])
            pull = passed @ (output[first] - output[first + 1]) * share[m] * (1 - share[m])
            by_gate[m] += pull * x
            by_gate[m, 1:] += tending.weight_penalty * weight * gate[m, 1:]
    return weight * float(row_loss(tending.loss, output[:1], target[None])[0])


def _move(plant: Plant, slope: Numbers, tending: Tending) -> None:
    """One update of all numbers of all nodes."""
    n, step = plant.n_nodes, tending.step
    plant.age[:n] += tending.rule == Rule.ADAM
    for number, memory, part, speed in zip(*(plant.parts(of) for of in _arrays(plant, slope)), strict=True):
        number, memory, part = number[:n], memory[:n], part[:n]
        if tending.rule == Rule.SGD:
            number -= step * part
        elif tending.rule == Rule.ADAGRAD:
            memory += part**2
            number -= step * part / np.sqrt(memory + TINY)
        else:
            speed, age = speed[:n], plant.age[:n].reshape((n,) + (1,) * (number.ndim - 1))
            speed += (1 - FADE) * (part - speed)
            memory += (1 - FADE_SQUARES) * (part**2 - memory)
            number -= step * (speed / (1 - FADE**age)) / (np.sqrt(memory / (1 - FADE_SQUARES**age)) + ADAM_TINY)
    np.clip(plant.leafness, 0.0, 1.0, out=plant.leafness)


def _arrays(plant: Plant, slope: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    return plant.number, plant.memory, slope, plant.speed


def _remove(plant: Plant) -> None:
    """Nodes whose leafness is back at 1 lose what is below them; the rest moves together, in the same order."""
    n = plant.n_nodes
    gone = np.zeros(n, np.bool_)
    for m in range(n):
        first = plant.first_child[m]
        if first >= 0 and (gone[m] or plant.leafness[m] == 1.0):
            gone[first] = gone[first + 1] = True
            plant.first_child[m] = -1
            for of in (plant.number, plant.memory, plant.speed):
                plant.parts(of)[0][m : m + 1] = 0.0
    if not gone.any():
        return
    place = np.cumsum(~gone) - 1
    child = plant.first_child[:n]
    plant.first_child[:n] = np.where(child >= 0, place[child], -1)
    keep = np.flatnonzero(~gone)
    arrays: list[Numbers] = [plant.first_child, plant.age]
    for of in (plant.number, plant.memory, plant.speed):
        arrays += plant.parts(of)
    for rows in arrays:
        if len(rows):  # only Adam has speeds
            rows[: len(keep)] = rows[keep]
    plant.count[NODES] = len(keep)


def _bud(plant: Plant) -> None:
    """Leaves whose leafness fell below 1 get a gate and two leaves, in the order of nodes, while there is room."""
    gate, response, leafness = plant.parts(plant.number)
    for m in range(plant.n_nodes):
        if plant.first_child[m] >= 0 or leafness[m] == 1.0:
            continue
        n = plant.n_nodes
        if n + 2 > plant.room:
            leafness[m] = 1.0
            continue
        plant.first_child[m] = n
        for of in (plant.number, plant.memory, plant.speed):
            for rows in plant.parts(of):
                rows[n : n + 2] = 0.0
        gate[m, : plant.started + 1] = [START * draw(plant) for _ in range(plant.started + 1)]
        for child in (n, n + 1):
            plant.first_child[child], plant.age[child], leafness[child] = -1, 0, 1.0
            response[child, :, 0] = [START * draw(plant) for _ in range(plant.outputs)]
        plant.count[NODES] = n + 2
