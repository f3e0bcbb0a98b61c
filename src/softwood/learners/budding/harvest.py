"""From a bush, learned in scaled columns and targets, to a Tree in the user's own units with the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.engines import Floats
from softwood.kernels.kinds import Loss, Score, Squash
from softwood.kernels.reference.gradient import row_loss
from softwood.learners.budding.bush import Bush
from softwood.learners.soft.columns import Columns
from softwood.learners.soft.harvest import LINK
from softwood.tree import Basis, Schema, Tree
from softwood.tree.gain import Arrivals, Sample


def harvest(
    bush: Bush, columns: Columns, schema: Schema, loss: Loss, rows: Sample, total: float, centre: Floats, scale: Floats
) -> Tree:
    """The tree; `centre` and `scale` undo the scaling of the targets, `total` is the weight of all rows seen."""
    branch, keeps = bush.first_child >= 0, bush.leafness > 0
    weight, bias = columns.in_user_units(bush.gate[:, :-1], bush.gate[:, -1])
    slope, shift = columns.in_user_units(bush.slope, np.zeros(bush.slope.shape[:2]))
    slope, shift = slope * scale[:, None], shift * scale
    used = np.any(weight[branch] != 0, axis=0) | np.any(slope != 0, axis=(0, 1))
    own = np.arange(bush.n_nodes) if bush.slopes == "own" else np.zeros(bush.n_nodes)
    row = np.where(keeps & (bush.slopes != "none") & used.any(), own, -1).astype(np.int32)
    response = bush.response * scale + centre
    if len(shift):
        response = response + np.where(row[:, None] >= 0, shift[np.maximum(row, 0)], 0.0)
    basis = columns.basis
    tree = Tree(
        response=response,
        schema=schema,
        link=LINK[loss],
        first_child=bush.first_child,
        n_children=np.where(branch, 2, 0),
        leafness=bush.leafness,
        score=np.where(branch, Score.LINEAR, Score.NONE),
        squash=np.where(branch, Squash.SIGMOID, Squash.STEP),
        bias=np.where(branch, bias, 0.0),
        weight_begin=np.concatenate([[0], np.cumsum(np.where(branch, int(used.sum()), 0))]),
        weight_column=np.tile(np.arange(int(used.sum())), int(branch.sum())),
        weight=weight[branch][:, used].ravel(),
        basis=Basis(basis.term[used], basis.feature[used], basis.parameter[used], basis.when_missing[used]),
        slope_row=row,
        slope=np.ascontiguousarray(slope[:, :, used].transpose(0, 2, 1)),
    )
    reach = rows.weight @ tree.reach(rows.X) / rows.weight.sum()
    tree = tree.replace(response=_branch_responses(tree, reach), count=reach * total)
    return Arrivals(tree, rows).described()


def _branch_responses(tree: Tree, reach: Floats) -> Floats:
    """Nodes that keep nothing answer the mean of their children by reach: what a row would get were they leaves."""
    mixed = tree.response.copy()
    for m in reversed(np.flatnonzero(tree.n_children).tolist()):
        if tree.leafness[m] == 0:
            first = int(tree.first_child[m])
            share = reach[first] / max(reach[first] + reach[first + 1], 1e-300)
            mixed[m] = share * mixed[first] + (1 - share) * mixed[first + 1]
    return mixed


def importance(answer: Any, columns: Columns, rows: Sample, loss: Loss, n_features: int) -> Floats:
    """How much the mean loss rises when the columns of an input stay at their mean; as parts of their sum.

    `answer` gives the outputs (scaled) of columns; the target of `rows` is scaled too.
    """
    phi, share = columns.make(rows.X), rows.weight / rows.weight.sum()
    mean = share @ phi
    base = share @ row_loss(loss, answer(phi), rows.target)
    rise = np.zeros(n_features)
    for f in np.unique(columns.feature):
        blind = np.where(columns.feature == f, mean, phi)
        rise[f] = share @ row_loss(loss, answer(blind), rows.target) - base
    rise = np.maximum(rise, 0.0)
    return np.asarray(rise / rise.sum() if rise.sum() > 0 else rise)
