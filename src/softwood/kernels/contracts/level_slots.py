"""Slots of gates on categories, as flat arrays: which child each level goes to.

    begin, group    entries begin[m] : begin[m + 1] of `group` are the slots of gate m, -1 for a level it cannot place
    level           empty: the slots are of every level in turn; else beside each slot the level it is of, rising
                    within a gate, and a gate cannot place the levels that it does not name

A gate deep in a tree has rows of few levels: where a category has many, a slot for every one at each gate would take
more memory than there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Ints

EVERY_LEVEL = 2**22  # slots, four bytes each, that the gates of a tree keep for levels whether or not they know them


def flatten_slots(slots: Sequence[npt.NDArray[Any]], most: int = EVERY_LEVEL) -> tuple[Ints, Ints, Ints]:
    """begin, group and level of gates that have a slot for every level; up to `most` of them are kept as they are."""
    known = [np.arange(len(each)) if sum(map(len, slots)) <= most else np.flatnonzero(each >= 0) for each in slots]
    begin = np.cumsum([0, *map(len, known)]).astype(np.int32)
    group = np.concatenate([*(each[at] for each, at in zip(slots, known, strict=True)), np.zeros(0)]).astype(np.int32)
    level = np.concatenate([*known, np.zeros(0)]).astype(np.int32)
    return begin, group, level if sum(map(len, slots)) > most else level[:0]


def slots_of(begin: Ints, group: Ints, level: Ints, m: int, n_levels: int) -> Ints:
    """The slot of every level by gate m, of n_levels or up to the last that is named; empty for a number."""
    at = slice(begin[m], begin[m + 1])
    if not len(level):
        return group[at]
    every = np.full(max(n_levels, *level[at][-1:] + 1, 0), -1, np.int32)
    every[level[at]] = group[at]
    return every


def name_levels(begin: Ints, group: Ints, level: Ints) -> Ints:
    """The level of every slot, where it is not told."""
    if len(level) or not len(group):
        return level
    return (np.arange(len(group)) - np.repeat(begin[:-1], np.diff(begin))).astype(np.int32)


def fill_levels(
    begin: Ints, group: Ints, level: Ints, n_levels: npt.NDArray[Any], most: int = EVERY_LEVEL
) -> tuple[Ints, Ints, Ints]:
    """The same with a slot for every level, where that is no more than `most` slots; n_levels has an entry a gate."""
    size = n_levels.astype(np.int64)
    now = np.concatenate([[0], np.cumsum(size)])
    if not len(level) or now[-1] > most:
        return begin, group, level
    every = np.full(now[-1], -1, np.int32)
    every[np.repeat(now[:-1], np.diff(begin)) + level] = group
    return now.astype(np.int32), every, level[:0]
