"""Histogram engines: sums per node, input and bin, from which hard trees grow without access to rows.

A tree is given as `BinTree`, gates over bins (kernels/contracts/bin_tree.py), so an engine does not store the node of
each row: it routes its rows down the tree in every pass.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from softwood.arrays import Floats, Ints
from softwood.kernels import sum_bins
from softwood.kernels.contracts.bin_tree import BinnedRows, BinTree


class HistogramEngine(Protocol):
    """Sums over all rows, per node, input and bin."""

    @abstractmethod
    def histograms(self, tree: BinTree, nodes: Sequence[int], origin: Floats) -> Floats:
        """Histograms of some leaves of the tree: (nodes, inputs, bins + 1, statistics), missing values in the last bin.

        Statistics for classes: the weight of each class. For regression: sum w, sums w (y - origin) of every target,
        then sums w (y - origin)^2; `origin` is (nodes, targets).
        """


def n_bins(edge: list[Floats], n_levels: Ints) -> int:
    """Maximum number of bins of an input, without the bin of missing values."""
    return max((int(levels) or len(edges) + 1 for edges, levels in zip(edge, n_levels, strict=True)), default=1)


@dataclass(frozen=True)
class MemoryHistograms:
    """The engine of rows in memory."""

    rows: BinnedRows
    n_threads: int = 1

    def histograms(self, tree: BinTree, nodes: Sequence[int], origin: Floats) -> Floats:
        place = np.full(len(tree.first_child), -1, np.int32)
        place[list(nodes)] = np.arange(len(nodes))
        return sum_bins(self.rows, tree, place, origin, self.n_threads)
