"""Folds of groups: rows of one group (a patient, a customer, a day) are all in one fold.

Groups are assigned one after the other, the heaviest first, each to the fold that has least of its classes so far (in a
tie, the lightest), so folds have about the same weight and the same classes. The seed draws the order of groups of
equal weight. Neither the order of the rows nor the names of the groups matter, as long as the names sort in the same
order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.arrays import Floats, Longs
from softwood.kernels.arithmetic import matmul

Fold = tuple[Floats, Floats]  # weights of all rows: to learn from, to test on

SAME_COST = 1e-12  # costs closer than this are equal: weights are added up in another order


def deal_groups(group: Longs, code: Longs, weight: Floats, n_folds: int, seed: int = 0) -> Longs:
    """The fold of every row, -1 for rows of weight 0; there are as many folds as groups, at most `n_folds`.

    Parameters
    ----------
    group : number of every row's group.
    code : class of every row, all 0 for numbers.
    weight : weights of the rows.
    n_folds : at least 1.
    seed : draws which of equally heavy groups is dealt first.

    Examples
    --------
    >>> deal_groups(np.array([0, 0, 1, 1, 2]), np.zeros(5, np.int64), np.ones(5), 2).tolist()[:2]
    [0, 0]
    """
    fold = np.full(len(group), -1, np.int64)
    there = np.flatnonzero(weight > 0)
    _, place = np.unique(group[there], return_inverse=True)
    n, n_classes = int(place.max(initial=-1)) + 1, int(code.max(initial=0)) + 1
    order = np.argsort(weight[there], kind="stable")  # from the smallest on: the order of the rows does not matter
    cell = place[order] * n_classes + code[there][order]
    table: Floats = np.bincount(cell, weight[there][order], n * n_classes).astype(np.float64).reshape(n, n_classes)
    size, total = table.sum(axis=1), table.sum(axis=0)
    table = table / np.where(total > 0, total, 1.0)
    mixed = np.random.default_rng(seed).permutation(n)
    order = mixed[np.argsort(-size[mixed], kind="stable")]
    fold[there] = _deal(table, size, order, min(n_folds, max(n, 1)))[place]
    return fold


def _deal(table: Floats, size: Floats, order: Longs, n_folds: int) -> Longs:
    """The fold of each group: `table` has its part of every class, `size` its weight."""
    held, weight, found = np.zeros((n_folds, table.shape[1])), np.zeros(n_folds), np.zeros(len(table), np.int64)
    for one in order.tolist():
        cost = matmul(held, table[one])
        to = int(np.argmin(np.where(cost <= cost.min() + SAME_COST, weight, np.inf)))
        held[to] += table[one]
        weight[to] += size[one]
        found[one] = to
    return found


@dataclass(frozen=True)
class GroupFolds(Sequence[Fold]):
    """For every fold, the weights of the rows to learn from and of those to test on.

    weight : weight of every row.
    fold : fold of every row.
    """

    weight: Floats
    fold: Longs

    def __len__(self) -> int:
        return int(self.fold.max(initial=-1)) + 1

    def __getitem__(self, at: Any) -> Any:
        if not 0 <= at < len(self):
            raise IndexError(at)
        here = self.fold == at
        return np.where(here, 0.0, self.weight), np.where(here, self.weight, 0.0)
