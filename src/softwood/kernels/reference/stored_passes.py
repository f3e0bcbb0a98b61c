"""Passes over sparse rows of soft trees in NumPy and SciPy: the definition of native/soft/stored_rows.cpp.

Like reference/gradient.py, but the columns are used in two products only (sparse/stored_rows.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, matmul
from softwood.kernels.contracts.soft import Shape
from softwood.kernels.formulas.equation import sigmoid
from softwood.kernels.formulas.lbfgs import minimise, penalised
from softwood.kernels.formulas.leaf_link import chain_slopes, leaf_answers
from softwood.kernels.formulas.losses import loss_derivatives, row_loss
from softwood.kernels.formulas.penalty import Penalty
from softwood.kernels.reference.gradient import SoftShape

if TYPE_CHECKING:
    from softwood.kernels.sparse.stored_rows import StoredRows


class StoredPasses:
    """Sums over sparse rows; `n_threads` is part of the interface, NumPy uses one."""

    def __init__(self, rows: StoredRows) -> None:
        self.rows = rows

    def loss(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> float:
        """Weighted mean loss."""
        return dot(self.rows.weight, self.answers(shape, parameters)[2])

    def answers(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> tuple[Floats, Floats, Floats]:
        """Output (rows, outputs), reach (rows, nodes) and loss (rows)."""
        plain = plain_shape(shape)
        reach, _, answer = self._forward(plain, parameters)
        output = self._output(plain, reach, answer)
        return output, reach, row_loss(self.rows.loss_kind, output, self.rows.target)

    def gradient(self, shape: Shape, parameters: Floats, n_threads: int = 1) -> tuple[float, Floats]:
        """Mean loss and its gradient with respect to all parameters."""
        plain = plain_shape(shape)
        reach, share, answer = self._forward(plain, parameters)
        output = self._output(plain, reach, answer)
        output_slope = self.rows.weight[:, None] * loss_derivatives(self.rows.loss_kind, output, self.rows.target)[0]
        leaf_reach, gates = reach[:, plain.leaves], len(plain.branches)
        of_sums = np.empty((len(self.rows.target), gates + plain.slopes * plain.outputs))
        value = np.empty_like(reach)
        value[:, plain.leaves] = np.sum(output_slope[:, None, :] * answer, axis=2)
        for gate, m in reversed(list(enumerate(plain.branches))):
            first, part = plain.first_child[m], share[:, gate]
            gap = value[:, first] - value[:, first + 1]
            value[:, m] = value[:, first + 1] + part * gap
            of_sums[:, gate] = reach[:, m] * part * (1.0 - part) * gap
        for row in range(plain.slopes):
            kept = leaf_reach[:, np.asarray(plain.slope_row) == row].sum(axis=1)
            of_sums[:, gates + row * plain.outputs :][:, : plain.outputs] = kept[:, None] * output_slope
        gradient = np.empty(plain.parameters)
        weight, response, slope, _ = plain.unpack(gradient)
        found = self.rows.columns.products(of_sums).T
        weight[:, :-1], weight[:, -1] = found[:gates], of_sums[:, :gates].sum(axis=0)
        link, given = self.rows.loss_kind.leaf_link, plain.unpack(parameters)[1]
        response[:] = chain_slopes(link, leaf_answers(link, given), matmul(leaf_reach.T, output_slope))
        slope[:] = found[gates:].reshape(slope.shape)
        return dot(self.rows.weight, row_loss(self.rows.loss_kind, output, self.rows.target)), gradient

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
        objective = penalised(lambda at: self.gradient(shape, at), Penalty(strength, centre, log_penalty))
        return minimise(objective, parameters, max_iter, tol)

    def _forward(self, shape: SoftShape, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        """Reach (rows, nodes), share (rows, gates) and the response of each leaf (rows, leaves, outputs)."""
        weight, response, slope, _ = shape.unpack(parameters)
        response = leaf_answers(self.rows.loss_kind.leaf_link, response)
        gates, along = len(weight), slope.reshape(shape.slopes * shape.outputs, shape.columns)
        sums = self.rows.columns.sums(np.concatenate([weight[:, :-1], along]).T)
        share = sigmoid(sums[:, :gates] + weight[:, -1])
        reach = np.empty((len(self.rows.target), len(shape.first_child)))
        reach[:, 0] = self.rows.arrival
        for gate, m in enumerate(shape.branches):
            first = shape.first_child[m]
            reach[:, first] = reach[:, m] * share[:, gate]
            reach[:, first + 1] = reach[:, m] - reach[:, first]
        answer: Any = np.broadcast_to(response, (len(self.rows.target), *response.shape))
        if shape.slopes:
            added = sums[:, gates:].reshape(len(self.rows.target), shape.slopes, shape.outputs)
            row = np.asarray(shape.slope_row)
            answer = answer + np.where(row[:, None] >= 0, added[:, np.maximum(row, 0)], 0.0)
        return reach, share, answer

    def _output(self, shape: SoftShape, reach: Floats, answer: Floats) -> Floats:
        return np.asarray(self.rows.offset + np.sum(reach[:, shape.leaves, None] * answer, axis=1))


def plain_shape(shape: Shape) -> SoftShape:
    """The shape with its views, from either kernel."""
    if len(shape.own_columns):
        raise NotImplementedError("mixed slopes are not supported for sparse rows.")
    child, row = np.asarray(shape.first_child, np.int32), np.asarray(shape.slope_row, np.int32)
    return SoftShape(child, row, shape.slopes, shape.columns, shape.outputs)
