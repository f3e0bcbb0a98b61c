"""Trees made by the package itself, whose invariants are checked only in tests.

A tree from outside (the constructor, `Tree.replace`, a file, a pickle) is always checked. A learner makes several trees
per fit, and checking each took longer than growing it: `make_tree` and `with_fields` omit the check, unless the
environment variable SOFTWOOD_CHECK_TREES is 1, as in all tests (conftest.py).
"""

from __future__ import annotations

import os
from dataclasses import MISSING, fields
from typing import Any

from softwood.tree.arrays import DTYPES, TreeArrays
from softwood.tree.frozen import freeze
from softwood.tree.invariants import check_tree
from softwood.tree.tree import Tree

SETTING = "SOFTWOOD_CHECK_TREES"
EMPTY = {each.name: each.default_factory() for each in fields(TreeArrays) if each.default_factory is not MISSING}
DEFAULTS = {each.name: each.default for each in fields(TreeArrays) if each.default is not MISSING} | EMPTY
STRUCTURE = ("first_child", "n_children")  # what `parent` follows from


def make_tree(**given: Any) -> Tree:
    """The tree that the constructor makes of these valid fields.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> make_tree(response=[[0.5]], schema=Schema.plain(1, 1))
    Tree(1 node, 1 leaf, depth 0, 1 feature, 1 output, hard)
    """
    tree = object.__new__(Tree)
    vars(tree).update(DEFAULTS | given)
    TreeArrays.__post_init__(tree)
    return _checked(tree)


def with_fields(tree: Tree, **changes: Any) -> Tree:
    """A valid tree with other fields, each given completely; unchanged fields are neither copied nor checked."""
    changed = object.__new__(type(tree))
    vars(changed).update(tree.__getstate__(), **changes)
    for name in changes:
        if name in DTYPES:
            freeze(changed, name, DTYPES[name])
    if "parent" in vars(tree) and not any(name in changes for name in STRUCTURE):
        vars(changed)["parent"] = tree.parent
    return _checked(changed)


def _checked(tree: Tree) -> Tree:
    if os.environ.get(SETTING) == "1":
        check_tree(tree)
    return tree
