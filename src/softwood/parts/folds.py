"""Folds for cross-validation that depend on what the rows hold, not on where they stand.

Every row gets a number made from its own content (a hash of its values and the seed); rows are dealt to the folds in
the order of these numbers, class by class. So equal rows share a fold: a row of weight two is the row twice, no copy
of a training row is held out, and the order of the rows does not matter.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.kernels import content

Floats = npt.NDArray[np.float64]


def deal_folds(X: Floats, y: npt.NDArray[np.generic], n_folds: int, seed: int) -> npt.NDArray[np.int32]:
    """The fold (0 .. n_folds - 1) of every row.

    Parameters
    ----------
    X : (rows, columns); NaN is a value like any other.
    y : class codes (integers: every class is spread over the folds) or numbers of shape (rows, targets).
    n_folds : at least 2.
    seed : another seed, another deal.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([0, 0, 0, 0])
    >>> fold = deal_folds(X, y, 2, seed=0)
    >>> bool(fold[0] == fold[2])
    True
    """
    numbers = y.dtype.kind == "f"
    number = hash_rows(X, y.reshape(len(y), -1).astype(np.float64), seed)
    fold = np.empty(len(number), np.int32)
    start = 0
    for group in [np.ones(len(y), np.bool_)] if numbers else [y == code for code in np.unique(y)]:
        _, place = np.unique(number[group], return_inverse=True)
        fold[group] = (place + start) % n_folds
        start += int(place.max()) + 1  # the next class goes on where this one stopped: folds stay of equal size
    return fold


def hash_rows(X: Floats, y: Floats, seed: int) -> npt.NDArray[np.uint64]:
    """A 64-bit number for every row, the same for equal rows."""
    return content.hash_rows(X, y, seed & 0xFFFFFFFFFFFFFFFF)
