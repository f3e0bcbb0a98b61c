"""Gates over bins, and sums over the rows that reach some of the leaves; the reference for native/hard/bin_tree.cpp.

    table[leaf, input, bin]   classes: the weight of each class
                              numbers: sum w, sums w (y - origin) of every target, sums w (y - origin)^2

Rows are added in order, so both agree to the bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels.contracts.bin_tree import BYTE, BinnedRows, BinTree, Codes


def sum_bins(rows: BinnedRows, tree: BinTree, place: Ints, origin: Floats, n_threads: int = 1) -> Floats:
    """Sums over the rows of weight > 0, shape (leaves, inputs, bins + 1, statistics).

    place : the leaf's index in the result for every node of the tree, or -1: its rows are left out.
    origin : (leaves, targets) subtracted from numbers.
    """
    leaf = place[tree.route(rows.code)]
    row = np.flatnonzero((leaf >= 0) & (rows.weight > 0))
    at, n_leaves = leaf[row].astype(np.intp), len(origin)
    if rows.n_classes:
        return _sum_classes(rows, row, at, n_leaves)
    statistics = _statistics(rows, row, origin[at])
    n_inputs, bins = rows.code.shape[1], rows.n_bins + 1
    table = np.empty((n_leaves, n_inputs, bins, statistics.shape[1]))
    for f in range(n_inputs):
        cell = at * bins + rows.code[row, f]
        for s, values in enumerate(statistics.T):
            table[:, f, :, s] = np.bincount(cell, values, n_leaves * bins).reshape(n_leaves, bins)
    return table


def _sum_classes(rows: BinnedRows, row: npt.NDArray[np.intp], at: npt.NDArray[np.intp], n_leaves: int) -> Floats:
    """The weight of each class, per leaf, input and bin."""
    shape = (n_leaves, rows.n_bins + 1, rows.n_classes)
    table, weight = np.empty((n_leaves, rows.code.shape[1], *shape[1:])), rows.weight[row]
    begin, y = at * shape[1], rows.y[row]
    for f in range(rows.code.shape[1]):
        cell = (begin + rows.code[row, f]) * rows.n_classes + y
        table[:, f] = np.bincount(cell, weight, n_leaves * shape[1] * shape[2]).reshape(shape)
    return table


def _statistics(rows: BinnedRows, row: npt.NDArray[np.intp], origin: Floats) -> Floats:
    """The statistics of each row of numbers to sum, shape (rows, statistics)."""
    weight = rows.weight[row][:, None]
    away = rows.y[row] - origin
    return np.hstack([weight, weight * away, weight * away * away])


def bin_codes(X: Floats, edge: list[Floats], n_levels: Ints, n_bins: int, n_threads: int = 1) -> Codes:
    """The bin of every value, column after column: between edges (a value at an edge lies below it), or the level of a
    category; missing values are in bin n_bins. Bytes if n_bins is at most 255.
    """
    code = np.empty(X.shape, np.uint8 if n_bins <= BYTE else np.uint16, order="F")
    for f, x in enumerate(X.T):
        known = np.nan_to_num(x).astype(np.intp) if n_levels[f] else np.searchsorted(edge[f], x, side="left")
        code[:, f] = np.where(np.isnan(x), n_bins, known)
    return code
