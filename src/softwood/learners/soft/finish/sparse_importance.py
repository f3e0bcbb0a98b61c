"""A learned tree, described by rows of a sparse table: the inputs that it looks at are laid out, and no others."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.sparse.table import SparseTable
from softwood.tree import Tree
from softwood.tree.gain import Arrivals, Sample
from softwood.tree.harden import harden
from softwood.tree.narrow import over_inputs, used_inputs

MAX_DENSE_VALUES = 2**23  # of the rows that are laid out
MEASURED_FIELDS = (
    "count", "impurity", "gain", "mean", "arrived", "column_mean", "weight_effect", "slope_effect",
)  # what rows say of a tree  # fmt: skip


def described_by_stored(tree: Tree, rows: Sample, X: SparseTable, n_threads: int = 1) -> tuple[Tree, Floats, Tree]:
    """The tree with what the rows say of it, the importances of its inputs by gain, and the tree with steps for gates.

    X : the inputs of the rows; as many rows are asked as MAX_DENSE_VALUES has room for.
    """
    inputs = used_inputs(tree)
    n = max(1, MAX_DENSE_VALUES // max(len(inputs), 1))
    sample = Sample(X[:n].only(inputs).dense(), rows.target[:n], rows.weight[:n])
    narrow = tree.replace(**over_inputs(tree, inputs))
    seen, importance = Arrivals(narrow, sample, n_threads), np.zeros(tree.n_features)
    importance[inputs] = seen.importances()
    hard = Arrivals(harden(narrow), sample, n_threads).counted().described()
    return _with_measures(tree, seen.described()), importance, _with_measures(harden(tree), hard)


def _with_measures(tree: Tree, narrow: Tree) -> Tree:
    """The tree with what was measured on the same one over fewer inputs."""
    return tree.replace(**{name: getattr(narrow, name) for name in MEASURED_FIELDS})
