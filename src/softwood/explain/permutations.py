"""Shapley values by permutations, for nodes whose gates use many inputs.

Every background row z gets its own orders of the inputs, in pairs: an order and its reverse. Along an order the inputs
of z are replaced by those of x one by one, and each is credited with the change. Every order adds up to output(x) -
output(z), so the means also add up exactly. The standard error is that of the sampling of orders: pairs of the same
background row differ only in the order.

    se_i² = sum_z weight_z² * variance(pairs of z) / number of pairs

Inputs that no gate uses need no position in an order: their values are averaged over all positions.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.explain.blends import Blends
from softwood.explain.coalitions import add_others


def sample_orders(inputs: frozenset[int], n_pairs: int, rng: np.random.Generator) -> list[list[list[int]]]:
    """Pairs of an order and its reverse."""
    orders = [rng.permutation(sorted(inputs)).tolist() for _ in range(n_pairs)]
    return [[order, order[::-1]] for order in orders]


def permuted(
    blends: Blends, pairs: list[list[list[int]]], n_inputs: int, reach_x: Floats, reach_z: Floats
) -> tuple[Floats, Floats]:
    """Mean over pairs of the changes by input, relative to one background row, and its variance: both (rows, inputs,
    outputs).
    """
    found = []
    for pair in pairs:
        total = np.zeros((blends.shape[0], n_inputs, blends.outputs))
        for order in pair:
            _follow(total, blends, order, reach_x, reach_z)
        found.append(total / len(pair))
    mean = np.mean(found, axis=0)
    spread = np.var(found, axis=0, ddof=1) / len(found) if len(found) > 1 else np.full(mean.shape, np.nan)
    return mean, spread


def _follow(total: Floats, blends: Blends, order: list[int], reach_x: Floats, reach_z: Floats) -> None:
    """Add the change of every input along one order."""
    k, state = len(order), blends.start()
    for f in order:
        state = blends.put(state, f, False)
    before = blends.values(state, reach_z[None])
    own = [reach / (k + 1) for reach in before.reach] if blends.others else []
    for at, f in enumerate(order):
        state = blends.turn(state, f)
        after = blends.values(state, reach_x[:, None] if at == k - 1 else None)
        change = after.value - before.value
        if blends.others:  # each of them precedes this input in at + 1 of its k + 1 positions
            change = change + (after.x_parts - before.x_parts) * ((at + 1) / (k + 1))
            change += (after.z_parts - before.z_parts) * ((k - at) / (k + 1))
            own = [mine + reach / (k + 1) for mine, reach in zip(own, after.reach, strict=True)]
        total[:, f] += change[:, 0]
        before = after
    if blends.others:
        add_others(total, blends, own, np.ones(1))
