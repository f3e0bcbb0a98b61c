"""Inputs and outputs of the kernels of soft trees: the shape of a tree, and rows with the sums over them.

reference/gradient.py defines the methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints


class Shape(Protocol):
    """Shape of a soft tree, from `make_shape`."""

    @property
    def first_child(self) -> Sequence[int] | Ints: ...

    @property
    def slope_row(self) -> Sequence[int] | Ints: ...

    @property
    def slopes(self) -> int: ...

    @property
    def columns(self) -> int: ...

    @property
    def outputs(self) -> int: ...

    @property
    def own_columns(self) -> Sequence[int]: ...

    @property
    def parameters(self) -> int: ...


class Rows(Protocol):
    """Rows of columns with targets."""

    def loss(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> float: ...

    def gradient(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> tuple[float, Floats]: ...

    def answers(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> tuple[Floats, Floats, Floats]: ...

    def mean_reach(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> Floats: ...

    def refine(
        self,
        shape: Shape,
        parameters: Floats,
        strength: Floats,
        centre: Floats,
        log_penalty: Floats,
        max_iter: int,
        tol: float,
        n_threads: int = 1,
    ) -> tuple[float, Floats, int]: ...

    def refine_ordered(
        self,
        shape: Shape,
        below: npt.NDArray[np.int64],
        above: npt.NDArray[np.int64],
        ends: Floats,
        low: Floats,
        high: Floats,
        free: Floats,
        strength: Floats,
        centre: Floats,
        log_penalty: Floats,
        max_iter: int,
        tol: float,
        n_threads: int = 1,
    ) -> tuple[float, Floats, int]: ...

    def histograms(
        self,
        shape: Shape,
        parameters: Floats,
        bin: npt.NDArray[np.uint8],
        bins: int,
        nodes: Sequence[int],
        n_threads: int = 1,
    ) -> Floats: ...

    def split_direction(
        self, shape: Shape, parameters: Floats, node: int, n_threads: int = 1
    ) -> tuple[Floats, Floats, Floats]: ...

    def under(self, shape: Shape, parameters: Floats, node: int, n_threads: int = 1) -> Rows: ...
