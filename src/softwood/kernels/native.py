"""The Python face of `_native`, the C++ twins of `reference`: same names, same answers, faster.

NumPy makes the arrays for the answers, so they belong to Python like any other; C++ fills them without the
interpreter's lock.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels import _native

__all__ = ["Evaluator"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


class Evaluator:
    """Answers of one tree. X may have any strides; the answer never depends on `n_threads`."""

    def __init__(self, tree: Any) -> None:
        self._native = _native.Evaluator(tree)
        self._n_nodes, self._n_outputs = tree.response.shape

    def output(self, X: Floats, n_threads: int = 1) -> Floats:
        """Sum over nodes of reach * leafness * response, shape (rows, outputs)."""
        out = np.empty((len(X), self._n_outputs))
        self._native.output(_readable(X), out, n_threads)
        return out

    def reach(self, X: Floats, n_threads: int = 1) -> Floats:
        """Part of each row that arrives at each node, shape (rows, nodes)."""
        out = np.zeros((len(X), self._n_nodes))
        self._native.reach(_readable(X), out, n_threads)
        return out

    def apply(self, X: Floats, n_threads: int = 1) -> Ints:
        """The node that keeps most of each row; the lowest id on a tie."""
        out = np.empty(len(X), np.int32)
        self._native.apply(_readable(X), out, n_threads)
        return out


def _readable(X: Floats) -> Floats:
    """X itself, unless its strides are not whole numbers (a field of a record array): then a copy."""
    row, column = X.strides
    return X if X.flags.aligned and row % 8 == 0 and column % 8 == 0 else X.copy()
