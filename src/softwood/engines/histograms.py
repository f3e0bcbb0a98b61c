"""Engines of histograms: sums per node, input and bin, by which hard trees grow without seeing a row.

A tree is given as `BinTree`, gates over bins, so that an engine needs no memory of where each row is: it routes its
rows down the tree in every pass, wherever they are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Codes = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class BinTree:
    """A tree over bins.

    first_child, feature : per node, -1 for a leaf.
    child : (nodes, bins + 1) the slot of the child that a row goes to by the bin of its value; missing ones last.
    """

    first_child: Ints
    feature: Ints
    child: npt.NDArray[np.int8]

    def route(self, code: Codes) -> npt.NDArray[np.intp]:
        """The leaf of each row, given the bins of its values (rows, inputs).

        Examples
        --------
        >>> tree = BinTree(np.array([1, -1, -1]), np.array([0, -1, -1]), np.array([[0, 0, 1, 0]] * 3, np.int8))
        >>> tree.route(np.array([[1], [2], [3]], np.uint16))
        array([1, 2, 1])
        """
        node = np.zeros(len(code), np.intp)
        row = np.flatnonzero(self.first_child[node] >= 0)
        while len(row):
            at = node[row]
            node[row] = self.first_child[at] + self.child[at, code[row, self.feature[at]]]
            row = row[self.first_child[node[row]] >= 0]
        return node


class HistogramEngine(Protocol):
    """Sums over all rows, per node, input and bin."""

    @abstractmethod
    def histograms(self, tree: BinTree, nodes: Sequence[int], origin: Floats) -> Floats:
        """Of some leaves of the tree: (nodes, inputs, bins + 1, statistics), missing values in the last bin.

        Statistics of classes: the weight of each class. Of numbers: sum w, sums w (y - origin) of every target, then
        sums w (y - origin)^2; `origin` is (nodes, targets).
        """


def bin_codes(X: Floats, edge: list[Floats], n_levels: Ints) -> Codes:
    """The bin of every value: between edges, or the level of a category; missing ones in the last bin of all inputs."""
    last, code = n_bins(edge, n_levels), np.empty(X.shape, np.uint16)
    for f, x in enumerate(X.T):
        known = np.nan_to_num(x).astype(np.intp) if n_levels[f] else np.searchsorted(edge[f], x, side="left")
        code[:, f] = np.where(np.isnan(x), last, known)
    return code


def n_bins(edge: list[Floats], n_levels: Ints) -> int:
    """Bins that the largest input has, without that of missing values."""
    return max((int(levels) or len(edges) + 1 for edges, levels in zip(edge, n_levels, strict=True)), default=1)


@dataclass(frozen=True)
class MemoryHistograms:
    """The engine of rows in memory.

    code : (rows, inputs) bins.  y : class codes (n_classes > 0) or numbers (rows, targets).
    """

    code: Codes
    n_bins: int
    y: npt.NDArray[Any]
    weight: Floats
    n_classes: int = 0

    def histograms(self, tree: BinTree, nodes: Sequence[int], origin: Floats) -> Floats:
        place = np.full(len(tree.first_child), -1)
        place[list(nodes)] = np.arange(len(nodes))
        at = place[tree.route(self.code)]
        row = np.flatnonzero((at >= 0) & (self.weight > 0))
        at = at[row]
        if self.n_classes:
            return self._class_histograms(row, at, len(nodes))
        statistics = self._statistics(row, origin[at])
        table = np.empty((len(nodes), self.code.shape[1], self.n_bins + 1, statistics.shape[1]))
        for f in range(self.code.shape[1]):
            cell = at * (self.n_bins + 1) + self.code[row, f]
            for s, values in enumerate(statistics.T):
                sums = np.bincount(cell, values, len(nodes) * (self.n_bins + 1))
                table[:, f, :, s] = sums.reshape(len(nodes), -1)
        return table

    def _class_histograms(self, row: npt.NDArray[np.intp], at: npt.NDArray[np.intp], n_nodes: int) -> Floats:
        """The weight of each class, per node, input and bin."""
        shape = (n_nodes, self.n_bins + 1, self.n_classes)
        table, weight = np.empty((n_nodes, self.code.shape[1], *shape[1:])), self.weight[row]
        begin, y = at * (self.n_bins + 1), self.y[row]
        for f in range(self.code.shape[1]):
            cell = (begin + self.code[row, f]) * self.n_classes + y
            table[:, f] = np.bincount(cell, weight, n_nodes * shape[1] * shape[2]).reshape(shape)
        return table

    def _statistics(self, row: npt.NDArray[np.intp], origin: Floats) -> Floats:
        """What is summed of each row of numbers, shape (rows, statistics)."""
        weight = self.weight[row][:, None]
        away = self.y[row] - origin
        return np.hstack([weight, weight * away, weight * away * away])
