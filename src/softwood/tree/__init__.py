"""The tree: the contract between everything that learns one and everything that uses one."""

from softwood.tree.basis import Basis
from softwood.tree.invariants import TreeError
from softwood.tree.schema import Schema
from softwood.tree.surrogates import Surrogates
from softwood.tree.tree import Tree

__all__ = ["Basis", "Schema", "Surrogates", "Tree", "TreeError"]
