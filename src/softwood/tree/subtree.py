"""A node and its descendants as a tree; and the component trees of a joined tree (join.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Ints
from softwood.kernels.kinds import Score
from softwood.tree.arrays import PER_NODE, RAGGED, TreeArrays
from softwood.tree.cut import fill_groups, pick_entries, take_surrogates
from softwood.tree.surrogates import Surrogates
from softwood.tree.tree import Tree


def is_joined(tree: TreeArrays) -> bool:
    """Whether the root has leafness 0 and constant shares, so that its children are separate trees."""
    return bool(tree.score[0] == Score.CONSTANT and tree.leafness[0] == 0.0)


def split_trees(tree: Tree) -> list[tuple[Tree, float]]:
    """The component trees of a joined tree, with their weights; for any other tree, itself with weight 1.

    Examples
    --------
    >>> from softwood.tree import Schema, join_trees
    >>> low, high = (Tree(response=[[value]], schema=Schema.plain(1, 1)) for value in (1.0, 5.0))
    >>> [(part.output([[0.0]]).item(), weight) for part, weight in split_trees(join_trees([low, high]))]
    [(1.0, 0.5), (5.0, 0.5)]
    """
    if not is_joined(tree):
        return [(tree, 1.0)]
    return [(subtree(tree, root), float(tree.fraction[root])) for root in tree.children(0)]


def subtree(tree: Tree, node: int) -> Tree:
    """The tree whose root is this node, over the basis columns that it uses; its nodes keep their order.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[1, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan])
    >>> subtree(stump, 2).output([[0.0]])
    array([[1.]])
    """
    if node == 0:
        return tree
    kept = np.sort(np.fromiter(tree.walk(node), np.int64))
    fields: dict[str, Any] = {name: getattr(tree, name)[kept] for name in PER_NODE}
    branch = fields["n_children"] > 0
    fields["first_child"] = np.where(branch, np.searchsorted(kept, fields["first_child"]), -1)
    fields["fraction"][0] = np.nan
    for name in ("response", "softness", "mean", "arrived"):
        fields[name] = getattr(tree, name)[kept] if len(getattr(tree, name)) else getattr(tree, name)
    fields |= _ragged(tree, kept) | _over_used_columns(tree, kept)
    fields["note"] = tuple(tree.note[m] for m in kept) if tree.note else ()
    return Tree(
        schema=tree.schema,
        link=tree.link,
        surrogates=_surrogates(tree, kept),
        provenance=tree.provenance,
        **fields,
    )


def _ragged(tree: Tree, kept: npt.NDArray[np.int64]) -> dict[str, Any]:
    fields: dict[str, Any] = {"feature": tree.feature[kept]}
    every = np.ones(len(kept), np.bool_)
    for begin, flat, _ in RAGGED:
        entries, fields[begin] = pick_entries(getattr(tree, begin), kept, every)
        beside = {"group": ("group_level",), "weight": ("weight_column", "weight_effect")}.get(flat, ())
        for name in (flat, *beside):
            fields[name] = getattr(tree, name)[entries] if len(getattr(tree, name)) else getattr(tree, name)
    fill_groups(fields, tree.schema.level_counts)
    return fields


def _over_used_columns(tree: Tree, kept: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Basis, weights' columns and slopes of the nodes, without the columns that none of them uses."""
    entries, _ = pick_entries(tree.weight_begin, kept, np.ones(len(kept), np.bool_))
    row = tree.slope_row[kept]
    rows = np.unique(row[row >= 0])
    used = np.unique(np.concatenate([tree.weight_column[entries], np.flatnonzero(tree.slope[rows].any(axis=(0, 2)))]))
    used = used.astype(np.int64)
    fields: dict[str, Any] = {
        "basis": tree.basis.pick(used),
        "weight_column": np.searchsorted(used, tree.weight_column[entries]).astype(np.int32),
        "slope_row": np.where(row >= 0, np.searchsorted(rows, row), -1),
        "slope": tree.slope[rows][:, used],
    }
    if len(tree.slope_effect):
        fields["slope_effect"] = tree.slope_effect[rows][:, used]
    if len(tree.column_mean):
        fields["column_mean"] = tree.column_mean[kept][:, used]
    return fields


def _surrogates(tree: Tree, kept: npt.NDArray[np.int64]) -> Surrogates:
    begin: Ints = tree.surrogates.begin
    if not len(begin):
        return Surrogates()
    rows, now = pick_entries(begin, kept, np.ones(len(kept), np.bool_))
    return take_surrogates(tree.surrogates, rows, now, tree.schema.level_counts) if len(rows) else Surrogates()
