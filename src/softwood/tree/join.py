"""Several trees as one: a root with constant shares, whose children are the trees.

    output(x) = sum_t weight[t] output_t(x),        weights >= 0, their sum is 1

The mean of a few trees has a lower error than each of them (Yıldız, İrsoy and Alpaydın, "Bagging soft decision trees",
2016). It is an ordinary tree, so everything that reads a tree reads it, too. Outputs are averaged before the link: log
odds if a sigmoid or softmax follows. A sum of k trees is the mean of the trees with k times their responses
(`add_trees`).

Node 0 is the new root, nodes 1 to k are the trees' roots, the other nodes follow tree by tree, each in its own order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.contracts.level_slots import name_levels
from softwood.kernels.kinds import Link, Score
from softwood.tree.arrays import PER_NODE, RAGGED
from softwood.tree.basis import Basis
from softwood.tree.cut import pick_entries, take_surrogates
from softwood.tree.provenance import Provenance
from softwood.tree.subtree import split_trees
from softwood.tree.surrogates import Surrogates
from softwood.tree.tree import Tree

Columns = list[npt.NDArray[np.int64]]  # for every tree: the position of each of its basis columns in the common basis


def join_trees(
    trees: Sequence[Tree], weights: Sequence[float] | None = None, provenance: Provenance | None = None
) -> Tree:
    """The weighted mean of trees with the same schema and link, as one tree.

    A tree that is itself such a mean is replaced by its trees; trees of weight 0 are dropped.

    Parameters
    ----------
    trees : at least one.
    weights : one number >= 0 per tree; they are divided by their sum. None: equal weights.
    provenance : of the joined tree; None: that of the first tree, with a note of the join.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> low, high = (Tree(response=[[value]], schema=Schema.plain(1, 1)) for value in (1.0, 5.0))
    >>> join_trees([low, high], [3, 1]).output([[0.0]])
    array([[2.]])
    """
    _check_trees(trees)
    return _mean_of([_with_arrived(tree) for tree in trees] if len(trees) > 1 else trees, weights, provenance)


def _mean_of(trees: Sequence[Tree], weights: Sequence[float] | None, provenance: Provenance | None) -> Tree:
    parts = [
        (part, share * weight)
        for tree, weight in zip(trees, _shares(weights, len(trees)), strict=True)
        for part, share in split_trees(tree)
        if share * weight > 0
    ]
    kept, share = [part for part, _ in parts], np.array([weight for _, weight in parts])
    origin = provenance or _joined_provenance(trees)
    if len(kept) == 1:
        return kept[0].with_provenance(origin)
    return _join(kept, share / share.sum(), origin)


def add_trees(trees: Sequence[Tree], provenance: Provenance | None = None) -> Tree:
    """The sum of trees with the same schema and link, as one tree: the mean of k trees with k times their responses.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> low, high = (Tree(response=[[value]], schema=Schema.plain(1, 1)) for value in (1.0, 5.0))
    >>> add_trees([low, high]).output([[0.0]])
    array([[6.]])
    """
    k = len(trees)
    none = {"mean": (), "arrived": (), "slope_effect": ()}  # valid for the single trees only
    larger = [tree.replace(response=k * tree.response, slope=k * tree.slope, **none) for tree in trees]
    _check_trees(larger)
    return _mean_of(larger, None, provenance)


def _with_arrived(tree: Tree) -> Tree:
    """In a hard tree of constants, responses are what arrived; a part of a mean must store it explicitly."""
    known = len(tree.arrived) or not tree.is_hard or tree.link != Link.IDENTITY or (tree.slope_row >= 0).any()
    return tree if known else tree.replace(arrived=tree.response)


def _check_trees(trees: Sequence[Tree]) -> None:
    if not trees:
        raise ValueError("join_trees needs at least one tree, got none.")
    strange = next((tree for tree in trees if not isinstance(tree, Tree)), None)
    if strange is not None:
        raise TypeError(f"join_trees needs trees, got {type(strange).__name__}: of a fitted model, pass its tree_.")
    first = trees[0]
    for at, tree in enumerate(trees):
        if tree.schema != first.schema:
            raise ValueError(
                f"join_trees needs trees of one schema; tree {at} has other inputs or answers than tree 0."
            )
        if tree.link != first.link:
            raise ValueError(
                f"join_trees averages outputs before the link, so the links must be equal; tree {at} has "
                f"{tree.link.name}, "
                f"tree 0 {first.link.name}."
            )


def _shares(weights: Sequence[float] | None, n: int) -> list[float]:
    given = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    if given.shape != (n,) or not (np.isfinite(given).all() and (given >= 0).all() and given.sum() > 0):
        raise ValueError(f"weights must be {n} numbers >= 0, not all 0, got {weights!r:.200}.")
    shares: list[float] = (given / given.sum()).tolist()
    return shares


def _joined_provenance(trees: Sequence[Tree]) -> Provenance | None:
    first = trees[0].provenance
    return first if first is None or len(trees) == 1 else first.then(f"mean of {len(trees)} trees")


def _join(trees: list[Tree], share: Floats, origin: Provenance | None) -> Tree:
    basis, columns = _common_basis(trees)
    order = _order(trees)
    fields: dict[str, Any] = {}
    for name in PER_NODE:
        fields[name] = np.concatenate([[PER_NODE[name][1]], _stack(trees, name)[order]])
    k = len(trees)
    fields["first_child"] = np.concatenate([[1], _moved_children(trees)[order]])
    fields["n_children"][0], fields["score"][0], fields["leafness"][0] = k, Score.CONSTANT, 0.0
    fields["fraction"][1 : k + 1] = share
    fields["slope_row"] = np.concatenate([[-1], _moved_slope_rows(trees)[order]])
    for name in ("count", "impurity"):
        fields[name][0] = _mean(share, fields[name][1 : k + 1])
    fields["gain"][0] = 0.0
    fields |= _ragged(trees, order, columns)
    for name in ("response", "mean", "arrived"):
        if all(len(getattr(tree, name)) for tree in trees):
            rows = _stack(trees, name)[order]
            fields[name] = np.concatenate([[_mean(share, rows[:k])], rows])
    fields["softness"] = np.concatenate([[[0.0, 0.0]], _stack(trees, "softness")[order]])
    fields |= _sums(trees, order, columns, len(basis))
    if any(tree.note for tree in trees):
        notes = [note for tree in trees for note in tree.note or ("",) * tree.n_nodes]
        fields["note"] = ("", *(notes[at] for at in order))
    surrogates = _surrogates(trees, order)
    return Tree(
        schema=trees[0].schema, link=trees[0].link, basis=basis, surrogates=surrogates, provenance=origin, **fields
    )


def _stack(trees: Sequence[Tree], name: str) -> npt.NDArray[Any]:
    return np.concatenate([getattr(tree, name) for tree in trees])


def _mean(share: Floats, values: Floats) -> Any:
    """The weighted mean over the trees, added in their order."""
    return sum((one * value for one, value in zip(share, values, strict=True)), 0.0 * values[0])


def _begins(trees: Sequence[Tree]) -> list[int]:
    """The start of each tree's nodes, one tree after the other."""
    return [0, *accumulate(tree.n_nodes for tree in trees)][:-1]


def _order(trees: Sequence[Tree]) -> npt.NDArray[np.int64]:
    """The nodes, numbered one tree after the other, in their new order: the roots, then all others."""
    begins = _begins(trees)
    rest = [np.arange(begin + 1, begin + tree.n_nodes) for begin, tree in zip(begins, trees, strict=True)]
    return np.concatenate([begins, *rest]).astype(np.int64)


def _moved_children(trees: Sequence[Tree]) -> npt.NDArray[np.int32]:
    """First children by their new numbers: node j > 0 of tree t is k + j + (nodes but roots of the trees before)."""
    k, pieces = len(trees), []
    for t, (begin, tree) in enumerate(zip(_begins(trees), trees, strict=True)):
        pieces.append(np.where(tree.first_child > 0, tree.first_child + (k + begin - t), -1))
    return np.concatenate(pieces).astype(np.int32)


def _moved_slope_rows(trees: Sequence[Tree]) -> npt.NDArray[np.int32]:
    rows = [0, *accumulate(len(tree.slope) for tree in trees)]
    pieces = [np.where(tree.slope_row >= 0, tree.slope_row + at, -1) for tree, at in zip(trees, rows, strict=False)]
    return np.concatenate(pieces).astype(np.int32)


def _common_basis(trees: Sequence[Tree]) -> tuple[Basis, Columns]:
    """Every column of the trees once, in order of occurrence."""
    place: dict[tuple[float, ...], int] = {}
    columns: Columns = []
    for tree in trees:
        of = tree.basis
        keys = zip(of.term.tolist(), of.feature.tolist(), of.parameter.tolist(), of.when_missing.tolist(), strict=True)
        columns.append(np.array([place.setdefault(key, len(place)) for key in keys], np.int64))
    table = np.array(list(place), np.float64).reshape(-1, 4).T
    return Basis(table[0].astype(np.uint8), table[1].astype(np.int32), table[2], table[3]), columns


def _ragged(trees: Sequence[Tree], order: npt.NDArray[np.int64], columns: Columns) -> dict[str, Any]:
    """Groups, cuts and weights; the weight columns of each gate are sorted again."""
    fields: dict[str, Any] = {}
    for begin, flat, _ in RAGGED:
        size = np.concatenate([np.diff(getattr(tree, begin)) for tree in trees])
        entries, now = pick_entries(np.concatenate([[0], np.cumsum(size)]), order, np.ones(len(order), np.bool_))
        fields[begin] = np.concatenate([[0], now])
        fields[flat] = _stack(trees, flat)[entries]
        if flat == "group" and any(len(tree.group_level) for tree in trees):
            levels = [name_levels(tree.group_begin, tree.group, tree.group_level) for tree in trees]
            fields["group_level"] = np.concatenate(levels)[entries]
        if flat == "weight":
            moved = [place[tree.weight_column] for place, tree in zip(columns, trees, strict=True)]
            column = np.concatenate(moved)[entries]
            rising = np.lexsort((column, np.repeat(np.arange(len(now)), np.diff(fields[begin]))))
            fields["weight_column"], fields["weight"] = column[rising], fields["weight"][rising]
            if all(len(tree.weight_effect) == len(tree.weight) for tree in trees):
                fields["weight_effect"] = _stack(trees, "weight_effect")[entries][rising]
    return fields


def _sums(trees: Sequence[Tree], order: npt.NDArray[np.int64], columns: Columns, n_columns: int) -> dict[str, Any]:
    """Slopes, their effects and the means of columns, over the common basis."""

    def widened(name: str, axis: int) -> npt.NDArray[Any]:
        pieces = []
        for tree, place in zip(trees, columns, strict=True):
            given = getattr(tree, name)
            shape = (*given.shape[:axis], n_columns, *given.shape[axis + 1 :])
            wide = np.zeros(shape)
            wide[(slice(None),) * axis + (place,)] = given
            pieces.append(wide)
        return np.concatenate(pieces)

    fields: dict[str, Any] = {"slope": widened("slope", 1)}
    if all(len(tree.slope_effect) == len(tree.slope) for tree in trees):
        fields["slope_effect"] = widened("slope_effect", 1)
    linear = [tree for tree in trees if len(tree.basis)]
    if linear and all(len(tree.column_mean) for tree in linear):
        filled = [tree.column_mean if len(tree.column_mean) else np.zeros((tree.n_nodes, 0)) for tree in trees]
        wide = []
        for tree, place, mean in zip(trees, columns, filled, strict=True):
            wide.append(np.zeros((tree.n_nodes, n_columns)))
            wide[-1][:, place] = mean
        fields["column_mean"] = np.concatenate([np.zeros((1, n_columns)), np.concatenate(wide)[order]])
    return fields


def _surrogates(trees: Sequence[Tree], order: npt.NDArray[np.int64]) -> Surrogates:
    if not any(len(tree.surrogates) for tree in trees):
        return Surrogates()
    both = Surrogates()
    size = [np.diff(tree.surrogates.begin) if len(tree.surrogates.begin) else np.zeros(tree.n_nodes) for tree in trees]
    for tree in trees:
        both = both.followed_by(tree.surrogates)
    begin = np.concatenate([[0], np.cumsum(np.concatenate(size))]).astype(np.int32)
    rows, now = pick_entries(begin, order, np.ones(len(order), np.bool_))
    return take_surrogates(both, rows, np.concatenate([[0], now]).astype(np.int32), trees[0].schema.level_counts)
