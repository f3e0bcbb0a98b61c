"""The contract of the hard grower: its inputs, its outputs and all rules. There are two implementations:
`reference/grow.py` (NumPy, simple) and `native/hard/grower.cpp` (C++, fast).

    grower = Grower(X, n_levels, weight, max_bins=0, n_threads=1)     columns sorted (or binned) once
    grown = grower.grow(target, growth)                               a tree; may be called repeatedly
    table = grower.surrogates(grown, target, max_surrogates, monotone)   surrogates of every branch

X is finite or NaN (missing): an array, or a SparseTable (numbers only, and not with absolute_error, quantile or
huber), which gives the same tree as the dense array. Rows of weight 0, in the grower's `weight` or the target's, are
ignored. A row of weight 2 is the row twice. The grower's weight is used for bins, the target's for everything else. If
no row is left, a ValueError is raised. The result never depends on the number of threads or the order of rows.

Comparisons of sums hold up to rounding, so that implementations that add in another order agree: "reaches", "meets",
"at least", "strictly larger" and "a tie" below all allow TIE, relative to the quantity named there.

Impurity (p = class shares by weight * class_factor): gini 1 - sum p^2, entropy -sum p ln p, error 1 - max p;
squared_error: variance about the mean m; poisson (y >= 0): mean of y log(y / m) - y + m; absolute_error: mean distance
to the median; quantile: mean of p u above the p-quantile, (1 - p) u below it, u the distance; huber: mean of u^2 / 2
where u <= d, else d u - d^2 / 2, u the distance to the c that minimises the sum. All are averaged over targets; p and
d are `parameter`, one per target. The weighted p-quantile (median: p = 0.5) is the smallest y whose cumulative weight
reaches p (cumulative >= (p - TIE) * W); where it meets p (also <= (p + TIE) * W), the mean of that y and the next. c is
where psi(c) = sum w clip(y - c, -d, d) is 0; where |psi| <= TIE * d * W at some of the points y - d, y + d, the middle
of the first and the last of them. A node with W = 0 (its classes all have factor 0) has impurity 0; one with equal y
has impurity exactly 0.

Gain of a split = W * impurity(parent) - sum_c W_c * impurity(c), over the rows whose value is known (parent too: its
known rows), W by weight * class_factor; a gain below 0 by rounding is 0. The winner is the first candidate whose gain
is >= the largest - tie * W * impurity of the whole node; tie is TIE, for squared_error TIE + FAR_TIE * (distance of
the node's mean from the root's, the largest over targets) / sqrt(impurity), for poisson TIE + FAR_TIE * (the largest
mean) / unit (below). The order of candidates is: features increasing, then thresholds increasing or the order
below. A split may have zero gain (XOR needs it).

A node is a leaf when: depth == max_depth (the root has 0); count < min_samples_split; count < 2 * min_samples_leaf;
impurity <= max(min_impurity, EPSILON); no admissible split; gain / W_root + EPSILON < min_impurity_decrease. Counts
are sums of weight, and fall short of a limit only below limit * (1 - TIE). With max_leaves the leaf of largest gain
is split first (a tie, gains within TIE * W * impurity of the root: the lowest node id), otherwise the lowest node id,
so nodes are numbered level by level. An admissible split has two non-empty sides with count >= min_samples_leaf each,
missing rows counted only where the candidate places them (DIRECTION, CATEGORY). With poisson both sides have sums of y
above 0, for every target (above TIE times that of the rows that take part): a mean of 0 would be overconfident.

Numbers: candidates lie between neighbouring distinct values a < b, increasing; threshold a / 2 + b / 2, or a if that
rounds to b; x <= threshold is the first child. With max_bins > 0 a column is first cut into bins of about equal
weight, and only the edges between bins are candidates (the upper edge of the lower of two neighbouring non-empty
bins). Bins: distinct values v_1 < ... < v_m of the rows, c_i the weight up to v_i, c_m = W. With m <=
max_bins every value is a bin; otherwise bins end at the first v_i with c_i >= (k / max_bins - TIE) * W, k = 1 ..
max_bins - 1 (the same v_i twice ends one bin; v_m ends the last). The edge after v_i is the threshold between v_i and
v_i+1. max_bins is at most MAX_BINS; a column with missing values keeps one bin of MAX_BINS for them.

Categories (codes 0 .. n_levels - 1): levels without a row in the node get slot -1. One target or two classes: levels
sorted by mean (the share of class 1 by weight * class_factor; the centre for absolute_error, quantile and huber; ties,
within TIE * unit of their lowest, by code; unit is that of the monotone constraints below), the best prefix is the
first child. Several targets by these three: the same for the centres of each target in turn. More classes or targets
otherwise: up to EXACT_LEVELS levels present all subsets that hold the lowest level, in increasing order of their bit
mask over the levels present, as first child; above that the best prefix over these orders, one after the other: by the
mean of each class or target in turn, then by the first principal component of the levels' means: covariance about their
mean, levels weighted by W; POWER_STEPS steps of power iteration from the coordinate of largest variance (a tie: the
lowest), each divided by its length, ended by a length of 0.

Missing values. SURROGATE: rows with a missing value take no part in the gain; they are sent by the surrogates, then
to the larger child. FRACTION: no part in the gain; the row goes to both children, its weight split in proportion to
the known rows' count. DIRECTION: order of candidates: each split with the missing rows in the second child, each
with them in the first, then present (first child) against missing (threshold = inf; category: all present levels slot
0). Levels are sorted by their known rows, and with several orders each stage runs through all of them. CATEGORY: like
DIRECTION for numbers; for categories the missing rows are one more level (code n_levels, the highest; it counts
towards EXACT_LEVELS), whose slot is `default`. In a node without missing rows they are ordinary splits. `default` is
the larger child wherever the candidate does not place missing rows: slot 0 if its known count is strictly larger (by
more than TIE * known count), else slot 1; a leaf has default 0.

Surrogates of a node: for every other feature, over rows where the node's own feature is known (readable: a level of
slot -1 is not), the split that sends most weight the same way as the node does. Numbers: the thresholds that a split
of the rows with both values known would try, rising, at each not flipped before flipped, the first within TIE *
weight with a known primary of the most; categories: each level to the side where it has more weight (a tie, within
TIE * the level's weight: the default slot), absent levels -1, threshold NaN. agreement = weight sent the same way /
weight with a known primary (so a surrogate that is often missing agrees less, as rpart's default does); adjusted =
(agreement - majority) / (1 - majority). Kept if adjusted > EPSILON_SURROGATE, best agreement first (a tie, within
TIE: the lowest feature), at most max_surrogates; none if the smaller child has count < WORTH_IMITATING: a single row
is too little. A feature with a monotone sign is a surrogate only if the node's own feature has one, not flipped if
the two signs are equal, flipped if not: children of a split on another feature have no order.
Weight is without class_factor. `grow` itself looks for surrogates only under SURROGATE, in every node whose feature is
missing in some row of the root (it needs them to send rows); `surrogates` replays a grown tree and finds those of all
branches. The replay sends rows that a gate cannot read by the surrogates it finds, then to `default`.

Monotone constraints (+1, -1, 0 per feature; numbers only, a nonzero sign on a category is a ValueError; empty or all 0:
none). The constrained quantity q of a node is the vector of means (centres), or for classes P(class >= 1), ...,
P(class >= K - 1) (by weight * class_factor). Candidates on a feature with sign s need s * (q_second - q_first) >= 0 in
every component; candidates on any feature need both q within the node's bounds (scikit-learn requires this only
for constrained features, and clips). q is for the rows that take part in the gain. Both hold to within TIE * unit, unit
= 1 for classes, sqrt(impurity) of the node for squared_error and huber, sqrt(2 * impurity * mean over targets) for
poisson, impurity for absolute_error and quantile. The root's bounds are -inf and inf. Children of a split on a
constrained feature share as a new bound the middle of their own q (of all rows that arrived, each clipped to the
node's bounds): the upper bound of the first and the lower of the second for s = +1, the other way round for -1.
Children of other splits inherit the bounds. Values are not clipped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints, Signs
from softwood.kernels.contracts.level_slots import EVERY_LEVEL
from softwood.kernels.kinds import Criterion, Missing
from softwood.kernels.sparse.table import SparseTable

TIE = 1e-12  # relative gain below which two splits are equal: sums of the same rows in another order differ by less
EPSILON = float(np.finfo(np.float64).eps)  # impurity of a pure node, as in scikit-learn
FAR_TIE = 16 * EPSILON  # for squared error, per standard deviation of the node between its mean and the root's
EPSILON_SURROGATE = 1e-10
WORTH_IMITATING = 2  # count of the smaller child from which a node has surrogates
EXACT_LEVELS = 10
MAX_BINS = 256
POWER_STEPS = 50
UNCONSTRAINED: Signs = np.zeros(0, np.int8)  # no monotone constraints


@dataclass(frozen=True)
class Target:
    """The target: class codes (n_classes >= 2, y: (rows,)) or numbers (n_classes 0, y: (rows, targets))."""

    y: npt.NDArray[Any]
    weight: Floats
    n_classes: int = 0
    class_factor: Floats = field(default_factory=lambda: np.zeros(0))  # per class, empty: all 1


MOST_PLACES = 2**28  # eight bytes each: a gate on a category stores the child of every level of its rows


@dataclass(frozen=True)
class Growth:
    """Options for growing. Defaults grow until every leaf is pure."""

    criterion: Criterion
    max_depth: int = 2**31 - 1
    max_leaves: int = 0  # 0: no limit
    min_samples_split: float = 2.0
    min_samples_leaf: float = 1.0
    min_impurity: float = 0.0
    min_impurity_decrease: float = 0.0
    missing: Missing = Missing.SURROGATE
    max_surrogates: int = 5
    monotone: Signs = field(default_factory=lambda: UNCONSTRAINED)
    parameter: Floats = field(default_factory=lambda: np.zeros(0))  # of quantile and huber, one per target
    max_places: int = MOST_PLACES  # maximum number of levels of their rows that all gates on categories store
    every_level: int = EVERY_LEVEL  # number of slots up to which gates and surrogates store every level


@dataclass(frozen=True)
class SurrogateTable:
    """Fields of `softwood.tree.Surrogates`, as plain arrays."""

    begin: Ints
    feature: Ints
    threshold: Floats
    flip: npt.NDArray[np.bool_]
    group_begin: Ints
    group: Ints
    group_level: Ints
    agreement: Floats
    adjusted: Floats


@dataclass(frozen=True)
class Grown:
    """A grown tree: nodes in the order of creation, children adjacent, parents first.

    value : (nodes, classes) weight per class without class_factor, or (nodes, targets) mean, median or other centre.
    threshold, feature, first_child : NaN, -1, -1 for a leaf; threshold is NaN for a category.
    group_begin, group, group_level : slots of category splits (level_slots.py); above `every_level` slots, only those
        of the levels in the node's rows.
    fraction : the node's proportion of its parent's known count (rows whose value is not missing); NaN for the
        root.
    gain : decrease of W * impurity by the node's split, 0 for a leaf.
    lower, upper : (nodes, constrained quantities) monotone bounds; (nodes, 0) without constraints.
    """

    first_child: Ints
    feature: Ints
    threshold: Floats
    group_begin: Ints
    group: Ints
    group_level: Ints
    default: Ints
    fraction: Floats
    count: Floats
    value: Floats
    impurity: Floats
    gain: Floats
    lower: Floats
    upper: Floats
    surrogates: SurrogateTable


class Branches(Protocol):
    """The parts of a tree that a replay needs, from any source."""

    @property
    def first_child(self) -> Ints: ...
    @property
    def feature(self) -> Ints: ...
    @property
    def threshold(self) -> Floats: ...
    @property
    def group_begin(self) -> Ints: ...
    @property
    def group(self) -> Ints: ...
    @property
    def group_level(self) -> Ints: ...
    @property
    def default(self) -> Ints: ...


class HardGrower(Protocol):
    """The interface of both implementations."""

    def __init__(
        self, X: Floats | SparseTable, n_levels: Ints, weight: Floats, max_bins: int = 0, n_threads: int = 1
    ) -> None: ...

    def grow(self, target: Target, growth: Growth) -> Grown: ...

    def surrogates(
        self,
        grown: Branches,
        target: Target,
        max_surrogates: int,
        monotone: Signs = UNCONSTRAINED,
        every_level: int = EVERY_LEVEL,
    ) -> SurrogateTable: ...


def check_codes(code: npt.NDArray[Any], n: int, what: str) -> None:
    """Codes are whole numbers 0 .. n - 1; NaN counts as missing if they are floats."""
    known = code[~np.isnan(code)] if code.dtype.kind == "f" else code
    if not len(known):
        return
    low, high = known.min(), known.max()
    if not (low >= 0 and high < n) or (code.dtype.kind == "f" and np.any(known != np.floor(known))):
        raise ValueError(f"{what} must be whole numbers 0..{n - 1}, got {low:g}..{high:g}.")


def check_places(places: int, levels: int, gates: int, growth: Growth) -> None:
    """An error if gates on categories take too much memory."""
    if places > growth.max_places:
        raise ValueError(
            f"gates on a category of {levels} levels keep a place for each level of their rows, and after {gates} "
            f"gates the tree has {places} of them, more than {growth.max_places}. Limit the tree (max_leaves, "
            "max_depth, min_samples_leaf), or merge levels."
        )


def check_columns(X: Floats | SparseTable, n_levels: Ints, weight: Floats) -> None:
    """Errors for columns: sizes that do not match, or a code without a category."""
    if X.ndim != 2 or len(n_levels) != X.shape[1] or np.shape(weight) != (len(X),):
        given = f"X {X.shape}, n_levels ({len(n_levels)},), weight {np.shape(weight)}"
        raise ValueError(f"n_levels must have an entry for each column of X, weight one for each row, got {given}.")
    if isinstance(X, SparseTable):
        if np.any(n_levels):
            raise ValueError(f"a sparse table must have numbers only, got levels of feature {np.argmax(n_levels)}.")
        return
    for feature in np.flatnonzero(n_levels):
        check_codes(X[:, feature], int(n_levels[feature]), f"categories of feature {feature}")


def check_target(target: Target, n_rows: int) -> None:
    """Errors for a target: sizes that do not match, or a code without a class."""
    y, factors = np.asarray(target.y), len(target.class_factor)
    if len(y) != n_rows or y.ndim != (1 if target.n_classes else 2) or np.shape(target.weight) != (n_rows,):
        given = f"y {y.shape}, weight {np.shape(target.weight)}"
        raise ValueError(f"y and weight must have an entry for each of {n_rows} rows, got {given}.")
    if target.n_classes and factors not in (0, target.n_classes):
        raise ValueError(f"class_factor must have {target.n_classes} entries or none, got {factors}.")
    if target.n_classes:
        check_codes(y, target.n_classes, "classes")


def check_parameter(target: Target, growth: Growth) -> None:
    """Errors for quantiles, huber's width, and counts."""
    criterion, parameter = growth.criterion, np.asarray(growth.parameter)
    if criterion in (Criterion.QUANTILE, Criterion.HUBER):
        wanted = np.asarray(target.y).shape[1]
        if len(parameter) != wanted:
            raise ValueError(f"parameter must have an entry for each of {wanted} targets, got {len(parameter)}.")
        if not np.all((parameter > 0) & (parameter < (1 if criterion == Criterion.QUANTILE else np.inf))):
            raise ValueError(f"parameter of {criterion.name} must be above 0 (a quantile below 1), got {parameter}.")
    if criterion == Criterion.POISSON and np.any(np.asarray(target.y)[np.asarray(target.weight) > 0] < 0):
        raise ValueError("POISSON needs targets >= 0.")


SUMS = (Criterion.GINI, Criterion.ENTROPY, Criterion.ERROR, Criterion.SQUARED_ERROR, Criterion.POISSON)


def check_growth(target: Target, growth: Growth, n_levels: Ints, weight: Floats, is_sparse: bool = False) -> None:
    """All errors of both implementations."""
    check_target(target, len(weight))
    if is_sparse and growth.criterion not in SUMS:
        raise ValueError(
            f"criterion {growth.criterion.name} is not supported for sparse X: it is not a function of sums over rows."
        )
    if len(growth.monotone) not in (0, len(n_levels)):
        raise ValueError(f"monotone must have {len(n_levels)} entries or none, got {len(growth.monotone)}.")
    if (growth.criterion >= Criterion.SQUARED_ERROR) != (target.n_classes == 0):
        raise ValueError(f"{growth.criterion.name} does not fit a target with n_classes={target.n_classes}.")
    check_parameter(target, growth)
    if not np.any((weight > 0) & (target.weight > 0)):
        raise ValueError(f"growing needs a row of weight > 0, but none of {len(weight)} rows has one.")
    for feature in np.flatnonzero(growth.monotone):
        if n_levels[feature]:
            raise ValueError(
                f"monotone must be 0 for a category, got {growth.monotone[feature]} for feature {feature}."
            )
