"""The importance of inputs, by ablation and by gain, and the gains of gates of a learned tree.

Importances by gain are defined as in CART, but mean less for a soft tree. If two inputs matter only together, the gate
above has no gain and the one below gets all of it; a gate on all inputs has no gain for a single input. Ablation, the
increase of the loss without an input, has neither problem: docs/soft.md compares both with permutation importances.
"""

from __future__ import annotations

from dataclasses import dataclass

from softwood.arrays import Floats
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.sparse_importance import described_by_stored
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.regimes import IMPORTANCE_ROWS
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.ablation import ablation_importance
from softwood.parts.ablation import as_parts
from softwood.tree import Tree
from softwood.tree.gain import Arrivals, Sample
from softwood.tree.harden import harden


@dataclass(frozen=True)
class MeasuredTree:
    """The tree with its gains, and the importances of its inputs, by ablation and by gain.

    hardened : the tree with steps for gates, and its gains on the rows.
    """

    tree: Tree
    importance: Floats
    by_gain: Floats
    hardened: Tree


def sample_of(rows: Dataset, centre: Floats, scale: Floats) -> Sample:
    """Some of the rows, which are `in_order` with scaled targets, in the user's units."""
    some = rows.head(IMPORTANCE_ROWS)
    return Sample(some.X, some.unscaled_target(centre, scale), some.weight)


def measure_tree(
    tree: Tree,
    params: SoftTreeParams,
    design: DesignMatrix,
    rows: Dataset,
    centre: Floats,
    scale: Floats,
    n_threads: int = 1,
    brief: bool = False,
) -> MeasuredTree:
    """The description of the tree with these parameters; `rows` are `in_order` with scaled targets, possibly a sample.

    If `brief`, a tree of one node is not hardened.
    """
    some = rows.head(IMPORTANCE_ROWS)
    importance = as_parts(ablation_importance(params, design, some))
    sample = sample_of(some, centre, scale)
    if some.is_sparse:
        described, by_gain, hard = described_by_stored(tree, sample, some.X, n_threads)
        return MeasuredTree(described, importance, by_gain, hard)
    seen = Arrivals(tree, sample, n_threads)
    described = seen.described()
    if brief and tree.n_nodes == 1:
        return MeasuredTree(described, importance, seen.importances(), described)
    hardened = Arrivals(harden(tree), sample, n_threads, seen.phi)
    return MeasuredTree(described, importance, seen.importances(), hardened.counted().described())
