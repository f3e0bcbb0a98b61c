"""Tests of two models on the same rows, and the shift of a score.

    McNemar           exact binomial test: of the rows that only one model gets wrong, each model should have half
    paired t          t = mean(d) / (s / sqrt(n)) of the differences d of two losses, row by row
    DeLong            z of the difference of two areas under the ROC curve
    stability index   sum over bins of the first scores of (q - p) log(q / p)

E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988). Comparing the areas under two or more correlated receiver
operating characteristic curves. Biometrics 44, 837-845.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, ndtr, stdtr

from softwood.arrays import Floats, mean_ranks
from softwood.stats.papers import SAME, PairedTest, read_numbers


def mcnemar_test(first_wrong: npt.ArrayLike, second_wrong: npt.ArrayLike) -> PairedTest:
    """McNemar's exact test of whether two classifiers have different error rates on the same rows.

    Parameters
    ----------
    first_wrong, second_wrong : whether each model is wrong on each row.

    Returns
    -------
    PairedTest
        `statistic` (rows that the first model alone gets wrong) and `p_value`, two-sided.

    Examples
    --------
    By hand: five rows are wrong for one model only, all five for the first one: p = 2 / 2^5.

    >>> mcnemar_test([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0])
    PairedTest(statistic=5.0, p_value=0.0625)
    """
    first, second = _same_rows(first_wrong, second_wrong)
    a, b = (int(np.count_nonzero(rows)) for rows in ((first != 0) & (second == 0), (first == 0) & (second != 0)))
    return PairedTest(float(a), 1.0 if a == b else 2.0 * float(bdtr(min(a, b), a + b, 0.5)))


def paired_t_test(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """The paired t test of whether two models have different mean losses on the same rows, two-sided.

    Parameters
    ----------
    first, second : loss of each model on each row.

    Examples
    --------
    By hand: differences 1, 2, 3 have mean 2 and standard error 1 / sqrt(3).

    >>> t, p = paired_t_test([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    >>> round(t, 4), round(p, 4)
    (3.4641, 0.0742)
    """
    a, b = _same_rows(first, second)
    difference = a - b
    n, mean = len(difference), float(np.mean(difference))
    spread = float(np.std(difference, ddof=1)) if n > 1 else 0.0
    if spread <= SAME * max(float(np.abs(difference).max()), float(np.finfo(float).tiny)):
        same = n == 1 or float(np.abs(mean)) <= SAME * float(max(np.abs(a).max(), np.abs(b).max()))
        return PairedTest(0.0, 1.0) if same else PairedTest(float(np.copysign(np.inf, mean)), 0.0)
    statistic = mean / (spread / float(np.sqrt(n)))
    return PairedTest(statistic, float(2.0 * stdtr(n - 1, -abs(statistic))))


def delong_test(positive: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """The test of DeLong, DeLong and Clarke-Pearson (1988) of whether two areas under the ROC curve differ.

    Parameters
    ----------
    positive : whether each row is of the class; some must be and some not.
    first, second : score of each model for each row.

    Returns
    -------
    PairedTest
        `statistic` (z; positive where the first area is larger) and `p_value`, two-sided.

    Examples
    --------
    >>> delong_test([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.1, 0.4, 0.35, 0.8])
    PairedTest(statistic=0.0, p_value=1.0)
    """
    scores = _same_rows(first, second)
    is_one = np.asarray(positive) != 0
    if len(is_one) != len(scores[0]) or is_one.all() or not is_one.any():
        raise ValueError("positive must have an entry for each row, some of them true and some false.")
    parts = [_placements(score, is_one) for score in scores]
    gap = [one - other for one, other in zip(*parts, strict=True)]
    difference = float(np.mean(gap[0]))
    variance = sum(float(np.var(each, ddof=1)) / len(each) if len(each) > 1 else 0.0 for each in gap)
    if variance <= SAME * SAME:
        same = abs(difference) <= SAME
        return PairedTest(0.0 if same else float(np.copysign(np.inf, difference)), 1.0 if same else 0.0)
    statistic = difference / float(np.sqrt(variance))
    return PairedTest(statistic, float(2.0 * ndtr(-abs(statistic))))


def _placements(score: Floats, is_one: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """For each row of the class the proportion of the others below it, and for each of these the proportion above
    it.
    """
    rank = mean_ranks(score)
    ones, others = score[is_one], score[~is_one]
    above = (rank[is_one] - mean_ranks(ones)) / len(others)
    below = 1.0 - (rank[~is_one] - mean_ranks(others)) / len(ones)
    return np.asarray(above), np.asarray(below)


def population_stability_index(first: npt.ArrayLike, second: npt.ArrayLike, n_bins: int = 10) -> float:
    """Population stability index of a score: 0 for no shift; by convention 0.1 is a small and 0.25 a large shift.

    Bins are quantiles of the first scores. A bin without rows counts as half a row.

    Parameters
    ----------
    first, second : scores before and after; not necessarily of the same rows.
    n_bins : number of bins; fewer where the first scores have many ties.

    Examples
    --------
    By hand: half and half become a quarter and three quarters: 0.25 log 2 + 0.25 log 1.5.

    >>> round(population_stability_index([0, 0, 1, 1], [0, 1, 1, 1], n_bins=2), 4)
    0.2747
    """
    a, b = read_numbers("first", first), read_numbers("second", second)
    if n_bins < 2:
        raise ValueError(f"n_bins must be at least 2, got {n_bins}.")
    edges = np.unique(np.quantile(a, np.linspace(0.0, 1.0, n_bins + 1)[1:-1]))
    counts = [np.bincount(np.searchsorted(edges, score), minlength=len(edges) + 1) for score in (a, b)]
    return stability_of_counts(counts[0].astype(np.float64), counts[1].astype(np.float64))


def stability_of_counts(first: Floats, second: Floats) -> float:
    """The population stability index of two sets of rows counted in the same bins.

    >>> round(stability_of_counts(np.array([2.0, 2.0]), np.array([1.0, 3.0])), 4)
    0.2747
    """
    a, b = (np.maximum(counts, 0.5) / max(float(counts.sum()), 1.0) for counts in (first, second))
    return float(np.sum((b - a) * np.log(b / a)))


def _same_rows(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Floats, Floats]:
    a, b = read_numbers("first", first), read_numbers("second", second)
    if len(a) != len(b):
        raise ValueError(f"first and second must be of the same rows, got {len(a)} and {len(b)}.")
    return a, b
