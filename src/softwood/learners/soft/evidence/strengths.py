"""The penalties on a sum of curves, and their strengths by restricted likelihood (REML).

    S = sum_j strength_j S_j      steps   (b_i+1 - b_i)^2             how much neighbouring heights differ
                                  bends   (b_i+2 - 2 b_i+1 + b_i)^2   how much the curve bends
                                  jumps   (b_i+1 - b_i)^2             the same as steps, where the curve may jump
                                  use     b_i^2                       whether the input is of any use

Each input has its own strength for each of the four (a category only for use). A segment where the curve may jump
(steep.py) has no part in steps and bends. The strengths follow the generalised
Fellner-Schall update (Wood and Fasiolo 2017, Biometrics 73), which increases the restricted likelihood:

    strength_j *= (tr(S^-1 S_j) - tr(V S_j)) / b'S_j b,     V the posterior covariance of the coefficients b

The updates converge slowly if a strength tends to 0 or infinity, so a strength that keeps moving in one direction
moves faster: by a power of its factor, as in Rprop. On synthetic tables of 337 to 4,000 rows 11 to 23 updates came
nearer to the limit than 29 to 40 plain ones.

Only the entries of S^-1 and V within two places of the diagonal meet a nonzero S_j. The paper's generalised inverse is
not needed: S is never singular here, because the strength of use has a minimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Index, Longs, Mask
from softwood.kernels.arithmetic import exp, invert_bands, log, solve_with_band
from softwood.learners.soft.evidence.hats import HatBasis
from softwood.tree.once import computed_once

STEPS, BENDS, JUMPS, USE = 0, 1, 2, 3
# Of the strengths. The minimum for use allows coefficients with ten times the spread of the targets. A curve with the
# maximum is constant, or a line, on as many rows as fit in memory; larger strengths lose all digits to rounding.
MIN_STRENGTH = np.array([1e-4, 1e-4, 1e-4, 1e-2])
MAX_STRENGTH = np.array([1e8, 1e10, 1e8, 1e8])
MAX_FACTOR = 20.0  # largest change of a strength in one update
MAX_POWER, POWER_GROWTH = 4.0, 1.5  # of the factor; its growth with every update in the same direction
TINY = 1e-12  # of a sum of squares, for targets with spread 1


@dataclass(frozen=True)
class Strengths:
    """The strengths, and how they moved last; all (4 penalties, inputs).

    value : 0 if there is no such penalty.  moved : logarithm of the last factor.  power : of the next one.
    """

    value: Floats
    moved: Floats
    power: Floats

    def times(self, factor: Floats) -> Strengths:
        """After an update by these factors, each to its power."""
        moved = np.asarray(log(factor))
        power = np.where(moved * self.moved > 0, np.minimum(POWER_GROWTH * self.power, MAX_POWER), 1.0)
        limit = log(MAX_FACTOR)
        value = self.value * exp(np.clip(power * moved, -limit, limit))
        value = np.clip(value, MIN_STRENGTH[:, None], MAX_STRENGTH[:, None])
        return Strengths(np.where(self.value > 0, value, 0.0), moved, power)


@dataclass(frozen=True)
class Penalties:
    """The penalties of all inputs of a basis, as diagonals.

    diagonal : (4 penalties, 3 diagonals, columns): the main one and the two beside it.
    """

    diagonal: Floats
    begin: Longs  # first column of each input, and the end of the last

    @classmethod
    def of(cls, basis: HatBasis) -> Penalties:
        begin = basis.begin
        diagonal = np.zeros((4, 3, int(begin[-1])))
        diagonal[USE, 0] = 1.0
        for first, hats in zip(begin[:-1].tolist(), basis.inputs, strict=True):
            smooth = ~hats.jumps
            _add_squares(diagonal[JUMPS], first + np.flatnonzero(hats.jumps), (-1.0, 1.0))
            _add_squares(diagonal[STEPS], first + np.flatnonzero(smooth), (-1.0, 1.0))
            _add_squares(diagonal[BENDS], first + np.flatnonzero(smooth[1:] & smooth[:-1]), (1.0, -2.0, 1.0))
        return cls(diagonal, begin)

    @computed_once
    def of_column(self) -> Index:
        """The input of each column."""
        return np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))

    @computed_once
    def exists(self) -> Mask:
        """Which inputs have which penalties."""
        return np.add.reduceat(self.diagonal[:, 0], self.begin[:-1], axis=1) > 0

    def first(self, before: Strengths | None = None) -> Strengths:
        """Initial strengths: 1, or those of a basis with other knots; 0 if there is no such penalty."""
        ones = np.ones(self.exists.shape)
        value = ones if before is None else np.where(before.value > 0, before.value, 1.0)
        return Strengths(np.where(self.exists, value, 0.0), np.zeros_like(ones), ones)

    def total(self, strength: Strengths) -> Floats:
        """The diagonals of S."""
        return np.asarray(np.sum(strength.value[:, None, self.of_column] * self.diagonal, axis=0))

    def traces(self, band: Floats) -> Floats:
        """tr(A S_j) for each penalty and input, by the diagonals of A."""
        products = self.diagonal * (band * np.array([[1.0], [2.0], [2.0]]))
        return np.asarray(np.add.reduceat(products.sum(axis=1), self.begin[:-1], axis=1))

    def squares(self, b: Floats) -> Floats:
        """b'S_j b for each penalty and input."""
        return self.traces(_beside(b))

    def inverse_traces(self, strength: Strengths) -> Floats:
        """tr(S^-1 S_j) for each penalty and input."""
        band = invert_bands(self.total(strength), self.begin)
        return self.traces(band)

    def updated(self, strength: Strengths, b: Floats, covariance: Floats) -> Strengths:
        """The strengths after one update; `covariance` has the diagonals of V."""
        gain = np.maximum(self.inverse_traces(strength) - self.traces(covariance), 1e-8)
        return strength.times(np.clip(gain / np.maximum(self.squares(b), TINY), 1.0 / MAX_FACTOR, MAX_FACTOR))


def _add_squares(diagonal: Floats, first: Index, change: tuple[float, ...]) -> None:
    """The squares of these differences of heights, the first of which are at `first`, as diagonals."""
    for i, one in enumerate(change):
        for k, other in enumerate(change[i:]):
            diagonal[k, first + i] += one * other


def add_band(A: Floats, band: Floats) -> Floats:
    """A plus the symmetric matrix of these diagonals."""
    n = len(A)
    made, rows = A.copy(), np.arange(n)
    for k in range(min(3, n)):
        made[rows[: n - k], rows[k:]] += band[k, : n - k]
        if k:
            made[rows[k:], rows[: n - k]] += band[k, : n - k]
    return made


def solve_scaled(A: Floats, right: Floats, n_threads: int = 1) -> tuple[Floats, Floats] | None:
    """A^-1 right and the diagonals of A^-1 for a positive definite A, solved with a unit diagonal."""
    scale = 1.0 / np.sqrt(np.diag(A))
    found = solve_with_band(A * scale * scale[:, None], right * scale[:, None], n_threads)
    if found is None:
        return None
    solution, band = found
    return solution * scale[:, None], band * _beside(scale)


def _beside(b: Floats) -> Floats:
    """The diagonals of b b': each entry times itself, the next one and the one after that; 0 beyond the end."""
    product = np.zeros((3, len(b)))
    for k in range(3):
        product[k, : len(b) - k] = b[: len(b) - k] * b[k:]
    return product
