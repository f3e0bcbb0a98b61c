"""Leafness folded into the leaves: a budding tree as a soft tree of the same shape, so that engines can sum over it.

The gates above a leaf determine a row's reach there; the buds on the path add their constant parts. So

    there[m]     = product of (1 - leafness) over the nodes above m
    answer[leaf] = sum over nodes m on the path to the leaf, including it, of there[m] leafness[m] response[m]

makes a soft tree with the same outputs, so a budding tree represents no more functions than a soft tree. The nodes
below a bud are weighted by (1 - leafness), so their outputs are shrunk, more so at greater depth. With

    total[m] = sum of the slopes by the answers of the leaves under m
    value[m] = leafness[m] response[m] . total[m] + (1 - leafness[m]) (value[first] + value[second])

the slope by response[m] is there[m] leafness[m] total[m], and the slope by leafness[m] is
there[m] (response[m] . total[m] - value[first] - value[second]).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats, Ints
from softwood.engines import Shape
from softwood.kernels import make_shape
from softwood.kernels.arithmetic import dot
from softwood.learners.budding.params import BuddingParams, existence
from softwood.learners.soft.params.params import SoftTreeParams


def shape_of(params: BuddingParams) -> Shape:
    """The soft tree's shape."""
    n = len(params.leaves)
    row = {"none": np.full(n, -1), "shared": np.zeros(n), "own": np.arange(n)}[params.slopes].astype(np.int32)
    slopes = {"none": 0, "shared": 1, "own": n}[params.slopes]
    return make_shape(params.first_child, row, slopes, params.columns, params.outputs)


def fold_buds(params: BuddingParams) -> Floats:
    """The soft tree's parameters: gates of the branches, answers and slopes of the leaves."""
    leaf = params.leaves
    slope = _answers(params, params.slope)[leaf] if params.slopes == "own" else params.slope
    answer = _answers(params, params.response)[leaf]
    return np.concatenate([params.gate[params.branches].ravel(), answer.ravel(), slope.ravel()])


def _answers(params: BuddingParams, response: Floats) -> Floats:
    """The output of a row that ends at each node if it were a leaf; `response` has one entry per node."""
    there, answer = existence(params.first_child, params.leafness), np.zeros_like(response)
    kept = there * params.leafness
    for m in range(params.n_nodes):
        answer[m] += kept[m] * response[m]
        first = params.first_child[m]
        if first >= 0:
            answer[first : first + 2] = answer[m]
    return answer


@dataclass(frozen=True)
class Slopes:
    """Slopes of the loss by the numbers of a budding tree; gates and leafness of the branches only."""

    gate: Floats
    leafness: Floats
    response: Floats
    slope: Floats

    @property
    def vector(self) -> Floats:
        return np.concatenate([self.gate.ravel(), self.leafness, self.response.ravel(), self.slope.ravel()])


def unfold_slopes(params: BuddingParams, slope: Floats) -> Slopes:
    """From the slope by the soft tree's parameters to those by the budding tree's parameters."""
    leaf, branch = params.leaves, params.branches
    gates = len(branch) * (params.columns + 1)
    answers = gates + len(leaf) * params.outputs
    total = np.zeros_like(params.response)
    total[leaf] = slope[gates:answers].reshape(-1, params.outputs)
    response, leafness = _unfolded(params, params.response, total)
    rest = slope[answers:].reshape(
        len(leaf) if params.slopes == "own" else len(params.slope), params.outputs, params.columns
    )
    if params.slopes == "own":
        total = np.zeros_like(params.slope)
        total[leaf] = rest
        rest, more = _unfolded(params, params.slope, total)
        leafness = leafness + more
    return Slopes(slope[:gates].reshape(-1, params.columns + 1), leafness[branch], response, rest)


def _unfolded(params: BuddingParams, response: Floats, total: Floats) -> tuple[Floats, Floats]:
    """Slopes by responses and by leafness; `total` has those by the leaves' answers, and is filled from below."""
    there = existence(params.first_child, params.leafness)
    value, leafness = np.zeros(params.n_nodes), np.zeros(params.n_nodes)
    for m in reversed(range(params.n_nodes)):
        first, below = params.first_child[m], 0.0
        if first >= 0:
            total[m] = total[first] + total[first + 1]
            below = value[first] + value[first + 1]
        own = dot(response[m].ravel(), total[m].ravel())
        value[m] = params.leafness[m] * own + (1.0 - params.leafness[m]) * below
        leafness[m] = there[m] * (own - below)
    kept = there * params.leafness
    return kept.reshape((-1,) + (1,) * (total.ndim - 1)) * total, leafness


def params_of(tree: SoftTreeParams, reach: Floats, leafness: float) -> BuddingParams:
    """A soft tree with buds for branches and the same outputs: responses below a bud are scaled up to compensate.

    A bud responds with the mean of its children by reach.
    """
    response, slope = tree.response.copy(), tree.slope.copy()
    for m in reversed(np.flatnonzero(~tree.leaf)):
        response[m] = _mean(response, tree.first_child, m, reach)
        if tree.slopes == "own":
            slope[m] = _mean(slope, tree.first_child, m, reach)
    as_it_is = tree.rising is not None and leafness == 0.0  # so that rounding cannot break an order
    for m in np.flatnonzero(~tree.leaf & (not as_it_is)):
        below = _under(tree.first_child, int(m))
        response[below] = response[m] + (response[below] - response[m]) / (1.0 - leafness)
        if tree.slopes == "own":
            slope[below] = slope[m] + (slope[below] - slope[m]) / (1.0 - leafness)
    kept = np.where(tree.leaf, 1.0, leafness)
    return BuddingParams(
        tree.first_child, kept, tree.gate, response, tree.slopes, slope, tree.frozen, tree.unpenalized, tree.rising
    )


def _mean(values: Floats, first_child: Ints, m: int, reach: Floats) -> Floats:
    first = first_child[m]
    share = reach[first] / max(reach[first] + reach[first + 1], 1e-300)
    return np.asarray(share * values[first] + (1.0 - share) * values[first + 1])


def _under(first_child: Ints, top: int) -> list[int]:
    """All nodes below a branch."""
    found = [int(first_child[top]), int(first_child[top]) + 1]
    for m in found:  # grows in the loop
        if first_child[m] >= 0:
            found += [int(first_child[m]), int(first_child[m]) + 1]
    return found


def without_buds(params: BuddingParams) -> BuddingParams:
    """The same outputs with branches for buds: their share moves to the leaves."""
    leaf = params.first_child < 0
    slope = _answers(params, params.slope) if params.slopes == "own" else params.slope
    return replace(params, leafness=leaf.astype(np.float64), response=_answers(params, params.response), slope=slope)
