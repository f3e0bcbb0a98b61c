"""Rows of a sparse table for soft trees: as reference/gradient.py, in time and memory of the stored values.

    column c of a row = stored number (0 if none) + shift[c]

A soft tree with linear gates uses the columns in only two products: all its linear sums of all rows at once, and the
gradient of all their weights. The shift is one number per sum, so columns are centred and zeros stay zeros. The
products are SciPy's; native code, if built, makes passes and refinement faster (reference/stored_passes.py,
native/soft.py). Computations once per split always use SciPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from softwood import kernels
from softwood.arrays import Floats
from softwood.kernels.arithmetic import matmul, stored_matmul
from softwood.kernels.contracts.soft import Shape
from softwood.kernels.formulas.leaf_link import chain_slopes, chain_sums, leaf_answers, silent_response
from softwood.kernels.formulas.losses import loss_derivatives
from softwood.kernels.kinds import Loss
from softwood.kernels.reference.stored_passes import StoredPasses, plain_shape
from softwood.kernels.sparse.table import SparseTable

LEAST_REACH = 1e-4  # of a row that histograms count, as in reference/gradient.py


@dataclass(frozen=True)
class StoredColumns:
    """The columns of rows.

    stored : SciPy matrix of the scaled stored values, (rows, columns).  shift : (columns,).
    """

    stored: Any
    shift: Floats

    @classmethod
    def make(
        cls,
        X: SparseTable,
        inputs: npt.NDArray[np.intp],
        when_missing: Floats,
        indicators: npt.NDArray[np.intp],
        scale: Floats,
        shift: Floats,
    ) -> StoredColumns:
        """Columns of some inputs, rising, with a number for each where it is missing; then of whether some are missing.

        scale, shift : of each column; what is stored is multiplied by the first.

        Examples
        --------
        >>> X = SparseTable.of_dense(np.array([[0.0, 2.0], [np.nan, 0.0]]))
        >>> both, ones = np.arange(2), np.ones(3)
        >>> columns = StoredColumns.make(X, both, np.array([0.5, 0.0]), np.array([0]), ones, 0.0 * ones)
        >>> columns.sums(np.eye(3))
        array([[0. , 2. , 0. ],
               [0.5, 0. , 1. ]])
        """
        known = X if len(inputs) == X.n_columns else X.only(inputs)
        stored = _as_matrix(known.filled(when_missing) if np.isnan(known.value).any() else known)
        if len(indicators):
            gone = replace(X, value=np.isnan(X.value).astype(np.float64))
            gone = gone.where(gone.value > 0.0).only(indicators)
            stored = sparse.hstack([stored, _as_matrix(gone)], format="csr")
        scaled = stored.data * scale[stored.indices]
        return cls(sparse.csr_array((scaled, stored.indices, stored.indptr), shape=stored.shape), shift)

    def __len__(self) -> int:
        return int(self.stored.shape[0])

    def sums(self, weight: Floats) -> Floats:
        """Columns times weights (columns, sums): (rows, sums)."""
        return np.asarray(stored_matmul(self.stored, weight) + matmul(self.shift, weight))

    def products(self, rows: Floats) -> Floats:
        """Sums over rows of each column times the row's numbers (rows, sums): (columns, sums)."""
        return stored_matmul(self.stored.T, rows) + np.outer(self.shift, rows.sum(axis=0))

    def squares(self, weight: Floats) -> Floats:
        """Sums over rows of the squares of each column, by weight (rows,)."""
        of_squares, of_values = (stored_matmul(part.T, weight) for part in (self.stored.power(2), self.stored))
        return np.asarray(of_squares + 2.0 * self.shift * of_values + np.square(self.shift) * weight.sum())

    def present(self, rows: Floats) -> Floats:
        """Sums of numbers (rows, sums) over the rows with a stored value in each column: (columns, sums)."""
        at, n = self.stored, self.stored.data.shape[0]
        ones = sparse.csr_array((np.ones(n), at.indices, at.indptr), shape=at.shape)
        return stored_matmul(ones.T, rows)


def _as_matrix(X: SparseTable) -> Any:
    """The table as a SciPy matrix; only the starts of rows are copied."""
    return sparse.csr_array((X.value, X.column, X.begin.astype(np.int32)), shape=X.shape)


@dataclass(frozen=True)
class StoredRows:
    """Rows with their targets, as `SoftRows` of reference/gradient.py; `arrival` is the reach of the root, `offset` is
    added to the output.

    place : of each of the first columns, its input among those that histograms have.  n_inputs : how many these are.
    """

    columns: StoredColumns
    target: Floats
    weight: Floats
    loss_kind: Loss
    offset: Floats
    arrival: Floats
    place: npt.NDArray[np.intp]
    n_inputs: int

    @classmethod
    def make(
        cls,
        columns: StoredColumns,
        target: Floats,
        weight: Floats,
        loss: Loss,
        place: npt.NDArray[np.intp] | None = None,
        n_inputs: int = 0,
    ) -> StoredRows:
        place = np.zeros(0, np.intp) if place is None else place
        share, ones = weight / weight.sum(), np.ones(len(columns))
        return cls(columns, target, share, loss, np.zeros_like(target), ones, place, n_inputs)

    @property
    def _passes(self) -> StoredPasses:
        """Built on first access, without the lock of functools.cached_property; a pickle leaves it out."""
        kept = vars(self)
        if "_made_passes" not in kept:
            kept["_made_passes"] = kernels.StoredPasses(self)
        passes: StoredPasses = kept["_made_passes"]
        return passes

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_made_passes"}

    def loss(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> float:
        """Weighted mean loss."""
        return self._passes.loss(shape, parameters, n_threads)

    def answers(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> tuple[Floats, Floats, Floats]:
        """Output (rows, outputs), reach (rows, nodes) and loss (rows)."""
        return self._passes.answers(shape, parameters, n_threads)

    def gradient(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> tuple[float, Floats]:
        """Mean loss and its gradient with respect to all parameters."""
        return self._passes.gradient(shape, parameters, n_threads)

    def mean_reach(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> Floats:
        """Weighted mean reach of each node."""
        return np.asarray(matmul(self.weight, self.answers(shape, parameters)[1]))

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
        """Refine all parameters together: the objective reached, the parameters, passes over the rows."""
        terms = (strength, centre, log_penalty)
        return self._passes.refine(shape, parameters, *terms, max_iter, tol, n_threads)

    def refine_ordered(self, shape: Shape, *numbers: Any) -> tuple[float, Floats, int]:
        """Never called: with monotone inputs `fit` converts the matrix to an array (estimators/soft/shared.py)."""
        raise NotImplementedError("monotone inputs are not supported for sparse rows.")

    def histograms(
        self, shape: Shape, parameters: Floats, bin: Any, bins: int, nodes: Sequence[int], n_threads: int = 1
    ) -> Floats:
        """Sums of reach * slope and reach^2 * curvature, shape (nodes, inputs, 2, 2, outputs).

        The first bin has the rows without a stored value, the second the others; `bin` and `bins` are not used.
        """
        output, reach, _ = self.answers(shape, parameters)
        slope, curvature = (
            self.weight[:, None] * part for part in loss_derivatives(self.loss_kind, output, self.target)
        )
        table = np.zeros((len(nodes), self.n_inputs, 2, 2, shape.outputs))
        for at, node in enumerate(nodes):
            r = np.where(reach[:, node] < LEAST_REACH, 0.0, reach[:, node])[:, None]
            both = np.concatenate([r * slope, r * r * curvature], axis=1)
            stored = self.columns.present(both)[: len(self.place)].reshape(len(self.place), 2, shape.outputs)
            table[at, self.place, 1] = stored
            table[at, self.place, 0] = both.sum(axis=0).reshape(2, shape.outputs) - stored
            if self.loss_kind.mixes_answers and shape.first_child[node] < 0:
                table[at] = chain_sums(self.loss_kind.link, self._leaf_answer(shape, parameters, node), table[at])
        return table

    def split_direction(
        self, shape: Shape, parameters: Floats, node: int, n_threads: int = 1
    ) -> tuple[Floats, Floats, Floats]:
        """Mean and deviation of the columns, by reach of `node`, and their covariance with the slope of the loss."""
        output, reach, _ = self.answers(shape, parameters)
        r = self.weight * reach[:, node]
        slope = r[:, None] * loss_derivatives(self.loss_kind, output, self.target)[0]
        total = max(float(r.sum()), 1e-300)
        found = self.columns.products(np.column_stack([r, slope]))
        mean = found[:, 0] / total
        spread = np.sqrt(np.maximum(self.columns.squares(r) / total - mean * mean, 0.0))
        covariance = found[:, 1:].T - np.outer(slope.sum(axis=0), mean)
        if self.loss_kind.mixes_answers and shape.first_child[node] < 0:
            answer = self._leaf_answer(shape, parameters, node)
            covariance = chain_slopes(self.loss_kind.link, answer, covariance.T).T
        return mean, spread, covariance

    def under(self, shape: Shape, parameters: Floats, node: int, n_threads: int = 1) -> StoredRows:
        """The rows for a subtree in place of leaf `node`."""
        plain, without = plain_shape(shape), parameters.copy()
        silent = silent_response(self.loss_kind.leaf_link)
        plain.unpack(without)[1][int(np.searchsorted(plain.leaves, node))] = silent
        output, reach, _ = self.answers(shape, without)
        return replace(self, offset=output, arrival=reach[:, node].copy())

    def _leaf_answer(self, shape: Shape, parameters: Floats, node: int) -> Floats:
        """The prediction of a leaf, (outputs,)."""
        plain = plain_shape(shape)
        answers = leaf_answers(self.loss_kind.leaf_link, plain.unpack(parameters)[1])
        return np.asarray(answers[int(np.searchsorted(plain.leaves, node))])
