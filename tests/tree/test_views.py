"""Views of one node: a tree evaluated by them alone, in plain Python, answers as the tree does."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softwood import Basis, Schema, Tree
from softwood.kernels.kinds import Missing, Score, Squash, Term
from softwood.tree.curve import Curve
from softwood.tree.views import (
    CategoryGate,
    ConstantGate,
    ConstantResponse,
    IntervalGate,
    LinearGate,
    LinearResponse,
    ThresholdGate,
    WeightedTerm,
    WhenMissing,
)

from ..strategies import random_rows, random_tree, trees

NUMBER = st.floats(-8, 8)


# -- a tree in plain Python, by its views ------------------------------------------------------------------------------


def output(tree: Tree, row: list[float], node: int = 0) -> list[float]:
    """The equation of the tree."""
    kept, total = float(tree.leafness[node]), [0.0] * tree.n_outputs
    if kept > 0:
        total = [kept * value for value in answer(tree.response_at(node), row)]
    gate = tree.gate(node)
    if gate is None or kept == 1.0:
        return total
    for child, share in zip(tree.children(node), shares(gate, row, tree.n_children[node]), strict=True):
        if share > 0:
            below = output(tree, row, child)
            total = [t + (1.0 - kept) * share * b for t, b in zip(total, below, strict=True)]
    return total


def answer(response: ConstantResponse | LinearResponse, row: list[float]) -> list[float]:
    if isinstance(response, ConstantResponse):
        return list(response.values)
    return [value + add(terms, row) for value, terms in zip(response.values, response.terms, strict=True)]


def add(terms: tuple[WeightedTerm, ...], row: list[float]) -> float:
    return sum(term.weight * column(term, row[term.feature]) for term in terms)


def column(term: WeightedTerm, x: float) -> float:
    if math.isnan(x):
        return term.when_missing
    forms = {Term.IDENTITY: x, Term.SQUARE: x * x, Term.HINGE: max(0.0, x - term.parameter), Term.MISSING: 0.0}
    return forms[term.kind] if term.kind in forms else float(x == term.parameter)


def shares(gate: Any, row: list[float], n: int) -> list[float]:
    if isinstance(gate, ConstantGate):
        return list(gate.shares)
    if isinstance(gate, LinearGate):
        score = gate.bias + add(gate.terms, row)
        return two(float(score >= 0) if gate.squash == Squash.STEP else sigmoid(score))
    x = row[gate.feature]
    if isinstance(gate, ThresholdGate) and gate.squash != Squash.STEP and not math.isnan(x):
        return two(soft(gate, x - gate.threshold))
    slot = read(gate, x)
    return [float(slot == s) for s in range(n)] if slot >= 0 else missing(gate.missing, row, n)


def two(first: float) -> list[float]:
    return [first, 1.0 - first]


def soft(gate: ThresholdGate, x: float) -> float:
    below, above = gate.softness
    if gate.squash == Squash.SIGMOID:
        return sigmoid(-x / below)
    if x == 0:
        return 0.5
    width = below if x < 0 else above
    return float(x < 0) if abs(x) >= width else 0.5 - 0.5 * x / width


def read(gate: Any, x: float) -> int:
    if math.isnan(x):
        return -1
    if isinstance(gate, CategoryGate):
        return place(gate.slots, x)
    if isinstance(gate, IntervalGate):
        return sum(x > cut for cut in gate.cuts)
    return int(x > gate.threshold)


def place(slots: tuple[int, ...], x: float) -> int:
    return slots[int(x)] if 0 <= x < len(slots) else -1


def missing(rule: WhenMissing, row: list[float], n: int) -> list[float]:
    if rule.rule == Missing.FRACTION:
        return list(rule.fractions)
    for stand_in in rule.surrogates:
        x = row[stand_in.feature]
        if math.isnan(x):
            continue
        slot = (
            place(stand_in.slots, x) if stand_in.slots is not None else int((x <= stand_in.threshold) == stand_in.flip)
        )
        if slot >= 0:
            return [float(slot == s) for s in range(n)]
    return [float(rule.default == s) for s in range(n)]


def sigmoid(score: float) -> float:
    e = math.exp(-abs(score))
    return (1.0 if score >= 0 else e) / (1.0 + e)


# -- laws --------------------------------------------------------------------------------------------------------------


def finite(seed: int, n: int) -> np.ndarray:
    """The intake refuses infinite numbers."""
    X = random_rows(seed, n)
    X[np.isinf(X)] = 3.0
    return X


@settings(max_examples=150)
@given(st.one_of(trees(), trees(hard=True), trees(smooth=True)), st.integers(0, 2**32 - 1))
def test_a_tree_by_its_views_is_the_tree(tree: Tree, seed: int) -> None:
    X = finite(seed, 20)
    by_views = np.array([output(tree, row) for row in X.tolist()])
    np.testing.assert_allclose(by_views, tree.output(X), rtol=1e-12, atol=1e-12)


@settings(max_examples=100)
@given(trees(), st.integers(0, 2**32 - 1))
def test_a_linear_sum_is_its_constant_and_the_curves_of_its_inputs(tree: Tree, seed: int) -> None:
    X = finite(seed, 20)
    for feature in np.flatnonzero(tree.schema.level_counts):  # a curve knows its levels and no other codes
        codes = X[:, feature]
        codes[~((codes >= 0) & (codes < tree.schema.n_levels(feature)))] = np.nan
    for node in range(tree.n_nodes):
        gate, response = tree.gate(node), tree.response_at(node)
        if isinstance(gate, LinearGate):
            score = [add(gate.terms, row) for row in X.tolist()]
            curves = sum((tree.curve(node, f)(X[:, f]) for f in gate.features), np.zeros(len(X)))
            np.testing.assert_allclose(curves, score, rtol=1e-12, atol=1e-9)
        if isinstance(response, LinearResponse):
            for k, terms in enumerate(response.terms):
                curves = sum((tree.curve(node, f, k)(X[:, f]) for f in response.features), np.zeros(len(X)))
                np.testing.assert_allclose(curves, [add(terms, row) for row in X.tolist()], rtol=1e-12, atol=1e-9)


@given(NUMBER, NUMBER, st.dictionaries(NUMBER, NUMBER, max_size=5), st.lists(NUMBER, min_size=1))
def test_pieces_and_slopes_are_the_curve(
    line: float, square: float, hinges: dict[float, float], x: list[float]
) -> None:
    curve = Curve(0, line, square, tuple(sorted(hinges.items())))
    values = curve(np.array(x))
    for at, value in zip(x, values.tolist(), strict=True):
        (piece,) = [piece for piece in curve.pieces if piece.low < at <= piece.high]
        assert piece.constant + piece.slope * at + square * at * at == pytest.approx(value, abs=1e-9)
    assert len(curve.slopes) == len(curve.knots) + 1 == len(curve.heights) + 1
    flat = Curve(0, line, 0.0, curve.hinges)
    for (low, high), (start, end), slope in zip(
        pairwise(flat.knots), pairwise(flat.heights), flat.slopes[1:-1], strict=True
    ):
        assert end - start == pytest.approx(slope * (high - low), abs=1e-9)


# -- what the views say ------------------------------------------------------------------------------------------------


def test_every_gate_has_its_view() -> None:
    seen = {type(tree.gate(m)) for tree in map(random_tree, range(30)) for m in range(tree.n_nodes)}
    assert seen == {ThresholdGate, CategoryGate, IntervalGate, LinearGate, type(None)}


def linear_tree(**changes: Any) -> Tree:
    fields: dict[str, Any] = {
        "response": [[0.5], [0.0], [1.0]], "schema": Schema(("age", "hue"), (None, ("red", "blue")), ("y",)),
        "first_child": [1, -1, -1], "n_children": [2, 0, 0], "score": [Score.LINEAR, 0, 0], "bias": [-1.0, 0, 0],
        "squash": [Squash.SIGMOID, 0, 0], "weight_begin": [0, 3, 3, 3], "weight_column": [0, 1, 2],
        "weight": [0.5, 0.0, 2.0], "basis": Basis(
            [Term.IDENTITY, Term.HINGE, Term.CATEGORY, Term.MISSING], [0, 0, 1, 0], [0.0, 30.0, 1.0, 0.0],
            [40.0, 10.0, 0.25, 0.0]),
    }  # fmt: skip
    return Tree(**fields | changes)


def test_a_weight_of_zero_is_no_term() -> None:
    gate = linear_tree().gate(0)
    assert isinstance(gate, LinearGate)
    assert gate.terms == (
        WeightedTerm(Term.IDENTITY, 0, 0.0, 40.0, 0.5, 0),
        WeightedTerm(Term.CATEGORY, 1, 1.0, 0.25, 2.0, 2),
    )
    assert gate.features == (0, 1)


def test_the_curve_of_a_category_has_a_value_for_every_level() -> None:
    assert linear_tree().curve(0, 1) == Curve(1, levels=(0.0, 2.0), when_missing=0.5)


def test_the_missing_indicator_adds_where_its_input_is_missing() -> None:
    tree = linear_tree(slope=[[[1.0], [0.0], [0.0], [7.0]]], slope_row=[-1, 0, -1])
    assert tree.curve(1, 0, output=0) == Curve(0, line=1.0, when_missing=47.0)
    assert tree.response_at(0) == ConstantResponse((0.5,))


def test_an_input_that_is_not_in_a_sum_adds_nothing() -> None:
    tree = linear_tree(weight_begin=[0, 1, 1, 1], weight_column=[0], weight=[1.0])
    assert tree.curve(0, 1)([0.0, 1.0, np.nan]).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda tree: tree.gate(3), "node must be 0..2, got 3"),
        (lambda tree: tree.gate(-1), "node must be 0..2, got -1"),
        (lambda tree: tree.response_at(3), "node must be 0..2, got 3"),
        (lambda tree: tree.curve(1, 0), "node 1 has no linear gate"),
        (lambda tree: tree.curve(0, 5), "feature must be 0..1, got 5"),
        (lambda tree: tree.curve(0, 0, output=0), "node 0 has no linear response"),
        (lambda tree: tree.curve(0, 0, output=4), "output must be 0..0, got 4"),
    ],
)
def test_views_of_what_is_not_there_are_refused(ask: Any, said: str) -> None:
    with pytest.raises(IndexError if "must be" in said else ValueError, match=said):
        ask(linear_tree())
