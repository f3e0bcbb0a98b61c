"""Functions and products that give the same bits on every machine.

NumPy's `@`, `exp` and `log` do not: a BLAS adds in an order that depends on the processor, and NumPy and the C library
have several versions of each function. Learners use these functions instead, so the same rows give the same tree
everywhere. Some NumPy operations are the same everywhere and are used directly: sums along an axis, cumulative sums,
square roots, stable sorting. Without native kernels NumPy's functions are used, and last digits depend on the machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import reference
from softwood.kernels.dispatch import choose

exp = choose(reference.exp)
log = choose(reference.log)
log1p = choose(reference.log1p)
log2 = choose(reference.log2)
power = choose(reference.power)
dot = choose(reference.dot)
matmul = choose(reference.matmul)
stored_matmul = choose(reference.stored_matmul)
eigh = choose(reference.eigh)
solve = choose(reference.solve)
solve_with_band = choose(reference.solve_with_band)
invert_bands = choose(reference.invert_bands)
_cos_of_turn = choose(reference.cos_of_turn)


def cos_pi(x: Any) -> Any:
    """cos(pi x).

    >>> cos_pi(np.array([0.0, 1.0, -2.0])).tolist()
    [1.0, -1.0, 1.0]
    """
    return _cos_of_turn(np.mod(np.multiply(x, 0.5), 1.0))


def log_one_plus_exp(x: Floats) -> Floats:
    """log(1 + exp(x)) without overflow."""
    return np.asarray(np.maximum(x, 0.0) + log1p(exp(-np.abs(x))))


def root(base: float, degree: float) -> float:
    """base^(1 / degree) of a positive number."""
    return float(exp(log(base) / degree))


def norm(vector: Floats) -> float:
    """The Euclidean norm of a vector."""
    return float(np.sqrt(dot(vector, vector)))


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
