"""The steps that show the growth of a tree: the trees of a callback, or the splits of a hard tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.formats.models import look_inside
from softwood.tree import Tree
from softwood.tree.splits import after_splits, split_order

HOW = "fit with callback=steps.append, where steps = [], and pass steps."
NOT_BY_SPLITS = ("SoftTree", "BuddingTree", "Softened", "MixtureOfExperts")  # beginnings of their names


def growth_trees(model: Any, wanted_by: str, most: int) -> list[tuple[int, Tree]]:
    """At most `most` steps with their numbers, evenly spaced, including the first and the last.

    Parameters
    ----------
    model : trees in order, as `fit(callback=)` gives them; or a hard tree, or a model with one, whose steps are its
        splits in order of gain.
    """
    if isinstance(model, list | tuple):
        trees = _checked(model, wanted_by)
        return [(at, trees[at]) for at in _spaced(len(trees), most)]
    inside = look_inside(model, wanted_by=wanted_by)
    tree, name = inside.tree, type(inside.model).__name__
    origin = tree.provenance
    if not tree.is_hard or (origin is not None and origin.estimator.startswith(NOT_BY_SPLITS)):
        raise ValueError(f"{wanted_by}: the steps of {name} cannot be derived from its tree; {HOW}")
    order = split_order(tree)
    return [(n, after_splits(tree, order, n)) for n in _spaced(len(order) + 1, most)]


def _checked(steps: Any, wanted_by: str) -> list[Tree]:
    trees = list(steps)
    if not trees:
        raise ValueError(f"{wanted_by} needs at least one step, got an empty {type(steps).__name__}; {HOW}")
    for tree in trees:
        if not isinstance(tree, Tree):
            raise TypeError(f"{wanted_by} needs steps that are trees, got {type(tree).__name__}; {HOW}")
        if not tree.schema.same_columns_and_answers(trees[0].schema):
            raise ValueError(f"{wanted_by} needs steps of one growth; these have different inputs or answers.")
    return trees


def _spaced(n: int, most: int) -> list[int]:
    spaced: list[int] = np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64)).tolist()
    return spaced


def step_title(number: int, last: int, tree: Tree) -> str:
    """`Step 3 of 12: 4 leaves`; for a tree with buds its effective size."""
    title = f"Step {number} of {last}: {tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    buds = (tree.leafness > 0) & (tree.leafness < 1)
    n_buds = int(np.count_nonzero(buds))
    return title if not n_buds else f"{title}, {n_buds} {'bud' if n_buds == 1 else 'buds'}"
