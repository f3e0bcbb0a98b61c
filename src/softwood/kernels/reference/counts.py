"""poisson: mean of y log(y / m) - y + m about the mean m of counts y >= 0, averaged over targets.

With M the mean of the node's rows and h = half_deviance (formulas/counts.py), a set with mean m = M (1 + t) has a loss
of

    sum w M h(y / M - 1) - W M h(t)        loss of its rows with M, minus the gain from its own mean

so that equal splits stay equal to TIE. Breiman et al. 1984 do not treat counts; rpart's method "poisson" is the same
with a prior. As in scikit-learn, no split makes a child whose counts are all 0: its mean of 0 would be overconfident.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.contracts.growth import FAR_TIE, TIE
from softwood.kernels.formulas.counts import half_deviance
from softwood.kernels.reference.impurity import Account, account_all
from softwood.kernels.reference.rows import Rows, sum_by
from softwood.kernels.reference.sets import Sets


class PoissonDeviance:
    """Half the deviance from the mean, averaged over targets."""

    def __init__(self, y: Floats) -> None:
        self.y = y
        self.n_orders = y.shape[1]
        self.tries_subsets = True
        self.above_zero = True

    def parts(self, rows: Rows, group: Index, n_groups: int) -> CountParts:
        w = rows.weight[:, None]
        y = self.y[rows.id]
        constant = (y == y[0]).all(axis=0)
        mean = np.where(constant, y[0], (w * y).sum(axis=0) / w.sum())
        scale = np.where(mean > 0, mean, 1.0)
        away = np.where(mean > 0, y - mean, 0.0) / scale
        return CountParts(sum_by(group, n_groups, np.hstack([w, w * away, w * half_deviance(away)])), mean)

    def value(self, rows: Rows) -> Floats:
        return np.asarray(account_all(self, rows).center[0])

    def constrained(self, center: Floats) -> Floats:
        return center

    def slack(self, impurity: float, value: Floats) -> float:
        return float(np.sqrt(2.0 * impurity * value.mean()))

    def rounding(self, impurity: float, value: Floats, root: Floats) -> float:
        """Sums of counts lose digits if their mean is many standard deviations."""
        return TIE + FAR_TIE * float(value.max()) / self.slack(impurity, value)


@dataclass(frozen=True)
class CountParts:
    """Sums of w, w t and w h(t) per group and target, y = mean (1 + t)."""

    total: Floats
    mean: Floats

    def account(self, sets: Sets) -> Account:
        total, n = sets.total(self.total), len(self.mean)
        size, T, H = total[:, :1], total[:, 1 : n + 1], total[:, n + 1 :]
        loss = self.mean * (H - size * half_deviance(T / size))
        return Account(loss.mean(axis=1), size[:, 0], self.mean * np.maximum(1.0 + T / size, 0.0))
