"""From a sapling, learned in scaled columns and targets, to a Tree in the user's own units with the same answers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.engines import Engine, Floats
from softwood.kernels.kinds import Link, Loss, Score, Squash
from softwood.learners.soft.columns import Columns
from softwood.learners.soft.sapling import Sapling
from softwood.tree import Schema, Tree

LINK = {Loss.SQUARED: Link.IDENTITY, Loss.LOGISTIC: Link.SIGMOID, Loss.SOFTMAX: Link.SOFTMAX}


def harvest(
    sapling: Sapling,
    columns: Columns,
    schema: Schema,
    loss: Loss,
    engine: Engine,
    total_weight: float,
    centre: Floats,
    scale: Floats,
) -> Tree:
    """The tree; `centre` and `scale` (per output) undo the scaling of the targets."""
    branch = ~sapling.leaf
    weight, bias = columns.in_user_units(sapling.gate[:, :-1], sapling.gate[:, -1])
    slope, shift = columns.in_user_units(sapling.slope, np.zeros(sapling.slope.shape[:2]))
    slope, shift = slope * scale[:, None], shift * scale
    used = np.any(weight[branch] != 0, axis=0) | np.any(slope != 0, axis=(0, 1))
    row = _slope_rows(sapling) if used.any() else np.full(sapling.n_nodes, -1, np.int32)
    response = sapling.response * scale + centre
    response = response + np.where(row[:, None] >= 0, shift[np.maximum(row, 0)] if len(shift) else 0.0, 0.0)
    reach = engine.mean_reach(sapling.shape, sapling.parameters)
    reach /= reach[0]  # all rows arrive at the root; sums in single precision may have lost a little
    whole = ~sapling.closed.any(axis=1, keepdims=True)  # gates that look at few inputs have no weights for the others
    kept: npt.NDArray[np.bool_] = branch[:, None] & used & (whole | (weight != 0))
    return Tree(
        response=_branch_responses(sapling, response, reach),
        schema=schema,
        link=LINK[loss],
        first_child=sapling.first_child,
        n_children=np.where(branch, 2, 0),
        score=np.where(branch, Score.LINEAR, Score.NONE),
        squash=np.where(branch, Squash.SIGMOID, Squash.STEP),
        bias=np.where(branch, bias, 0.0),
        weight_begin=np.concatenate([[0], np.cumsum(kept.sum(axis=1))]),
        weight_column=np.nonzero(kept[:, used])[1].astype(np.int32),
        weight=weight[kept],
        basis=columns.basis.pick(used),
        slope_row=row,
        slope=np.ascontiguousarray(slope[:, :, used].transpose(0, 2, 1)),
        count=reach * total_weight,
    )


def _slope_rows(sapling: Sapling) -> np.ndarray:
    """Which slope each node's response uses: leaves only, -1 for constant ones."""
    if sapling.slopes == "none":
        return np.full(sapling.n_nodes, -1, np.int32)
    own = np.arange(sapling.n_nodes) if sapling.slopes == "own" else np.zeros(sapling.n_nodes)
    return np.where(sapling.leaf, own, -1).astype(np.int32)


def _branch_responses(sapling: Sapling, response: Floats, reach: Floats) -> Floats:
    """Branches answer the mean of their children by reach: what a row would get if the tree ended there."""
    mixed = response.copy()
    for m in reversed(range(sapling.n_nodes)):
        first = sapling.first_child[m]
        if first >= 0:
            share = reach[first] / max(reach[first] + reach[first + 1], 1e-300)
            mixed[m] = share * mixed[first] + (1 - share) * mixed[first + 1]
    return mixed
