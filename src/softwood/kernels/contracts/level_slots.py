"""Slots of gates on categories, as flat arrays: the child for each level.

    begin, group    entries begin[m] : begin[m + 1] of `group` are the slots of gate m, -1 for a level it cannot place
    level           empty: one slot per level, in order; else the level of each slot, increasing within a gate; a
                    gate cannot place the levels that it does not list

A gate deep in a tree has rows with few levels: for a category with many levels, a slot for each one at every gate would
exceed the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Ints

EVERY_LEVEL = 2**22  # slots, four bytes each, that the gates of a tree store for all levels, known or not


def flatten_slots(slots: Sequence[npt.NDArray[Any]], most: int = EVERY_LEVEL) -> tuple[Ints, Ints, Ints]:
    """begin, group and level of gates with a slot for every level; up to `most` slots are kept as they are."""
    known = [np.arange(len(each)) if sum(map(len, slots)) <= most else np.flatnonzero(each >= 0) for each in slots]
    begin = np.cumsum([0, *map(len, known)]).astype(np.int32)
    group = np.concatenate([*(each[at] for each, at in zip(slots, known, strict=True)), np.zeros(0)]).astype(np.int32)
    level = np.concatenate([*known, np.zeros(0)]).astype(np.int32)
    return begin, group, level if sum(map(len, slots)) > most else level[:0]


def slots_of(begin: Ints, group: Ints, level: Ints, m: int, n_levels: int) -> Ints:
    """The slot of every level at gate m, for n_levels or up to the last level listed; empty for a number."""
    at = slice(begin[m], begin[m + 1])
    if not len(level):
        return group[at]
    every = np.full(max(n_levels, *level[at][-1:] + 1, 0), -1, np.int32)
    every[level[at]] = group[at]
    return every


def name_levels(begin: Ints, group: Ints, level: Ints) -> Ints:
    """The level of every slot, if levels are not stored."""
    if len(level) or not len(group):
        return level
    return (np.arange(len(group)) - np.repeat(begin[:-1], np.diff(begin))).astype(np.int32)


def fill_levels(
    begin: Ints, group: Ints, level: Ints, n_levels: npt.NDArray[Any], most: int = EVERY_LEVEL
) -> tuple[Ints, Ints, Ints]:
    """The same with a slot for every level, if that takes at most `most` slots; n_levels has one entry per gate."""
    size = n_levels.astype(np.int64)
    now = np.concatenate([[0], np.cumsum(size)])
    if not len(level) or now[-1] > most:
        return begin, group, level
    every = np.full(now[-1], -1, np.int32)
    every[np.repeat(now[:-1], np.diff(begin)) + level] = group
    return now.astype(np.int32), every, level[:0]
