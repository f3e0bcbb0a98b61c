"""Responses of nodes in the order required by monotone gates, as numbers within simple bounds.

    above[m] >= middle[m] >= below[m]       m an ordered gate: the responses under its first and under its second child

So every node lies between the middles of the ordered gates above it, and so does every middle. A value between low and
high is determined by one number z:

    neither        value = z
    low alone      value = low + z                      z >= 0
    high alone     value = high - z                     z >= 0
    both           value = low + z (high - low)         0 <= z <= 1

z within these bounds always gives ordered responses, and all ordered responses have such z: an optimiser within bounds
(bounded_lbfgs.py) never leaves the set of ordered trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Ints, Longs, Mask

FREE, OVER, UNDER, BETWEEN = range(4)
LOWEST, HIGHEST, NONE = 0, 1, -1  # indices of the bounds of the whole tree; no bound


@dataclass(frozen=True)
class NodeOrder:
    """Items are the middles of the ordered gates, parents before children, then the responses of nodes.

    low, high : indices of the bounds of each item: LOWEST, HIGHEST, 2 + the index of a middle, or NONE.
    n_middles : how many items are middles.
    """

    low: Longs
    high: Longs
    n_middles: int

    @classmethod
    def of(cls, first_child: Ints, ordered: Mask, answers: Mask, *, low: bool = False, high: bool = False) -> NodeOrder:
        """The order for nodes with an ordered gate or a response; low, high: whether the whole tree is bounded."""
        bound = np.full((len(first_child), 2), NONE, np.int64)
        bound[0] = (LOWEST if low else NONE, HIGHEST if high else NONE)
        middle = 2 + np.cumsum(ordered) - 1
        for m in np.flatnonzero(first_child >= 0).tolist():
            first = int(first_child[m])
            bound[first : first + 2] = bound[m]
            if ordered[m]:
                bound[first, 0] = bound[first + 1, 1] = middle[m]
        at = np.concatenate([bound[ordered], bound[answers]])
        return cls(np.ascontiguousarray(at[:, 0]), np.ascontiguousarray(at[:, 1]), int(ordered.sum()))

    def __len__(self) -> int:
        return len(self.low)

    @property
    def kind(self) -> Longs:
        """FREE, OVER, UNDER or BETWEEN, of each item."""
        return np.where(self.low >= 0, OVER, FREE) + np.where(self.high >= 0, UNDER, FREE)

    def bounds(self, outputs: int) -> tuple[Floats, Floats]:
        """Lower and upper bounds of z, each (items, outputs)."""
        low = np.where(self.kind == FREE, -np.inf, 0.0)
        high = np.where(self.kind == BETWEEN, 1.0, np.inf)
        return np.repeat(low[:, None], outputs, axis=1), np.repeat(high[:, None], outputs, axis=1)

    def values(self, z: Floats, ends: Floats) -> Floats:
        """Values of the items (items, outputs); `ends` (2, outputs) bounds the whole tree."""
        known = np.concatenate([ends, np.empty_like(z)])  # a middle's index is that of its item
        for i, kind in enumerate(self.kind.tolist()):
            below, above = known[self.low[i]], known[self.high[i]]
            if kind == BETWEEN:
                top = np.maximum(above, below)
                known[2 + i] = np.clip(below + z[i] * (top - below), below, top)
            else:
                known[2 + i] = z[i] if kind == FREE else below + z[i] if kind == OVER else above - z[i]
        return known[2:]

    def slopes(self, z: Floats, value: Floats, slope: Floats, ends: Floats) -> Floats:
        """From slopes by the values of items to slopes by z."""
        known, total, found = np.concatenate([ends, value]), np.concatenate([ends, slope]), np.empty_like(z)
        for i, kind in reversed(list(enumerate(self.kind.tolist()))):
            mine, low, high = total[2 + i], self.low[i], self.high[i]
            if kind == BETWEEN:
                found[i] = mine * (known[high] - known[low])
                total[low] += (1.0 - z[i]) * mine
                total[high] += z[i] * mine
            else:
                found[i] = -mine if kind == UNDER else mine
                if kind != FREE:
                    total[low if kind == OVER else high] += mine
        return found

    def start(self, middles: Floats, answers: Floats, ends: Floats) -> Floats:
        """Values of z for the given responses, changed as little as the order requires."""
        wanted = np.concatenate([middles, answers])
        known, z = np.concatenate([ends, np.empty_like(wanted)]), np.empty_like(wanted)
        for i, kind in enumerate(self.kind.tolist()):
            below = known[self.low[i]] if kind in (OVER, BETWEEN) else np.full(z.shape[1], -np.inf)
            above = known[self.high[i]] if kind in (UNDER, BETWEEN) else np.full(z.shape[1], np.inf)
            value = np.clip(wanted[i], below, np.maximum(above, below))
            known[2 + i] = value
            if kind == BETWEEN:
                gap = above - below
                z[i] = np.where(gap > 0, (value - below) / np.where(gap > 0, gap, 1.0), 0.5)
            else:
                z[i] = value if kind == FREE else value - below if kind == OVER else above - value
        return z


def middles_between(first_child: Ints, ordered: Mask, has: Mask, answer: Floats) -> Floats:
    """Per ordered gate, the midpoint of the smallest response under its first child and the largest under its second.

    has : whether each node has a response.  answer : (nodes, outputs).
    """
    least, most = np.where(has[:, None], answer, np.inf), np.where(has[:, None], answer, -np.inf)
    for m in reversed(np.flatnonzero(first_child >= 0).tolist()):
        children = slice(first_child[m], first_child[m] + 2)
        least[m] = np.minimum(least[m], least[children].min(axis=0))
        most[m] = np.maximum(most[m], most[children].max(axis=0))
    first = first_child[ordered]
    return np.asarray(least[first] / 2 + most[first + 1] / 2)
