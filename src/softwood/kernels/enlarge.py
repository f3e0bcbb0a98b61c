"""One split more of a soft tree in one native call; without native code there is none, and learners go step by step.

What is done, and what the rules mean, is said in learners/soft/enlarge.py, which does the same step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.kernels.soft import Rows, Shape, native

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

Level = tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64], Floats, Floats]


@dataclass(frozen=True)
class Plant:
    """A tree that is to get larger. closed, steep : of its gates, in node order.  slopes : 0 none, 1 shared, 2 own."""

    shape: Shape
    parameters: Floats
    slopes: int
    closed: Bools
    steep: Bools
    origin: Floats
    origin_slope: Floats


@dataclass(frozen=True)
class Enlarging:
    """The rules. gates : 0 open, 1 axis, 2 steep, 3 either.  most : inputs of a gate, 0 for as many as it likes."""

    gates: int
    most: int
    penalty: float
    decay: float
    ease: float
    tries: int
    start_slope: float
    level_rows: float
    least_rows: float
    steeper: float
    alone: int
    together: int
    joint: int
    tol: float


class Enlarged(NamedTuple):
    """The leaf that was split, what its gate is, and all parameters of the tree after so many passes over the rows."""

    node: int
    closed: Bools
    steep: bool
    parameters: Floats
    passes: int


def enlarges() -> bool:
    """Whether there is native code for it."""
    return native is not None


def make_axes(
    cuts: list[int],
    line: npt.NDArray[np.int32],
    at_cut: list[Floats],
    place: npt.NDArray[np.int64],
    levels: list[Level],
) -> Any:
    """Inputs as histograms see them (learners/soft/axes.py); of a category input, bins, columns, heights, elsewhere."""
    return native.SoftAxes.make(cuts, line, at_cut, place, levels)


def enlarge(
    rows: Rows,
    tree: Plant,
    bin: npt.NDArray[np.uint8],
    bins: int,
    axes: Any,
    rules: Enlarging,
    total_weight: float,
    n_threads: int,
) -> Enlarged | None:
    """The tree with one split more; None where nothing can be split."""
    made = native.enlarge(rows, tree, bin, bins, axes, rules, total_weight, n_threads)
    return None if made is None else Enlarged(made[0], made[1].astype(np.bool_), *made[2:])
