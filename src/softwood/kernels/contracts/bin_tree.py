"""Binned rows and gates over bins: the inputs of the kernels for bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints

Codes = npt.NDArray[Any]  # bytes or 16-bit words
BYTE = np.iinfo(np.uint8).max


@dataclass(frozen=True)
class BinTree:
    """A tree over bins.

    first_child, feature : per node, -1 for a leaf; a gate has two children, after it.
    child : (nodes, bins + 1) the slot of the child for each bin of a row's value; missing values last.
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


class BinnedRows(NamedTuple):
    """Binned rows.

    code : (rows, inputs) bins; missing values are in bin n_bins.
    y : class codes (rows,) if n_classes > 0, else numbers (rows, targets).
    """

    code: Codes
    n_bins: int
    y: npt.NDArray[Any]
    weight: Floats
    n_classes: int = 0
