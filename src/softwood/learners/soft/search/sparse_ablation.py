"""Ablation importance of each input of a sparse table.

An input that fewer than half of the rows store is held at 0, as if no row had it: only the rows that store it change,
and all inputs together take one pass over the stored values. Others are held at their mean, as in dense tables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.engines.memory import from_columns
from softwood.kernels.arithmetic import dot, matmul, stored_matmul
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.columns.sparse_rows import stored_columns
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.regimes import MAX_NUMBERS_AT_ONCE
from softwood.learners.soft.rows.dataset import Dataset
from softwood.tree.once import computed_once

COMMON_INPUT_SHARE = 0.5  # of the rows; a more common input is held at its mean


def stored_ablation(tree: SoftTreeParams, design: DesignMatrix, rows: Dataset) -> Floats:
    """The increase of the mean loss when an input is held at 0, or at its mean."""
    columns = stored_columns(rows.X if rows.place is None else rows.X[rows.place], design)
    weight, over_sums = tree.linear_sums()
    made = _Sums(columns.sums(weight.T), over_sums, rows, rows.weight / rows.weight.sum())
    stored, feature, increase = columns.stored.tocsc(), design.feature, np.zeros(rows.X.shape[1])
    added = weight.T  # what a stored 1 adds to every sum, (columns, sums)
    used, count = np.any(added != 0.0, axis=1), np.diff(stored.indptr)
    alone = np.bincount(feature, minlength=len(increase))[feature] == 1
    rare = used & alone & (count <= COMMON_INPUT_SHARE * len(rows))
    for f in np.unique(feature[used & ~rare]):
        mine = np.flatnonzero(feature == f)
        found = stored_matmul(stored[:, mine], added[mine])
        if count[mine[0]] > COMMON_INPUT_SHARE * len(rows):
            found = found - matmul(made.share, found)
        increase[f] = dot(made.share, made.losses(made.sums - found, np.arange(len(rows))) - made.base)
    at = np.flatnonzero(np.repeat(rare, count))
    column, row = np.repeat(np.arange(len(feature)), count)[at], stored.indices[at]
    step = max(1, MAX_NUMBERS_AT_ONCE // max(added.shape[1], 1))
    for some in (slice(begin, begin + step) for begin in range(0, len(at), step)):
        here, f = row[some], feature[column[some]]
        without = made.sums[here] - stored.data[at[some], None] * added[column[some]]
        change = made.share[here] * (made.losses(without, here) - made.base[here])
        increase += np.bincount(f, change, len(increase))
    return increase


@dataclass(frozen=True)
class _Sums:
    """The linear sums of a tree on rows, (rows, sums), and the tree over them.  share : weight of each row."""

    sums: Floats
    tree: SoftTreeParams
    rows: Dataset
    share: Floats

    @computed_once
    def base(self) -> Floats:
        """The loss of each row with all inputs."""
        return self.losses(self.sums, np.arange(len(self.rows)))

    def losses(self, sums: Floats, row: npt.NDArray[np.integer]) -> Floats:
        """Losses of the rows with these indices, given their sums."""
        engine = from_columns(sums, self.rows.target[row], np.ones(len(row)), self.rows.loss, single=False)
        return engine.row_loss(self.tree.shape, self.tree.parameters)
