"""Functions and products of fixed order by native code: the same bits on every machine. Twin: reference.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Longs

_native: Any = import_module("softwood.kernels._native")  # not by name: the import would count as one of all kernels


def readable(array: npt.NDArray[Any]) -> Floats:
    """The array for native code, doubles at whole strides: itself, or a copy (such as of a field of records)."""
    flags = array.flags
    is_whole = flags.c_contiguous or all(step % 8 == 0 for step in array.strides)
    if array.dtype == np.float64 and is_whole and flags.aligned:
        return array
    return np.array(array, np.float64, order="C")


def _of_copy(in_place: Callable[[Floats], None]) -> Callable[[Any], Any]:
    """The function of a number or of an array of any shape, by a kernel that changes its argument."""

    def function(x: Any) -> Any:
        value = np.array(x, np.float64, order="C")
        in_place(value.reshape(-1))
        return value if value.ndim else value[()]

    return function


exp, log, log1p, log2, cos_of_turn = map(
    _of_copy,
    (_native.exp_lanes, _native.log_lanes, _native.log1p_lanes, _native.log2_lanes, _native.cos_of_turn_lanes),
)


def power(base: float, exponent: int) -> float:
    return float(_native.power(base, exponent))


def dot(one: Floats, other: Floats) -> float:
    return float(_native.dot(readable(one), readable(other)))


def matmul(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> Any:
    if one.ndim == other.ndim == 1:
        return dot(one, other)
    left = readable(one if one.ndim == 2 else one.reshape(math.prod(one.shape[:-1]), one.shape[-1]))
    right = readable(other if other.ndim == 2 else other[:, None])
    product = np.empty((left.shape[0], right.shape[1]))
    _native.multiply(left, right, product)
    return product.reshape(one.shape[:-1] + other.shape[1:])


def stored_matmul(one: Any, other: Floats) -> Floats:
    rows, transpose = (one.T, True) if one.format == "csc" else (one, False)
    right = np.ascontiguousarray(other if other.ndim == 2 else other[:, None])
    product = np.empty((one.shape[0], right.shape[1]))
    _native.multiply_stored(rows.indptr, rows.indices, rows.data, right, transpose, product)
    return product.reshape(one.shape[:1] + other.shape[1:])


def eigh(S: Floats) -> tuple[Floats, Floats]:
    value, vector = _native.eigen_symmetric(np.ascontiguousarray(S, np.float64))
    return value[::-1], np.ascontiguousarray(vector[::-1].T)


def solve_with_band(S: Floats, right: Floats, n_threads: int = 1) -> tuple[Floats, Floats] | None:
    columns = np.ascontiguousarray(right if right.ndim == 2 else right[:, None])
    found = _native.solve_with_band(np.ascontiguousarray(S), columns, n_threads)
    return None if found is None else (found[0].reshape(right.shape), found[1])


def invert_bands(band: Floats, begin: Longs) -> Floats:
    inverse: Floats = _native.invert_bands(np.ascontiguousarray(band), begin)
    return inverse


def solve(S: Floats, right: Floats, tiny: float, part: float) -> Floats:
    columns = np.ascontiguousarray(right if right.ndim == 2 else right[:, None])
    found: Floats = _native.solve_symmetric(np.ascontiguousarray(S), columns, tiny, part)
    return found.reshape(right.shape)
