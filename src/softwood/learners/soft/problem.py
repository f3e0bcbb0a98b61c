"""What a soft tree is learned from: rows with targets and weights, in an order that their content alone decides.

Equal rows are merged and their weights added, so a row of weight two is the row twice, bit for bit; the order of
the rows given does not matter; folds, too, depend on content only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from softwood.kernels.kinds import Loss
from softwood.learners.soft.moments import round_off
from softwood.parts.folds import hash_rows

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

MANY = 30_000  # rows beyond which neither their columns nor a copy in order is kept
FOLDS = ((3_000, 5), (6_000, 2))  # rows up to which so many folds are made; beyond, a quarter is held out


@dataclass(frozen=True)
class SoftProblem:
    """Inputs (NaN: missing; categories as codes), targets and weights.

    target : numbers; or 0 and 1 in one column (two classes); or one column a class.
    n_levels : per input, 0 for a number.
    place : which row of X each row is; None, all of them in order. Targets and weights are in the rows' own order.
    """

    X: Floats
    target: Floats
    weight: Floats
    n_levels: Sequence[int]
    loss: Loss
    place: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.target)

    @property
    def total_weight(self) -> float:
        return float(self.weight.sum())

    def rows(self, mask: Mask) -> SoftProblem:
        """Some of the rows."""
        at = mask if self.place is None else self.place[mask]
        return replace(self, X=self.X[at], target=self.target[mask], weight=self.weight[mask], place=None)

    def head(self, n: int) -> SoftProblem:
        """The first rows: of rows in order they are a random part."""
        X = self.X[:n] if self.place is None else self.X[self.place[:n]]
        return replace(self, X=X, target=self.target[:n], weight=self.weight[:n], place=None)

    def in_order(self, seed: int, copied: bool = True) -> SoftProblem:
        """Rows of weight 0 left out, equal ones merged, in the order of a hash of their inputs, then by target.

        Weights count as rows, but some sum to 1: those that sum to less than the rows are raised to their number.
        Many rows are not `copied` if that is not asked for: `place` tells their order.
        """
        kept = self if self.place is None and np.all(self.weight > 0) else self.rows(self.weight > 0)
        number = hash_rows(kept.X, np.zeros((len(kept.X), 0)), seed)
        order = np.lexsort((*kept.target.T, number))
        number, target = number[order], kept.target[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (number[1:] != number[:-1]) | np.any(target[1:] != target[:-1], axis=1)
        weight = np.bincount(np.cumsum(new) - 1, kept.weight[order]).astype(np.float64)
        if weight.sum() < (1.0 - 1e-9) * len(weight):
            weight *= len(weight) / weight.sum()
        found = replace(kept, target=target[new], weight=weight, place=order[new])
        return found.head(len(found)) if copied or len(found) <= MANY else found

    def target_scale(self) -> tuple[Floats, Floats]:
        """Centre and spread of number targets; classes stay as they are."""
        outputs = self.target.shape[1]
        if self.loss != Loss.SQUARED:
            return np.zeros(outputs), np.ones(outputs)
        same = np.all(self.target == self.target[:1], axis=0)  # then the mean is known without rounding
        centre = np.where(same, self.target[0], np.average(self.target, axis=0, weights=self.weight))
        size = np.abs(self.target - centre).max(axis=0)  # divided out first: squares neither overflow nor vanish
        size = np.where(size > 1e-12 * np.abs(centre), size, 1.0)
        part = (self.target - centre) / size
        spread = size * np.sqrt(np.average(part * part, axis=0, weights=self.weight))
        return centre, np.where(spread > 0, spread, 1.0)

    def scaled(self, centre: Floats, scale: Floats) -> SoftProblem:
        """Targets as (target - centre) / scale, the same whatever their unit."""
        return replace(self, target=round_off((self.target - centre) / scale))

    def held_out(self) -> list[Mask]:
        """Rows to hold out, one mask a fold; classes are spread evenly. The rows must be `in_order`."""
        n = len(self)
        place = np.empty(n, np.int64)
        place[self._by_class()] = np.arange(n)
        for most, folds in FOLDS:
            if n <= most:
                folds = min(folds, max(2, n // 2))
                return [place % folds == fold for fold in range(folds)] if n > 1 else []
        return [place % 4 == 0]

    def parted(self) -> tuple[SoftProblem, SoftProblem]:
        """Rows to learn from and rows to judge by, as many of them as in a fold; all for both if there is but one.

        Weights count as rows: of a row that stands for many a part goes either way. The rows must be `in_order`.
        """
        folds = next((folds for most, folds in FOLDS if len(self) <= most), 4)
        order, least = self._by_class(), self.weight.min()
        count = np.cumsum(self.weight[order] / least)
        held = np.empty(len(self))
        held[order] = least * np.diff(np.ceil(count / folds - 1e-9), prepend=0.0)
        rest = self.weight - held
        if not np.any(rest > 0):
            return self, self
        return replace(self, weight=rest).rows(rest > 0), replace(self, weight=held).rows(held > 0)

    def _by_class(self) -> npt.NDArray[np.intp]:
        """The rows class after class; numbers stay in their order."""
        key = self.target.argmax(axis=1) if self.target.shape[1] > 1 else self.target[:, 0]
        return np.argsort(np.zeros(len(self)) if self.loss == Loss.SQUARED else key, kind="stable")
