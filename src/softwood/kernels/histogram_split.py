"""The best split of a node from its histograms: sums per input and bin, without rows.

    table[input, bin]   classes: the weight of each class;   numbers: [sum w, sum w (y - origin), sum w (y - origin)^2]

The last bin of every input holds the missing values. The rules are those of contracts/growth.py with max_bins;
the search is the reference's, over bins instead of rows. The criterion must be a function of these sums, as those of
classes and `squared_error` are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.kernels.contracts.growth import Growth, Target
from softwood.kernels.kinds import Criterion, Missing
from softwood.kernels.reference.bins import make_columns, midway
from softwood.kernels.reference.candidates import Candidates, find_sets
from softwood.kernels.reference.impurity import Account, Classes, ClassParts, Measure, Parts, SquaredError, SquareParts
from softwood.kernels.reference.monotone import Bounds
from softwood.kernels.reference.rows import Rows
from softwood.kernels.reference.sets import Masks
from softwood.kernels.reference.split import Limits, gains_of, larger

Slots = npt.NDArray[np.int8]

__all__ = ["BinSplit", "Bounds", "HistogramMeasure", "SplitSearch", "bin_edges", "midway"]


def bin_edges(X: Floats, n_levels: Ints, weight: Floats, max_bins: int) -> list[Floats]:
    """Per input, the edges between bins of about equal weight; none for a category."""
    columns = make_columns(X, np.asarray(n_levels, np.intp), weight, max_bins)
    return [np.zeros(0) if column.edge is None else column.edge for column in columns]


@dataclass(frozen=True)
class BinSplit:
    """A gate over bins.

    slot : of a category, the child of each level, -1 if the node has no such rows; empty for a number.
    child : the child slot of every bin, missing values last.
    side : (2, statistics) sums over the rows of each child.  fraction : their proportions of the known count.
    """

    feature: int
    threshold: float
    slot: npt.NDArray[np.intp]
    default: int
    gain: float
    child: Slots
    side: Floats
    fraction: Floats


class HistogramMeasure:
    """A criterion on sums of rows.

    Parameters
    ----------
    criterion : gini, entropy, error or squared_error.
    n_classes : 0 for numbers.  n_targets : columns of y, of numbers.
    class_factor : per class, empty: all 1.
    """

    def __init__(self, criterion: Criterion, n_classes: int, n_targets: int, class_factor: Floats) -> None:
        if criterion > Criterion.SQUARED_ERROR:
            name = criterion.name.lower()
            raise ValueError(f"{name} needs individual rows, not their sums: use squared_error.")
        nothing = Target(np.zeros(0, np.intp), np.zeros(0), n_classes, class_factor)
        self.classes = Classes(nothing, criterion) if n_classes else None
        self.measure: Measure = self.classes or SquaredError(np.zeros((0, n_targets)))

    def parts(self, sums: Floats, origin: Floats) -> Parts:
        """The statistics of groups; sums are (groups, statistics)."""
        if self.classes is None:
            return SquareParts(sums, origin)
        return ClassParts(sums * self.classes.factor, self.classes.loss)

    def weight(self, sums: Floats) -> Floats:
        """The count of each group, shape (groups, 1), without class factors."""
        return sums[:, :1] if self.classes is None else sums.sum(axis=1, keepdims=True)

    def account(self, sums: Floats, origin: Floats) -> Account:
        """Loss, size and centre of all rows together; sums are (statistics,)."""
        return self.parts(sums[None], origin).account(Masks.all_of(1))

    def value(self, sums: Floats, origin: Floats) -> Floats:
        """The response of a node with these sums."""
        return np.asarray(self.account(sums, origin).center[0] if self.classes is None else sums)


@dataclass(frozen=True)
class SplitSearch:
    """Data for the search in every node: edges between bins and levels of the inputs, the criterion and the rules."""

    edge: list[Floats]
    n_levels: Ints
    measure: HistogramMeasure
    growth: Growth

    def best(self, table: Floats, origin: Floats, tie: float, slack: float, bounds: Bounds) -> BinSplit | None:
        """The split with the largest gain; gains within `tie` are equal, `slack` is the unit of constraints."""
        found: list[tuple[int, Candidates, Floats]] = []
        for feature, sums in enumerate(table):
            candidates = self._candidates(feature, sums, origin, slack)
            if candidates is not None:
                group_sums = sums[_filled(self.measure, sums, candidates.placed)]
                limits = Limits(self.growth.min_samples_leaf, self.sign(feature), slack, bounds)
                parts, weight = self.measure.parts(group_sums, origin), self.measure.weight(group_sums)
                found.append(
                    (feature, candidates, gains_of(parts, weight, candidates.sets, self.measure.measure, limits))
                )
        largest = max((float(gain.max()) for _, _, gain in found), default=-np.inf)
        if largest == -np.inf:
            return None
        feature, candidates, gain = next(one for one in found if (one[2] >= largest - tie).any())
        at = int(np.flatnonzero(gain >= largest - tie)[0])
        return self._split(feature, candidates, at, float(gain[at]), table[feature])

    def sign(self, feature: int) -> int:
        """The monotone constraint of a feature."""
        return int(self.growth.monotone[feature]) if len(self.growth.monotone) else 0

    def _candidates(self, feature: int, sums: Floats, origin: Floats, unit: float) -> Candidates | None:
        """All candidates of a feature, or None."""
        missing, n_levels = self.growth.missing, int(self.n_levels[feature])
        lost = bool(self.measure.weight(sums[-1:])[0, 0] > 0)
        if lost and missing in (Missing.SURROGATE, Missing.FRACTION):
            raise ValueError(
                f"missing={missing.name.lower()!r} is not supported for batched input, where only sums over rows "
                f"are known, and feature {feature} has missing values. "
                "Set missing='direction' or 'category', or fill them in."
            )
        filled = _filled(self.measure, sums, False)
        if not len(filled):
            return None
        grouped = sums[_filled(self.measure, sums, lost)]
        threshold = self.edge[feature][filled[:-1]] if not n_levels else np.zeros(0)
        sets = find_sets(
            lambda n: self.measure.parts(grouped[:n], origin),
            self.measure.measure, n_levels > 0, len(filled), lost, missing, unit,
        )  # fmt: skip
        if not sets:
            return None
        nobody = Rows(np.zeros(0, np.intp), np.zeros(0))
        code = filled if n_levels else np.zeros(0, np.intp)
        return Candidates(nobody, np.zeros(0, np.intp), len(grouped), sets, lost, threshold, code)

    def _split(self, feature: int, candidates: Candidates, at: int, gain: float, sums: Floats) -> BinSplit:
        """The split of candidate number `at`."""
        for sets in candidates.sets:
            if at < len(sets):
                break
            at -= len(sets)
        first = sets[at : at + 1].holds(np.arange(candidates.n_groups))[0]
        threshold, slot = candidates.gate(first, int(self.n_levels[feature]))
        filled, known = _filled(self.measure, sums, False), first[: candidates.n_groups - candidates.placed]
        child = np.zeros(len(sums), np.int8)
        child[filled] = np.where(known, 0, 1)
        weight = self.measure.weight(sums)[:, 0]
        counts = np.array([weight[filled[known]].sum(), weight[filled[~known]].sum()])
        default = (0 if first[-1] else 1) if candidates.placed else larger(float(counts[0]), float(counts[1]))
        child[-1] = default
        if not len(slot):  # an empty bin goes where its values would
            child[:-1] = np.searchsorted(self.edge[feature], threshold, side="left") < np.arange(len(sums) - 1)
        side = np.stack([sums[child == s].sum(axis=0) for s in (0, 1)])
        return BinSplit(feature, threshold, slot, default, max(gain, 0.0), child, side, counts / counts.sum())


def _filled(measure: HistogramMeasure, sums: Floats, with_missing: bool) -> npt.NDArray[np.intp]:
    """The non-empty bins, in order."""
    return np.flatnonzero(measure.weight(sums if with_missing else sums[:-1])[:, 0] > 0)
