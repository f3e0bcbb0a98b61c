"""The candidates of one feature in one node, in the order that breaks ties.

If the candidate places missing rows (DIRECTION, CATEGORY), they form one more group, the last. DIRECTION then has three
kinds of candidates: missing to the second child, missing to the first, and present against missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Index, Mask
from softwood.kernels.kinds import Missing
from softwood.kernels.reference.bins import Column
from softwood.kernels.reference.impurity import Measure, Parts
from softwood.kernels.reference.rows import Rows
from softwood.kernels.reference.sets import Masks, Prefixes, Sets
from softwood.kernels.reference.subsets import level_sets

Gate = tuple[float, Index]  # threshold and no slots, or NaN and a slot for every level


@dataclass(frozen=True)
class Candidates:
    """Sets of groups that may become the first child.

    rows : the rows that take part in the gain; group : the group of each.
    placed : the last group is the missing rows.
    threshold : of a number, between its groups; code : of a category, the level of every group.
    """

    rows: Rows
    group: Index
    n_groups: int
    sets: tuple[Sets, ...]
    placed: bool
    threshold: Floats
    code: Index

    def gate(self, first: Mask, n_levels: int) -> Gate:
        """The gate that sends these groups to the first child."""
        known = first[: self.n_groups - self.placed]
        if n_levels:
            slot = np.full(n_levels, -1)
            slot[self.code] = np.where(known, 0, 1)
            return np.nan, slot
        n_first = int(known.sum())
        return float(np.append(self.threshold, np.inf)[n_first - 1]), np.zeros(0, np.intp)


def find_candidates(column: Column, rows: Rows, missing: Missing, measure: Measure, unit: float) -> Candidates | None:
    """All candidates of a feature, or None; `unit` is that of means, medians or shares."""
    lost = np.isnan(column.x[rows.id])
    placed = bool(lost.any()) and missing in (Missing.DIRECTION, Missing.CATEGORY)
    if lost.all():
        return None
    threshold, code = np.zeros(0), np.zeros(0, np.intp)
    if column.n_levels:
        known, code = column.levels(rows.id[~lost])
        n_known = len(code)
    else:
        known, threshold = column.thresholds(rows.id[~lost])
        n_known = len(threshold) + 1
    group = np.full(len(rows.id), n_known)  # the group of missing rows is last
    group[~lost] = known
    if not placed:
        rows, group = rows.where(~lost), known

    def parts(n: int) -> Parts:
        seen = group < n
        return measure.parts(rows.where(seen), group[seen], n)

    sets = find_sets(parts, measure, bool(column.n_levels), n_known, placed, missing, unit)
    return Candidates(rows, group, n_known + placed, sets, placed, threshold, code) if sets else None


def find_sets(
    parts: Callable[[int], Parts],
    measure: Measure,
    is_category: bool,
    n_known: int,
    placed: bool,
    missing: Missing,
    unit: float,
) -> tuple[Sets, ...]:
    """The sets of groups that may become the first child; `parts` gives the statistics of the first n groups."""
    if not is_category:
        sets = place_missing([Prefixes.proper(np.arange(n_known))], n_known, placed)
    elif missing == Missing.CATEGORY:
        sets = describe_levels(parts(n_known + placed), measure, n_known + placed, unit)
    else:
        sets = place_missing(describe_levels(parts(n_known), measure, n_known, unit), n_known, placed)
    return tuple(some for some in sets if len(some))


def describe_levels(parts: Parts, measure: Measure, n_groups: int, unit: float) -> list[Sets]:
    """Sets of levels, from the measure of each level alone."""
    each = parts.account(Masks.each_of(n_groups))
    return level_sets(each.center, each.size, measure.n_orders, measure.tries_subsets, unit)


def place_missing(blocks: list[Sets], n_known: int, placed: bool) -> list[Sets]:
    """Every set with the missing group in the second child, every set with it in the first, present against missing."""
    if not placed:
        return blocks
    present = Masks.all_of(n_known).widen(False)
    return [*(some.widen(False) for some in blocks), *(some.widen(True) for some in blocks), present]
