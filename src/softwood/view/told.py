"""The nodes that a page has texts for: all of a tree, the upper ones of a large forest.

The page computes with all nodes of a forest of hundreds of trees. Nobody reads tens of thousands of cards, and to write
them would take a minute: so it shows the nodes that the most rows reach, and counts what is below them.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from softwood.tree import Tree, is_joined

MOST_TOLD = 1_000  # nodes of a mean of trees; beyond it only the roots of the trees are added


def told_nodes(tree: Tree) -> list[int]:
    """The nodes in rising order, each with its siblings and everything above it.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> told_nodes(Tree(response=[[1.0]], schema=Schema.plain(1, 1)))
    [0]
    """
    if tree.n_nodes <= MOST_TOLD or not is_joined(tree):
        return list(range(tree.n_nodes))
    rows = np.where(np.isfinite(tree.count), tree.count, 0.0) * tree.constant_share
    told, waiting = [0, *tree.children(0)], [(-float(rows[node]), node) for node in tree.children(0)]
    waiting.sort()
    while waiting:
        children = tree.children(heappop(waiting)[1])
        if len(told) + len(children) > MOST_TOLD:
            break
        told += children
        for child in children:
            heappush(waiting, (-float(rows[child]), child))
    return sorted(told)
