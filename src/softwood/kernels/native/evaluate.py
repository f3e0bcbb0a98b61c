"""The evaluator by native code; twin: reference/evaluate.py. NumPy allocates the results, C++ fills them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels import _native
from softwood.kernels.formulas.equation import count_answers
from softwood.kernels.formulas.far_out import SteadyTree


class Evaluator:
    """Predictions of one tree. X may have any strides; the result never depends on `n_threads`."""

    def __init__(self, tree: Any) -> None:
        steady = SteadyTree(tree)
        self._native = _native.Evaluator(steady, steady.low, steady.high)
        self._n_nodes, self._n_outputs = tree.response.shape
        self._link = int(tree.link)
        self._n_answers = count_answers(self._link, self._n_outputs)

    def output(self, X: Floats, n_threads: int = 1) -> Floats:
        """Sum over nodes of reach * leafness * response, shape (rows, outputs)."""
        out = np.empty((len(X), self._n_outputs))
        self._native.output(_aligned(X), out, n_threads)
        return out

    def predict(self, X: Floats, n_threads: int = 1) -> Floats:
        """Outputs after the link, shape (rows, answers)."""
        out = np.empty((len(X), self._n_answers))
        self._native.predict(_aligned(X), self._link, out, n_threads)
        return out

    def decide(self, X: Floats, n_threads: int = 1) -> npt.NDArray[np.int64]:
        """The index of the largest answer of each row; on ties, the first."""
        out = np.empty(len(X), np.int64)
        self._native.decide(_aligned(X), self._link, out, n_threads)
        return out

    def reach(self, X: Floats, n_threads: int = 1) -> Floats:
        """Share of each row that arrives at each node, shape (rows, nodes)."""
        out = np.zeros((len(X), self._n_nodes))
        self._native.reach(_aligned(X), out, n_threads)
        return out

    def apply(self, X: Floats, n_threads: int = 1) -> Ints:
        """The node that keeps the largest share of each row; on ties, the lowest id."""
        out = np.empty(len(X), np.int32)
        self._native.apply(_aligned(X), out, n_threads)
        return out


def _aligned(X: Floats) -> Floats:
    """X itself, unless its strides are not whole numbers of cells (a field of a record array): then a copy.

    Another dtype is not changed, and the kernel refuses it.
    """
    flags = X.flags
    return X if flags.aligned and (flags.c_contiguous or all(step % 8 == 0 for step in X.strides)) else X.copy()
