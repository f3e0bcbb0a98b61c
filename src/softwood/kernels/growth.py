"""The contract of the hard grower: what goes in, what comes out, and every rule between. Two twins keep it:
`reference/grow.py` (NumPy, obvious) and `native/grow.cpp` (C++, fast).

    grower = Grower(X, n_levels, weight, max_bins=0, n_threads=1)     columns sorted (or binned) once
    grown = grower.grow(target, growth)                               a tree, as often as wanted
    table = grower.surrogates(grown, target, max_surrogates)          stand-ins for every branch

Rows of weight 0 do not exist. A row of weight 2 is the row twice. The result never depends on the number of threads.

Impurity (p = class shares by weight * class_factor): gini 1 - sum p^2, entropy -sum p ln p, error 1 - max p;
squared_error: variance about the mean, absolute_error: mean distance to the median, both averaged over targets. The
weighted median is the smallest y whose cumulative weight reaches half; where it meets half exactly, the mean of that
y and the next.

Gain of a split = W * impurity(parent) - sum_c W_c * impurity(c), over the rows whose value is known, W by weight *
class_factor. The largest gain wins; a gain that is larger by less than TIE * W * impurity(parent) is a tie, and ties go
to the lowest feature, then the lowest threshold (or the order of candidates below). Zero gain is still a split (XOR
needs it).

A node is a leaf when: depth == max_depth; count < min_samples_split; count < 2 * min_samples_leaf; impurity <=
max(min_impurity, EPSILON); no admissible split; gain / W_root + EPSILON < min_impurity_decrease. Counts are sums of
weight. With max_leaves the leaf of largest gain is split first (a tie: the lowest node id), otherwise the order of
growth does not matter. An admissible split has two non-empty sides with count >= min_samples_leaf each, missing rows
counted only where the candidate places them (DIRECTION, CATEGORY).

Numbers: candidates lie between neighbouring distinct values a < b, rising; threshold a / 2 + b / 2, or a if that
rounds to b; x <= threshold is the first child. With max_bins > 0 a column is first cut into bins of about equal
weight, and only the edges between bins are candidates (the upper edge of the lower of two neighbouring non-empty bins).

Categories (codes 0 .. n_levels - 1): levels without a row in the node get slot -1. One target or two classes: levels
sorted by mean (median for absolute_error; ties by code), the best prefix is the first child. More classes or targets:
up to EXACT_LEVELS levels present all subsets that hold the lowest level, in rising order of their bit mask over the
levels present; above that the best prefix over these orders: by the mean of each class or target in turn, then by the
first principal component of the levels' means (weighted by level weight; POWER_STEPS steps of power iteration from
the coordinate of largest variance).

Missing values. SURROGATE: rows with a missing value take no part in the gain; they are sent by the surrogates, then
to the larger child. FRACTION: no part in the gain; the row goes to both children, its weight split in proportion to the
known rows' count. DIRECTION: candidates in the order: each split with the missing rows in the second child, each with
them in the first, then present (first child) against missing (threshold = inf; category: all present levels slot 0).
CATEGORY: as DIRECTION for numbers; for categories the missing rows are one more level (code n_levels), whose slot is
`default`. The larger child, where it is needed as `default`: slot 0 if its known count is strictly larger, else slot 1.

Surrogates of a node: for every other feature, over rows where the node's own feature is known, the split that sends
most weight the same way as the node does. Numbers: thresholds rising, not flipped before flipped; categories: each
level to the side where it has more weight (a tie: the default slot), absent levels -1. agreement = weight sent the same
way / weight with a known primary (so a surrogate that is often missing agrees less, as rpart's default does); adjusted
= (agreement - majority) / (1 - majority). Kept if adjusted > EPSILON_SURROGATE, best first (a tie: the lowest feature),
at most max_surrogates. `grow` itself looks for surrogates only in nodes whose feature is missing somewhere in the
training rows (it needs them to send rows); `surrogates` replays a grown tree and finds those of all branches.

Monotone constraints (+1, -1, 0 per feature, numbers only). The constrained quantity q of a node is the vector of means
(medians), or for classes P(class >= 1), ..., P(class >= K - 1) (by weight * class_factor). Candidates on a feature with
sign s need s * (q_second - q_first) >= 0 in every component; candidates on any feature need both q within the node's
bounds. Children of a split on a constrained feature share the middle of their own q (clipped to the node's bounds) as a
new bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from softwood.kernels.kinds import Criterion, Missing

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

TIE = 1e-12  # relative gain below which two splits are equal: sums of the same rows in another order differ by less
EPSILON = float(np.finfo(np.float64).eps)  # impurity of a pure node, as scikit-learn has it
EPSILON_SURROGATE = 1e-10
EXACT_LEVELS = 10
POWER_STEPS = 50


@dataclass(frozen=True)
class Target:
    """What to predict: class codes (n_classes >= 2, y of shape (rows,)) or numbers (n_classes 0, y (rows, targets))."""

    y: npt.NDArray[Any]
    weight: Floats
    n_classes: int = 0
    class_factor: Floats = field(default_factory=lambda: np.zeros(0))  # per class, empty: all 1


@dataclass(frozen=True)
class Growth:
    """How to grow. Defaults grow until every leaf is pure."""

    criterion: Criterion
    max_depth: int = 2**31 - 1
    max_leaves: int = 0  # 0: no limit
    min_samples_split: float = 2.0
    min_samples_leaf: float = 1.0
    min_impurity: float = 0.0
    min_impurity_decrease: float = 0.0
    missing: Missing = Missing.SURROGATE
    max_surrogates: int = 5
    monotone: npt.NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))  # empty: none


@dataclass(frozen=True)
class SurrogateTable:
    """Fields of `softwood.tree.Surrogates`, as plain arrays."""

    begin: Ints
    feature: Ints
    threshold: Floats
    flip: npt.NDArray[np.bool_]
    group_begin: Ints
    group: Ints
    agreement: Floats
    adjusted: Floats


@dataclass(frozen=True)
class Grown:
    """A grown tree: nodes in the order they were made, children adjacent, parents first.

    value : (nodes, classes) weight per class without class_factor, or (nodes, targets) mean or median.
    fraction : the node's part of its parent's known weight; NaN for the root.
    gain : decrease of W * impurity by the node's split, 0 for a leaf.
    lower, upper : (nodes, constrained quantities) monotone bounds; (nodes, 0) without constraints.
    """

    first_child: Ints
    feature: Ints
    threshold: Floats
    group_begin: Ints
    group: Ints
    default: Ints
    fraction: Floats
    count: Floats
    value: Floats
    impurity: Floats
    gain: Floats
    lower: Floats
    upper: Floats
    surrogates: SurrogateTable


class HardGrower(Protocol):
    """What both twins offer."""

    def __init__(self, X: Floats, n_levels: Ints, weight: Floats, max_bins: int = 0, n_threads: int = 1) -> None: ...

    def grow(self, target: Target, growth: Growth) -> Grown: ...

    def surrogates(self, grown: Grown, target: Target, max_surrogates: int) -> SurrogateTable: ...
