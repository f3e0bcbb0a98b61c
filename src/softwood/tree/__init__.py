"""The tree: the contract between everything that learns one and everything that uses one."""

from softwood.tree.basis import Basis
from softwood.tree.cut import cut_tree, level_order, spread_surrogates
from softwood.tree.invariants import TreeError
from softwood.tree.ruleset import Condition, Rule, RuleSet
from softwood.tree.schema import Schema
from softwood.tree.surrogates import Surrogates
from softwood.tree.tree import Tree

__all__ = [
    "Basis",
    "Condition",
    "Rule",
    "RuleSet",
    "Schema",
    "Surrogates",
    "Tree",
    "TreeError",
    "cut_tree",
    "level_order",
    "spread_surrogates",
]
