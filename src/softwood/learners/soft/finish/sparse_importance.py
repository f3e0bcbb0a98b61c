"""Statistics of a learned tree from rows of a sparse table: only the inputs that it uses are made dense."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.soft.regimes import MAX_NUMBERS_AT_ONCE
from softwood.tree import Tree
from softwood.tree.gain import Arrivals, Sample
from softwood.tree.harden import harden
from softwood.tree.narrow import over_inputs, used_inputs

MEASURED_FIELDS = (
    "count", "impurity", "gain", "mean", "arrived", "column_mean", "weight_effect", "slope_effect",
)  # statistics from rows  # fmt: skip


def described_by_stored(tree: Tree, rows: Sample, X: SparseTable, n_threads: int = 1) -> tuple[Tree, Floats, Tree]:
    """The tree with statistics of the rows, the importances of its inputs by gain, and the tree with steps for gates.

    X : the inputs of the rows; only as many rows are used as fit in MAX_NUMBERS_AT_ONCE.
    """
    inputs = used_inputs(tree)
    n = max(1, MAX_NUMBERS_AT_ONCE // max(len(inputs), 1))
    sample = Sample(X[:n].only(inputs).dense(), rows.target[:n], rows.weight[:n])
    narrow = tree.replace(**over_inputs(tree, inputs))
    seen, importance = Arrivals(narrow, sample, n_threads), np.zeros(tree.n_features)
    importance[inputs] = seen.importances()
    hard = Arrivals(harden(narrow), sample, n_threads, seen.phi).counted().described()
    return _with_measures(tree, seen.described()), importance, _with_measures(harden(tree), hard)


def _with_measures(tree: Tree, narrow: Tree) -> Tree:
    """The tree with the statistics of the same tree over fewer inputs."""
    return tree.replace(**{name: getattr(narrow, name) for name in MEASURED_FIELDS})
