"""Trees of linear sigmoids, for which the native evaluator has a special method: equal to the reference, row by row.

Buds, linear responses, every kind of column, missing and infinite values are among them.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import Basis, Schema, Tree
from softwood.kernels import reference
from softwood.kernels.kinds import Score, Squash

from ..strategies import N_LEVELS, random_rows, random_schema, random_tree, trees

if os.environ.get("SOFTWOOD_KERNELS") == "reference":
    pytest.skip("SOFTWOOD_KERNELS=reference: the native kernels are not to be used", allow_module_level=True)

from softwood.kernels import native

seeds = st.integers(0, 2**32 - 1)
EPSILON = np.finfo(np.float64).eps


@given(trees(smooth=True), seeds, st.integers(0, 200), st.sampled_from([0.0, 0.15, 0.5]))
def test_native_equals_reference_on_smooth_trees(tree: Tree, seed: int, n: int, missing: float) -> None:
    X = random_rows(seed, n, missing=missing)
    ours, theirs = native.Evaluator(tree).output(X), reference.Evaluator(tree).output(X)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@given(trees(smooth=True), seeds)
def test_a_row_alone_gets_the_bits_it_gets_in_a_crowd(tree: Tree, seed: int) -> None:
    evaluator, X = native.Evaluator(tree), random_rows(seed, 70)
    alone = np.concatenate([evaluator.output(X[i : i + 1]) for i in range(len(X))])
    assert alone.tobytes() == evaluator.output(X).tobytes()
    assert alone[1:].tobytes() == evaluator.output(X[1:]).tobytes()


@given(trees(smooth=True), seeds)
def test_any_layout_of_rows_gives_the_same_bits(tree: Tree, seed: int) -> None:
    X = random_rows(seed, 67)
    output = native.Evaluator(tree).output
    wide = np.repeat(X, 3, axis=1)
    for layout in (np.asfortranarray(X), wide[:, ::3], X[::-1].copy()[::-1], X[:, ::-1].copy()[:, ::-1]):
        assert output(layout).tobytes() == output(X).tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_one_thread_equals_two_and_five(seed: int) -> None:
    output, X = native.Evaluator(random_tree(seed, 9, smooth=True)).output, random_rows(seed, 9_000)
    assert output(X, 1).tobytes() == output(X, 2).tobytes() == output(X, 5).tobytes()


@pytest.mark.parametrize("n_gates", [1, 2, 3, 5, 17, 255, 256, 300])
def test_every_number_of_gates(n_gates: int) -> None:
    """Up to 255 gates are one product, in tiles of one to four; more are visited one by one."""
    tree, X = random_tree(n_gates, n_gates, smooth=True), random_rows(n_gates, 100)
    np.testing.assert_allclose(tree.output(X), reference.Evaluator(tree).output(X), rtol=1e-12, atol=1e-12)


def test_gates_that_look_at_few_of_many_inputs() -> None:
    """So many columns that a product over all of them would be wasteful."""
    rng = np.random.default_rng(0)
    tree = stumps(rng.integers(0, 100, 3), rng.normal(size=3), n_features=100)
    X = rng.normal(size=(50, 100))
    np.testing.assert_allclose(tree.output(X), reference.Evaluator(tree).output(X), rtol=1e-12, atol=1e-12)


def stumps(feature: np.ndarray, weight: np.ndarray, n_features: int) -> Tree:
    """A chain of gates with one weight each; the responses are 1, 0, 0, ..."""
    n = 2 * len(feature) + 1
    gate = (np.arange(n) % 2 == 0) & (np.arange(n) < n - 1)
    return Tree(
        response=(np.arange(n) == 1).astype(float)[:, None],
        schema=Schema.plain(n_features, 1),
        first_child=np.where(gate, np.arange(n) + 1, -1),
        n_children=2 * gate,
        score=np.where(gate, Score.LINEAR, Score.NONE),
        squash=np.where(gate, Squash.SIGMOID, Squash.STEP),
        basis=Basis.identity(n_features),
        weight_begin=np.r_[0, np.cumsum(gate)],
        weight_column=feature,
        weight=weight,
    )


def share(score: np.ndarray) -> np.ndarray:
    """The share that a gate sends to its first child at these scores."""
    return stumps(np.array([0]), np.array([1.0]), 1).output(score[:, None])[:, 0]


def true_share(score: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-score.astype(np.longdouble)))


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (-40, 40), (-708, 700), (-1e-8, 1e-8), (-0.7, -0.3)])
def test_a_share_is_exact_to_the_rounding_of_its_score(low: float, high: float) -> None:
    score = np.random.default_rng(0).uniform(low, high, 100_000)
    true = true_share(score)
    relative = np.abs(share(score) - true) / true
    assert np.all(relative <= EPSILON * (3 + np.abs(score) * (1 - true)))


def test_a_share_at_the_ends() -> None:
    score = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 800.0, 1e308, -800.0, -1e308, 5e-324])
    np.testing.assert_array_equal(share(score[1:]), [1.0, 0.0, 0.5, 0.5, 1.0, 1.0, 0.0, 0.0, 0.5])
    assert share(score[:1]) == 0.5  # a missing value counts 0 in this basis


def test_scores_beyond_the_largest_number_open_and_close_a_gate() -> None:
    tree = stumps(np.array([0]), np.array([50.0]), 1)
    assert tree.output([[1e308], [-1e308]]).ravel().tolist() == [1.0, 0.0]


def test_an_infinite_number_counts_as_a_large_one() -> None:
    """The second gate's score would be 0 * inf; numbers are clipped so that sums do not overflow."""
    tree = stumps(np.array([0, 1]), np.array([1.0, 0.0]), 2)
    rows = np.array([[1000.0, np.inf], [0.0, np.inf], [1000.0, 0.0], [0.0, 1e300]])
    told = tree.output(rows)[:, 0]
    assert told[[0, 2]].tolist() == [1.0, 1.0]
    assert np.isfinite(told).all()
    assert told[1] == told[3]


def test_a_root_that_keeps_all_hides_its_gates() -> None:
    tree = stumps(np.array([0]), np.array([1.0]), 1)
    kept = tree.replace(leafness=np.array([1.0, 1.0, 1.0]), response=np.array([[7.0], [1.0], [0.0]]))
    assert kept.output([[-1.0], [2.0]]).ravel().tolist() == [7.0, 7.0]


def test_one_linear_leaf_is_a_tree_of_no_gates() -> None:
    rng = np.random.default_rng(1)
    basis = random_tree(8, 3, smooth=True).basis
    slope = rng.normal(size=(1, len(basis), 2))
    leaf = Tree(response=[[1.0, -2.0]], schema=random_schema(2), basis=basis, slope_row=[0], slope=slope)
    X = random_rows(1, 150, missing=0.2)
    np.testing.assert_allclose(leaf.output(X), reference.Evaluator(leaf).output(X), rtol=1e-12, atol=1e-12)
    alone = np.concatenate([leaf.output(X[i : i + 1]) for i in range(len(X))])
    assert alone.tobytes() == leaf.output(X).tobytes()
    X[3, basis.feature[0]] = np.inf
    np.testing.assert_array_equal(np.isfinite(leaf.output(X)), np.isfinite(reference.Evaluator(leaf).output(X)))


def test_no_rows_give_no_answers() -> None:
    tree = random_tree(3, smooth=True)
    assert native.Evaluator(tree).output(np.empty((0, len(N_LEVELS)))).shape == (0, tree.n_outputs)
