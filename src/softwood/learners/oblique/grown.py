"""The grown nodes of an oblique tree, and their Tree in the user's units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.arrays import Floats, Ints
from softwood.kernels.arithmetic import matmul
from softwood.kernels.kinds import Missing, Score
from softwood.learners.oblique.rows import Rows
from softwood.tree import Schema, Tree

# Rounding, which must not decide the child of a row on the border, such as one with an unseen level: relative size of a
# bias to its summands, and of a weight to the gate's largest one (columns are in standard deviations).
NO_BIAS = NO_WEIGHT = 1e-12


@dataclass(frozen=True)
class Grown:
    """Nodes, level by level; -1 and NaN if not applicable.

    first_child : of every branch.
    gate, bias, weight : linear gates: the row of `weight` (gates, columns) that a branch has, and its bias.
    feature, threshold, default, group_begin, group : tests of one input, as in a `Tree`.
    count, impurity, gain : rows by weight, their impurity, and its decrease (times weight) by the gate.
    value : (nodes, parts) weight by class, or means.
    note : remark on each node; empty: none.
    """

    first_child: Ints
    gate: Ints
    bias: Floats
    weight: Floats
    feature: Ints
    threshold: Floats
    default: Ints
    group_begin: Ints
    group: Ints
    count: Floats
    impurity: Floats
    gain: Floats
    value: Floats
    note: tuple[str, ...] = ()

    def assemble(self, rows: Rows, schema: Schema) -> Tree:
        """The Tree, its linear gates over the basis terms that any of them uses."""
        response, n = self.value, len(self.value)
        if rows.problem.is_classes:
            response = response * rows.problem.factor
            response = response / response.sum(axis=1, keepdims=True)
        asks = self.feature >= 0
        kind = np.where(np.diff(self.group_begin) > 0, int(Score.CATEGORY), int(Score.THRESHOLD))
        return Tree(
            response=response,
            schema=schema,
            first_child=self.first_child,
            n_children=np.where(self.first_child >= 0, 2, 0).astype(np.int32),
            score=np.where(self.gate >= 0, int(Score.LINEAR), np.where(asks, kind, 0)).astype(np.uint8),
            feature=self.feature,
            threshold=self.threshold,
            missing=np.full(n, int(Missing.DIRECTION), np.uint8),
            default=self.default,
            group_begin=self.group_begin,
            group=self.group,
            count=self.count,
            impurity=self.impurity,
            gain=self.gain,
            note=self.note,
            **self._weights(rows),
        )

    def _weights(self, rows: Rows) -> dict[str, Any]:
        linear = np.flatnonzero(self.gate >= 0)
        if not len(linear):
            return {}
        weight, bias = self.weight[self.gate[linear]], self.bias[linear]
        weight = np.where(np.abs(weight) > NO_WEIGHT * np.abs(weight).max(axis=1, keepdims=True), weight, 0.0)
        table, shift = rows.columns.in_user_units(weight, bias)
        size = np.abs(bias) + matmul(np.abs(weight), np.abs(rows.columns.shift))
        shift = np.where(np.abs(shift) > NO_BIAS * size, shift, 0.0)
        basis, used = rows.columns.basis, np.any(table != 0.0, axis=0)
        if not used.all():
            basis, table = basis.pick(used), table[:, used]
        gate, column = np.nonzero(table)
        terms = np.zeros(len(self.gate) + 1, np.int64)
        terms[linear + 1] = np.bincount(gate, minlength=len(linear))
        bias = np.zeros(len(self.gate))
        bias[linear] = shift
        return {
            "basis": basis,
            "bias": bias,
            "weight_begin": np.cumsum(terms, dtype=np.int32),
            "weight_column": column.astype(np.int32),
            "weight": table[gate, column],
        }
