"""Inputs without noise in their last digits, which would hide the values that many rows share.

Prices times 1.1, or sums of tenths: equal numbers of a table often differ by rounding. Curves have knots at the values
that many rows share, and histograms cut between them, so values nearer to each other than single precision can tell
become the smallest of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softwood.arrays import Floats
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.moments import STEPS_PER_SPREAD


def without_last_digits(rows: Dataset) -> Dataset:
    """The rows with such values made equal; categories and sparse tables stay as they are."""
    if rows.is_sparse:
        return rows
    merged = {f: values_merged(rows.X[:, f]) for f, levels in enumerate(rows.n_levels) if not levels}
    changed = {f: x for f, x in merged.items() if x is not None}
    if not changed:
        return rows
    X = rows.X.copy()
    for f, x in changed.items():
        X[:, f] = x
    return replace(rows, X=X)


def values_merged(x: Floats) -> Floats | None:
    """Values, near ones merged; None if there are none. Near: relative to the value and to the range of all.

    Examples
    --------
    >>> values_merged(np.array([0.3, 0.1 + 0.2, 0.0, np.nan]))
    array([0.3, 0.3, 0. , nan])
    >>> values_merged(np.array([1e9, 1e9 + 1, 1e9 + 2])) is None
    True
    """
    order = np.argsort(x, kind="stable")
    value = x[order][: len(x) - int(np.count_nonzero(np.isnan(x)))]
    if not len(value):
        return None
    half = value / 2  # a range may overflow a double
    near = np.minimum(np.abs(half[1:]), half[-1] - half[0]) / STEPS_PER_SPREAD
    gap = np.diff(half)
    if not np.any((gap > 0) & (gap <= near)):
        return None
    begins = np.append(True, gap > near)
    found = x.copy()
    found[order[: len(value)]] = value[np.maximum.accumulate(np.where(begins, np.arange(len(value)), 0))]
    return found
