"""Positions of the nodes of a drawing: a tidy layout (Reingold and Tilford, 1981).

Nodes of one depth are side by side, a parent is above the middle of its children, and subtrees are as close as their
outlines allow; equal subtrees are drawn equally. Differs from the paper: nodes have any number of children and a size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.kinds import Score
from softwood.tree.arrays import TreeArrays

MOST_TREES = 6  # trees of a mean that are drawn side by side
Outline = list[tuple[float, float]]  # extent of a subtree to either side, per depth


def place_nodes(tree: TreeArrays, size: Sequence[float], gap: float, shown: Sequence[int] | None = None) -> Floats:
    """The centre of every node across the tree, starting at 0; NaN for hidden nodes.

    Parameters
    ----------
    size : size of every node across the tree.
    gap : minimum distance between two nodes of one depth.
    shown : the nodes of the drawing, including the root; None: all.

    Examples
    --------
    >>> from softwood import Schema, Tree
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[1, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan])
    >>> place_nodes(stump, [1.0, 1.0, 1.0], 0.5)
    array([1.25, 0.5 , 2.  ])
    """
    there = set(range(tree.n_nodes) if shown is None else shown)
    offset = np.zeros(tree.n_nodes)  # from the parent
    outline: dict[int, Outline] = {}
    for node in sorted(there, reverse=True):
        half = size[node] / 2
        children = [child for child in tree.children(node) if child in there]
        below: Outline = []
        for child in children:
            mine = outline.pop(child)
            offset[child] = max((b[1] - m[0] + gap for b, m in zip(below, mine, strict=False)), default=0.0)
            below = _joined(below, mine, float(offset[child]))
        if children:
            middle = (offset[children[0]] + offset[children[-1]]) / 2
            offset[children] -= middle
            below = [(low - middle, high - middle) for low, high in below]
        outline[node] = [(-half, half), *below]
    at = np.full(tree.n_nodes, np.nan)
    at[0] = -min(low for low, _ in outline[0])
    for node in sorted(there - {0}):
        at[node] = at[tree.parent[node]] + offset[node]
    return at


def _joined(left: Outline, right: Outline, shift: float) -> Outline:
    """The outline of two subtrees, the second moved."""
    moved = [(low + shift, high + shift) for low, high in right]
    both = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(left, moved, strict=False)]
    return both + (left[len(moved) :] or moved[len(left) :])


def shown_nodes(tree: TreeArrays, max_depth: int | None) -> list[int]:
    """Nodes down to a depth, in order of their ids; for a mean of many trees, those of the first `MOST_TREES`."""
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be at least 0, or None for all of the tree, got {max_depth}.")
    folded = _folded(tree)
    return [m for m in range(tree.n_nodes) if not folded[m] and (max_depth is None or tree.node_depth[m] <= max_depth)]


def n_folded(tree: TreeArrays, node: int) -> int:
    """How many of the trees that a node averages are omitted from a drawing."""
    is_mean = tree.score[node] == Score.CONSTANT
    return max(int(tree.n_children[node]) - MOST_TREES, 0) if is_mean else 0


def _folded(tree: TreeArrays) -> npt.NDArray[np.bool_]:
    """Which nodes are below a mean of many trees, and not in one of the first."""
    folded = np.zeros(tree.n_nodes, np.bool_)
    many = [m for m in np.flatnonzero(tree.score == Score.CONSTANT).tolist() if n_folded(tree, m)]
    for m in many:
        folded[list(tree.children(m))[MOST_TREES:]] = True
    for m in range(1, tree.n_nodes) if many else ():  # parents come before their children
        folded[m] |= folded[tree.parent[m]]
    return folded
