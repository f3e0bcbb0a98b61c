"""How well scores rank positive rows above negative ones.

ROC curve  true positive rate against false positive rate as the threshold decreases
area       probability that a positive row has a higher score than a negative one, ties half; the interval is that of
           DeLong, DeLong and Clarke-Pearson (1988) on the scale of log odds (Pepe, 2003). Where the estimated variance
           is 0 (no pair out of order), Wilson's for as many rows as the smaller class has: by Birnbaum and Klose (1957)
           the variance is at most area (1 - area) / that number
Gini       2 · area - 1
KS         largest distance between the two classes' distributions of scores
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softwood.arrays import Floats, Mask, mean_ranks
from softwood.measures.intervals import UNDEFINED, Estimate, Z, wilson


class Roc(NamedTuple):
    """A ROC curve: one point per threshold; rows with a score of at least the threshold are selected."""

    false_positive_rate: Floats
    true_positive_rate: Floats
    threshold: Floats


def roc_curve(positive: Mask, score: Floats) -> Roc:
    """The curve from (0, 0) to (1, 1); NaN where a class has no rows.

    Examples
    --------
    >>> curve = roc_curve(np.array([False, True, True]), np.array([0.2, 0.2, 0.9]))
    >>> curve.false_positive_rate, curve.true_positive_rate
    (array([0., 0., 1.]), array([0. , 0.5, 1. ]))
    """
    order = np.argsort(-score, kind="stable")
    ordered, hit = score[order], positive[order]
    last = np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1) if len(ordered) else np.zeros(0, np.int64)
    found, missed = np.cumsum(hit)[last], np.cumsum(~hit)[last]
    with np.errstate(invalid="ignore"):
        rates = [np.append(0.0, count / np.float64(whole.sum())) for count, whole in ((missed, ~hit), (found, hit))]
    return Roc(rates[0], rates[1], np.append(np.inf, ordered[last]))


def roc_auc(positive: Mask, score: Floats) -> Estimate:
    """The area under the ROC curve; undefined if a class has no rows."""
    mine, other = score[positive], score[~positive]
    n, m = len(mine), len(other)
    if not n or not m:
        return UNDEFINED
    every = mean_ranks(np.concatenate([mine, other]))
    above = (every[:n] - mean_ranks(mine)) / m  # for every positive row, the proportion of negative rows below it
    below = 1.0 - (every[n:] - mean_ranks(other)) / n
    area = float(above.mean())
    variance = sum(float(part.var(ddof=1)) / len(part) for part in (above, below) if len(part) > 1)
    if not 0.0 < area < 1.0 or not variance > 0.0:
        return Estimate(area, *wilson(area, min(n, m)))
    middle, half = np.log(area / (1.0 - area)), Z * np.sqrt(variance) / (area * (1.0 - area))
    low, high = (float(1.0 / (1.0 + np.exp(-np.clip(end, -700, 700)))) for end in (middle - half, middle + half))
    return Estimate(area, low, high)


def gini(positive: Mask, score: Floats) -> Estimate:
    """The Gini coefficient (accuracy ratio, Somers' D), with the interval of the area."""
    return Estimate(*(2.0 * end - 1.0 for end in roc_auc(positive, score)))


def ks_statistic(positive: Mask, score: Floats) -> float:
    """The Kolmogorov–Smirnov statistic, as `scipy.stats.ks_2samp` gives it; NaN where a class has no rows.

    Examples
    --------
    >>> ks_statistic(np.array([False, True, True]), np.array([0.2, 0.2, 0.9]))
    0.5
    """
    if not positive.any() or positive.all():
        return float("nan")
    curve = roc_curve(positive, score)
    return float(np.abs(curve.true_positive_rate - curve.false_positive_rate).max())
