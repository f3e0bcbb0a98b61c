"""The contract of the evaluator: the answers of one tree. Both twins keep to it. Equation: formulas/equation.py.

X may have any strides; the answer never depends on `n_threads`.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats


class TreeEvaluator(Protocol):
    """What both twins offer."""

    def __init__(self, tree: Any) -> None: ...

    def output(self, X: Floats, n_threads: int = 1) -> Floats:
        """Sum over nodes of reach * leafness * response, shape (rows, outputs)."""
        ...

    def predict(self, X: Floats, n_threads: int = 1) -> Floats:
        """Outputs after the link, shape (rows, answers)."""
        ...

    def decide(self, X: Floats, n_threads: int = 1) -> npt.NDArray[np.int64]:
        """The place of the largest answer of each row; the first of equals."""
        ...

    def reach(self, X: Floats, n_threads: int = 1) -> Floats:
        """Part of each row that arrives at each node, shape (rows, nodes)."""
        ...

    def apply(self, X: Floats, n_threads: int = 1) -> npt.NDArray[np.int32]:
        """The node that keeps most of each row; the lowest id on a tie."""
        ...
