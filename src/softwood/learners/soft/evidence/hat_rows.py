"""Rows over a basis of hats: the segment of each value, and the products that a fit needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats, Ints
from softwood.kernels import hat_products
from softwood.learners.soft.evidence.hats import HatBasis
from softwood.learners.soft.rows.dataset import Dataset


@dataclass(frozen=True)
class HatRows:
    """B, one row per row of the data and one column per hat, stored as the segment of each value and a position.

    segment, part : (inputs, rows); see kernels/reference/hat_products.py.
    """

    basis: HatBasis
    segment: Ints
    part: Floats

    @classmethod
    def of(cls, basis: HatBasis, rows: Dataset) -> HatRows:
        shape = len(basis.inputs), len(rows)
        segment, part = np.empty(shape, np.int32), np.empty(shape)
        for i, hats in enumerate(basis.inputs):
            x = rows.X[:, hats.feature] if rows.place is None else rows.X[rows.place, hats.feature]
            segment[i], part[i] = hats.place(x)
        return cls(basis, segment, part)

    def times(self, b: Floats) -> Floats:
        """B b."""
        height = np.append(b, 0.0)
        rise, total = np.diff(height), np.zeros(self.segment.shape[1])
        for segment, part, first in zip(self.segment, self.part, self.basis.begin[:-1].tolist(), strict=True):
            at = segment + first
            total += height[at] + part * rise[at]
        return total

    def transposed_times(self, value: Floats) -> Floats:
        """B' value."""
        begin, total = self.basis.begin.tolist(), np.zeros(int(self.basis.begin[-1]) + 1)
        for segment, part, first, last in zip(self.segment, self.part, begin[:-1], begin[1:], strict=True):
            upper = np.bincount(segment, value * part, last - first)
            total[first:last] += np.bincount(segment, value, last - first) - upper
            total[first + 1 : last + 1] += upper
        return total[:-1]

    def products(self, weight: Floats, n_threads: int = 1) -> Floats:
        """B'WB."""
        return hat_products(self.segment, self.part, weight, self.basis.begin, n_threads)
