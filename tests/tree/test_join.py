"""A mean of trees is a tree: its outputs, its parts, the statistics of its root, and errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import CARTRegressor, SoftTreeClassifier, Tree, TreeError
from softwood.kernels.kinds import Link, Score
from softwood.tree import add_trees, is_joined, join_trees, split_trees, subtree

from ..strategies import random_joined, random_rows, random_tree

seeds = st.integers(0, 2**32 - 1)


def some_trees(seed: int) -> list[Tree]:
    first = random_tree(seed, 5)
    return [first, random_tree(seed + 1, 3, like=first), random_tree(seed + 2, 0, like=first)]


def finite_rows(seed: int) -> np.ndarray:
    X = random_rows(seed, 40)
    return np.where(np.isinf(X), np.nan, X)


@given(seeds)
def test_the_output_is_the_weighted_mean_of_the_outputs(seed: int) -> None:
    trees, X = some_trees(seed), finite_rows(seed)
    joined = join_trees(trees, [1.0, 2.0, 5.0])
    want = sum(part * tree.output(X) for part, tree in zip((1 / 8, 2 / 8, 5 / 8), trees, strict=True))
    np.testing.assert_allclose(joined.output(X), want, rtol=1e-9, atol=1e-9)
    total = add_trees(trees).output(X)
    np.testing.assert_allclose(total, sum(tree.output(X) for tree in trees), rtol=1e-9, atol=1e-9)


@given(seeds)
def test_its_parts_are_the_trees(seed: int) -> None:
    trees, X = some_trees(seed), finite_rows(seed)
    parts = split_trees(join_trees(trees, [1.0, 2.0, 5.0]))
    assert [weight for _, weight in parts] == [1 / 8, 2 / 8, 5 / 8]
    for (part, _), tree in zip(parts, trees, strict=True):
        assert part.n_nodes == tree.n_nodes
        np.testing.assert_allclose(part.output(X), tree.output(X), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(part.reach(X), tree.reach(X), rtol=1e-9, atol=1e-9)


@given(seeds)
def test_a_mean_of_means_is_one_mean(seed: int) -> None:
    trees, X = some_trees(seed), finite_rows(seed)
    twice = join_trees([join_trees(trees[:2]), trees[2]], [2, 1])
    assert twice.n_children[0] == 3
    assert np.count_nonzero(twice.score == Score.CONSTANT) == 1
    np.testing.assert_allclose(twice.output(X), join_trees(trees).output(X), rtol=1e-9, atol=1e-9)


def test_learned_trees_keep_what_is_told_of_them() -> None:
    X, y = random_rows(1, 200)[:, [0, 1, 2]], np.arange(200) % 3 == 0
    X = np.where(np.isfinite(X), X, 0.0)
    trees = [SoftTreeClassifier(random_state=seed, max_leaves=3).fit(X, y).tree_ for seed in (0, 1)]
    joined = join_trees(trees, [3, 1])
    assert joined.count[0] == 0.75 * trees[0].count[0] + 0.25 * trees[1].count[0]
    np.testing.assert_allclose(joined.mean[0], 0.75 * trees[0].mean[0] + 0.25 * trees[1].mean[0])
    np.testing.assert_allclose(joined.arrived[0], 0.75 * trees[0].arrived[0] + 0.25 * trees[1].arrived[0])
    assert joined.provenance is not None
    assert joined.provenance.changes[-1] == "mean of 2 trees"
    for (part, _), tree in zip(split_trees(joined), trees, strict=True):
        np.testing.assert_array_equal(part.count, tree.count)
        np.testing.assert_array_equal(part.arrived, tree.arrived)


def test_a_tree_of_weight_0_is_left_out_and_one_tree_is_itself() -> None:
    one, other = some_trees(3)[:2]
    assert join_trees([one]) == one
    assert not is_joined(one)
    assert join_trees([one, other], [0, 2]) == other
    assert is_joined(join_trees([one, other]))


def test_a_subtree_answers_as_the_rows_below_its_node() -> None:
    X = np.random.default_rng(0).normal(size=(100, 2))
    tree = CARTRegressor(prune=None, max_depth=3).fit(X, X[:, 0] * X[:, 1]).tree_
    below = tree.reach(X)[:, 1] == 1
    np.testing.assert_array_equal(subtree(tree, 1).predict(X[below]), tree.predict(X[below]))


def test_what_cannot_be_joined_is_refused() -> None:
    one, other = some_trees(3)[:2]
    with pytest.raises(ValueError, match="at least one tree"):
        join_trees([])
    with pytest.raises(TypeError, match="pass its tree_"):
        join_trees([one, CARTRegressor()])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="other inputs or answers"):
        join_trees([one, other.replace(schema=replace(one.schema, features=tuple("abcdef")))])
    wide = next(tree for tree in (random_tree(seed, 2) for seed in range(60)) if tree.n_outputs == 2)
    with pytest.raises(ValueError, match="so the links must be equal"):
        join_trees([wide, wide.replace(link=Link.SOFTMAX if wide.link == Link.IDENTITY else Link.IDENTITY)])
    for weights in ([1.0], [1.0, -1.0], [0.0, 0.0], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="weights must be 2 numbers"):
            join_trees([one, other], weights)


def test_shares_that_are_no_shares_are_refused() -> None:
    joined = random_joined(1)
    for shares in ([0.5, 0.6, -0.1], [0.5, 0.5, 0.5], [np.nan, 0.5, 0.5]):
        fraction = joined.fraction.copy()
        fraction[1:4] = shares
        with pytest.raises(TreeError, match="fractions of the children must be >= 0 and sum to 1"):
            joined.replace(fraction=fraction)
    with pytest.raises(TreeError, match="CONSTANT gate cannot have squash SIGMOID"):
        joined.replace(squash=np.where(np.arange(joined.n_nodes) == 0, 2, joined.squash))
