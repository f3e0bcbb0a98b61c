"""Sums of products of hats over rows: B'WB of a sum of piecewise linear curves.

Every input has `begin[f + 1] - begin[f]` columns. A row is in one segment of each: it has 1 - part in the column of its
segment, part in the next one, and 0 in all others. A level of a category is a segment with part 0.

The native twin adds four sums for each pair of segments, 1, part_f, part_g and part_f part_g times the weight, and
converts them to columns at the end, so a pair of inputs takes one vector addition per row: the discretised sums of
Wood, Li, Shaddick and Augustin (2017), but exact, since a curve is linear within a segment.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats, Ints, Longs


def hat_products(segment: Ints, part: Floats, weight: Floats, begin: Longs, n_threads: int = 1) -> Floats:
    """B'WB, (columns, columns).

    segment, part : (inputs, rows).  weight : (rows,).  begin : (inputs + 1,), first column of each input.
    """
    rows = np.arange(len(weight))
    B = np.zeros((len(weight), int(begin[-1]) + 1))
    for f in range(len(segment)):
        B[rows, begin[f] + segment[f]] += 1.0 - part[f]
        B[rows, begin[f] + segment[f] + 1] += part[f]
    B = B[:, :-1]
    return np.asarray(B.T @ (B * weight[:, None]))
