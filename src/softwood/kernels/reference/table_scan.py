"""A scan of a table, value by value; the reference for native/core/table_scan.cpp.

The hash of a row is the mixing function of splitmix64 (Steele, Lea, Flood 2014) over its values:

    number = seed;  for every value:  number = mix((number + STEP) ^ bits of the value)

Equal rows have equal hashes, in any order; -0 is 0, and all NaN are equal.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats, Words

# Odd 64-bit constants of splitmix64.
STEP, MIX_1, MIX_2 = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def hash_rows(X: Floats, y: Floats, seed: int) -> Words:
    """A 64-bit hash of every row of two tables (rows, columns), X first; the seed is also a 64-bit number.

    Examples
    --------
    >>> number = hash_rows(np.array([[1.0], [2.0], [1.0]]), np.zeros((3, 1)), 0)
    >>> bool(number[0] == number[2]), bool(number[0] == number[1])
    (True, False)
    """
    number = np.full(len(X), np.uint64(seed))
    for table in (X, y):
        for column in range(table.shape[1]):
            value = np.array(table[:, column], np.float64)
            value[value == 0.0] = 0.0  # -0 is 0
            value[np.isnan(value)] = np.nan  # one NaN for all
            number = _mix(number + STEP ^ value.view(np.uint64))
    return number


def _mix(z: Words) -> Words:
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


def any_infinite(X: Floats) -> bool:
    """Whether a value of a table (rows, columns) is infinite; NaN is not."""
    return bool(np.isinf(X).any())
