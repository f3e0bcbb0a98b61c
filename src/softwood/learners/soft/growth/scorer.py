"""The loss of trees on held-out rows, and the bias of selecting one of them by the same rows.

The best of many trees has a lower loss on the rows that selected it than on new rows, the more so the fewer rows there
are. So the selection is repeated without one part of the rows and scored on it, for each part in turn, as in
cross-validation: a row's loss under the tree that was selected without it estimates the loss of a new row.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.engines import SampleEngine
from softwood.kernels.arithmetic import dot, matmul
from softwood.learners.soft.params.params import SoftTreeParams

N_PARTS = 5  # with fewer rows in each, the bias is not estimated


class Scorer:
    """Scores trees and keeps their losses. The rows should be in random order: every fifth is a part."""

    def __init__(self, rows: SampleEngine) -> None:
        self._rows = rows
        self._seen: list[tuple[SoftTreeParams, Floats]] = []

    def loss(self, tree: SoftTreeParams) -> float:
        """Mean loss of a tree."""
        losses = self._rows.row_loss(tree.shape, tree.parameters)
        self._seen.append((tree, losses))
        return dot(self._rows.weight, losses)

    def selection_bias(self, kept: SoftTreeParams) -> Floats:
        """For each row, its loss under the tree that the other parts select, minus its loss under the kept tree."""
        if len(self._rows.weight) < N_PARTS**2:
            return np.zeros(len(self._rows.weight))
        losses = np.array([row_losses for _, row_losses in self._seen])
        place = next(i for i, (tree, _) in enumerate(self._seen) if tree is kept)
        part = np.arange(losses.shape[1]) % N_PARTS
        fresh = np.empty(losses.shape[1])
        for out in (part == p for p in range(N_PARTS)):
            best = int(np.argmin(matmul(losses[:, ~out], self._rows.weight[~out])))
            fresh[out] = losses[best, out]
        return np.asarray(fresh - losses[place])
