"""Gates that can be softened: the thresholds of a hard, univariate tree, and the outputs of its nodes.

Softening makes every finite threshold a ramp and changes nothing else. A ramp with widths 0 is the original step,
except for rows exactly at the threshold, where every ramp sends 1/2 to both children (Dvořák & Savický, section 2).
CART's thresholds lie between training values, so on its training rows a tree with widths 0 is the hard tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Longs, Mask
from softwood.kernels.formulas.equation import shares
from softwood.kernels.kinds import Score, Squash
from softwood.parts.folds import merge_equal_rows
from softwood.tree import Tree


@dataclass(frozen=True)
class SofteningRows:
    """Rows for softening a tree, in any order; `in_order` sorts them by their content.

    Neither the `Dataset` of soft trees (targets as columns) nor the `Problem` of hard ones (costs, criterion): any tree
    can be softened, with rows alone. The search for widths uses sums over rows, whose last digit may affect the result,
    so that the order of the rows matters.

    Attributes
    ----------
    X : (rows, features) as the tree reads them.
    y : class codes (rows,), or numbers (rows, targets).
    weight : of every row.
    """

    X: Floats
    y: npt.NDArray[np.generic]
    weight: Floats

    @property
    def is_classes(self) -> bool:
        return self.y.dtype.kind in "iu"

    def in_order(self) -> SofteningRows:
        """Drop rows of weight 0, merge equal rows, and order them by a hash of their content."""
        at, weight = merge_equal_rows(self.X, self.y, self.weight)
        return SofteningRows(self.X[at], self.y[at], weight)

    def without_zero_weights(self) -> SofteningRows:
        """Drop rows of weight 0."""
        lives = self.weight > 0
        return self if lives.all() else SofteningRows(self.X[lives], self.y[lives], self.weight[lives])


def check_softenable(tree: Tree) -> None:
    """Raise ValueError unless the tree is hard and univariate, with constant responses."""
    linear = tree.score == Score.LINEAR
    if linear.any():
        message = f"only univariate trees can be softened; the gate of node {linear.argmax()} is linear."
    elif (tree.score == Score.CONSTANT).any():
        message = f"only single trees can be softened; this model is a mean of {tree.n_children[0]} trees."
    elif not tree.is_hard:
        message = "only hard trees can be softened; this one is soft already."
    elif (tree.slope_row >= 0).any():
        message = "only trees with constant responses can be softened; this one has linear responses."
    else:
        return
    raise ValueError(f"{message} CARTClassifier, CARTRegressor and C45Classifier grow suitable trees.")


def can_soften(tree: Tree) -> Mask:
    """Gates with a finite threshold."""
    return np.asarray((tree.score == Score.THRESHOLD) & np.isfinite(tree.threshold))


def with_widths(tree: Tree, softness: Floats) -> Tree:
    """The tree with ramps of the given widths (nodes, 2).

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan])
    >>> with_widths(stump, np.array([[0.5, 1.5], [0, 0], [0, 0]])).output([[2.0], [2.5], [3.25]]).ravel()
    array([0.  , 0.5 , 0.75])
    >>> with_widths(stump, np.zeros((3, 2))).output([[2.4], [2.5], [2.6]]).ravel()  # the stump, but for x = 2.5
    array([0. , 0.5, 1. ])
    """
    ramp = can_soften(tree)
    squash = np.where(ramp, Squash.RAMP, tree.squash).astype(np.uint8)
    return tree.replace(squash=squash, softness=np.where(ramp[:, None], softness, 0.0))


def gate_shares(tree: Tree, node: int, X: Floats) -> Floats:
    """Shares of a gate's children, (rows, children)."""
    return shares(tree, node, X, np.zeros((len(X), 0)))


def arrivals(tree: Tree, X: Floats, weight: Floats) -> Iterator[tuple[int, Longs, Floats]]:
    """Per branch its rows and their weights, parents first. Missing values may send a share of a row to each child."""
    stack = [(0, np.arange(len(X)), weight)]
    while stack:
        node, row, part = stack.pop()
        if tree.n_children[node] == 0:
            continue
        yield node, row, part
        share = gate_shares(tree, node, X[row])
        for slot, child in enumerate(tree.children(node)):
            comes = share[:, slot] > 0
            stack.append((child, row[comes], part[comes] * share[comes, slot]))


def subtree_output(tree: Tree, top: int, X: Floats) -> Floats:
    """Outputs of the subtree under `top` for any rows, (rows, outputs)."""
    out = np.zeros((len(X), tree.n_outputs))
    stack = [(top, np.arange(len(X)), np.ones(len(X)))]
    while stack:
        node, row, part = stack.pop()
        if tree.n_children[node] == 0:
            out[row] += part[:, None] * tree.response[node]
            continue
        share = gate_shares(tree, node, X[row])
        for slot, child in enumerate(tree.children(node)):
            comes = share[:, slot] > 0
            if comes.any():
                stack.append((child, row[comes], part[comes] * share[comes, slot]))
    return out
