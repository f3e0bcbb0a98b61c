"""Gates and responses of a tree decomposed by input.

    share of a child   = sum of products of factors, each of one input     thresholds, categories, intervals, surrogates
                       = squash(bias + sum of parts, each of one input)    linear gates of two or more inputs
    response of a node = constant + sum of parts, each of one input

So a blend of two rows needs no new evaluation: its factors and parts are those of the two rows. A gate with surrogates
is a sum of products: its own input is present and decides, or it is missing and the first surrogate decides, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Longs
from softwood.kernels.formulas.equation import (
    expand,
    one_hot,
    read_slot,
    shares,
    surrogate_slot,
    without_float_warnings,
)
from softwood.kernels.kinds import Missing, Score, Squash
from softwood.tree import Tree

Factors = dict[int, Floats]  # by input, a number for every row


@dataclass(frozen=True)
class ProductGate:
    """For each slot, the products whose sum is its share."""

    slots: tuple[tuple[Factors, ...], ...]

    @property
    def inputs(self) -> frozenset[int]:
        """The inputs it uses."""
        return frozenset(f for products in self.slots for factors in products for f in factors)


@dataclass(frozen=True)
class SumGate:
    """Slot 0 gets squash(bias + sum of parts), slot 1 the rest."""

    bias: float
    parts: Factors
    squash: Squash

    @property
    def inputs(self) -> frozenset[int]:
        """The inputs it uses."""
        return frozenset(self.parts)


Gate = ProductGate | SumGate


@dataclass(frozen=True)
class Answer:
    """A node with a response: its leafness times (1 - leafness) and constant shares of all nodes above, its constant,
    its parts by input (rows, outputs), and the gates on its path with their slots.
    """

    node: int
    weight: float
    constant: Floats
    parts: Factors
    path: tuple[tuple[int, int], ...]


class Apart:
    """A tree decomposed over some rows.

    Parameters
    ----------
    without : nodes with a response to omit; None: no node is omitted.

    Attributes
    ----------
    gates : by node, the gates above the nodes with a response.
    answers : the nodes with a response.
    """

    def __init__(self, tree: Tree, rows: Floats, without: Longs | None = None) -> None:
        self.tree, self.rows = tree, rows
        kept = tree.leafness > 0
        if without is not None:
            kept[without] = False
        with without_float_warnings():
            self.phi = expand(tree.basis, rows)
            self.answers = [self._answer(int(p)) for p in np.flatnonzero(kept)]
            self.answers = [answer for answer in self.answers if answer.weight > 0]
            asked = sorted({m for answer in self.answers for m, _ in answer.path})
            self.gates: dict[int, Gate] = {m: self._gate(m) for m in asked}

    def inputs_of(self, answer: Answer) -> frozenset[int]:
        """Inputs of the gates on its path."""
        return frozenset(f for gate, _ in answer.path for f in self.gates[gate].inputs)

    def is_product(self, answer: Answer) -> bool:
        """Whether every gate on its path is a sum of products."""
        return all(isinstance(self.gates[gate], ProductGate) for gate, _ in answer.path)

    def _gate(self, m: int) -> Gate:
        tree = self.tree
        if tree.score[m] == Score.LINEAR:
            at = slice(tree.weight_begin[m], tree.weight_begin[m + 1])
            parts = self._parts(tree.weight_column[at], tree.weight[at])
            if len(parts) > 1:
                return SumGate(float(tree.bias[m]), parts, Squash(tree.squash[m]))
            return self._of_one_input(m, next(iter(parts), None))
        if tree.missing[m] == Missing.SURROGATE and len(tree.surrogates.of(m)):
            return self._with_surrogates(m)
        return self._of_one_input(m, int(tree.feature[m]))

    def _parts(self, columns: Sequence[int] | npt.NDArray[np.int32], weights: Floats) -> Factors:
        """The sum of weight times column by input; weights are (columns,) or (columns, outputs)."""
        parts: Factors = {}
        for column, weight in zip(columns, weights, strict=True):
            if np.any(weight):
                f = int(self.tree.basis.feature[column])
                term = np.multiply.outer(self.phi[:, column], weight)
                parts[f] = parts[f] + term if f in parts else term
        return parts

    def _of_one_input(self, m: int, feature: int | None) -> ProductGate:
        share = shares(self.tree, m, self.rows, self.phi)
        if feature is None:  # a constant: the same for every row
            feature = 0
        return ProductGate(tuple(({feature: column},) for column in share.T))

    def _with_surrogates(self, m: int) -> ProductGate:
        tree, table = self.tree, self.tree.surrogates
        feature, n = int(tree.feature[m]), int(tree.n_children[m])
        if tree.squash[m] == Squash.STEP:
            slot = read_slot(tree, m, self.rows)
            lost, share = (slot < 0).astype(np.float64), one_hot(slot, n)
        else:
            gone = np.isnan(self.rows[:, feature])
            lost = gone.astype(np.float64)
            share = np.where(gone[:, None], 0.0, shares(tree, m, self.rows, self.phi))
        slots: list[list[Factors]] = [[{feature: column}] for column in share.T]
        silent: Factors = {feature: lost}  # all inputs so far are missing
        for row in table.of(m):
            asked, said = int(table.feature[row]), surrogate_slot(table, row, self.rows)
            for c in range(n):
                slots[c].append(times(silent, {asked: (said == c).astype(np.float64)}))
            silent = times(silent, {asked: (said < 0).astype(np.float64)})
        slots[int(tree.default[m])].append(silent)
        return ProductGate(tuple(tuple(some) for some in slots))

    def _answer(self, p: int) -> Answer:
        tree, weight, path, m = self.tree, float(self.tree.leafness[p]), [], p
        while m:
            above = int(tree.parent[m])
            weight *= 1.0 - float(tree.leafness[above])
            if tree.score[above] == Score.CONSTANT:  # the same for every row: a weight, not a gate
                weight *= float(tree.fraction[m])
            else:
                path.append((above, m - int(tree.first_child[above])))
            m = above
        row = int(tree.slope_row[p])
        parts = {} if row < 0 else self._parts(range(len(tree.basis)), tree.slope[row])
        kept = tuple(reversed(path)) if weight > 0 else ()
        return Answer(p, weight, np.array(tree.response[p]), parts, kept)


def times(one: Factors, other: Factors) -> Factors:
    """The product, with one factor per input."""
    product = dict(one)
    for feature, factor in other.items():
        product[feature] = product[feature] * factor if feature in product else factor
    return product
