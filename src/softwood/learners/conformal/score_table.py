"""Quantiles of the errors on held-out rows.

    threshold(coverage) = the smallest score s with   weight of the scores up to s >= coverage * (weight of all + 1)

The 1 is the new row itself: if it is exchangeable with the held-out rows, its score is at most the threshold with at
least this probability (Vovk, Gammerman and Shafer 2005; Lei et al. 2018).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats

MAX_POINTS = 1_000  # scores that are kept; of more, those at even steps, each for the ones below it
ROUNDING_SHARE = 1e-9  # of the weight: sums in another order differ by less


@dataclass(frozen=True)
class ScoreTable:
    """Increasing scores, and the weight of the held-out rows up to each."""

    score: Floats
    weight: Floats

    @classmethod
    def of(cls, score: Floats, weight: Floats) -> ScoreTable:
        """A table from the scores of rows; a row of weight two is the row twice.

        Examples
        --------
        >>> ScoreTable.of(np.array([3.0, 1.0, 1.0]), np.ones(3))
        ScoreTable(score=array([1., 3.]), weight=array([2., 3.]))
        """
        order = np.argsort(score, kind="stable")
        score, total = score[order], np.cumsum(weight[order])
        last = np.flatnonzero(np.append(score[1:] != score[:-1], True))  # of equal scores
        if len(last) > MAX_POINTS:
            last = last[np.linspace(0, len(last) - 1, MAX_POINTS).round().astype(np.int64)]
        return cls(score[last], total[last])

    def threshold(self, coverage: float) -> float:
        """The score that a new row does not exceed with this probability; infinite if there are too few held-out
        rows.
        """
        wanted = coverage * (self.weight[-1] + 1.0) - ROUNDING_SHARE * self.weight[-1]
        place = int(np.searchsorted(self.weight, wanted))
        return float(self.score[place]) if place < len(self.score) else float("inf")

    @property
    def largest_coverage(self) -> float:
        """The coverage up to which thresholds are finite."""
        return float(self.weight[-1] / (self.weight[-1] + 1.0))
