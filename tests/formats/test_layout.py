"""Positions of nodes: without overlap, tidy, and the same for a subtree in any place."""

from __future__ import annotations

import numpy as np
import pytest

from softwood.formats.layout import place_nodes, shown_nodes
from tests.strategies import random_tree


@pytest.mark.parametrize("seed", range(30))
def test_nodes_of_one_depth_are_apart(seed: int) -> None:
    tree = random_tree(seed, seed % 13)
    size = np.random.default_rng(seed).uniform(0.5, 3.0, tree.n_nodes)
    at = place_nodes(tree, size.tolist(), 0.25)
    for depth in range(tree.depth + 1):
        nodes = np.flatnonzero(tree.node_depth == depth)
        nodes = nodes[np.argsort(at[nodes])]
        room = np.diff(at[nodes]) - (size[nodes][1:] + size[nodes][:-1]) / 2
        assert np.all(room >= 0.25 - 1e-9)
    assert np.min(at - size / 2) == pytest.approx(0.0)


def test_only_nodes_that_are_shown_have_a_place() -> None:
    tree = random_tree(5, 9)
    shown = shown_nodes(tree, 1)
    at = place_nodes(tree, [1.0] * tree.n_nodes, 0.5, shown)
    assert np.flatnonzero(np.isfinite(at)).tolist() == shown
    with pytest.raises(ValueError, match="max_depth must be at least 0, or None for all of the tree, got -1"):
        shown_nodes(tree, -1)
