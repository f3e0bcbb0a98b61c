"""Selection by a binary classifier: bins of its score (lift), and cut-offs of its probability.

lift   rate of positive rows in a bin / rate among all rows
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from softwood.arrays import Floats, Mask
from softwood.measures.intervals import equal_bins

CUTOFFS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


class LiftLine(NamedTuple):
    """A bin of rows; cumulative proportions are of this bin and all bins with higher scores."""

    rows: int
    mean_score: float
    positives: int
    rate: float
    lift: float
    cumulated_rows: float
    cumulated_positives: float
    cumulated_lift: float


class CutoffLine(NamedTuple):
    """Rates if rows with a probability of at least the cut-off are selected."""

    cutoff: float
    selection_rate: float
    precision: float
    true_positive_rate: float
    false_positive_rate: float
    false_negative_rate: float
    error_rate: float


def lift_table(positive: Mask, score: Floats, n: int = 10) -> list[LiftLine]:
    """At most n bins of about equal size, the highest scores first; rows of one score are in one bin.

    Examples
    --------
    >>> import numpy as np
    >>> table = lift_table(np.array([True, True, False, False]), np.array([0.9, 0.8, 0.3, 0.1]), 2)
    >>> [(line.rows, line.rate, line.lift) for line in table]
    [(2, 1.0, 2.0), (2, 0.0, 0.0)]
    """
    total, rows, found, lines = int(positive.sum()), 0, 0, []
    for members in reversed(equal_bins(score, n)):
        here, hits = len(members), int(positive[members].sum())
        rows, found = rows + here, found + hits
        part, gained = rows / len(score), _ratio(found, total)
        lifts = [_ratio(_ratio(hits, here), _ratio(total, len(score))), _ratio(gained, part)]
        lines.append(LiftLine(here, float(score[members].mean()), hits, hits / here, lifts[0], part, gained, lifts[1]))
    return lines


def cutoff_table(positive: Mask, probability: Floats, cutoffs: Sequence[float] = CUTOFFS) -> list[CutoffLine]:
    """One entry per cut-off that selects some but not all rows."""
    lines = []
    for cutoff in cutoffs:
        taken = probability >= cutoff
        if not taken.any() or taken.all():
            continue
        hits, false = int((taken & positive).sum()), int((taken & ~positive).sum())
        total = int(positive.sum())
        found = _ratio(hits, total)
        wrong = (false + total - hits) / len(probability)
        lines.append(
            CutoffLine(cutoff, float(taken.mean()), hits / int(taken.sum()), found,
                       _ratio(false, len(probability) - total), 1.0 - found, wrong)
        )  # fmt: skip
    return lines


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")
