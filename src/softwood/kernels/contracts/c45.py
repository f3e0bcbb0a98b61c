"""The contract of the C4.5 grower (Quinlan 1993, chapters 2 and 3; release 8, Quinlan 1996), for both twins.

All information is in bits, all counts are sums of weight. Over the rows of a node, W their weight, U the part of it
whose value of the feature is missing, w_s the known weight that a test sends to slot s:

    info(rows)  = - sum_c p_c log2 p_c
    gain        = (1 - U / W) * (info(known rows) - sum_s w_s / (W - U) * info(rows of s))
    split info  = - sum_s (w_s / W) log2(w_s / W) - (U / W) log2(U / W)
    ratio       = gain / split info

Number: thresholds between neighbouring known values that leave each side `least` = min_cases, or a tenth of the mean
known weight of a class if that is larger, but at most 25. The one with the largest gain (on ties, the lowest), minus
log2(thresholds tried) / W; it counts only if the difference is above 0.
Category: one branch for each level with known weight here; at least two of them must have min_cases. With `subsets`,
the two groups whose union gives the largest ratio (on ties, the lowest pair) are joined as long as more than two
remain and the ratio does not decrease. A level without weight here has slot -1: it counts as missing.

Choice: the largest ratio (on ties, the lowest feature) among tests whose gain is at least the mean gain - SLACK.
The mean is over all tests that count, without categories with more levels than MANY_LEVELS_PER_ROW * weight of the
root (if there is any other feature). A node stays a leaf if it is pure, has less than 2 * min_cases, or no test has a
ratio above 0.

Rows with a missing value go to every child with weight * `fraction`, the child's proportion of the known weight.
`default` is the child with the largest fraction (on ties, the lowest slot). Ties are within TIE.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Ints
from softwood.kernels.contracts.growth import Target, check_columns, check_target

TIE = 1e-12
SLACK = 1e-3  # bits by which a gain may miss the mean, as in C4.5
MANY_LEVELS_PER_ROW = 0.3  # levels per row from which a category is left out of the mean gain
SMALLEST_PART, LARGEST_LEAST = 0.1, 25.0  # for a side of a threshold


@dataclass(frozen=True)
class C45Growth:
    """Options for growing."""

    min_cases: float = 2.0
    subsets: bool = False


@dataclass(frozen=True)
class C45Grown:
    """A grown tree: children adjacent, parents first.

    value : (nodes, classes) weight per class. gain : W * gain in bits, 0 for a leaf.
    threshold, feature, first_child : NaN, -1, -1 for a leaf; threshold is the middle of two values, NaN for a category.
    fraction : the node's part of its parent's known weight; NaN for the root.
    """

    first_child: Ints
    n_children: Ints
    feature: Ints
    threshold: Floats
    group_begin: Ints
    group: Ints
    default: Ints
    fraction: Floats
    value: Floats
    gain: Floats


def check_c45(X: Floats, n_levels: Ints, code: Ints, weight: Floats, n_classes: int) -> None:
    """The errors of both twins."""
    check_columns(X, n_levels, weight)
    check_target(Target(code, weight, n_classes), len(X))
    if not np.any(weight > 0):
        raise ValueError(f"growing needs a row of weight > 0, but none of {len(weight)} rows has one.")
