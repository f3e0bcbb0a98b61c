"""NumPy's own functions and products: last digits depend on the machine. Twin: native.py, to the bit everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Longs

FLAT = 1e-12  # of the mean diagonal; a smaller entry is rounding


def exp(x: Any) -> Any:
    """Exp of a number or of every entry of an array."""
    return np.exp(x)


def log(x: Any) -> Any:
    """The natural logarithm."""
    return np.log(x)


def log1p(x: Any) -> Any:
    """log(1 + x), for x > -1."""
    return np.log1p(x)


def log2(x: Any) -> Any:
    """The logarithm to base 2."""
    return np.log2(x)


def cos_of_turn(x: Any) -> Any:
    """cos(2 pi x), for 0 <= x < 1."""
    return np.cos(2.0 * np.pi * x)


def power(base: float, exponent: int) -> float:
    """The power of a whole number >= 0."""
    return float(base) ** exponent


def dot(one: Floats, other: Floats) -> float:
    """The product of two vectors."""
    return float(np.add.reduce(one * other))


def matmul(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> Any:
    """`one @ other`, where the second has one or two axes; a number for two vectors.

    >>> matmul(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])).tolist()
    [-1.0, -1.0]
    """
    return dot(one, other) if one.ndim == other.ndim == 1 else one @ other


def stored_matmul(one: Any, other: Floats) -> Floats:
    """`one @ other` of a sparse matrix (CSR) and an array of one or two axes; of its transpose by `one.T` (CSC)."""
    return np.asarray(one @ other)


def eigh(S: Floats) -> tuple[Floats, Floats]:
    """Increasing eigenvalues of a symmetric matrix, and its eigenvectors, one per column."""
    value, vector = np.linalg.eigh(S)
    return value, vector


def solve(S: Floats, right: Floats, tiny: float, part: float) -> Floats:
    """S^-1 right of a symmetric S; within the leading eigenvectors that keep `part` of the trace if S is singular:
    if at most `tiny` of a diagonal entry is unexplained by the previous columns.
    """
    columns, diagonal = right if right.ndim == 2 else right[:, None], np.diag(S)
    if len(S) and np.all(diagonal > FLAT * np.trace(S) / len(S)):
        try:
            factor = np.linalg.cholesky(S)
        except np.linalg.LinAlgError:
            factor = np.zeros_like(S)
        if np.all(np.square(np.diag(factor)) > tiny * diagonal):
            return np.asarray(np.linalg.solve(S, columns)).reshape(right.shape)
    value, vector = np.linalg.eigh(S)
    value, vector = value[::-1], vector[:, ::-1]
    total = float(value.clip(0.0).sum())
    if not total > 0.0:
        return np.zeros_like(right)
    kept = int(np.searchsorted(np.cumsum(value), part * total)) + 1
    value, vector = value[:kept], vector[:, :kept]
    return np.asarray(vector @ ((vector.T @ columns) / value[:, None])).reshape(right.shape)


def solve_with_band(S: Floats, right: Floats, n_threads: int = 1) -> tuple[Floats, Floats] | None:
    """S^-1 right of a positive definite S, and the diagonal of S^-1 with the two beside it, (3, n), zeros at the end.

    None if S is not numerically positive definite.
    """
    try:
        np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        return None
    inverse, band = np.linalg.inv(S), np.zeros((3, len(S)))
    for k in range(min(3, len(S))):
        band[k, : len(S) - k] = np.diag(inverse, k)
    return np.asarray(np.linalg.solve(S, right), np.float64), band


def invert_bands(band: Floats, begin: Longs) -> Floats:
    """The diagonals, as in `solve_with_band`, of the inverse of a symmetric block matrix, given by its diagonals.

    begin : start of each block, and the end of the last. A block that is not positive definite has an inverse of 0.
    """
    inverse = np.zeros_like(band)
    for first, last in zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True):
        n = last - first
        scale = 1.0 / np.sqrt(band[0, first:last])
        block = sum(np.diag(band[k, first : last - k], k) for k in range(min(3, n)))
        block = (block + np.triu(block, 1).T) * scale * scale[:, None]
        found = solve_with_band(block, np.zeros((n, 0)))
        if found is not None:
            for k in range(min(3, n)):
                inverse[k, first : last - k] = found[1][k, : n - k] * scale[: n - k] * scale[k:]
    return inverse
