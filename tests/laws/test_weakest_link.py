"""Weakest-link pruning: the native twin against the reference, and against the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from softwood import kernels
from softwood.kernels import reference


def draw(seed: int, n_branches: int, exact: bool) -> tuple[np.ndarray, np.ndarray]:
    """Parents, and risks that decrease from parent to children; small integers often tie."""
    rng = np.random.default_rng(seed)
    parent, leaves = [-1], [0]
    for _ in range(n_branches):
        node = leaves.pop(rng.integers(len(leaves)))
        leaves += [len(parent), len(parent) + 1]
        parent += [node, node]
    risk = np.ones(len(parent)) * 64
    for node in range(1, len(parent), 2):
        kept = rng.choice([1.0, 0.75, 0.5]) if exact else rng.random()
        first = rng.choice([0.25, 0.5]) if exact else rng.random()
        risk[node : node + 2] = risk[parent[node]] * kept * np.array([first, 1 - first])
    return np.array(parent, np.int32), risk


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.booleans())
def test_native_equals_reference(seed: int, n_branches: int, exact: bool) -> None:
    parent, risk = draw(seed, n_branches, exact)
    ours, theirs = (twin(parent, risk) for twin in (kernels.collapse_alphas, reference.collapse_alphas))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.floats(0, 40))
def test_the_tree_for_an_alpha_is_the_best_of_all_subtrees(seed: int, n_branches: int, alpha: float) -> None:
    """R(T) + alpha * leaves(T) of the pruned tree, against every way of pruning."""
    parent, risk = draw(seed, n_branches, exact=False)
    children = {node: np.flatnonzero(parent == node) for node in range(len(parent))}

    def cost(node: int, is_leaf: np.ndarray) -> float:
        if is_leaf[node] or not len(children[node]):
            return float(risk[node]) + alpha
        return sum(cost(int(child), is_leaf) for child in children[node])

    def least(node: int) -> float:
        as_leaf = float(risk[node]) + alpha
        return min(as_leaf, sum(least(int(c)) for c in children[node])) if len(children[node]) else as_leaf

    pruned = kernels.collapse_alphas(parent, risk) <= alpha
    np.testing.assert_allclose(cost(0, pruned), least(0), rtol=1e-9)
