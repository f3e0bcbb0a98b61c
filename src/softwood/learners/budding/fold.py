"""Leafness folded into the leaves: a budding tree as a soft tree of the same shape, so that engines can sum for it.

A row comes to a leaf by the gates above it, and the buds on the way add what they keep, whatever the row holds. So

    there[m]     = product of (1 - leafness) over the nodes above m
    answer[leaf] = sum over nodes m on the way to the leaf, itself among them, of there[m] leafness[m] response[m]

makes a soft tree with the same answers: leafness does not widen what a tree can say. It narrows it: what is below a bud
counts for (1 - leafness), so its answers are drawn together, the deeper the closer. With

    total[m] = sum of the slopes by the answers of the leaves under m
    felt[m]  = leafness[m] response[m] . total[m] + (1 - leafness[m]) (felt[first] + felt[second])

the slope by response[m] is there[m] leafness[m] total[m], and the one by leafness[m] is
there[m] (response[m] . total[m] - felt[first] - felt[second]).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.engines import Floats, Shape
from softwood.kernels.soft import make_shape
from softwood.learners.budding.bush import Bush, existence
from softwood.learners.soft.sapling import Ints, Sapling


def shape_of(bush: Bush) -> Shape:
    """The soft tree's shape."""
    n = len(bush.leaves)
    row = {"none": np.full(n, -1), "shared": np.zeros(n), "own": np.arange(n)}[bush.slopes].astype(np.int32)
    slopes = {"none": 0, "shared": 1, "own": n}[bush.slopes]
    return make_shape(bush.first_child, row, slopes, bush.columns, bush.outputs)


def fold(bush: Bush) -> Floats:
    """The soft tree's parameters: gates of the branches, answers and slopes of the leaves."""
    leaf = bush.leaves
    slope = _answers(bush, bush.slope)[leaf] if bush.slopes == "own" else bush.slope
    answer = _answers(bush, bush.response)[leaf]
    return np.concatenate([bush.gate[bush.branches].ravel(), answer.ravel(), slope.ravel()])


def _answers(bush: Bush, response: Floats) -> Floats:
    """What a row gets that ends at each node, were it a leaf; `response` has one entry a node."""
    there, answer = existence(bush.first_child, bush.leafness), np.zeros_like(response)
    kept = there * bush.leafness
    for m in range(bush.n_nodes):
        answer[m] += kept[m] * response[m]
        first = bush.first_child[m]
        if first >= 0:
            answer[first : first + 2] = answer[m]
    return answer


@dataclass(frozen=True)
class Slopes:
    """Slopes of the loss by the numbers of a bush; gates and leafness of the branches only."""

    gate: Floats
    leafness: Floats
    response: Floats
    slope: Floats

    @property
    def vector(self) -> Floats:
        return np.concatenate([self.gate.ravel(), self.leafness, self.response.ravel(), self.slope.ravel()])


def unfold_slopes(bush: Bush, slope: Floats) -> Slopes:
    """From the slope by the soft tree's parameters to those by the bush's numbers."""
    leaf, branch = bush.leaves, bush.branches
    gates = len(branch) * (bush.columns + 1)
    answers = gates + len(leaf) * bush.outputs
    total = np.zeros_like(bush.response)
    total[leaf] = slope[gates:answers].reshape(-1, bush.outputs)
    response, leafness = _unfolded(bush, bush.response, total)
    rest = slope[answers:].reshape(len(leaf) if bush.slopes == "own" else len(bush.slope), bush.outputs, bush.columns)
    if bush.slopes == "own":
        total = np.zeros_like(bush.slope)
        total[leaf] = rest
        rest, more = _unfolded(bush, bush.slope, total)
        leafness = leafness + more
    return Slopes(slope[:gates].reshape(-1, bush.columns + 1), leafness[branch], response, rest)


def _unfolded(bush: Bush, response: Floats, total: Floats) -> tuple[Floats, Floats]:
    """Slopes by responses and by leafness; `total` has those by the leaves' answers, and is filled from below."""
    there = existence(bush.first_child, bush.leafness)
    felt, leafness = np.zeros(bush.n_nodes), np.zeros(bush.n_nodes)
    for m in reversed(range(bush.n_nodes)):
        first, below = bush.first_child[m], 0.0
        if first >= 0:
            total[m] = total[first] + total[first + 1]
            below = felt[first] + felt[first + 1]
        own = float(np.vdot(response[m], total[m]))
        felt[m] = bush.leafness[m] * own + (1.0 - bush.leafness[m]) * below
        leafness[m] = there[m] * (own - below)
    kept = there * bush.leafness
    return kept.reshape((-1,) + (1,) * (total.ndim - 1)) * total, leafness


def bush_of(tree: Sapling, reach: Floats, leafness: float) -> Bush:
    """A soft tree with buds for branches, which answers as before: a bud keeps some, what is below it says more.

    A bud responds with the mean of its children by reach.
    """
    response, slope = tree.response.copy(), tree.slope.copy()
    for m in reversed(np.flatnonzero(~tree.leaf)):
        response[m] = _mean(response, tree.first_child, m, reach)
        if tree.slopes == "own":
            slope[m] = _mean(slope, tree.first_child, m, reach)
    for m in np.flatnonzero(~tree.leaf):
        below = _under(tree.first_child, int(m))
        response[below] = response[m] + (response[below] - response[m]) / (1.0 - leafness)
        if tree.slopes == "own":
            slope[below] = slope[m] + (slope[below] - slope[m]) / (1.0 - leafness)
    kept = np.where(tree.leaf, 1.0, leafness)
    return Bush(tree.first_child, kept, tree.gate, response, tree.slopes, slope, tree.closed, tree.steep)


def _mean(values: Floats, first_child: Ints, m: int, reach: Floats) -> Floats:
    first = first_child[m]
    share = reach[first] / max(reach[first] + reach[first + 1], 1e-300)
    return np.asarray(share * values[first] + (1.0 - share) * values[first + 1])


def _under(first_child: Ints, top: int) -> list[int]:
    """All nodes below a branch."""
    found = [int(first_child[top]), int(first_child[top]) + 1]
    for m in found:  # grows while it is walked
        if first_child[m] >= 0:
            found += [int(first_child[m]), int(first_child[m]) + 1]
    return found


def without_buds(bush: Bush) -> Bush:
    """The same answers with branches for buds: what these keep goes to the leaves."""
    leaf = bush.first_child < 0
    slope = _answers(bush, bush.slope) if bush.slopes == "own" else bush.slope
    return replace(bush, leafness=leaf.astype(np.float64), response=_answers(bush, bush.response), slope=slope)
