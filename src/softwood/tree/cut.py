"""Cutting a tree: chosen branches become leaves, and the nodes below are removed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Ints, Mask
from softwood.kernels.arithmetic import matmul
from softwood.kernels.contracts.level_slots import fill_levels
from softwood.kernels.kinds import Link, Score, Squash
from softwood.tree.arrays import PER_NODE, RAGGED
from softwood.tree.surrogates import Surrogates
from softwood.tree.tree import Tree
from softwood.tree.trusted import with_fields


def cut_tree(tree: Tree, is_leaf: Mask) -> Tree:
    """The tree with every marked branch collapsed to a leaf, nodes numbered level by level.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[1, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan])
    >>> cut_tree(stump, np.array([True, False, False]))
    Tree(1 node, 1 leaf, depth 0, 1 feature, 1 output, hard)
    """
    branch = tree.n_children > 0
    if not np.any(is_leaf & branch) and np.all(np.diff(tree.first_child[branch]) > 0):
        return tree  # nothing to cut, and the nodes are level by level already
    kept = level_order(tree.first_child, tree.n_children, is_leaf)
    stays = (tree.n_children[kept] > 0) & ~is_leaf[kept]  # branches that remain branches
    fields = {name: getattr(tree, name)[kept] for name in PER_NODE}
    fields["n_children"] = np.where(stays, fields["n_children"], 0)
    first = np.cumsum(fields["n_children"]) - fields["n_children"] + 1
    fields["first_child"] = np.where(stays, first, -1)
    fields["leafness"] = np.where(stays, fields["leafness"], 1.0)
    fields["gain"] = np.where(stays, fields["gain"], 0.0)
    for name in ("score", "squash", "feature", "threshold", "missing", "default", "bias"):
        blank = {"score": Score.NONE, "squash": Squash.STEP}.get(name, PER_NODE[name][1])
        fields[name] = np.where(stays, fields[name], blank)
    for begin, flat, _ in RAGGED:
        entries, fields[begin] = pick_entries(getattr(tree, begin), kept, stays)
        fields[flat] = getattr(tree, flat)[entries]
        if flat == "group":
            fields["group_level"] = tree.group_level[entries] if len(tree.group_level) else tree.group_level
        if flat == "weight":
            fields["weight_column"] = tree.weight_column[entries]
            fields["weight_effect"] = tree.weight_effect[entries] if len(tree.weight_effect) else tree.weight_effect
    fill_groups(fields, tree.schema.level_counts)
    if len(tree.mean):  # a branch that is a leaf now uses its own response
        cut = (tree.n_children[kept] > 0) & ~stays & (tree.slope_row[kept] < 0)
        fields["mean"] = np.where(cut[:, None], tree.answers[kept], tree.mean[kept])
    fields |= {name: getattr(tree, name)[kept] for name in ("arrived", "column_mean") if len(getattr(tree, name))}
    softness = np.where(stays[:, None], tree.softness[kept], 0.0)
    surrogates = _pick_surrogates(tree.surrogates, kept, stays, tree.schema.level_counts)
    note = tuple(tree.note[m] if stay else "" for m, stay in zip(kept, stays, strict=True)) if tree.note else ()
    return with_fields(
        tree, response=tree.response[kept], softness=softness, surrogates=surrogates, note=note, **fields
    )


def cut_like(tree: Tree, smaller: Tree) -> Tree:
    """The tree cut to the shape of a smaller one with the same gates; ValueError if that has an additional branch."""
    is_leaf, pairs = np.zeros(tree.n_nodes, np.bool_), [(0, 0)]
    while pairs:
        mine, its = pairs.pop()
        if smaller.n_children[its] == 0:
            is_leaf[mine] = True
        elif tree.n_children[mine] != smaller.n_children[its]:
            raise ValueError(f"node {its} of the smaller tree is a branch that this tree does not have.")
        else:
            pairs += zip(tree.children(mine), smaller.children(its), strict=True)
    return _remeaned(cut_tree(tree, is_leaf))


def _remeaned(tree: Tree) -> Tree:
    """Mean predictions recomputed from the leaves by their counts: for constant responses without a link."""
    if not len(tree.mean) or tree.link != Link.IDENTITY or np.any(tree.slope_row >= 0) or np.any(tree.leafness % 1):
        return tree
    mean, count = tree.mean.copy(), tree.count
    for m in reversed(np.flatnonzero(tree.n_children).tolist()):
        below = tree.children(m)
        total = count[below].sum()
        mean[m] = matmul(count[below], mean[below]) / total if total > 0 else mean[below].mean(axis=0)
    return with_fields(tree, mean=mean)


def level_order(first_child: Ints, n_children: Ints, is_leaf: Mask) -> npt.NDArray[np.int64]:
    """Ids of the nodes that remain, level by level from the root, siblings side by side."""
    levels = [np.zeros(1, np.int64)]
    while True:
        branch = levels[-1][(n_children[levels[-1]] > 0) & ~is_leaf[levels[-1]]]
        if not len(branch):
            return np.concatenate(levels)
        n = n_children[branch].astype(np.int64)
        slot = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
        levels.append(np.repeat(first_child[branch].astype(np.int64), n) + slot)


def pick_entries(begin: Ints, kept: npt.NDArray[np.int64], stays: Mask) -> tuple[npt.NDArray[np.int64], Ints]:
    """Flat entries of the kept rows of a ragged table (none for removed rows), and their new start."""
    size = np.where(stays, begin[kept + 1] - begin[kept], 0).astype(np.int64)
    now = np.concatenate([[0], np.cumsum(size)])
    entries = np.arange(now[-1]) - np.repeat(now[:-1], size) + np.repeat(begin[kept].astype(np.int64), size)
    return entries, now.astype(np.int32)


def spread_surrogates(tree: Tree, kept: npt.NDArray[np.int64], table: Surrogates) -> Tree:
    """The tree with the surrogates of `table` at the nodes `kept`; the other nodes keep their own."""
    own = tree.surrogates if len(tree.surrogates.begin) else Surrogates(begin=np.zeros(tree.n_nodes + 1, np.int32))
    new = table if len(table.begin) else Surrogates(begin=np.zeros(len(kept) + 1, np.int32))
    both = own.followed_by(new)
    begin, size = own.begin[:-1].astype(np.int64), np.diff(own.begin).astype(np.int64)
    begin[kept], size[kept] = len(own) + new.begin[:-1], np.diff(new.begin)
    now = np.concatenate([[0], np.cumsum(size)])
    rows = np.arange(now[-1]) - np.repeat(now[:-1], size) + np.repeat(begin, size)
    return with_fields(tree, surrogates=take_surrogates(both, rows, now.astype(np.int32), tree.schema.level_counts))


def fill_groups(fields: dict[str, Any], level_counts: Ints) -> None:
    """One slot per level, if few gates are left of a tree whose gates list their levels."""
    names, feature = ("group_begin", "group", "group_level"), fields["feature"]
    if len(fields["group_level"]):
        n_levels = np.where(feature >= 0, level_counts[feature], 0)
        begin, group, level = (fields[name] for name in names)
        fields.update(zip(names, fill_levels(begin, group, level, n_levels), strict=True))


def _pick_surrogates(table: Surrogates, kept: npt.NDArray[np.int64], stays: Mask, level_counts: Ints) -> Surrogates:
    if not len(table.begin):
        return table
    rows, begin = pick_entries(table.begin, kept, stays)
    return take_surrogates(table, rows, begin, level_counts)


def take_surrogates(table: Surrogates, rows: npt.NDArray[np.int64], begin: Ints, level_counts: Ints) -> Surrogates:
    """Some rows of the table, with the given start for each node."""
    entries, group_begin = pick_entries(table.group_begin, rows, np.ones(len(rows), np.bool_))
    names = ("feature", "threshold", "flip", "agreement", "adjusted")
    fields: dict[str, Any] = {name: getattr(table, name)[rows] for name in names}
    level = table.group_level[entries] if len(table.group_level) else table.group_level
    fields |= {"group_begin": group_begin, "group": table.group[entries], "group_level": level}
    fill_groups(fields, level_counts)
    return Surrogates(begin=begin, **fields)
