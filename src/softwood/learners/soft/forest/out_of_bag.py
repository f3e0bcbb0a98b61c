"""Predictions out of bag: the error of a forest of any size, without further fits.

Every row is out of bag for several trees. With e the mean loss of one such tree and m that of the mean of q of them,
a mean of q saves (e - m) = v (1 - 1/q). This is exact for the squared error, where v is the variance among the trees.
A forest of k trees then has a loss of

    e - v (1 - 1/k),        v = (e - m) / (1 - 1/q)

For the log loss this is an estimate, and an optimistic one if single trees are overconfident: the first trees of a mean
save more than the later ones. So forests for classification are chosen by m alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.formulas.losses import row_loss
from softwood.learners.soft.forest.children import Child
from softwood.learners.soft.rows.dataset import Dataset


@dataclass(frozen=True)
class OutOfBag:
    """For the sample's rows: how many trees did not see each, and the mean output of these trees.

    loss_of_one : mean loss of one tree on rows that it did not see.  loss_of_mean : of the mean of such trees.
    loss_by_tree : of each tree alone.
    """

    n_trees: int
    count: Floats
    output: Floats
    loss_of_one: float
    loss_of_mean: float
    mean_count: float
    loss_by_tree: Floats
    is_classes: bool = False

    @classmethod
    def of(cls, rows: Dataset, children: Sequence[Child]) -> OutOfBag | None:
        """None if no row was left out."""
        count, total, lost = np.zeros(len(rows)), np.zeros(rows.target.shape), np.zeros(len(rows))
        by_tree = np.zeros(len(children))
        for at, child in enumerate(children):
            losses = row_loss(rows.loss, child.output, rows.target[child.row])
            count[child.row] += 1.0
            total[child.row] += child.output
            lost[child.row] += losses
            by_tree[at] = np.average(losses, weights=rows.weight[child.row]) if len(child.row) else np.nan
        seen = count > 0
        if not seen.any():
            return None
        output = np.divide(total, count[:, None], out=total, where=seen[:, None])
        weight, several = rows.weight, count > 1 if np.any(count > 1) else seen
        alone = float(np.average(lost[several] / count[several], weights=weight[several]))
        mean = row_loss(rows.loss, output[several], rows.target[several])
        together = float(np.average(mean, weights=weight[several]))
        mean_count = float(np.average(count[several], weights=weight[several]))
        return cls(len(children), count, output, alone, together, mean_count, by_tree, rows.loss.is_classes)

    def loss_of(self, k: int) -> float:
        """The estimated loss of a forest of k such trees."""
        if self.mean_count <= 1.0:
            return self.loss_of_one
        variance = (self.loss_of_one - self.loss_of_mean) / (1.0 - 1.0 / self.mean_count)
        return self.loss_of_one - variance * (1.0 - 1.0 / k)

    @property
    def loss_to_choose_by(self) -> float:
        """The loss by which forests with the same rows out of bag are compared."""
        return self.loss_of_mean if self.is_classes else self.loss_of(self.n_trees)

    @property
    def curve(self) -> Floats:
        """Losses of forests with 1, 2, ... trees."""
        return np.array([self.loss_of(k) for k in range(1, self.n_trees + 1)])
