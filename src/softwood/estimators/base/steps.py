"""`callback`: what `fit` calls with the tree after each step of learning.

Learners keep their steps as trees. At the end of the fit, `callback` is called with each of them in order; the last is
`tree_`. So a search over several kinds of trees shows the steps of the chosen kind, and a callback cannot change what
is learned. It is an argument of `fit`, not a parameter of the estimator, so clones and files do not hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from softwood.tree import Tree

Callback = Callable[[Tree], Any] | None


def check_callback(callback: Any, engine: str = "memory") -> None:
    """An error for a callback that is not callable, and for out-of-core rows."""
    if callback is None:
        return
    if not callable(callback):
        raise TypeError(
            f"callback must be a function that takes a tree, got {type(callback).__name__}; to keep the steps, "
            "pass steps.append, where steps is a list."
        )
    if engine in ("batches", "dask"):
        raise ValueError(
            f"callback needs rows in memory, got engine={engine!r}. Fit a sample (Batches(...).sample(100_000)), "
            "or call partial_fit and read tree_ after each batch."
        )


def show_steps(callback: Callback, steps: Iterable[Tree]) -> None:
    """Call it with every step."""
    if callback is not None:
        for step in steps:
            callback(step)
