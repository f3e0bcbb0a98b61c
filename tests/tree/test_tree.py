"""The tree as an object: sizes, walks, copies, its printed form."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from softwood import Schema, Tree
from softwood.kernels.kinds import Link, Score, Squash


@pytest.fixture
def tree() -> Tree:
    #     0 ── 1 ── 5 6
    #       └─ 2 ── 3 4
    return Tree(
        response=[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], schema=Schema.plain(2, 1),
        first_child=[1, 5, 3, -1, -1, -1, -1], n_children=[2, 2, 2, 0, 0, 0, 0], score=[1, 1, 1, 0, 0, 0, 0],
        feature=[0, 1, 1, -1, -1, -1, -1], threshold=[0.0, -1.0, 1.0, *[np.nan] * 4],
    )  # fmt: skip


def test_sizes(tree: Tree) -> None:
    assert (tree.n_nodes, tree.n_leaves, tree.depth, tree.n_features, tree.n_outputs) == (7, 4, 2, 2, 1)
    assert tree.node_depth.tolist() == [0, 1, 1, 2, 2, 2, 2]


def test_a_single_leaf_is_a_tree() -> None:
    leaf = Tree(response=[[3.0, 4.0]], schema=Schema.plain(1, 2))
    assert (leaf.n_leaves, leaf.depth, leaf.leafness.tolist()) == (1, 0, [1.0])
    assert leaf.output([[7.0], [np.nan]]).tolist() == [[3.0, 4.0], [3.0, 4.0]]
    assert leaf.reach([[7.0]]).tolist() == [[1.0]]
    assert leaf.apply([[7.0]]).tolist() == [0]


def test_parent_is_the_inverse_of_children(tree: Tree) -> None:
    assert tree.parent.tolist() == [-1, 0, 0, 2, 2, 1, 1]
    assert all(tree.parent[child] == m for m in range(tree.n_nodes) for child in tree.children(m))


def test_walk_goes_down_the_first_child_first(tree: Tree) -> None:
    assert list(tree.walk()) == [0, 1, 5, 6, 2, 3, 4]
    assert list(tree.walk(2)) == [2, 3, 4]


def test_a_value_at_the_threshold_goes_to_the_first_child(tree: Tree) -> None:
    assert tree.apply([[0.0, -1.0], [0.0, -0.5], [0.5, 1.0], [0.5, 2.0]]).tolist() == [5, 6, 3, 4]


def test_repr_says_what_it_is(tree: Tree) -> None:
    assert repr(tree) == "Tree(7 nodes, 4 leaves, depth 2, 2 features, 1 output, hard)"
    soft = tree.replace(score=np.where(tree.score, Score.LINEAR, 0), squash=np.where(tree.score, Squash.SIGMOID, 0))
    assert repr(soft).endswith("soft)")
    assert repr(tree.replace(leafness=[0.5, 0, 0, 1, 1, 1, 1])).endswith("soft)")


def test_replace_makes_another_tree_and_checks_it(tree: Tree) -> None:
    other = tree.replace(threshold=tree.threshold + 1)
    assert other.threshold[0] == 1.0
    assert tree.threshold[0] == 0.0
    with pytest.raises(ValueError, match="node 0: threshold must be finite"):
        tree.replace(threshold=tree.threshold * np.nan)


def test_nothing_in_a_tree_can_be_written(tree: Tree) -> None:
    for field in dataclasses.fields(tree):
        value = getattr(tree, field.name)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable, field.name
    with pytest.raises(ValueError, match="read-only"):
        tree.threshold[0] = 9.0
    with pytest.raises(ValueError, match="read-only"):
        tree.parent[0] = 9
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.threshold = np.zeros(7)  # type: ignore[misc]


def test_arrays_that_nobody_can_write_are_not_held_twice(tree: Tree) -> None:
    assert tree.replace(threshold=tree.threshold + 1).response is tree.response
    mine = np.array([[1.0]])
    seen = mine.view()
    seen.setflags(write=False)  # what it shows can still be written
    leaf = Tree(response=seen, schema=Schema.plain(1, 1))
    mine[0, 0] = 2.0
    assert leaf.response[0, 0] == 1.0


def test_a_tree_does_not_follow_the_arrays_it_was_made_of() -> None:
    response = np.zeros((1, 1))
    tree = Tree(response=response, schema=Schema.plain(1, 1))
    response[0] = 5.0
    assert tree.output([[0.0]]).tolist() == [[0.0]]


@pytest.mark.parametrize("X", [np.zeros((2, 3)), np.zeros(2), np.zeros((1, 2, 1))])
def test_rows_of_another_shape_are_refused(tree: Tree, X: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"X must have shape \(rows, 2\)"):
        tree.output(X)


def test_links_turn_outputs_into_answers() -> None:
    two = Tree(response=[[0.0]], schema=Schema.plain(1, 2, "classification"), link=Link.SIGMOID)
    assert two.predict([[0.0]]).tolist() == [[0.5, 0.5]]
    three = Tree(response=[[1000.0, 0.0, 1000.0]], schema=Schema.plain(1, 3, "classification"), link=Link.SOFTMAX)
    assert three.predict([[0.0]]).tolist() == [[0.5, 0.0, 0.5]]


def test_a_closed_gate_hides_an_infinite_answer() -> None:
    """0 * inf is not a number: nodes with a reach of 0 are skipped."""
    from softwood import Basis

    tree = Tree(
        response=[[0.0], [1.0], [2.0]], schema=Schema.plain(2, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
        score=[1, 0, 0], feature=[0, -1, -1], threshold=[0.0, np.nan, np.nan], basis=Basis.identity(2),
        slope=[[[0.0], [1.0]]], slope_row=[-1, -1, 0],
    )  # fmt: skip
    assert tree.output([[-1.0, np.inf], [1.0, 3.0]]).ravel().tolist() == [1.0, 5.0]
