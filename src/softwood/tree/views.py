"""Single nodes of a tree as small frozen objects, for text, pictures, pages and exports.

    gate         ThresholdGate | CategoryGate | IntervalGate | LinearGate
    response     ConstantResponse | LinearResponse
    terms        weight * column, where a column is made of one input

The arrays of a tree are for kernels and learners; other code does not depend on their layout. Evaluating a tree by its
views gives the result of `Tree.output`: see tests/tree/test_views.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels.contracts.level_slots import slots_of
from softwood.kernels.kinds import Missing, Score, Squash, Term


@dataclass(frozen=True)
class WeightedTerm:
    """One term of a linear sum: weight times a column.

    Attributes
    ----------
    kind : the function of the input x (`Term`): x, x², max(0, x - parameter), 1 if x is the category with code
        `parameter`, 1 if x is missing.
    feature : the input.
    parameter : knot or category code; 0 for the other kinds.
    when_missing : value of the column if the input is missing; 1 for the missing indicator.
    weight : of the column in the sum.
    column : its position in the basis.
    effect : of the term on the sum among the training rows that arrive; None if unknown.
    """

    kind: Term
    feature: int
    parameter: float
    when_missing: float
    weight: float
    column: int
    effect: float | None = None


@dataclass(frozen=True)
class Surrogate:
    """A replacement test on another input: `threshold` (x <= threshold is slot 0, or slot 1 if `flip`), or for a
    category `slots`, the slot of every code (-1: it does not decide).
    """

    feature: int
    threshold: float
    flip: bool
    slots: tuple[int, ...] | None
    agreement: float
    adjusted: float


@dataclass(frozen=True)
class WhenMissing:
    """The treatment of missing values at a gate on one input.

    Attributes
    ----------
    rule : `Missing`.
    default : the child slot of such a row; used after the surrogates, if any.
    fractions : of such a row for every child; empty unless the rule is `Missing.FRACTION`.
    surrogates : in order; the first that is not missing decides. Empty unless the rule is `Missing.SURROGATE`.
    """

    rule: Missing
    default: int
    fractions: tuple[float, ...] = ()
    surrogates: tuple[Surrogate, ...] = ()


@dataclass(frozen=True)
class ThresholdGate:
    """x <= threshold is slot 0. Soft gates send a share to slot 0: a ramp decreases from 1 at threshold - softness[0]
    through 1/2 to 0 at threshold + softness[1], a sigmoid is 1 / (1 + exp((x - threshold) / softness[0])).
    """

    feature: int
    threshold: float
    squash: Squash
    softness: tuple[float, float]
    missing: WhenMissing


@dataclass(frozen=True)
class CategoryGate:
    """The category with code c goes to `slots[c]`; -1 is an unknown category, which counts as missing."""

    feature: int
    slots: tuple[int, ...]
    missing: WhenMissing


@dataclass(frozen=True)
class IntervalGate:
    """x <= cuts[0] is slot 0, cuts[i - 1] < x <= cuts[i] slot i, x > cuts[-1] the last slot."""

    feature: int
    cuts: tuple[float, ...]
    missing: WhenMissing


@dataclass(frozen=True)
class LinearGate:
    """score = bias + sum of terms. A step sends score >= 0 to slot 0; a sigmoid sends it 1 / (1 + exp(-score)). Missing
    values have a value in every term, so a linear gate handles all rows.
    """

    bias: float
    terms: tuple[WeightedTerm, ...]
    squash: Squash

    @property
    def features(self) -> tuple[int, ...]:
        """The inputs with weights, ascending."""
        return features_of(self.terms)


@dataclass(frozen=True)
class ConstantGate:
    """Every child gets the same share of every row: the children are separate trees, and the output is their mean."""

    shares: tuple[float, ...]


Gate = ThresholdGate | CategoryGate | IntervalGate | LinearGate | ConstantGate


@dataclass(frozen=True)
class ConstantResponse:
    """One number per output."""

    values: tuple[float, ...]


@dataclass(frozen=True)
class LinearResponse:
    """Output k is values[k] + the sum of terms[k]."""

    values: tuple[float, ...]
    terms: tuple[tuple[WeightedTerm, ...], ...]

    @property
    def features(self) -> tuple[int, ...]:
        """The inputs with weights in some output, ascending."""
        return features_of([term for terms in self.terms for term in terms])


Response = ConstantResponse | LinearResponse


def features_of(terms: Sequence[WeightedTerm]) -> tuple[int, ...]:
    """The inputs of the terms, ascending."""
    return tuple(sorted({term.feature for term in terms}))


def view_gate(tree: Any, node: int) -> Gate | None:
    """The gate of a node, None for a leaf."""
    score = Score(tree.score[node])
    if score == Score.NONE:
        return None
    if score == Score.LINEAR:
        at = slice(tree.weight_begin[node], tree.weight_begin[node + 1])
        effect = tree.weight_effect[at] if len(tree.weight_effect) else None
        terms = view_terms(tree.basis, tree.weight[at], tree.weight_column[at], effect)
        return LinearGate(float(tree.bias[node]), terms, Squash(tree.squash[node]))
    if score == Score.CONSTANT:
        return ConstantGate(tuple(tree.fraction[tree.children(node)].tolist()))
    feature, missing = int(tree.feature[node]), view_missing(tree, node)
    if score == Score.CATEGORY:
        slots = slots_of(tree.group_begin, tree.group, tree.group_level, node, tree.schema.n_levels(feature))
        return CategoryGate(feature, tuple(slots.tolist()), missing)
    if score == Score.INTERVAL:
        cuts = tree.cut[tree.cut_begin[node] : tree.cut_begin[node + 1]]
        return IntervalGate(feature, tuple(cuts.tolist()), missing)
    below, above = tree.softness[node].tolist()
    return ThresholdGate(feature, float(tree.threshold[node]), Squash(tree.squash[node]), (below, above), missing)


def view_missing(tree: Any, node: int) -> WhenMissing:
    """The treatment of missing values at the gate of a node."""
    rule, default = Missing(tree.missing[node]), int(tree.default[node])
    if rule == Missing.FRACTION:
        return WhenMissing(rule, default, tuple(tree.fraction[tree.children(node)].tolist()))
    if rule == Missing.SURROGATE:
        rows = tree.surrogates.of(node)
        return WhenMissing(rule, default, surrogates=tuple(view_surrogate(tree, row) for row in rows))
    return WhenMissing(rule, default)


def view_surrogate(tree: Any, row: int) -> Surrogate:
    """One row of the table of surrogates."""
    table = tree.surrogates
    feature, threshold, flip = int(table.feature[row]), float(table.threshold[row]), bool(table.flip[row])
    slots = tuple(table.slots(row, tree.schema.n_levels(feature)).tolist())
    numbers = float(table.agreement[row]), float(table.adjusted[row])
    return Surrogate(feature, threshold, flip, slots or None, *numbers)


def view_terms(
    basis: Any,
    weight: npt.NDArray[np.float64],
    column: npt.NDArray[Any],
    effect: npt.NDArray[np.float64] | None = None,
) -> tuple[WeightedTerm, ...]:
    """The terms of a sum in the order of their columns, without weights of 0."""
    return tuple(
        WeightedTerm(
            kind := Term(basis.term[c]),
            int(basis.feature[c]),
            float(basis.parameter[c]),
            1.0 if kind == Term.MISSING else float(basis.when_missing[c]),
            float(weight[i]),
            int(c),
            None if effect is None else float(effect[i]),
        )
        for i, c in enumerate(column.tolist())
        if weight[i] != 0.0
    )


def view_response(tree: Any, node: int) -> Response:
    """The response of a node, before the link."""
    values, row = tuple(tree.response[node].tolist()), int(tree.slope_row[node])
    if row < 0:
        return ConstantResponse(values)
    slope, every = tree.slope[row], np.arange(len(tree.basis))
    effect = tree.slope_effect[row] if len(tree.slope_effect) else None
    terms = [
        view_terms(tree.basis, slope[:, k], every, None if effect is None else effect[:, k]) for k in range(len(values))
    ]
    return LinearResponse(values, tuple(terms))
