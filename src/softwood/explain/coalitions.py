"""Shapley values by all coalitions: exact, for nodes whose gates use few inputs, for any gates.

Every coalition of k inputs of gates is evaluated once, for each pair of a row and a background row. Input i gets

    sum_{S with i} W_k(|S| - 1) v(S) - sum_{S without i} W_k(|S|) v(S)

and for the parts of an input j that no gate uses, the same among k + 1 inputs, with j in the coalition or not. j itself
gets sum_p sum_S W_{k+1}(|S|) reach_p(S) (part_pj(x) - part_pj(z)).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softwood.arrays import Floats
from softwood.explain.blends import Blends, State
from softwood.explain.products import orderings


def add_coalitions(total: Floats, blends: Blends, weight: Floats, reach_x: Floats, reach_z: Floats) -> None:
    """Add the Shapley values of the outputs of `blends` to `total`, (rows, inputs, outputs).

    Parameters
    ----------
    weight : weights of the background rows; they sum to 1.
    reach_x, reach_z : reach of the rows themselves, (rows, nodes): the full and the empty coalition.
    """
    order = sorted(blends.inputs)
    k = len(order)
    w, more = orderings(k), orderings(k + 1)
    own = [np.zeros(blends.shape) for _ in blends.answers]
    for state in _all(blends, blends.start(), order):
        s = len(state.from_x)
        said = reach_x[:, None] if s == k else reach_z[None] if s == 0 else None
        values = blends.values(state, said)
        inside = w[s - 1] * values.value + more[s - 1] * values.z_parts + more[s] * values.x_parts if s else None
        outside = w[s] * values.value + more[s] * values.z_parts + more[min(s + 1, k + 1)] * values.x_parts
        gained, lost = None if inside is None else _mean(inside, weight), _mean(outside, weight)
        for f in order:
            if f in state.from_x and gained is not None:
                total[:, f] += gained
            else:
                total[:, f] -= lost
        if blends.others:
            for at, reach in enumerate(values.reach):
                own[at] += more[s] * reach
    if blends.others:
        add_others(total, blends, own, weight)


def add_others(total: Floats, blends: Blends, own: list[Floats], weight: Floats) -> None:
    """The values of inputs that no gate uses: `own`, a mean reach of every node, times the difference."""
    for answer, reach in zip(blends.answers, own, strict=True):
        for f in blends.others:
            if f in answer.parts:
                x, z = answer.parts[f][blends.rows.x], answer.parts[f][blends.rows.z]
                total[:, f] += (reach @ weight)[:, None] * x - (reach * weight) @ z


def _all(blends: Blends, state: State, order: list[int]) -> Iterator[State]:
    """Every coalition, one input after the other, so that sums are only added to, in one order."""
    if not order:
        yield state
        return
    for from_x in (False, True):
        yield from _all(blends, blends.put(state, order[0], from_x), order[1:])


def _mean(values: Floats, weight: Floats) -> Floats:
    return np.asarray(np.einsum("xzo,z->xo", values, weight))
