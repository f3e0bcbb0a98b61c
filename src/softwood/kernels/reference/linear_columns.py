"""Columns that are scaled inputs, and the moments that scale them: reference for native/soft/linear_columns.cpp."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softwood.arrays import Floats


def column_moments(X: Floats, weight: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Weighted mean and standard deviation of every column, and its largest absolute value; None if a value is missing.

    A standard deviation too large for a float is inf.

    Examples
    --------
    >>> column_moments(np.array([[1.0, 0.0], [3.0, 0.0]]), np.ones(2))
    (array([2., 0.]), array([1., 0.]), array([3., 0.]))
    """
    if np.isnan(X).any():
        return None
    share = weight / weight.sum()
    mean = np.einsum("i,ij->j", share, X)  # without a table of products
    largest = np.maximum(X.max(axis=0, initial=0.0), np.abs(X.min(axis=0, initial=0.0)))  # avoids -0
    with np.errstate(over="ignore"):
        spread = np.sqrt(np.einsum("i,ij->j", share, np.square(X - mean)))
    return mean, spread, largest


def make_linear_columns(
    X: Floats, feature: Sequence[int], when_missing: Floats, scale: Floats, shift: Floats
) -> Floats:
    """X[:, feature] * scale + shift, a missing value as `when_missing`; (rows, features)."""
    x = X[:, list(feature)]
    return np.ascontiguousarray(np.where(np.isnan(x), when_missing, x) * scale + shift)
