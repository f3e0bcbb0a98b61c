"""The splits of a greedily grown tree in order of gain, and the tree after each of them.

A split of a hard tree does not change later, so the steps of its growth can be derived from the tree. Branches that
pruning removed are not included.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np

from softwood.tree.cut import cut_tree
from softwood.tree.tree import Tree


def split_order(tree: Tree) -> list[int]:
    """The branches in best-first order: among those whose parent is split, the one with the largest gain (if gains are
    unknown: with most rows) is next; the lowest id in a tie.
    """
    worth = np.where(np.isfinite(tree.gain), tree.gain, np.nan_to_num(tree.count))
    waiting: list[tuple[float, int]] = [(0.0, 0)] if tree.n_children[0] else []
    order: list[int] = []
    while waiting:
        node = heappop(waiting)[1]
        order.append(node)
        for child in tree.children(node):
            if tree.n_children[child]:
                heappush(waiting, (-float(worth[child]), int(child)))
    return order


def after_splits(tree: Tree, order: list[int], n: int) -> Tree:
    """The tree after the first `n` splits."""
    if n >= len(order):
        return tree
    is_leaf = np.ones(tree.n_nodes, np.bool_)
    is_leaf[order[:n]] = False
    return cut_tree(tree, is_leaf)


def growth_of(tree: Tree) -> Iterator[Tree]:
    """The root alone, then the tree after every split.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[1, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan])
    >>> [step.n_nodes for step in growth_of(stump)]
    [1, 3]
    """
    order = split_order(tree)  # on first access: every fit offers its growth, few callers use it
    yield from (after_splits(tree, order, n) for n in range(len(order) + 1))
