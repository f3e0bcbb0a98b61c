"""Nodes below step gates, all at once: the values of one by one, of the definition, and in parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood import Tree, explain
from softwood.explain import shapley, step_values, steps
from softwood.kernels.kinds import Squash
from softwood.tree import join_trees
from tests.examples import examples
from tests.explain.test_shapley import M, N, by_all_coalitions, chain, rows_without_infinity
from tests.strategies import random_tree


def forest(seed: int, *, hard: bool) -> Tree:
    first = random_tree(seed, 6, hard=True)
    return join_trees([first, *(random_tree(seed + at, 4, hard=hard, like=first) for at in (1, 2))], [3, 1, 2])


@examples(40)
@given(st.integers(0, 2**32 - 9), st.booleans())
def test_tables_pairs_and_one_node_after_the_other_agree(seed: int, hard: bool) -> None:
    tree, rows = forest(seed, hard=hard), rows_without_infinity(seed)
    weight = np.random.default_rng(seed).dirichlet(np.ones(M))
    usual = explain(tree, rows[:N], rows[N:], background_weight=weight).contributions
    np.testing.assert_allclose(usual, by_all_coalitions(tree, rows[:N], rows[N:], weight), rtol=1e-9, atol=1e-10)
    changes = [(step_values, "MOST_INPUTS", 0), (step_values, "MOST_CELLS", 1), (steps, "MOST_NODES", 3)]
    for place, name, value in [
        *changes,
        (step_values, "MOST_CODES", 1),
        (step_values, "CODES_AT_ONCE", 1),
        (shapley, "find_steps", lambda _: []),
    ]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(place, name, value)
            other = explain(tree, rows[:N], rows[N:], background_weight=weight).contributions
        np.testing.assert_allclose(other, usual, rtol=1e-9, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("n_inputs", [32, 40, 70])
def test_long_paths_add_up(n_inputs: int) -> None:
    """Codes of 31 inputs and more have 64 bits; the nodes of a path beyond 62 inputs are computed one by one."""
    tree = chain(n_inputs, soft=False)
    rows = np.random.default_rng(0).normal(1.0, 1.0, (9, n_inputs))
    rows[0] = 1.0
    told = explain(tree, rows[:4], rows[4:])
    np.testing.assert_allclose(told.base + told.contributions.sum(axis=1), told.output, rtol=1e-10, atol=1e-10)
    assert np.count_nonzero(told.contributions[0]) > 5


def test_nodes_below_soft_gates_are_left_to_other_ways() -> None:
    soft, hard = chain(3, soft=True), chain(3, soft=False)
    both = join_trees([soft, hard])
    taken = np.concatenate([one.nodes for one in steps.find_steps(both)])
    below_hard = [node for node in range(both.n_nodes) if both.leafness[node] and not _is_below_soft(both, node)]
    assert sorted(taken.tolist()) == below_hard
    assert len(below_hard) == hard.n_leaves


def _is_below_soft(tree: Tree, node: int) -> bool:
    while node:
        node = int(tree.parent[node])
        if tree.squash[node] != Squash.STEP:
            return True
    return False
