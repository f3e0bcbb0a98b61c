"""Functions and products that give the same bits on every machine.

NumPy's `@`, `exp` and `log` do not: a BLAS adds in the order that suits the processor, and NumPy and the C library have
several versions of each function. Learners use these functions instead, so the same rows give the same tree everywhere.
NumPy does some things in the same way everywhere, and these are left to it: sums along an axis, cumulative sums, square
roots, stable sorting. Without native kernels NumPy's own functions stand in, and last digits depend on the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.kernels.backend import native

Floats = npt.NDArray[np.float64]

FLAT = 1e-12  # of the mean diagonal; an entry that is no more is nothing but rounding


def _in_place(kernel: str, reference: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of arrays of any shape, or of a number."""
    fast = getattr(native, kernel) if native is not None else None

    def function(x: Any) -> Any:
        if fast is None:
            return reference(x)
        value = np.array(x, np.float64, order="C")
        fast(value.reshape(-1))
        return value if value.ndim else value[()]

    return function


exp = _in_place("exp_lanes", np.exp)
log = _in_place("log_lanes", np.log)
log1p = _in_place("log1p_lanes", np.log1p)  # for x > -1
log2 = _in_place("log2_lanes", np.log2)
_cos_of_turn = _in_place("cos_of_turn_lanes", lambda turn: np.cos(2.0 * np.pi * turn))


def cos_pi(x: Any) -> Any:
    """cos(pi x).

    >>> cos_pi(np.array([0.0, 1.0, -2.0])).tolist()
    [1.0, -1.0, 1.0]
    """
    return _cos_of_turn(np.mod(np.multiply(x, 0.5), 1.0))


def log_one_plus_exp(x: Floats) -> Floats:
    """log(1 + exp(x)) without overflow."""
    return np.asarray(np.maximum(x, 0.0) + log1p(exp(-np.abs(x))))


def power(base: float, exponent: int) -> float:
    """The power of a whole number >= 0.

    >>> power(0.5, 3)
    0.125
    """
    return float(native.power(base, exponent)) if native is not None else float(base) ** exponent


def root(base: float, degree: float) -> float:
    """base^(1 / degree) of a positive number."""
    return float(exp(log(base) / degree))


def dot(one: Floats, other: Floats) -> float:
    """The product of two vectors."""
    if native is None:
        return float(np.add.reduce(one * other))
    return float(native.dot(_floats(one), _floats(other)))


def norm(vector: Floats) -> float:
    """The length of a vector."""
    return float(np.sqrt(dot(vector, vector)))


def matmul(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> Any:
    """`one @ other`, of which the second has one or two axes; a number for two vectors.

    >>> matmul(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])).tolist()
    [-1.0, -1.0]
    """
    if one.ndim == 1 and other.ndim == 1:
        return dot(one, other)
    if native is None:
        return one @ other
    left = _floats(one if one.ndim == 2 else one.reshape(math.prod(one.shape[:-1]), one.shape[-1]))
    right = _floats(other if other.ndim == 2 else other[:, None])
    product = np.empty((left.shape[0], right.shape[1]))
    native.multiply(left, right, product)
    return product.reshape(one.shape[:-1] + other.shape[1:])


def stored_matmul(one: Any, other: Floats) -> Floats:
    """`one @ other` of a sparse matrix (CSR) and an array of one or two axes; of its transpose by `one.T` (CSC)."""
    if native is None:
        return np.asarray(one @ other)
    rows, transpose = (one.T, True) if one.format == "csc" else (one, False)
    right = np.ascontiguousarray(other if other.ndim == 2 else other[:, None])
    product = np.empty((one.shape[0], right.shape[1]))
    native.multiply_stored(rows.indptr, rows.indices, rows.data, right, transpose, product)
    return product.reshape(one.shape[:1] + other.shape[1:])


def _floats(array: npt.NDArray[Any]) -> Floats:
    """As native code reads it: doubles at whole steps."""
    if array.dtype == np.float64 and all(step % 8 == 0 for step in array.strides) and array.flags.aligned:
        return array
    return np.array(array, np.float64, order="C")


def eigh(S: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues of a symmetric matrix, rising, and its eigenvectors, one per column."""
    if native is None:
        value, vector = np.linalg.eigh(S)
        return value, vector
    value, vector = native.eigen_symmetric(np.ascontiguousarray(S, np.float64))
    return value[::-1], np.ascontiguousarray(vector[::-1].T)


def solve(S: Floats, right: Floats, tiny: float, part: float) -> Floats:
    """S^-1 right of a symmetric S; within the leading eigenvectors that keep `part` of the trace where S is singular:
    where no more than `tiny` of a diagonal entry is left, given the columns before.
    """
    columns = right if right.ndim == 2 else right[:, None]
    if native is None:
        return _solve_by_numpy(S, columns, tiny, part).reshape(right.shape)
    found: Floats = native.solve_symmetric(np.ascontiguousarray(S), np.ascontiguousarray(columns), tiny, part)
    return found.reshape(right.shape)


def _solve_by_numpy(S: Floats, right: Floats, tiny: float, part: float) -> Floats:
    diagonal = np.diag(S)
    if len(S) and np.all(diagonal > FLAT * np.trace(S) / len(S)):
        try:
            factor = np.linalg.cholesky(S)
        except np.linalg.LinAlgError:
            factor = np.zeros_like(S)
        if np.all(np.square(np.diag(factor)) > tiny * diagonal):
            return np.asarray(np.linalg.solve(S, right))
    value, vector = np.linalg.eigh(S)
    value, vector = value[::-1], vector[:, ::-1]
    total = float(value.clip(0.0).sum())
    if not total > 0.0:
        return np.zeros_like(right)
    kept = int(np.searchsorted(np.cumsum(value), part * total)) + 1
    value, vector = value[:kept], vector[:, :kept]
    return np.asarray(vector @ ((vector.T @ right) / value[:, None]))


def leading_directions(A: Floats) -> tuple[Floats, Floats]:
    """The left and right singular vector of the largest singular value of A; their common sign is arbitrary.

    >>> left, right = leading_directions(np.array([[3.0, 4.0], [0.0, 0.0]]))
    >>> np.abs(left).round(6).tolist(), np.abs(right).round(6).tolist()
    ([1.0, 0.0], [0.6, 0.8])
    """
    size = float(np.abs(A).max(initial=0.0))
    scaled = A / size if size > 0.0 else A
    if A.shape[0] <= A.shape[1]:
        left = eigh(matmul(scaled, scaled.T))[1][:, -1]
        right = matmul(left, scaled)
        return left, right / max(norm(right), np.finfo(float).tiny)
    right, left = leading_directions(scaled.T)
    return left, right
