"""The kernels of soft trees: rows and sums over them, native where it is built, else reference/gradient.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from softwood.kernels.backend import native
from softwood.kernels.expansion import Expansion, expand
from softwood.kernels.kinds import Loss
from softwood.kernels.reference import descend as reference_descent
from softwood.kernels.reference import gradient as reference
from softwood.kernels.reference import thresholds as reference_thresholds

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

descend: Any = reference_descent.descend if native is None else native.descend
best_thresholds: Any = reference_thresholds.best_thresholds if native is None else native.best_thresholds


class Shape(Protocol):
    """Shape of a soft tree, as `make_shape` was given it."""

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
    """Rows of columns with targets; reference/gradient.py defines the methods."""

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


def make_shape(
    first_child: Ints, slope_row: Ints, slopes: int, columns: int, outputs: int, own_columns: Sequence[int] = ()
) -> Shape:
    """Children of m are `first_child[m]` and the next node (-1: a leaf); `slope_row` per leaf, -1: no slope.

    own_columns : columns for which each leaf has slopes of its own, beside those of its `slope_row`.
    """
    kind = reference.SoftShape if native is None else native.SoftShape
    shape: Shape = kind.make(first_child, slope_row, slopes, columns, outputs, own_columns)
    return shape


def make_expanded_rows(
    X: Floats,
    expansion: Expansion,
    target: Floats,
    weight: Floats,
    loss: Loss,
    single: bool = False,
    n_threads: int = 1,
    place: npt.NDArray[np.int64] | None = None,
    keep: bool = False,
    by_tables: bool = False,
) -> Rows:
    """Rows whose columns are made from the inputs X: once if they are to be kept, else in every pass, slower but small.

    place : which row of X each of the rows is; None, all of them in order.
    by_tables : whether passes may go by the tables of the expansion, without columns, where columns are many: faster,
        and sums are rounded in another order (native/soft/form_tables.hpp).
    """
    target, weight = np.ascontiguousarray(target), np.ascontiguousarray(weight)
    if native is None:
        return make_rows(expand(X if place is None else X[place], expansion), target, weight, loss)
    kind: Any = native.SoftRows32 if single else native.SoftRows64
    e = expansion
    segments = (e.knot_begin, e.knot, e.origin, e.width)
    tables = (e.column_begin, e.table_begin, e.height, e.slope, e.square)
    at = np.zeros(0, np.int64) if place is None else np.ascontiguousarray(place, np.int64)
    X = np.ascontiguousarray(X)
    rows: Rows = kind.make_expanded(
        X, at, segments, tables, target, weight, int(loss.kind), loss.parameter, keep, by_tables, n_threads
    )
    return rows


def make_rows(phi: Floats, target: Floats, weight: Floats, loss: Loss, single: bool = False) -> Rows:
    """Rows of columns `phi`; `single` computes in float32 (sums stay double), about twice as fast."""
    kind: Any = reference.SoftRows if native is None else native.SoftRows32 if single else native.SoftRows64
    arrays = (np.ascontiguousarray(part) for part in (phi, target, weight))
    rows: Rows = kind.make(*arrays, int(loss.kind), loss.parameter)
    return rows
