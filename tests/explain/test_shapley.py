"""Contributions are Shapley values over all coalitions, on random trees of every kind."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softwood import Basis, Schema, Tree, explain
from softwood.explain import products, shapley
from softwood.kernels.kinds import Score, Squash
from tests.strategies import random_rows, random_tree

Floats = npt.NDArray[np.float64]
N, M = 4, 6
KINDS: list[dict[str, bool]] = [{}, {"hard": True}, {"smooth": True}]


def by_all_coalitions(tree: Tree, X: Floats, Z: Floats, weight: Floats) -> Floats:
    """The definition, (rows, inputs, outputs): the change by each input, averaged over all orders of the inputs."""
    k = tree.n_features
    worth = {}
    for bits in itertools.product([False, True], repeat=k):
        blends = np.where(bits, X[:, None], Z[None]).reshape(-1, k)
        worth[bits] = np.einsum("xzo,z->xo", tree.output(blends).reshape(len(X), len(Z), -1), weight)
    values = np.zeros((len(X), k, tree.n_outputs))
    for bits, value in worth.items():
        s = sum(bits)
        for i in np.flatnonzero(np.logical_not(bits)):
            more = worth[(*bits[:i], True, *bits[i + 1 :])]
            values[:, i] += math.factorial(s) * math.factorial(k - s - 1) / math.factorial(k) * (more - value)
    return values


def rows_without_infinity(seed: int) -> Floats:
    rows = random_rows(seed, N + M)
    return np.where(np.isinf(rows), 0.25, rows)


def drawn(seed: int, n_branches: int, kind: int) -> tuple[Tree, Floats, Floats, Floats]:
    rows = rows_without_infinity(seed)
    weight = np.random.default_rng(seed).dirichlet(np.ones(M))
    return random_tree(seed, n_branches, **KINDS[kind]), rows[:N], rows[N:], weight


@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.sampled_from([0, 1, 2]), st.sampled_from(["auto", "exact"]))
def test_contributions_are_those_of_all_coalitions(seed: int, n_branches: int, kind: int, method: str) -> None:
    tree, X, Z, weight = drawn(seed, n_branches, kind)
    told = explain(tree, X, Z, background_weight=weight, method=method)
    assert told.method == "exact"
    assert not told.standard_error.any()
    np.testing.assert_allclose(told.contributions, by_all_coalitions(tree, X, Z, weight), rtol=1e-9, atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.sampled_from([0, 1, 2]))
def test_the_ways_agree(seed: int, n_branches: int, kind: int) -> None:
    """Tables of coalitions, quadrature and blends of rows give the same values where all three can."""
    tree, X, Z, weight = drawn(seed, n_branches, kind)
    usual = explain(tree, X, Z, background_weight=weight).contributions
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "MOST_INPUTS", 1)  # quadrature for all but the shortest products
        patch.setattr(shapley, "MOST_INPUTS", 1)  # and blends where responses are linear
        other = explain(tree, X, Z, background_weight=weight).contributions
    np.testing.assert_allclose(other, usual, rtol=1e-9, atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.sampled_from([0, 2]), st.sampled_from(["auto", "sampling"]))
def test_blends_by_a_tree_over_scores_are_those_of_the_tree(seed: int, n_branches: int, kind: int, method: str) -> None:
    """The kernels' result from scores equals NumPy's from the gates."""
    tree, X, Z, weight = drawn(seed, n_branches, kind)
    usual = explain(tree, X, Z, background_weight=weight, method=method)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shapley, "make_score_tree", lambda *_: None)
        plain = explain(tree, X, Z, background_weight=weight, method=method)
    np.testing.assert_allclose(usual.contributions, plain.contributions, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(usual.standard_error, plain.standard_error, rtol=1e-6, atol=1e-9)


def test_threads_change_nothing() -> None:
    rows = np.random.default_rng(0).normal(size=(300, 9))
    one, two = explain(oblique(9), rows, n_background=5), explain(oblique(9), rows, n_background=5, n_jobs=2)
    assert one.method == "sampling"
    np.testing.assert_array_equal(one.contributions, two.contributions)


@given(st.integers(0, 2**32 - 1), st.integers(0, 12), st.sampled_from([0, 1, 2]))
@pytest.mark.parametrize("method", ["auto", "sampling"])
def test_contributions_add_up(method: str, seed: int, n_branches: int, kind: int) -> None:
    tree, X, Z, weight = drawn(seed, n_branches, kind)
    told = explain(tree, X, Z, background_weight=weight, method=method)
    np.testing.assert_allclose(told.base, weight @ tree.output(Z), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(told.output, tree.output(X))
    np.testing.assert_allclose(told.base + told.contributions.sum(axis=1), told.output, rtol=1e-10, atol=1e-10)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.sampled_from([0, 1, 2]))
def test_neither_order_nor_repetition_of_background_rows_matters(seed: int, n_branches: int, kind: int) -> None:
    tree, X, Z, _ = drawn(seed, n_branches, kind)
    count = np.random.default_rng(seed).integers(0, 3, M)
    count[0] = 2
    order = np.random.default_rng(seed + 1).permutation(count.sum())
    for method in ("auto", "sampling"):
        weighted = explain(tree, X, Z, background_weight=count, method=method)
        repeated = explain(tree, X, np.repeat(Z, count, axis=0)[order], method=method)
        np.testing.assert_array_equal(weighted.contributions, repeated.contributions)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.sampled_from([0, 1, 2]))
def test_a_row_is_explained_whatever_rows_are_beside_it(seed: int, n_branches: int, kind: int) -> None:
    tree, X, Z, weight = drawn(seed, n_branches, kind)
    for method in ("auto", "sampling"):
        together = explain(tree, X, Z, background_weight=weight, method=method)
        alone = explain(tree, X[2:3], Z, background_weight=weight, method=method)
        np.testing.assert_allclose(alone.contributions[0], together.contributions[2], rtol=1e-12, atol=1e-13)


def chain(n_inputs: int, *, soft: bool) -> Tree:
    """One path that uses every input once."""
    m = 2 * n_inputs + 1
    inner = np.arange(m) % 2 == 0
    inner[-1] = False
    feature = np.where(inner, np.arange(m) // 2, -1)
    return Tree(
        response=np.random.default_rng(0).normal(size=(m, 1)),
        schema=Schema.plain(n_inputs, 1),
        first_child=np.where(inner, np.arange(m) + 1, -1),
        n_children=np.where(inner, 2, 0),
        score=np.where(inner, Score.THRESHOLD, Score.NONE),
        squash=np.where(inner, Squash.SIGMOID if soft else Squash.STEP, 0),
        softness=np.where(inner, 0.7 if soft else 0.0, 0.0)[:, None].repeat(2, axis=1),
        feature=feature,
        threshold=np.where(inner, 0.1, np.nan),
    )


@pytest.mark.parametrize("soft", [False, True])
def test_a_path_of_many_inputs_is_exact(soft: bool) -> None:
    tree = chain(12, soft=soft)
    rows = np.random.default_rng(1).normal(size=(5, 12)) + (0.0 if soft else 1.0)
    weight = np.full(3, 1 / 3)
    told = explain(tree, rows[:2], rows[2:])
    assert told.method == "exact"
    np.testing.assert_allclose(told.contributions, by_all_coalitions(tree, rows[:2], rows[2:], weight), atol=1e-12)


def oblique(n_inputs: int, squash: Squash = Squash.SIGMOID) -> Tree:
    """Three gates on all inputs, and linear leaves."""
    rng = np.random.default_rng(3)
    return Tree(
        response=rng.normal(size=(7, 1)),
        schema=Schema.plain(n_inputs, 1),
        first_child=[1, 3, 5, -1, -1, -1, -1],
        n_children=[2, 2, 2, 0, 0, 0, 0],
        score=[Score.LINEAR] * 3 + [Score.NONE] * 4,
        squash=[squash] * 3 + [0] * 4,
        basis=Basis.identity(n_inputs),
        weight_begin=np.minimum(np.arange(8), 3) * n_inputs,
        weight_column=np.tile(np.arange(n_inputs), 3),
        weight=rng.normal(size=3 * n_inputs),
        slope_row=[-1, -1, -1, 0, 1, -1, 2],
        slope=rng.normal(size=(3, n_inputs, 1)) * 0.3,
    )


@pytest.mark.parametrize("squash", [Squash.SIGMOID, Squash.STEP])
def test_standard_errors_tell_how_far_sampled_values_are_off(squash: Squash) -> None:
    tree = oblique(6, squash)
    rng = np.random.default_rng(5)
    X, Z = rng.normal(size=(40, 6)), rng.normal(size=(30, 6))
    exact, sampled = explain(tree, X, Z), explain(tree, X, Z, method="sampling")
    assert (exact.method, sampled.method) == ("exact", "sampling")
    z = (sampled.contributions - exact.contributions) / sampled.standard_error
    assert 0.8 < np.sqrt(np.mean(z**2)) < 1.25  # 1 if standard errors are right; rows share their orders
    more = explain(tree, X, Z, method="sampling", n_pairs=32)
    assert np.mean(more.standard_error) < 0.35 * np.mean(sampled.standard_error)  # a quarter, for 16 times the orders


def test_many_inputs_together_are_sampled_and_few_are_not() -> None:
    rows = np.random.default_rng(0).normal(size=(10, 9))
    assert explain(oblique(9), rows).method == "sampling"
    assert explain(oblique(9), rows, method="exact").method == "exact"
    assert explain(oblique(8), rows[:, :8]).method == "exact"


def test_an_input_that_is_not_asked_adds_nothing() -> None:
    tree = random_tree(7, 5, hard=True)
    asked = set(tree.feature[tree.n_children > 0].tolist()) | set(tree.surrogates.feature.tolist())
    idle = [f for f in range(tree.n_features) if f not in asked]
    assert idle
    assert not explain(tree, rows_without_infinity(1)).contributions[:, idle].any()


def test_one_node_adds_its_curves_up() -> None:
    """In a single linear response an input contributes its curve minus the mean of its curve."""
    rng = np.random.default_rng(2)
    tree = Tree([[1.5]], Schema.plain(3, 1), basis=Basis.identity(3), slope_row=[0], slope=rng.normal(size=(1, 3, 1)))
    X, Z = rng.normal(size=(5, 3)), rng.normal(size=(7, 3))
    curves = [tree.curve(0, f, 0) for f in range(3)]
    wanted = np.stack([curve(X[:, f]) - curve(Z[:, f]).mean() for f, curve in enumerate(curves)], axis=1)
    np.testing.assert_allclose(explain(tree, X, Z).contributions[:, :, 0], wanted, atol=1e-14)
