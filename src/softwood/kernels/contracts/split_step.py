"""Inputs and outputs of one more split of a soft tree in one native call (native/soft.py).

Reference, and the meaning of the rules: learners/soft/growth/split_step.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Mask
from softwood.kernels.contracts.soft import Shape

Level = tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64], Floats, Floats]


@dataclass(frozen=True)
class PackedTree:
    """A soft tree for native code.

    frozen, unpenalized : for its gates, in node order.  slopes : 0 none, 1 shared, 2 own.
    """

    shape: Shape
    parameters: Floats
    slopes: int
    frozen: Mask
    unpenalized: Mask
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
    """The leaf that was split, the kind of its gate, and all parameters of the tree after this number of passes over
    the rows.
    """

    node: int
    frozen: Mask
    unpenalized: bool
    parameters: Floats
    passes: int
