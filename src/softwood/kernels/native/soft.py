"""The kernels of soft trees by native code; contract: contracts/soft.py, twin: reference/gradient.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels import _native
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.contracts.soft import Rows, Shape
from softwood.kernels.contracts.split_step import Level, PackedTree, SplitStepOptions, SplitStepResult
from softwood.kernels.kinds import Loss

if TYPE_CHECKING:
    from softwood.kernels.sparse.stored_rows import StoredRows


def make_shape(
    first_child: Ints, slope_row: Ints, slopes: int, columns: int, outputs: int, own_columns: Sequence[int] = ()
) -> Shape:
    return _native.SoftShape.make(first_child, slope_row, slopes, columns, outputs, own_columns)


def make_rows(phi: Floats, target: Floats, weight: Floats, loss: Loss, single: bool = False) -> Rows:
    kind: Any = _native.SoftRows32 if single else _native.SoftRows64
    arrays = (np.ascontiguousarray(part) for part in (phi, target, weight))
    rows: Rows = kind.make(*arrays, int(loss.kind), loss.parameter)
    return rows


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
    kind: Any = _native.SoftRows32 if single else _native.SoftRows64
    X, target, weight = (np.ascontiguousarray(part) for part in (X, target, weight))
    e, at = expansion, np.zeros(0, np.int64) if place is None else np.ascontiguousarray(place, np.int64)
    segments = (e.knot_begin, e.knot, e.origin, e.width)
    tables = (e.column_begin, e.table_begin, e.height, e.slope, e.square)
    rows: Rows = kind.make_expanded(
        X, at, segments, tables, target, weight, int(loss.kind), loss.parameter, keep, by_tables, n_threads
    )
    return rows


class StoredPasses:
    """Passes over sparse rows; sums do not depend on `n_threads`. Twin: reference/stored_passes.py."""

    def __init__(self, rows: StoredRows) -> None:
        stored, kind = rows.columns.stored, rows.loss_kind
        if not stored.has_sorted_indices:
            stored = stored.sorted_indices()
        begin, column = (part.astype(np.int32, copy=False) for part in (stored.indptr, stored.indices))
        numbers = (stored.data, rows.columns.shift, rows.target, rows.weight, rows.offset, rows.arrival[:, None])
        arrays = (np.ascontiguousarray(part, np.float64) for part in numbers)
        make: Any = _native.StoredRows.make
        held: _native.StoredRows = make(begin, column, *arrays, int(kind.kind), kind.parameter)
        self.loss, self.answers, self.gradient, self.refine = held.loss, held.answers, held.gradient, held.refine


def make_split_features(
    cuts: list[int],
    linear: npt.NDArray[np.int32],
    at_cut: list[Floats],
    place: npt.NDArray[np.int64],
    levels: list[Level],
) -> Any:
    """Inputs for histograms (learners/soft/columns/split_features.py); `levels` : of a category."""
    return _native.SplitFeatures.make(cuts, linear, at_cut, place, levels)


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
    """The tree with one more split; None if nothing can be split."""
    made = _native.split_step(rows, tree, bin, bins, split_features, rules, total_weight, n_threads)
    return None if made is None else SplitStepResult(made[0], made[1].astype(np.bool_), *made[2:])
