"""Surrogates of a node: splits on other features that send rows the same way as the node's own gate does.

    agreement = weight sent the same way / weight with a known primary
    adjusted  = (agreement - majority) / (1 - majority)            majority: the larger child's part of that weight

Breiman, Friedman, Olshen, Stone (1984), section 5.3; counted as in rpart's default: a row whose surrogate is missing
does not agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Index
from softwood.kernels.contracts.growth import EPSILON_SURROGATE, TIE, WORTH_IMITATING, SurrogateTable
from softwood.kernels.contracts.level_slots import flatten_slots
from softwood.kernels.reference.bins import Column
from softwood.kernels.reference.rows import Rows, sum_by
from softwood.kernels.reference.split import Split


@dataclass(frozen=True)
class Surrogate:
    """A surrogate gate: x <= threshold is slot 0 (slot 1 if `flip`), or `slot` holds the slot of every level."""

    feature: int
    threshold: float
    flip: bool
    slot: Index
    agreement: float
    adjusted: float = 0.0

    def read(self, column: Column, row: Index) -> Index:
        """Child slot of each row, -1 if the surrogate cannot read it."""
        slot = Split(self.feature, self.threshold, self.slot, 0, 0.0).read(column, row)
        return np.where(slot < 0, -1, 1 - slot) if self.flip else slot


def find_surrogates(
    columns: list[Column], rows: Rows, split: Split, limit: int, monotone: npt.NDArray[np.int8]
) -> list[Surrogate]:
    """At most `limit` surrogates of a split, best first; `monotone` is a sign per feature, or empty."""
    slot = split.read(columns[split.feature], rows.id)
    rows, slot = rows.where(slot >= 0), slot[slot >= 0]
    side = np.array([rows.where(slot == s).count for s in (0, 1)])
    if limit == 0 or side.min() < WORTH_IMITATING * (1 - TIE):
        return []
    total, majority = side.sum(), side.max() / side.sum()
    kept = []
    for feature, column in enumerate(columns):
        known = ~np.isnan(column.x[rows.id])
        flips = allowed_flips(monotone, split.feature, feature)
        if feature == split.feature or not known.any() or not flips:
            continue
        weight = np.where(slot[:, None] == [0, 1], rows.weight[:, None], 0.0)[known]
        if column.n_levels:
            best = imitate_by_levels(feature, column, rows.id[known], weight, total, split.default)
        else:
            best = imitate_by_threshold(feature, column, rows.id[known], weight, total, flips)
        if best is None:
            continue
        adjusted = (best.agreement - majority) / (1 - majority)
        if adjusted > EPSILON_SURROGATE:
            kept.append(Surrogate(feature, best.threshold, best.flip, best.slot, best.agreement, float(adjusted)))
    return rank(kept)[:limit]


def rank(found: list[Surrogate]) -> list[Surrogate]:
    """Best agreement first; on ties within TIE, the lowest feature."""
    left, ranked = list(found), []
    while left:
        most = max(one.agreement for one in left)
        ranked.append(next(one for one in left if one.agreement >= most - TIE))
        left.remove(ranked[-1])
    return ranked


def allowed_flips(monotone: npt.NDArray[np.int8], primary: int, feature: int) -> tuple[bool, ...]:
    """Which of not flipped (False) and flipped (True) satisfy the monotone constraints.

    The children of a split are in order only if its own feature is constrained.
    """
    sign, of_primary = (int(monotone[f]) if len(monotone) else 0 for f in (feature, primary))
    if sign == 0:
        return False, True
    return () if of_primary == 0 else (sign != of_primary,)


def imitate_by_threshold(
    feature: int, column: Column, row: Index, weight: Floats, total: float, flips: tuple[bool, ...]
) -> Surrogate | None:
    """The threshold, flipped or not, that agrees most. weight: (rows, 2), in the column of the slot they go to."""
    group, threshold = column.thresholds(row)
    if not len(threshold):
        return None
    below = np.cumsum(sum_by(group, len(threshold) + 1, weight), axis=0)
    below, above = below[:-1], below[-1] - below[:-1]
    plain, flipped = below[:, 0] + above[:, 1], below[:, 1] + above[:, 0]
    same = np.stack([plain, flipped], axis=1)
    same[:, [flip not in flips for flip in (False, True)]] = -np.inf
    same = same.ravel()  # threshold by threshold, not flipped before flipped
    at = int(np.flatnonzero(same >= same.max() - TIE * total)[0])
    no_slot = np.zeros(0, np.intp)
    return Surrogate(feature, float(threshold[at // 2]), bool(at % 2), no_slot, float(same[at] / total))


def imitate_by_levels(
    feature: int, column: Column, row: Index, weight: Floats, total: float, default: int
) -> Surrogate | None:
    """Every level to the side where it has more weight; to `default` on a tie."""
    group, code = column.levels(row)
    first, second = sum_by(group, len(code), weight).T
    close = np.abs(first - second) <= TIE * (first + second)
    slot = np.full(column.n_levels, -1)
    slot[code] = np.where(close, default, np.where(first > second, 0, 1))
    return Surrogate(feature, np.nan, False, slot, float(np.maximum(first, second).sum() / total))


def tabulate(surrogates: Sequence[Sequence[Surrogate]], every_level: int) -> SurrogateTable:
    """The surrogates of all nodes as flat arrays."""
    flat = [one for some in surrogates for one in some]
    group_begin, group, group_level = flatten_slots([one.slot for one in flat], every_level)
    return SurrogateTable(
        begin=np.cumsum([0, *map(len, surrogates)]).astype(np.int32),
        feature=np.array([one.feature for one in flat], np.int32),
        threshold=np.array([one.threshold for one in flat], np.float64),
        flip=np.array([one.flip for one in flat], np.bool_),
        group_begin=group_begin,
        group=group,
        group_level=group_level,
        agreement=np.array([one.agreement for one in flat], np.float64),
        adjusted=np.array([one.adjusted for one in flat], np.float64),
    )
