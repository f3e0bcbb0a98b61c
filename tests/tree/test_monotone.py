"""The proof that a tree is monotone: it holds where the tree is, fails where it is not, and says where."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import CARTClassifier, CARTRegressor, SoftTreeRegressor
from softwood.kernels.kinds import Score, Squash, Term
from softwood.tree import Basis, Schema, Tree
from softwood.tree.monotone import certify, direction_of
from softwood.tree.proofs import proved_direction, spell_direction
from softwood.tree.views import WeightedTerm

seeds = st.integers(0, 2**32 - 1)


def term(kind: Term, weight: float, knot: float = 0.0, feature: int = 0) -> WeightedTerm:
    return WeightedTerm(kind, feature, knot, 0.0, weight, 0)


@pytest.mark.parametrize(
    ("terms", "direction"),
    [
        ([term(Term.IDENTITY, 2.0)], 1),
        ([term(Term.IDENTITY, -2.0)], -1),
        ([term(Term.HINGE, 1.0, 3.0), term(Term.HINGE, -1.0, 5.0)], 1),
        ([term(Term.HINGE, 1.0, 3.0), term(Term.HINGE, -1.5, 5.0)], None),
        ([term(Term.HINGE, 0.1, 1.0), term(Term.HINGE, 0.2, 2.0), term(Term.HINGE, -0.30000000000000004, 3.0)], None),
        ([term(Term.HINGE, 0.1, 1.0), term(Term.HINGE, 0.2, 2.0), term(Term.HINGE, -0.3, 3.0)], 1),
        ([term(Term.SQUARE, 1.0)], None),
        ([term(Term.MISSING, 1.0), term(Term.IDENTITY, 1.0, feature=1)], 0),
    ],
)
def test_directions(terms: list[WeightedTerm], direction: int | None) -> None:
    """0.1 + 0.2 is more than 0.3 as doubles, and less than the next double: sums are exact."""
    assert direction_of(terms, 0) == direction


def stump(answers: list[float], weight: float, **more: Any) -> Tree:
    return Tree(
        response=np.array([[0.0], *([one] for one in answers)]),
        schema=Schema.plain(2, 1),
        first_child=[1, -1, -1],
        n_children=[2, 0, 0],
        score=[Score.LINEAR, 0, 0],
        squash=[Squash.SIGMOID, 0, 0],
        basis=Basis.identity(2),
        weight_begin=[0, 2, 2, 2],
        weight_column=[0, 1],
        weight=[weight, 1.0],
        **more,
    )


def test_the_side_that_gains_answers_more() -> None:
    assert certify(stump([3.0, 1.0], 2.0), [1, 0]).margin == 2.0
    assert certify(stump([1.0, 3.0], 2.0), [-1, 0]).holds
    wrong = certify(stump([1.0, 3.0], 2.0), [1, 0])
    assert not wrong.holds
    assert "node 0: its children's answers are not in the order of x0" in str(wrong)


def test_an_input_that_no_gate_looks_at_needs_no_order() -> None:
    proof = certify(stump([1.0, 3.0], 0.0), [1, 0])
    assert proof.holds
    assert proof.margin == math.inf
    assert "no gate uses them" in str(proof)


def test_linear_leaves_share_their_terms_under_a_gate_in_order() -> None:
    slope = np.array([[[0.5], [1.0]], [[0.5], [2.0]]])
    shared = stump([3.0, 1.0], 2.0, slope_row=[-1, 0, 0], slope=slope[:1])
    assert certify(shared, [1, 0]).holds
    own = stump([3.0, 1.0], 2.0, slope_row=[-1, 0, 1], slope=slope)
    assert not certify(own, [1, 0]).holds
    blind = stump([3.0, 1.0], 0.0, slope_row=[-1, 0, 1], slope=slope)
    assert certify(blind, [1, 0]).holds
    assert not certify(blind, [-1, 0]).holds


def test_what_a_bud_keeps_is_in_order_too() -> None:
    bud = stump([3.0, 1.0], 2.0).replace(leafness=[0.5, 1.0, 1.0])
    assert certify(bud, [1, 0]).holds  # the bud's own answer is whatever the row
    chain = Tree(
        response=[[0.0], [5.0], [2.0], [4.0], [3.0]],
        schema=Schema.plain(1, 1),
        first_child=[1, 3, -1, -1, -1],
        n_children=[2, 2, 0, 0, 0],
        leafness=[0.0, 0.5, 1.0, 1.0, 1.0],
        score=[Score.THRESHOLD, Score.THRESHOLD, 0, 0, 0],
        squash=[Squash.RAMP, Squash.RAMP, 0, 0, 0],
        feature=[0, 0, -1, -1, -1],
        threshold=[1.0, 0.0, 0, 0, 0],
        softness=[[1, 1], [1, 1], [0, 0], [0, 0], [0, 0]],
    )
    assert certify(chain, [-1]).margin == 1.0
    assert not certify(chain.replace(response=[[0.0], [1.0], [2.0], [4.0], [3.0]]), [-1]).holds


@given(seed=seeds)
def test_carts_constraints_are_proved(seed: int) -> None:
    """Whatever way a tree was learned, classes in order and surrogates among them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    signal = X[:, 0] - X[:, 1] + np.sin(3 * X[:, 2]) + X[:, 2] * X[:, 0]
    X[rng.random(X.shape) < 0.1] = np.nan
    rules: dict[str, Any] = {"monotonic_cst": [1, -1, 0], "prune": None, "min_samples_leaf": 5}
    number = CARTRegressor(**rules).fit(X, signal)
    classes = CARTClassifier(**rules).fit(X, np.digitize(signal, [-0.5, 0.5]))
    assert certify(number.tree_, [1, -1, 0]).holds
    assert certify(classes.tree_, [1, -1, 0]).margin >= -1e-12  # shares of classes are added up with rounding
    free = CARTRegressor(prune=None, min_samples_leaf=5).fit(X, np.sin(5 * np.nan_to_num(X[:, 2])))
    assert not certify(free.tree_, [0, 0, 1]).holds


@pytest.mark.parametrize("kind", ["additive", "linear"])
def test_what_is_proved_holds_however_far_out(kind: str) -> None:
    """Hinges that cancel beyond the last knot lost all digits at 1e15."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1))
    y = np.tanh(2 * X[:, 0]) + 0.1 * rng.normal(size=300)
    model = SoftTreeRegressor(gate=kind, leaf=kind if kind == "linear" else "auto", monotonic_cst=[1], random_state=0)
    assert model.fit(X, y).monotonic_certificate_.holds
    x = np.sort(np.concatenate([np.linspace(0.9, 1.1, 301) * size for size in 10.0 ** np.arange(-1, 301, 7)]))
    for told in (model.predict(x[:, None]), -model.predict(-x[:, None])):
        assert np.all(np.diff(told) >= -1e-14 * abs(told).max())
        assert np.isfinite(told).all()


def test_only_categories_with_an_order_have_a_direction() -> None:
    """The codes of an unordered category follow the alphabet; "never decreases" would be about spelling."""
    X = pd.DataFrame({"grade": pd.Categorical(["bad", "fair", "good"] * 40, ["bad", "fair", "good"], ordered=True)})
    X["home"] = pd.Categorical(["own", "rent"] * 60)
    tree = SoftTreeRegressor(max_leaves=1).fit(X, X["grade"].cat.codes - 3.0 * (X["home"] == "rent")).tree_
    assert certify(tree, [0, -1]).holds  # so says the order of codes
    assert [proved_direction(tree, feature) for feature in (0, 1)] == [1, 0]
    assert [spell_direction(tree, f, "not proved") for f in (0, 1)] == ["never decreases", "has no order"]
