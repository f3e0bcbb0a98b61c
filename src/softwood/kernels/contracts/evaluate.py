"""The contract of the evaluator: the predictions of one tree, for both twins. Equation: formulas/equation.py.

X may have any strides; the result never depends on `n_threads`.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats


class TreeEvaluator(Protocol):
    """The interface of both twins."""

    def __init__(self, tree: Any) -> None: ...

    def output(self, X: Floats, n_threads: int = 1) -> Floats:
        """Sum over nodes of reach * leafness * response, shape (rows, outputs)."""
        ...

    def predict(self, X: Floats, n_threads: int = 1) -> Floats:
        """Outputs after the link, shape (rows, answers)."""
        ...

    def decide(self, X: Floats, n_threads: int = 1) -> npt.NDArray[np.int64]:
        """The index of the largest answer of each row; on ties, the first."""
        ...

    def reach(self, X: Floats, n_threads: int = 1) -> Floats:
        """Share of each row that arrives at each node, shape (rows, nodes)."""
        ...

    def apply(self, X: Floats, n_threads: int = 1) -> npt.NDArray[np.int32]:
        """The node that keeps the largest share of each row; on ties, the lowest id."""
        ...
