"""From SoftTreeParams, learned in scaled columns and targets, to a Tree in the user's units with equal predictions."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.engines import SumEngine
from softwood.kernels import apply_link
from softwood.kernels.kinds import Link, Loss
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.scaled_tree import ScaledTree, with_counts
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.tree import Schema, Tree


def to_tree(
    params: SoftTreeParams,
    design: DesignMatrix,
    schema: Schema,
    loss: Loss,
    engine: SumEngine,
    centre: Floats,
    scale: Floats,
) -> Tree:
    """The tree; `centre` and `scale` (per output) undo the scaling of the targets."""
    params = params.with_own_slopes()
    sparse = np.any(params.frozen, axis=1)  # gates on few inputs have no weights for the others
    scaled = ScaledTree(
        params.first_child, params.gate, params.response, params.slope, _slope_rows(params), sparse=sparse
    )
    reach = engine.mean_reach(params.shape, params.parameters)
    reach /= reach[0]  # all rows arrive at the root; sums in single precision may have lost a little
    tree = scaled.to_tree(design, schema, loss.link, centre, scale)
    return with_counts(mixing_answers(tree) if loss.mixes_answers else tree, reach, engine.total_weight)


def mixing_answers(tree: Tree) -> Tree:
    """The tree without a link whose responses are the predictions after the link, with all classes as outputs."""
    return tree.replace(response=apply_link(int(tree.link), tree.response), link=Link.IDENTITY)


def _slope_rows(params: SoftTreeParams) -> np.ndarray:
    """The slope of each node's response: for leaves only, -1 if constant."""
    if params.slopes == "none":
        return np.full(params.n_nodes, -1, np.int32)
    own = np.arange(params.n_nodes) if params.slopes == "own" else np.zeros(params.n_nodes)
    return np.where(params.leaf, own, -1).astype(np.int32)
