"""From BuddingParams in scaled columns and targets to a Tree in the user's units with the same predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, matmul
from softwood.kernels.formulas.losses import row_loss
from softwood.kernels.kinds import Loss
from softwood.learners.budding.params import BuddingParams
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.finish.scaled_tree import ScaledTree, with_counts
from softwood.parts.ablation import ablation
from softwood.tree import Schema, Tree
from softwood.tree.gain import Arrivals, Sample


def to_tree(
    params: BuddingParams, design: DesignMatrix, schema: Schema, loss: Loss, centre: Floats, scale: Floats
) -> Tree:
    """The tree without statistics; `centre` and `scale` undo the scaling of the targets."""
    own = np.arange(params.n_nodes) if params.slopes == "own" else np.zeros(params.n_nodes)
    row = np.where((params.leafness > 0) & (params.slopes != "none"), own, -1).astype(np.int32)
    scaled = ScaledTree(params.first_child, params.gate, params.response, params.slope, row, params.leafness)
    return scaled.to_tree(design, schema, loss.link, centre, scale)


def described(tree: Tree, rows: Sample, total: float) -> Tree:
    """The tree with statistics of the rows; `total` is the weight of all rows seen. Its predictions are unchanged."""
    reach = matmul(rows.weight, tree.reach(rows.X)) / rows.weight.sum()
    return Arrivals(with_counts(tree, reach, total), rows).described()


def importance(answer: Any, design: DesignMatrix, rows: Sample, loss: Loss, n_features: int) -> Floats:
    """The increase of the mean loss when the columns of an input are held at their mean, divided by the sum.

    `answer` gives the outputs (scaled) of columns; the target of `rows` is scaled too.
    """
    share = rows.weight / rows.weight.sum()
    return ablation(
        lambda phi: dot(share, row_loss(loss, answer(phi), rows.target)),
        design.make(rows.X),
        share,
        design.feature,
        n_features,
    )
