"""A tree of sigmoid gates, learned in scaled columns and targets, as a Tree in the user's units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels.kinds import Link, Score, Squash
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.tree import Schema, Tree


@dataclass(frozen=True)
class ScaledTree:
    """Gates and responses over the columns of a design matrix.

    first_child : per node, -1 for a leaf; its sibling is the next node.
    gate : (nodes, columns + 1), the bias last.
    response : (nodes, outputs).
    slope : (slopes, outputs, columns), of linear responses.
    slope_row : per node, index of the slope of its response; -1: constant.
    leafness : per node; None: 1 in leaves, 0 in branches.
    sparse : per node, whether weights of 0 are left out of its gate; None: nowhere.
    """

    first_child: Ints
    gate: Floats
    response: Floats
    slope: Floats
    slope_row: Ints
    leafness: Floats | None = None
    sparse: npt.NDArray[np.bool_] | None = None

    def to_tree(self, design: DesignMatrix, schema: Schema, link: Link, centre: Floats, scale: Floats) -> Tree:
        """The tree; `centre` and `scale` (per output) undo the scaling of the targets."""
        branch = self.first_child >= 0
        weight, bias = design.in_user_units(self.gate[:, :-1], self.gate[:, -1])
        slope, shift = design.in_user_units(self.slope, np.zeros(self.slope.shape[:2]))
        slope, shift = slope * scale[:, None], shift * scale
        used = np.any(weight[branch] != 0, axis=0) | np.any(slope != 0, axis=(0, 1))
        row = self.slope_row if used.any() else np.full_like(self.slope_row, -1)
        response = self.response * scale + centre
        if len(shift):
            response = response + np.where(row[:, None] >= 0, shift[np.maximum(row, 0)], 0.0)
        kept: npt.NDArray[np.bool_] = branch[:, None] & used
        if self.sparse is not None:
            kept &= ~self.sparse[:, None] | (weight != 0)
        return Tree(
            response=response,
            schema=schema,
            link=link,
            first_child=self.first_child,
            n_children=np.where(branch, 2, 0),
            leafness=(~branch).astype(np.float64) if self.leafness is None else self.leafness,
            score=np.where(branch, Score.LINEAR, Score.NONE),
            squash=np.where(branch, Squash.SIGMOID, Squash.STEP),
            bias=np.where(branch, bias, 0.0),
            weight_begin=np.concatenate([[0], np.cumsum(kept.sum(axis=1))]),
            weight_column=np.nonzero(kept[:, used])[1].astype(np.int32),
            weight=weight[kept],
            basis=design.basis.pick(used),
            slope_row=row.astype(np.int32),
            slope=np.ascontiguousarray(slope[:, :, used].transpose(0, 2, 1)),
        )


def with_counts(tree: Tree, reach: Floats, total: float = 1.0) -> Tree:
    """The tree with the weight of the rows at every node: the proportion that arrives (`reach`) times `total`.

    Nodes with leafness 0 get the mean of their children's responses by reach: the prediction if the tree ended there.
    """
    response = tree.response.copy()
    for m in reversed(np.flatnonzero((tree.n_children > 0) & (tree.leafness == 0)).tolist()):
        first = int(tree.first_child[m])
        share = reach[first] / max(reach[first] + reach[first + 1], 1e-300)
        response[m] = share * response[first] + (1 - share) * response[first + 1]
    return tree.replace(response=response, count=reach * total)
