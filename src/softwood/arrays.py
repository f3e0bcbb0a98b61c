"""Names of array types, the same in every package, and ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Index = npt.NDArray[np.intp]  # as NumPy's own functions give positions in an array
Mask = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Signs = npt.NDArray[np.int8]
Words = npt.NDArray[np.uint64]


def mean_ranks(values: Floats) -> Floats:
    """Ranks from 1; ties share the mean of theirs, as in `scipy.stats.rankdata`, whose import takes a second.

    >>> mean_ranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[place])
