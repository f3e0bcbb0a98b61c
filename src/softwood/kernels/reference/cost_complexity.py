"""Weakest-link pruning (Breiman et al. 1984, section 3.3): the alpha at which each branch becomes a leaf.

    R_alpha(T) = R(T) + alpha * leaves(T),    alpha_t = (R(t) - R(T_t)) / (leaves(T_t) - 1)

The branch with the smallest alpha_t is collapsed, its ancestors' alpha are recomputed, and so on up to the root. These
trees are nested; the one for a given alpha keeps the branches with a larger value here.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np

from softwood.arrays import Floats, Ints


def collapse_alphas(parent: Ints, risk: Floats) -> Floats:
    """The alpha from which on each node is no longer a branch; -inf for a leaf.

    Parameters
    ----------
    parent : parent of every node, -1 for the root; parents come before children.
    risk : R(t), the node's proportion of the total risk if it were a leaf.

    Examples
    --------
    >>> collapse_alphas(np.array([-1, 0, 0, 1, 1], np.int32), np.array([1.0, 0.5, 0.2, 0.1, 0.1]))
    array([ 0.3,  0.3, -inf, -inf, -inf])
    """
    n = len(parent)
    below, leaves = risk.copy(), np.ones(n)  # risk and leaves of the subtree, as pruned so far
    is_branch = np.zeros(n, np.bool_)
    is_branch[parent[1:]] = True
    below[is_branch], leaves[is_branch] = 0.0, 0.0
    for node in range(n - 1, 0, -1):
        below[parent[node]] += below[node]
        leaves[parent[node]] += leaves[node]

    def link(node: int) -> float:
        return float((risk[node] - below[node]) / (leaves[node] - 1))

    heap = [(link(int(node)), int(node)) for node in np.flatnonzero(is_branch)]
    heapq.heapify(heap)
    current = np.full(n, np.nan)
    for alpha, node in heap:
        current[node] = alpha
    collapsed = np.where(is_branch, np.inf, -np.inf)
    reached = -np.inf
    while heap:
        alpha, node = heapq.heappop(heap)
        path = list(ancestors(parent, node))
        if alpha != current[node] or np.isfinite(collapsed[[node, *path]]).any():
            continue  # its subtree has changed and a newer entry is in the heap, or it is gone
        collapsed[node] = reached = max(reached, alpha)
        less_risk, less_leaves = risk[node] - below[node], leaves[node] - 1
        for above in path:
            below[above] += less_risk
            leaves[above] -= less_leaves
            if leaves[above] > 1:
                current[above] = link(above)
                heapq.heappush(heap, (current[above], above))
    for node in range(1, n):  # a branch below a collapsed one is gone with it
        collapsed[node] = min(collapsed[node], collapsed[parent[node]])
    return collapsed


def ancestors(parent: Ints, node: int) -> Iterator[int]:
    """Parent, grandparent, ... up to the root."""
    while (node := int(parent[node])) >= 0:
        yield node
