"""Reference evaluation of a tree in NumPy, which defines the results of the native kernel.

    share[m -> c](x) = squash(score(x))                      the share that a gate sends to each child
    reach[c](x)      = reach[m](x) * (1 - leafness[m]) * share[m -> c](x)
    output(x)        = sum_m reach[m](x) * leafness[m] * response[m](x)

The last line is the equation of the family, unrolled from the root; its parts are in formulas/equation.py. Nodes with a
reach of 0 are skipped: an infinite response that no row reaches does not count. Linear sums are computed as in
formulas/far_out.py, so that they keep their precision far out and never overflow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels.formulas.equation import apply_link, expand, response, shares, without_float_warnings
from softwood.kernels.formulas.far_out import SteadyTree


class Evaluator:
    """Predictions of one tree. `n_threads` is part of the interface; NumPy uses one."""

    def __init__(self, tree: Any) -> None:
        self.tree = SteadyTree(tree)

    def output(self, X: Floats, n_threads: int = 1) -> Floats:
        """Sum over nodes of reach * leafness * response, shape (rows, outputs)."""
        tree, reach = self.tree, self.reach(X)
        out = np.zeros((len(X), tree.response.shape[1]))
        with without_float_warnings():
            phi = expand(tree.basis, X, (tree.low, tree.high))
            for m in np.flatnonzero(tree.leafness).tolist():
                kept = (reach[:, m] * tree.leafness[m])[:, None]
                out += np.where(reach[:, m, None] == 0, 0.0, kept * response(tree, m, phi))
        return out

    def predict(self, X: Floats, n_threads: int = 1) -> Floats:
        """Outputs after the link, shape (rows, answers)."""
        with without_float_warnings():
            return apply_link(int(self.tree.link), self.output(X))

    def decide(self, X: Floats, n_threads: int = 1) -> npt.NDArray[np.int64]:
        """The index of the largest answer of each row; on ties, the first."""
        return np.asarray(self.predict(X).argmax(axis=1), np.int64)

    def reach(self, X: Floats, n_threads: int = 1) -> Floats:
        """Share of each row that arrives at each node, shape (rows, nodes)."""
        tree = self.tree
        reach = np.zeros((len(X), len(tree.response)))
        reach[:, 0] = 1.0
        with without_float_warnings():
            phi = expand(tree.basis, X, (tree.low, tree.high))
            for m in np.flatnonzero((tree.n_children > 0) & (tree.leafness < 1)).tolist():  # others have no children
                first, n = tree.first_child[m], tree.n_children[m]
                passed = reach[:, m, None] * (1.0 - tree.leafness[m])
                arriving = passed * shares(tree, m, X, phi)
                reach[:, first : first + n] = np.where(passed == 0, 0.0, arriving)
        return reach

    def apply(self, X: Floats, n_threads: int = 1) -> Ints:
        """The node that keeps the largest share of each row; on ties, the lowest id."""
        kept: Floats = self.reach(X) * self.tree.leafness
        most: npt.NDArray[np.int64] = np.argmax(kept, axis=1)
        return most.astype(np.int32)
