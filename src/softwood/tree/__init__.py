"""The tree: the contract between learners and everything that uses a tree."""

from softwood.tree.basis import Basis
from softwood.tree.cut import cut_tree, level_order, spread_surrogates
from softwood.tree.invariants import TreeError
from softwood.tree.join import add_trees, join_trees
from softwood.tree.monotone import MonotonicCertificate
from softwood.tree.provenance import HeldOut, Provenance
from softwood.tree.ruleset import Condition, Rule, RuleSet
from softwood.tree.schema import Input, Kind, Schema
from softwood.tree.subtree import is_joined, split_trees, subtree
from softwood.tree.summary import Summary
from softwood.tree.surrogates import Surrogates
from softwood.tree.tree import Tree

__all__ = [
    "Basis",
    "Condition",
    "HeldOut",
    "Input",
    "Kind",
    "MonotonicCertificate",
    "Provenance",
    "Rule",
    "RuleSet",
    "Schema",
    "Summary",
    "Surrogates",
    "Tree",
    "TreeError",
    "add_trees",
    "cut_tree",
    "is_joined",
    "join_trees",
    "level_order",
    "split_trees",
    "spread_surrogates",
    "subtree",
]
