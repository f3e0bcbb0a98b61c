"""Monotone constraints: which candidates satisfy them, and the bounds that children inherit.

    s * (q_second - q_first) >= 0        on a feature of sign s
    lower <= q_first, q_second <= upper  on any feature

The children of a split on a constrained feature are separated at middle = (q_first + q_second) / 2: all nodes below one
child stay under it, all nodes below the other above it. So every pair of leaves is in order, not only siblings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Mask
from softwood.kernels.contracts.growth import TIE


@dataclass(frozen=True)
class Bounds:
    """Interval of each constrained quantity; empty without constraints."""

    lower: Floats
    upper: Floats

    @classmethod
    def free(cls, n: int) -> Bounds:
        """No bound yet on n quantities."""
        return cls(np.full(n, -np.inf), np.full(n, np.inf))

    def admit(self, first: Floats, second: Floats, sign: int, slack: float) -> Mask:
        """Which candidates satisfy the constraints; first, second: (candidates, quantities)."""
        slack = slack * TIE
        inside = [(self.lower - slack <= q) & (q <= self.upper + slack) for q in (first, second)]
        return np.asarray((inside[0] & inside[1] & (sign * (second - first) >= -slack)).all(axis=1))

    def part(self, first: Floats, second: Floats, sign: int) -> tuple[Bounds, Bounds]:
        """Bounds of the two children, whose quantities are `first` and `second`."""
        if sign == 0:
            return self, self
        middle = np.clip(first, self.lower, self.upper) / 2 + np.clip(second, self.lower, self.upper) / 2
        low, high = Bounds(self.lower, middle), Bounds(middle, self.upper)
        return (low, high) if sign > 0 else (high, low)
