"""The lines of a printed tree: every node with its branch marks.

all rows
├─ age ≤ 30
│  ├─ income ≤ 5
│  └─ income > 5
└─ age > 30
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from softwood.tree.arrays import TreeArrays

LEVELS = 50  # levels of branch marks; deeper lines begin with DEEPER, so that the text does not grow with the depth
DEEPER = "⋯  "


class Line(NamedTuple):
    """One node: branch marks before its rule and before its further lines, and the number of hidden nodes below."""

    node: int
    stem: str
    below: str
    hidden: int


def outline(tree: TreeArrays, max_depth: int | None = None) -> Iterator[Line]:
    """Lines from the root down, the first child's subtree before the second's, at most `max_depth` steps deep.

    For nodes deeper than LEVELS, branch marks show only the nearest levels.

    Examples
    --------
    >>> from softwood import Schema, Tree
    >>> [line.stem for line in outline(Tree(response=[[1.0]], schema=Schema.plain(1, 1)))]
    ['']
    """
    size = _subtree_sizes(tree)
    # (node, marks of its line, marks of the lines below it)
    stack = [(0, "", "")]
    while stack:
        node, stem, under = stack.pop()
        if len(under) >= 3 * LEVELS:
            under = DEEPER + under[6:] if under.startswith(DEEPER) else DEEPER + under[3:]
        shown = max_depth is None or tree.node_depth[node] < max_depth
        children = tree.children(node) if shown else range(0)
        yield Line(node, stem, under + ("│  " if children else "   "), 0 if shown else int(size[node]) - 1)
        for child in reversed(children):
            last = child == children[-1]
            stack.append((child, under + ("└─ " if last else "├─ "), under + ("   " if last else "│  ")))


def _subtree_sizes(tree: TreeArrays) -> list[int]:
    size = [1] * tree.n_nodes
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after parents
        size[int(tree.parent[node])] += size[node]
    return size


def depth_that_fits(tree: TreeArrays, n_lines: int) -> int:
    """The deepest outline of at most `n_lines` lines (always at least the root and its children)."""
    lines = np.cumsum(np.bincount(tree.node_depth))
    return max(1, int(np.searchsorted(lines, n_lines, side="right")) - 1)
