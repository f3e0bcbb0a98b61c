"""One more split of a soft tree in one native call; without native code learners use their reference.

learners/soft/growth/split_step.py has the definition, and the meaning of the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.kernels.backend import native
from softwood.kernels.soft import Rows, Shape

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

Level = tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64], Floats, Floats]


@dataclass(frozen=True)
class PackedTree:
    """A soft tree as native code takes it.

    frozen, unpenalized : of its gates, in node order.  slopes : 0 none, 1 shared, 2 own.
    """

    shape: Shape
    parameters: Floats
    slopes: int
    frozen: Bools
    unpenalized: Bools
    origin: Floats
    origin_slope: Floats


@dataclass(frozen=True)
class SplitStepOptions:
    """The rules. gates : 0 open, 1 axis, 2 unpenalized, 3 either.  most : inputs of a gate, 0 for all."""

    gates: int
    most: int
    penalty: float
    decay: float
    log_penalty: float
    tries: int
    start_slope: float
    level_rows: float
    least_rows: float
    axis_factor: float
    alone: int
    together: int
    joint: int
    tol: float


class SplitStepResult(NamedTuple):
    """The leaf that was split, what its gate is, and all parameters of the tree after so many passes over the rows."""

    node: int
    frozen: Bools
    unpenalized: bool
    parameters: Floats
    passes: int


def has_split_step() -> bool:
    """Whether there is native code for it."""
    return native is not None


def make_split_features(
    cuts: list[int],
    linear: npt.NDArray[np.int32],
    at_cut: list[Floats],
    place: npt.NDArray[np.int64],
    levels: list[Level],
) -> Any:
    """Inputs as histograms have them (learners/soft/columns/split_features.py); `levels` : of a category."""
    return native.SplitFeatures.make(cuts, linear, at_cut, place, levels)


def split_step(
    rows: Rows,
    tree: PackedTree,
    bin: npt.NDArray[np.uint8],
    bins: int,
    split_features: Any,
    rules: SplitStepOptions,
    total_weight: float,
    n_threads: int,
) -> SplitStepResult | None:
    """The tree with one split more; None where nothing can be split."""
    made = native.split_step(rows, tree, bin, bins, split_features, rules, total_weight, n_threads)
    return None if made is None else SplitStepResult(made[0], made[1].astype(np.bool_), *made[2:])
