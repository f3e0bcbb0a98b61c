"""Finer curves: one more knot in a ramp where a score test finds a step, so that the curve can be steep there.

A ramp from a to b is a sum of one from a to v and one from v to b, so a tree over finer columns predicts as before
until it is refined. With a free weight on each, the curve may bend at v: they add a hat,

    hat(x) = 0 outside of (a, b), 1 at v, linear between,    v the median of the rows between a and b

and a score test (Rao 1948) decides whether its weight is 0 in a form (the score of a gate, the slopes of a leaf, or
those of all leaves), from the gradient of the loss alone, before anything is refined. The gradient of a useless hat
varies with the square root of the number of rows under it; its scale is the median over all hats. Every round splits
the ramps that have a step; finer knots everywhere would cost one parameter per form and knot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Index
from softwood.engines import SumEngine
from softwood.kernels.arithmetic import log
from softwood.learners.soft.columns.design import HINGE, MISSING, DesignMatrix
from softwood.learners.soft.columns.knots import MIN_KNOT_DISTANCE
from softwood.learners.soft.columns.mix import Mix
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.tree import Basis

MakeEngine = Callable[[DesignMatrix], SumEngine]

CURVE_KIND = 2  # kind of the columns that ramps are
MIN_ROWS_IN_RAMP = 20  # between its two knots, to add another knot
MIN_RAMPS_TO_TEST = 16  # for the median of their gradients
MEDIAN_ABS_NORMAL = 0.6745  # median of |z| for a standard normal z
ROUND_ITER = 100  # iterations after ramps were split, up to FULL_REFINEMENT_MAX_ROWS
SCORE_THRESHOLD = 5.0  # for the largest squared score of a knot, beyond 2 log(number of forms)


class Ramps(NamedTuple):
    """The ramps of a design matrix: their columns, the terms of both ends, the ends, and their heights."""

    column: Index
    first: Index
    last: Index
    begin: Floats
    end: Floats
    height: Floats

    def only(self, which: npt.NDArray[np.bool_]) -> Ramps:
        """A subset of the ramps."""
        begin, end, height = self.begin[which], self.end[which], self.height[which]
        return Ramps(self.column[which], self.first[which], self.last[which], begin, end, height)


class FinerDesign(NamedTuple):
    """Columns after some ramps were split; `source` is the old column of each, `part` its proportion of the weight."""

    design: DesignMatrix
    source: Index
    part: Floats

    def transfer(self, tree: SoftTreeParams) -> SoftTreeParams:
        """The same tree over the finer columns."""
        return tree.spread_columns(self.source, self.part)


def find_ramps(design: DesignMatrix) -> Ramps:
    """Columns that are linear between two knots and constant beyond."""
    mix, kept = design.mix, design.mix.value != 0
    count = np.bincount(mix.column[kept], minlength=len(design))
    two = kept & ((count == 2) & (design.kind == CURVE_KIND))[mix.column]
    place = np.flatnonzero(two).reshape(-1, 2)
    terms = mix.term[place]
    low_first = np.diff(design.basis.parameter[terms], axis=1) > 0
    place = np.where(low_first, place, place[:, ::-1])
    first, last = mix.term[place].T
    slope, back = mix.value[place].T
    begin, end = design.basis.parameter[first], design.basis.parameter[last]
    hinges = (design.basis.term[first] == HINGE) & (design.basis.term[last] == HINGE)
    found = Ramps(mix.column[place[:, 0]], first, last, begin, end, slope * (end - begin))
    return found.only(hinges & (slope == -back))


def medians_in_ramps(ramps: Ramps, design: DesignMatrix, X: Floats) -> tuple[Floats, Floats]:
    """The median of the values between the ends of each ramp, NaN if there are too few; and their number."""
    middle, inside = np.full(len(ramps.column), np.nan), np.zeros(len(ramps.column))
    feature = design.feature[ramps.column]
    for f in np.unique(feature):
        mine = np.flatnonzero(feature == f)
        value = np.sort(X[:, f][~np.isnan(X[:, f])])
        after, before = np.searchsorted(value, ramps.begin[mine], "right"), np.searchsorted(value, ramps.end[mine])
        inside[mine] = before - after
        v = value[np.minimum((after + before) // 2, len(value) - 1)]
        apart = np.minimum(v - ramps.begin[mine], ramps.end[mine] - v) > 4 * MIN_KNOT_DISTANCE * (value[-1] - value[0])
        middle[mine] = np.where((inside[mine] >= MIN_ROWS_IN_RAMP) & apart, v, np.nan)
    return middle, inside


def split_ramps(design: DesignMatrix, ramps: Ramps, middle: Floats, rows: Dataset) -> FinerDesign:
    """Each ramp split into two, which meet at its middle."""
    n_terms, columns = len(design.basis), len(design)
    f = design.feature[ramps.column].astype(np.intp)
    left = (middle - ramps.begin) / (ramps.end - ramps.begin)
    source = np.sort(np.r_[np.arange(columns), ramps.column])
    second = np.r_[False, source[1:] == source[:-1]]
    at = np.searchsorted(source, ramps.column)  # the first of the two columns
    part, shift = np.ones(len(source)), design.shift[source]
    part[at], part[at + 1] = left, 1.0 - left
    mean = _mean_heights(f, ramps.begin, middle, rows)
    shift[at] = -ramps.height * mean
    shift[at + 1] = (design.shift[ramps.column] - left * shift[at]) / (1.0 - left)
    new = n_terms + np.arange(len(middle))
    up, down = ramps.height / (middle - ramps.begin), ramps.height / (ramps.end - middle)
    kept = ~np.isin(design.mix.column, ramps.column) & (design.mix.value != 0)
    term = np.r_[design.mix.term[kept], ramps.first, new, new, ramps.last]
    moved = np.flatnonzero(~second)
    column = np.r_[moved[design.mix.column[kept]], at, at, at + 1, at + 1]
    value = np.r_[design.mix.value[kept], up, -up, down, -down]
    basis, place = _with_hinges(design.basis, f, middle, ramps.first)
    order = np.lexsort((place[term], column))
    mix = Mix(place[term][order], column[order], value[order], (len(basis), len(source)))
    rising = None if design.rising is None else design.rising[source]
    finer = DesignMatrix(basis, mix, shift, design.feature[source], design.kind[source], rising)
    return FinerDesign(finer, source, part)


def _mean_heights(feature: Index, begin: Floats, end: Floats, rows: Dataset) -> Floats:
    """Weighted mean of ramps from 0 to 1 between these ends."""
    found = []
    for f, a, b in zip(feature, begin, end, strict=True):
        known = ~np.isnan(rows.X[:, f])
        found.append(np.average(np.clip((rows.X[known, f] - a) / (b - a), 0.0, 1.0), weights=rows.weight[known]))
    return np.array(found)


def _with_hinges(basis: Basis, feature: Index, knot: Floats, beside: Index) -> tuple[Basis, Index]:
    """The terms with hinges at these knots, in increasing order per input; and the new index of each term.

    beside : a hinge at a lower knot of the same input: both use the same mean for missing values.
    """
    lower, above = basis.parameter[beside], basis.when_missing[beside]
    when_missing = np.where(above > 0, np.maximum(lower + above - knot, 0.0), 0.0)
    term = np.r_[basis.term, np.full(len(knot), HINGE)]
    of, parameter = np.r_[basis.feature, feature], np.r_[basis.parameter, knot]
    rank = np.where(term == HINGE, parameter, np.where(term == MISSING, np.inf, -np.inf))
    order = np.lexsort((rank, of))
    columns = (term, of, parameter, np.r_[basis.when_missing, when_missing])
    return Basis(*(column[order] for column in columns)), np.argsort(order)


def split_ramps_by_score_test(
    tree: SoftTreeParams,
    design: DesignMatrix,
    rows: Dataset,
    make_engine: MakeEngine,
) -> FinerDesign | None:
    """The columns with one more knot in every ramp in which the score test finds a step; None if it finds none.

    tree : refined on the engine's rows.  rows : a subset of them; a ramp is split at their median within it.
    """
    ramps = find_ramps(design)
    middle, inside = medians_in_ramps(ramps, design, rows.X)
    able = ~np.isnan(middle)
    ramps, middle, inside = ramps.only(able), middle[able], inside[able]
    if len(middle) < MIN_RAMPS_TO_TEST:
        return None
    finer = split_ramps(design, ramps, middle, rows)
    gradient = _gradient_of_forms(finer.transfer(tree), make_engine(finer.design))
    at, left = np.searchsorted(finer.source, ramps.column), (middle - ramps.begin) / (ramps.end - ramps.begin)
    hat = (gradient[:, at] * (1.0 - left) - gradient[:, at + 1] * left) / (ramps.height * np.sqrt(inside))
    spread = np.median(np.abs(hat), axis=1, keepdims=True) / MEDIAN_ABS_NORMAL
    score = np.square(np.divide(hat, spread, out=np.zeros_like(hat), where=spread > 0)).max(axis=0)
    has_step = score > SCORE_THRESHOLD + 2.0 * log(len(hat))
    return split_ramps(design, ramps.only(has_step), middle[has_step], rows) if has_step.any() else None


def _gradient_of_forms(tree: SoftTreeParams, engine: SumEngine) -> Floats:
    """By form and column: for gates, for slopes, and for the slopes of all leaves together."""
    gradient = engine.gradient(tree.shape, tree.parameters)[1]
    branches, columns = ~tree.leaf, tree.columns
    end = int(branches.sum()) * (columns + 1)
    gates = gradient[:end].reshape(-1, columns + 1)[:, :-1]
    gates = np.where(tree.frozen[branches, :-1], 0.0, gates)
    begin = end + len(tree.leaves) * tree.outputs
    slopes = gradient[begin : begin + tree.shape.slopes * tree.outputs * columns].reshape(-1, tree.outputs, columns)
    together = slopes.sum(axis=0) if len(slopes) > 1 else slopes[:0].reshape(-1, columns)
    return np.concatenate([gates, slopes.reshape(-1, columns), together])
