"""Loss, gradient, reach and histograms of a soft tree in NumPy: the definition of native/soft/gradient.cpp.

    share  = sigmoid(weight . phi + bias), for the first child;   reach[child] = reach[m] * share
    output = offset + sum_leaf reach[leaf] * (response[leaf] + slope[leaf] . phi + own_slope[leaf] . phi[own columns])

If leaves mix answers (formulas/leaf_link.py), link(response[leaf]) replaces response[leaf]; there are no slopes.

Parameters are in one vector: [gate][column, bias] [leaf][output] [slope][output][column] [leaf][output][own column].
Gates and leaves are numbered in node order. The loss is a weighted mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels.contracts.expansion import Expansion, expand
from softwood.kernels.contracts.soft import Rows, Shape
from softwood.kernels.formulas.equation import sigmoid
from softwood.kernels.formulas.lbfgs import minimise, penalised
from softwood.kernels.formulas.leaf_link import chain_slopes, chain_sums, leaf_answers, silent_response
from softwood.kernels.formulas.losses import loss_derivatives, row_loss
from softwood.kernels.formulas.node_order import NodeOrder
from softwood.kernels.formulas.ordered_tree import OrderedTree
from softwood.kernels.formulas.penalty import Penalty
from softwood.kernels.kinds import Loss, LossKind


@dataclass(frozen=True)
class SoftShape:
    """Shape of a soft tree: children of m are `first_child[m]` and the next node; `slope_row` is per leaf, -1: none.

    own_columns : columns for which each leaf has own slopes, in addition to those of its row.
    """

    first_child: Ints
    slope_row: Ints
    slopes: int
    columns: int
    outputs: int
    own_columns: Sequence[int] = ()

    @classmethod
    def make(
        cls,
        first_child: Ints,
        slope_row: Ints,
        slopes: int,
        columns: int,
        outputs: int,
        own_columns: Sequence[int] = (),
    ) -> SoftShape:
        return cls(first_child, slope_row, slopes, columns, outputs, own_columns)

    @property
    def branches(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero(self.first_child >= 0)

    @property
    def leaves(self) -> npt.NDArray[np.intp]:
        return np.flatnonzero(self.first_child < 0)

    @property
    def parameters(self) -> int:
        gates = len(self.branches) * (self.columns + 1)
        slopes = self.slopes * self.columns + len(self.leaves) * len(self.own_columns)
        return gates + (len(self.leaves) + slopes) * self.outputs

    def unpack(self, parameters: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Views on the weights of gates, the responses, the slopes and the leaves' own slopes."""
        gates, leaves = len(self.branches), len(self.leaves)
        at = gates * (self.columns + 1)
        end = at + leaves * self.outputs
        weight = parameters[:at].reshape(gates, self.columns + 1)
        response = parameters[at:end].reshape(leaves, self.outputs)
        own = end + self.slopes * self.outputs * self.columns
        slope = parameters[end:own].reshape(self.slopes, self.outputs, self.columns)
        return weight, response, slope, parameters[own:].reshape(leaves, self.outputs, len(self.own_columns))


@dataclass(frozen=True)
class SoftRows:
    """Rows of basis columns with their targets; `arrival` is the reach of the root, `offset` is added to the output."""

    phi: Floats
    target: Floats
    weight: Floats
    loss_kind: Loss
    offset: Floats
    arrival: Floats

    @classmethod
    def make(cls, phi: Floats, target: Floats, weight: Floats, loss: int, parameter: float = 0.0) -> SoftRows:
        share = weight / weight.sum()
        return cls(phi, target, share, Loss(LossKind(loss), parameter), np.zeros_like(target), np.ones(len(phi)))

    def loss(self, shape: SoftShape, parameters: Floats, n_threads: int = 1) -> float:
        """Weighted mean loss."""
        return float(self.weight @ self.answers(shape, parameters)[2])

    def answers(self, shape: SoftShape, parameters: Floats, n_threads: int = 1) -> tuple[Floats, Floats, Floats]:
        """Output (rows, outputs), reach (rows, nodes) and loss (rows)."""
        reach, _, leaf_answer = self._forward(shape, parameters)
        output = self.offset + np.einsum("rl,rlq->rq", reach[:, shape.leaves], leaf_answer)
        return output, reach, row_loss(self.loss_kind, output, self.target)

    def gradient(self, shape: SoftShape, parameters: Floats, n_threads: int = 1) -> tuple[float, Floats]:
        """Weighted mean loss, and its gradient."""
        reach, share, leaf_answer = self._forward(shape, parameters)
        leaf_reach = reach[:, shape.leaves]
        output = self.offset + np.einsum("rl,rlq->rq", leaf_reach, leaf_answer)
        output_slope = self.weight[:, None] * loss_derivatives(self.loss_kind, output, self.target)[0]
        gradient = np.zeros(shape.parameters)
        weight, response, slope, own_slope = shape.unpack(gradient)
        value = np.empty_like(reach)
        value[:, shape.leaves] = np.einsum("rq,rlq->rl", output_slope, leaf_answer)
        for gate, m in reversed(list(enumerate(shape.branches))):
            first, part = shape.first_child[m], share[:, gate]
            gap = value[:, first] - value[:, first + 1]
            value[:, m] = value[:, first + 1] + part * gap
            coefficient = reach[:, m] * part * (1.0 - part) * gap
            weight[gate, :-1], weight[gate, -1] = coefficient @ self.phi, coefficient.sum()
        by_answer = leaf_reach.T @ output_slope
        response[:] = chain_slopes(self.loss_kind.leaf_link, self._leaf_answers(shape, parameters), by_answer)
        for leaf, row in enumerate(shape.slope_row):
            if row >= 0:
                slope[row] += (leaf_reach[:, leaf, None] * output_slope).T @ self.phi
        if shape.own_columns:
            own_slope[:] = np.einsum("rl,rq,rc->lqc", leaf_reach, output_slope, self.phi[:, shape.own_columns])
        return float(self.weight @ row_loss(self.loss_kind, output, self.target)), gradient

    def mean_reach(self, shape: SoftShape, parameters: Floats, n_threads: int = 1) -> Floats:
        """Weighted mean reach of each node."""
        return np.asarray(self.weight @ self.answers(shape, parameters)[1])

    def refine(
        self,
        shape: SoftShape,
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

    def refine_ordered(
        self,
        shape: SoftShape,
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
    ) -> tuple[float, Floats, int]:
        """The same within bounds, by free numbers that determine the parameters (formulas/ordered_tree.py)."""
        order = NodeOrder(below, above, len(below) - len(shape.leaves))
        tree = OrderedTree(order, ends, len(shape.branches) * (shape.columns + 1), low, high)
        penalty = Penalty(strength, centre, log_penalty)
        return tree.refine(lambda at: self.gradient(shape, at), free, penalty, max_iter, tol)

    def histograms(
        self,
        shape: SoftShape,
        parameters: Floats,
        bin: npt.NDArray[np.uint8],
        bins: int,
        nodes: Sequence[int],
        n_threads: int = 1,
    ) -> Floats:
        """Sums of reach * slope and reach^2 * curvature, shape (nodes, inputs, bins, 2, outputs)."""
        output, reach, _ = self.answers(shape, parameters)
        slope, curvature = (
            self.weight[:, None] * part for part in loss_derivatives(self.loss_kind, output, self.target)
        )
        table = np.zeros((len(nodes), bin.shape[1], bins, 2, shape.outputs))
        for place, node in enumerate(nodes):
            r = np.where(reach[:, node] < 1e-4, 0.0, reach[:, node])[:, None]
            for f in range(bin.shape[1]):
                np.add.at(table[place, f, :, 0], bin[:, f], r * slope)
                np.add.at(table[place, f, :, 1], bin[:, f], r * r * curvature)
            if self.loss_kind.mixes_answers and shape.first_child[node] < 0:
                answer = self._leaf_answers(shape, parameters, node)
                table[place] = chain_sums(self.loss_kind.link, answer, table[place])
        return table

    def split_direction(
        self, shape: SoftShape, parameters: Floats, node: int, n_threads: int = 1
    ) -> tuple[Floats, Floats, Floats]:
        """Mean and deviation of the columns, by reach of `node`, and their covariance with the slope of the loss."""
        output, reach, _ = self.answers(shape, parameters)
        r = self.weight * reach[:, node]
        slope = r[:, None] * loss_derivatives(self.loss_kind, output, self.target)[0]
        total = max(float(r.sum()), 1e-300)
        mean = r @ self.phi / total
        spread = np.sqrt(np.maximum(r @ np.square(self.phi) / total - mean * mean, 0.0))
        covariance = slope.T @ self.phi - np.outer(slope.sum(axis=0), mean)
        if self.loss_kind.mixes_answers and shape.first_child[node] < 0:
            answer = self._leaf_answers(shape, parameters, node)
            covariance = chain_slopes(self.loss_kind.link, answer, covariance.T).T
        return mean, spread, covariance

    def under(self, shape: SoftShape, parameters: Floats, node: int, n_threads: int = 1) -> SoftRows:
        """The rows for a subtree in place of leaf `node`."""
        without, silent = parameters.copy(), silent_response(self.loss_kind.leaf_link)
        shape.unpack(without)[1][int(np.searchsorted(shape.leaves, node))] = silent
        output, reach, _ = self.answers(shape, without)
        return replace(self, offset=output, arrival=reach[:, node].copy())

    def _leaf_answers(self, shape: SoftShape, parameters: Floats, node: int | None = None) -> Floats:
        """The values to mix: (leaves, outputs), or the row of a leaf."""
        answers = leaf_answers(self.loss_kind.leaf_link, shape.unpack(parameters)[1])
        return answers if node is None else answers[int(np.searchsorted(shape.leaves, node))]

    def _forward(self, shape: SoftShape, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        """Reach (rows, nodes), share (rows, gates) and the response of each leaf (rows, leaves, outputs)."""
        weight, _, slope, own_slope = shape.unpack(parameters)
        response = self._leaf_answers(shape, parameters)
        share = sigmoid(self.phi @ weight[:, :-1].T + weight[:, -1])
        reach = np.empty((len(self.phi), len(shape.first_child)))
        reach[:, 0] = self.arrival
        for gate, m in enumerate(shape.branches):
            first = shape.first_child[m]
            reach[:, first] = reach[:, m] * share[:, gate]
            reach[:, first + 1] = reach[:, m] - reach[:, first]
        answer: Any = np.broadcast_to(response, (len(self.phi), *response.shape))
        if shape.slopes:
            answer = answer.copy()
            for leaf, row in enumerate(shape.slope_row):
                if row >= 0:
                    answer[:, leaf] += self.phi @ slope[row].T
        if shape.own_columns:
            answer = answer + np.einsum("rc,lqc->rlq", self.phi[:, shape.own_columns], own_slope)
        return reach, share, answer


def make_shape(
    first_child: Ints, slope_row: Ints, slopes: int, columns: int, outputs: int, own_columns: Sequence[int] = ()
) -> Shape:
    """Children of m are `first_child[m]` and the next node (-1: a leaf); `slope_row` per leaf, -1: no slope.

    own_columns : columns for which each leaf has own slopes, in addition to those of its `slope_row`.
    """
    return SoftShape(first_child, slope_row, slopes, columns, outputs, own_columns)


def make_rows(phi: Floats, target: Floats, weight: Floats, loss: Loss, single: bool = False) -> Rows:
    """Rows of columns `phi`; `single` lets native code compute in float32 (sums stay double), about twice as fast."""
    kind: Any = SoftRows
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
    """Rows whose columns are computed from the inputs X: once if they are stored, else in every pass, which is slower
    but saves memory.

    place : index in X of each row; None: all rows in order.
    by_tables : whether passes may use the tables of the expansion instead of columns if there are many: faster, and
        sums are rounded in another order (native/soft/form_tables.hpp).
    """
    return make_rows(expand(X if place is None else X[place], expansion), target, weight, loss)
