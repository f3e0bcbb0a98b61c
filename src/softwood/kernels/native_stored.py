"""Sparse rows of soft trees by native code (native/soft/stored_rows.cpp), twin of stored_rows.py.

Passes over the rows, and all of a refinement, are native; what is asked once a split is SciPy's, as in the twin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels.backend import native
from softwood.kernels.kinds import Loss
from softwood.kernels.soft import Shape
from softwood.kernels.stored_rows import Floats, StoredColumns, StoredRows


@dataclass(frozen=True)
class NativeStoredRows(StoredRows):
    """The same rows; sums do not depend on `n_threads`."""

    @property
    def _native(self) -> Any:
        """Made when first asked for, and kept."""
        if "held" not in vars(self):
            object.__setattr__(self, "held", self._hold())
        return vars(self)["held"]

    def _hold(self) -> Any:
        stored, kind = self.columns.stored, self.loss_kind
        if not stored.has_sorted_indices:
            stored = stored.sorted_indices()
        begin, column = (part.astype(np.int32, copy=False) for part in (stored.indptr, stored.indices))
        numbers = (self.target, self.weight, self.offset, self.arrival[:, None])
        held = (np.ascontiguousarray(part, np.float64) for part in (stored.data, self.columns.shift, *numbers))
        return native.StoredRows.make(begin, column, *held, int(kind.kind), kind.parameter)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "held"}

    def loss(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> float:
        return float(self._native.loss(shape, parameters, n_threads))

    def answers(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> tuple[Floats, Floats, Floats]:
        found: tuple[Floats, Floats, Floats] = self._native.answers(shape, parameters, n_threads)
        return found

    def gradient(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> tuple[float, Floats]:
        found: tuple[float, Floats] = self._native.gradient(shape, parameters, n_threads)
        return found

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
    ) -> tuple[float, Floats, int]:
        how = (strength, centre, log_penalty, max_iter, tol, n_threads)
        found: tuple[float, Floats, int] = self._native.refine(shape, parameters, *how)
        return found


def make_stored_rows(
    columns: StoredColumns,
    target: Floats,
    weight: Floats,
    loss: Loss,
    place: npt.NDArray[np.intp] | None = None,
    n_inputs: int = 0,
) -> StoredRows:
    """Sparse rows by native code where it is built, else by SciPy."""
    kind = StoredRows if native is None else NativeStoredRows
    return kind.make(columns, target, weight, loss, place, n_inputs)
