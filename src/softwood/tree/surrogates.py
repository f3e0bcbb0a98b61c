"""Surrogate gates: replacements for a hard gate whose feature is missing.

Breiman, Friedman, Olshen, Stone (1984), section 5.3. The surrogates of a node are in order of their agreement with the
primary gate; the first whose feature is present decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels.contracts.level_slots import name_levels, slots_of
from softwood.tree.frozen import freeze, restore, rises, same_arrays


@dataclass(frozen=True, eq=False)
class Surrogates:
    """All surrogates of a tree; those of node m are `begin[m]:begin[m + 1]`.

    Attributes
    ----------
    begin : start of each node's surrogates, one more entry than nodes (or empty: the tree has none).
    feature, threshold, flip : x[feature] <= threshold goes to slot 0, or to slot 1 if `flip` is True.
    group_begin, group : for a category feature the slot of every category code (-1: does not decide), empty for a
        number.
    group_level : for each slot in `group` its code, ascending; empty: all codes in order, as in `Tree`.
    agreement : share of the rows with a known primary that the surrogate sends the same way.
    adjusted : (agreement - majority) / (1 - majority), so 0 is no better than the larger child.
    """

    begin: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    feature: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    threshold: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    flip: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    group_begin: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(1, np.int32))
    group: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    group_level: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    agreement: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    adjusted: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        for name in ("begin", "feature", "group_begin", "group", "group_level"):
            freeze(self, name, np.int32)
        for name in ("threshold", "agreement", "adjusted"):
            freeze(self, name, np.float64)
        freeze(self, "flip", np.bool_)
        n = len(self.feature)
        for name in ("feature", "threshold", "flip", "agreement", "adjusted"):
            if getattr(self, name).shape != (n,):
                raise ValueError(f"surrogates: {name} must have {n} entries, got {getattr(self, name).shape}.")
        for name in ("group", "group_level"):
            if getattr(self, name).ndim != 1:
                raise ValueError(f"surrogates: {name} must be flat, got {getattr(self, name).shape}.")
        if len(self.group_level) not in (0, len(self.group)):
            given = f"{len(self.group_level)} levels of {len(self.group)} slots"
            raise ValueError(f"surrogates: group_level must have a level for each slot, or none, got {given}.")
        for name, size, total in (("begin", len(self.begin), n), ("group_begin", n + 1, len(self.group))):
            begin = getattr(self, name)
            if not rises(begin, size, total):
                raise ValueError(f"surrogates: {name} must rise from 0 to {total} in {size} entries, got {begin}.")

    def of(self, node: int) -> range:
        """The rows of this table that belong to `node`."""
        return range(self.begin[node], self.begin[node + 1]) if len(self.begin) else range(0)

    def slots(self, row: int, n_levels: int = 0) -> npt.NDArray[np.int32]:
        """Slot of every category code, for surrogate `row`; empty if its feature is a number.

        n_levels : number of codes of the feature; otherwise listed levels end at the last one.
        """
        return slots_of(self.group_begin, self.group, self.group_level, row, n_levels)

    def followed_by(self, other: Surrogates) -> Surrogates:
        """The rows of both tables, one after the other, as if of one node."""
        columns = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("feature", "threshold", "flip", "group", "agreement", "adjusted")
        }
        if len(self.group_level) or len(other.group_level):
            levels = [name_levels(each.group_begin, each.group, each.group_level) for each in (self, other)]
            columns["group_level"] = np.concatenate(levels)
        group_begin = np.concatenate([self.group_begin, len(self.group) + other.group_begin[1:]])
        return Surrogates(begin=np.array([0, len(columns["feature"])]), group_begin=group_begin, **columns)

    def __len__(self) -> int:
        return len(self.feature)

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore(self, state)

    def __eq__(self, other: object) -> bool:
        return same_arrays(self, other)

    __hash__ = None  # type: ignore[assignment]  # compares by content, arrays do not hash
