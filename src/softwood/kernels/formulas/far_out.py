"""Linear sums far from the training rows, without loss of digits or overflow.

A curve is a sum of hinges, w0 x + sum_i w_i max(0, x - k_i), whose slopes mostly cancel beyond the last knot K. Each
term grows with x there, and with it the rounding error of the sum: at x = 1e15 it is as large as the curve. The same
function, without the loss, is

    w0 min(x, K) + sum_i w_i max(0, min(x, K) - k_i) + S max(0, x - K),        S = w0 + sum_i w_i

So every column of an input uses min(x, K), except the hinge at K, whose weight becomes S; up to K nothing changes, to
the last bit. A sum S that is not larger than the rounding of its terms is 0: beyond K the curve is constant, or changes
by one product of doubles, which keeps its direction (tree/monotone.py).

No column is so large that a sum of all of them overflows: x is clipped to `low` and `high`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softwood.arrays import Floats, Ints, Longs
from softwood.kernels.kinds import Term

LARGEST_SUM = 1e300  # of a linear sum; links and products of shares have room above it
APART, DIFFERENT = 8, 32  # powers of two between limits of neighbouring columns, and limits that differ
NOTHING = np.zeros(0)
LARGEST = float(np.finfo(np.float64).max)


class SteadySums(NamedTuple):
    """Weights and slopes of a tree for evaluators, in place of the tree's own, and limits of the inputs.

    Attributes
    ----------
    weight_begin, weight_column, weight, slope : as in a tree.
    low, high : per column of the basis; its input is clipped to them.
    """

    weight_begin: Ints
    weight_column: Ints
    weight: Floats
    slope: Floats
    low: Floats
    high: Floats


class SteadyTree:
    """A tree with other weights, otherwise unchanged."""

    def __init__(self, tree: Any) -> None:
        self.tree, self.sums = tree, steady_sums(tree)
        self.__dict__.update(self.sums._asdict())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tree, name)


def steady_sums(tree: Any) -> SteadySums:
    """The sums of a tree, in a form that keeps their digits."""
    basis, slope = tree.basis, tree.slope
    begin, column, weight = tree.weight_begin, tree.weight_column, tree.weight
    if not len(basis):  # usually a hard tree
        return SteadySums(begin, column, weight, slope, NOTHING, NOTHING)
    group, last = _curves(basis)
    knot = np.full(len(basis), LARGEST)
    if (group >= 0).any():
        begin, column, weight = _steady_weights(tree, group, last)
        slope = _steady_slopes(slope, group, last)
        inner = group >= 0
        inner[last] = False
        knot[inner] = basis.parameter[last[group[inner]]]
    low, high = _limits(basis, _largest_weights(len(basis), column, weight, slope))
    return SteadySums(begin, column, weight, slope, low, np.minimum(high, knot))


def _curves(basis: Any) -> tuple[Longs, Longs]:
    """The curve of every column (-1: none), and the column of the last knot of every curve.

    The lines and hinges of an input are a curve, if there are several and the last hinge is 0 for a missing input, as
    in every learned tree: another weight must not change the prediction for a missing value.
    """
    group = np.full(len(basis), -1, np.int64)
    last: list[int] = []
    part = (basis.term == Term.IDENTITY) | (basis.term == Term.HINGE)
    for feature in np.unique(basis.feature[basis.term == Term.HINGE]).tolist():
        mine = np.flatnonzero(part & (basis.feature == feature))
        hinges = mine[basis.term[mine] == Term.HINGE]
        at = int(hinges[np.argmax(basis.parameter[hinges])])
        if len(mine) > 1 and basis.when_missing[at] == 0.0:
            group[mine] = len(last)
            last.append(at)
    return group, np.array(last, np.int64)


def _steady_weights(tree: Any, group: Longs, last: Longs) -> tuple[Ints, Ints, Floats]:
    """Every gate's weight of a curve's last hinge becomes the sum of its weights of the curve, added if missing."""
    n_nodes, n_curves = len(tree.weight_begin) - 1, len(last)
    owner = np.repeat(np.arange(n_nodes), np.diff(tree.weight_begin))
    column, weight = tree.weight_column.astype(np.int64), np.array(tree.weight)
    part = np.flatnonzero(group[column] >= 0)
    key = owner[part] * n_curves + group[column[part]]
    n_keys = n_nodes * n_curves
    total = np.asarray(np.bincount(key, weight[part], n_keys), np.float64)
    size = np.asarray(np.bincount(key, abs(weight[part]), n_keys), np.float64)
    total = _without_noise(total, size, np.bincount(key, minlength=n_keys))
    is_last = part[column[part] == last[group[column[part]]]]
    there = owner[is_last] * n_curves + group[column[is_last]]
    weight[is_last] = total[there]
    total[there] = 0.0
    lacking = np.flatnonzero(total)
    owner = np.append(owner, lacking // n_curves)
    column, weight = np.append(column, last[lacking % n_curves]), np.append(weight, total[lacking])
    order = np.lexsort((column, owner))
    begin = np.searchsorted(owner[order], np.arange(n_nodes + 1))
    return begin.astype(np.int32), column[order].astype(np.int32), weight[order]


def _steady_slopes(slope: Floats, group: Longs, last: Longs) -> Floats:
    """The same for linear responses, (rows of slopes, columns, outputs)."""
    steady = np.array(slope)
    for curve, at in enumerate(last.tolist()):
        mine = np.flatnonzero(group == curve)
        total = size = np.zeros((len(slope), slope.shape[2]))
        for column in mine.tolist():  # one after the other: the same digits on every machine
            total, size = total + slope[:, column], size + abs(slope[:, column])
        steady[:, at] = _without_noise(total, size, len(mine))
    return steady


def _without_noise(total: Floats, size: Floats, count: Any) -> Floats:
    """Sums, 0 if they are not larger than the rounding of their terms, whose absolute values sum to `size`."""
    return np.where(abs(total) <= count * np.finfo(np.float64).eps * size, 0.0, total)


def _largest_weights(n_columns: int, column: Ints, weight: Floats, slope: Floats) -> Floats:
    largest = np.zeros(n_columns)
    np.maximum.at(largest, column, abs(weight))
    return np.maximum(largest, abs(slope).max(axis=(0, 2))) if slope.size else largest


def _limits(basis: Any, largest: Floats) -> tuple[Floats, Floats]:
    """The limits of an input, such that no term is larger than its part of LARGEST_SUM.

    Powers of two, since multiplication by them is exact: terms cancel to the last bit, with or without fused products.
    They differ between columns, so that the largest terms of a sum hardly ever cancel: the rest would depend on the
    order of summation in a language.
    """
    with np.errstate(divide="ignore", over="ignore"):
        room = np.minimum(LARGEST_SUM, LARGEST_SUM / max(len(basis), 1) / largest)
    exponent = np.frexp(room)[1] - 1 - APART * (np.arange(len(basis)) % DIFFERENT)
    high = np.ldexp(1.0, np.where(basis.term == Term.SQUARE, exponent // 2, exponent))
    high[(basis.term == Term.CATEGORY) | (basis.term == Term.MISSING)] = LARGEST
    return -high, high
