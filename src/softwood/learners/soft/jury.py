"""Held-out rows as a jury: what trees lose there, and what it costs to have chosen one of them by these very rows.

The best of many trees looks better on the rows that it was chosen by than on any others, the more so the fewer rows
there are. So the choice is made again without a part of the rows and judged on that part, for each part in turn: the
rows' losses under trees that were chosen without them are what a fresh row would lose.
"""

from __future__ import annotations

import numpy as np

from softwood.engines import Floats
from softwood.engines.memory import MemoryEngine
from softwood.learners.soft.sapling import Sapling

PARTS = 5
LEAST_ROWS = 5  # of a part; where rows are fewer, what a choice without it would be says nothing


class Jury:
    """Judges trees and remembers them. The rows should be in an order that tells nothing: every fifth is a part."""

    def __init__(self, rows: MemoryEngine) -> None:
        self._rows = rows
        self._seen: list[tuple[Sapling, Floats]] = []

    def loss(self, tree: Sapling) -> float:
        """Mean loss of a tree."""
        losses = self._rows.row_loss(tree.shape, tree.parameters)
        self._seen.append((tree, losses))
        return float(self._rows.weight @ losses)

    def cost_of_choice(self, kept: Sapling) -> Floats:
        """For each row, its loss under the best tree seen by the other parts, less that under the kept tree."""
        if len(self._rows.weight) < PARTS * LEAST_ROWS:
            return np.zeros(len(self._rows.weight))
        losses = np.array([row_losses for _, row_losses in self._seen])
        place = next(i for i, (tree, _) in enumerate(self._seen) if tree is kept)
        part = np.arange(losses.shape[1]) % PARTS
        fresh = np.empty(losses.shape[1])
        for out in (part == p for p in range(PARTS)):
            best = int(np.argmin(losses[:, ~out] @ self._rows.weight[~out]))
            fresh[out] = losses[best, out]
        return np.asarray(fresh - losses[place])
