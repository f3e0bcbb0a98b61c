"""Inputs for histograms: the cuts of a number, the levels of a category, and gates on one input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels import make_split_features
from softwood.kernels.arithmetic import dot
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.rows.moments import round_off
from softwood.tree.once import computed_once


@dataclass(frozen=True)
class Levels:
    """The levels of a category with a bin and a column: their indices and the values of the columns."""

    bin: npt.NDArray[np.intp]
    column: npt.NDArray[np.intp]
    height: Floats  # of the column at the level, minus its value elsewhere
    elsewhere: Floats

    def gate(self, side: Floats, design: int) -> Floats:
        """The gate whose score is `side` at each level, 0 if the category is missing or at another level."""
        weight = side / self.height
        gate = np.zeros(design + 1)
        gate[self.column], gate[-1] = weight, -dot(weight, self.elsewhere)
        return gate


@dataclass(frozen=True)
class SplitFeatures:
    """The data that histograms need, by index among the inputs that have columns.

    cut : bin b is up to cut[b].  linear : the linear column of each input (-1: none). A category has none; its bins
        are its levels.
    """

    cut: list[Floats]
    linear: npt.NDArray[np.int32]
    at_cut: list[Floats]  # value of the linear column at each cut
    place: npt.NDArray[np.intp]  # index of each column's input
    levels: dict[int, Levels]  # for inputs that are categories

    @classmethod
    def make(
        cls, cut: list[Floats], design: DesignMatrix, bin_of_level: dict[int, npt.NDArray[np.intp]]
    ) -> SplitFeatures:
        """Linear columns of the inputs and their values at the cuts; columns of the levels that have a bin.

        `cut` and `bin_of_level` are for all inputs.
        """
        inputs, place = np.unique(design.feature, return_inverse=True)
        linear = np.full(len(inputs), -1, np.int32)
        linear_columns = np.flatnonzero(design.kind == 0)
        linear[place[linear_columns]] = linear_columns
        mine = [cut[f] for f in inputs]
        at_cut = [
            round_off(design.of_input(int(f), edges, linear[[i]].astype(np.intp))[:, 0])
            if linear[i] >= 0
            else np.zeros(len(edges))
            for i, (f, edges) in enumerate(zip(inputs, mine, strict=True))
        ]
        ordered = np.zeros(0, np.int32) if design.rising is None else design.feature[design.rising]  # steps, not levels
        some = [(i, int(f)) for i, f in enumerate(inputs) if f in bin_of_level and f not in ordered]
        levels = {i: _levels(design, f, bin_of_level[f]) for i, f in some}
        return cls(mine, linear, at_cut, place, levels)

    @computed_once
    def cuts(self) -> list[int]:
        """How many thresholds each input has; 0 if no gate may use it alone."""
        return [len(edges) if linear >= 0 else 0 for edges, linear in zip(self.cut, self.linear, strict=True)]

    @computed_once
    def table(self) -> Any:
        """The arrays for native code."""
        levels = [(f, one.bin, one.column, one.height, one.elsewhere) for f, one in self.levels.items()]
        return make_split_features(self.cuts, self.linear, self.at_cut, self.place, levels)

    def all_but_heaviest(self, gate: Floats, n: int) -> npt.NDArray[np.bool_]:
        """The weights of all inputs but the `n` with the largest norm of weights; never the bias."""
        length = np.bincount(self.place, np.square(gate[:-1]), len(self.cut))
        heavy = np.argsort(-length, kind="stable")[:n]
        return np.append(~np.isin(self.place, heavy), False)


def _levels(design: DesignMatrix, f: int, bins: npt.NDArray[np.intp]) -> Levels:
    """The levels of input `f` that have a bin (-1: none) and a column of their own."""
    mine = np.flatnonzero((design.feature == f) & (design.kind == 3))
    level = np.flatnonzero(bins >= 0)
    value = design.of_input(f, level.astype(np.float64), mine)
    nowhere = design.of_input(f, np.array([-1.0]), mine)[0]
    at, place = np.nonzero(value != nowhere)
    return Levels(bins[level[at]], mine[place], value[at, place] - nowhere[place], nowhere[place])
