"""The tests of the papers: of errors, of sizes, of one error rate.

    5x2 cv F test     f = sum_ij p_ij^2 / (2 sum_i s_i^2) ~ F(10, 5),  s_i^2 = sum_j (p_ij - mean_j p_ij)^2
    Wilcoxon rank sum the ranks of one sample of tree sizes among both samples
    binomial limits   the exact limits of Clopper and Pearson

p_ij is the difference of two models' errors on half j of replication i (Alpaydın 1999). The rank sum test is exact,
with ties, for small samples; above EXACT sizes it uses the normal approximation with the variance corrected for ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, fdtrc, ndtr

from softwood.arrays import Floats, mean_ranks

__all__ = ["Limits", "PairedTest", "binomial_limits", "five_by_two_f_test", "wilcoxon_sizes"]


EXACT = 50  # maximum number of sizes for which the rank sum test enumerates all draws
SAME = 1e-12  # relative; a difference of two errors below this is rounding


class PairedTest(NamedTuple):
    """A test of two models.

    Attributes
    ----------
    statistic : the test statistic.
    p_value : the probability of a statistic at least as extreme if the two models are equal.
    """

    statistic: float
    p_value: float


class Limits(NamedTuple):
    """Confidence limits.

    Attributes
    ----------
    lower, upper : limits of the rate at the requested confidence.
    """

    lower: float
    upper: float


def five_by_two_f_test(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """The combined 5x2 cv F test (Alpaydın 1999) of whether two models have different errors.

    Parameters
    ----------
    first, second : (5, 2) errors of two models: on each half of five replications, trained on the other half.

    Returns
    -------
    PairedTest
        `statistic` (F with 10 and 5 degrees of freedom) and `p_value`. Equal errors everywhere give 0 and 1; a
        difference that never varies gives infinity and 0.

    Examples
    --------
    By hand: every replication differs by 0.1 and 0.3, so the mean is 0.2 and s² = 0.02; sum p² = 5 (0.01 + 0.09) = 0.5,
    f = 0.5 / (2 · 5 · 0.02) = 2.5.

    >>> f, p = five_by_two_f_test([[0.3, 0.5]] * 5, [[0.2, 0.2]] * 5)
    >>> round(f, 6), round(p, 4)
    (2.5, 0.1618)
    """
    a, b = _errors("first", first), _errors("second", second)
    difference = a - b
    difference = np.where(np.abs(difference) <= SAME * np.maximum(np.abs(a), np.abs(b)), 0.0, difference)
    size = float(np.abs(difference).max())
    if size == 0.0:
        return PairedTest(0.0, 1.0)
    difference = difference / size  # squares neither overflow nor underflow
    mean = difference.mean(axis=1, keepdims=True)
    spread = float(np.square(difference - mean).sum())
    if spread <= SAME * SAME:
        return PairedTest(float("inf"), 0.0)
    statistic = float(np.square(difference).sum() / (2.0 * spread))
    return PairedTest(statistic, float(fdtrc(10, 5, statistic)))


def _errors(name: str, given: npt.ArrayLike) -> Floats:
    table = np.asarray(given, np.float64)
    if table.shape != (5, 2):
        raise ValueError(f"{name} must have shape (5, 2): five replications of two halves, got {table.shape}.")
    if not np.isfinite(table).all():
        raise ValueError(f"{name} must hold finite errors, got {table.tolist()}.")
    return table


def wilcoxon_sizes(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """Wilcoxon's rank sum test, two-sided, of whether the trees of one model are larger than those of the other.

    Parameters
    ----------
    first, second : sizes of the trees of two models, one per fold; ties share their mean rank.

    Returns
    -------
    PairedTest
        `statistic` (the sum of the ranks of `first`) and `p_value`.

    Examples
    --------
    By hand: of the 20 ways to draw three of six ranks, one has the sum 6 and one the sum 15, so p = 2/20.

    >>> wilcoxon_sizes([3, 5, 7], [9, 11, 13])
    PairedTest(statistic=6.0, p_value=0.1)
    >>> wilcoxon_sizes([3, 3, 3], [3, 3, 3]).p_value
    1.0
    """
    a, b = read_numbers("first", first), read_numbers("second", second)
    rank = mean_ranks(np.concatenate([a, b]))
    statistic = float(rank[: len(a)].sum())
    if len(rank) <= EXACT:
        return PairedTest(statistic, _exact(rank, len(a), statistic))
    n, m, total = len(a), len(b), len(rank)
    _, ties = np.unique(rank, return_counts=True)
    variance = n * m / 12.0 * (total + 1 - float((ties.astype(np.float64) ** 3 - ties).sum()) / (total * (total - 1)))
    if variance <= 0.0:
        return PairedTest(statistic, 1.0)
    far = max(abs(statistic - n * (total + 1) / 2.0) - 0.5, 0.0)  # half a rank: sums are whole, the limit is not
    return PairedTest(statistic, min(1.0, 2.0 * float(ndtr(-far / np.sqrt(variance)))))


def read_numbers(name: str, given: npt.ArrayLike) -> Floats:
    """A list of finite numbers, at least one."""
    sizes = np.asarray(given, np.float64)
    if sizes.ndim != 1 or len(sizes) == 0 or not np.isfinite(sizes).all():
        raise ValueError(f"{name} must be a list of finite numbers, at least one, got {given!r:.80}.")
    return sizes


def _exact(rank: Floats, n: int, statistic: float) -> float:
    """The proportion of draws of n ranks whose sum is at least as far from its mean, with ties."""
    doubled = np.rint(2.0 * rank).astype(np.int64)  # mean ranks are halves at most
    ways = np.zeros((n + 1, int(doubled.sum()) + 1))
    ways[0, 0] = 1.0
    for value in doubled:
        ways[1:, value:] += ways[:-1, : ways.shape[1] - value].copy()
    far = np.abs(np.arange(ways.shape[1]) - n * (len(rank) + 1))
    return float(ways[n, far >= abs(round(2.0 * statistic) - n * (len(rank) + 1))].sum() / ways[n].sum())


def binomial_limits(count: int, total: int, confidence: float = 0.95) -> Limits:
    """Exact limits of an error rate (Clopper and Pearson 1934).

    Parameters
    ----------
    count, total : number of errors and of rows.
    confidence : confidence level of the two-sided interval.

    Examples
    --------
    By hand: without an error in ten rows the upper limit u has (1 - u)^10 = 0.025, u = 1 - 0.025^0.1.

    >>> [round(limit, 4) for limit in binomial_limits(0, 10)]
    [0.0, 0.3085]
    >>> [round(limit, 4) for limit in binomial_limits(5, 10)]
    [0.1871, 0.8129]
    """
    if not (float(count).is_integer() and float(total).is_integer() and 0 <= count <= total and total >= 1):
        raise ValueError(f"count must be a whole number from 0 to total >= 1, got {count!r} of {total!r}.")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}.")
    tail = (1.0 - confidence) / 2.0
    lower = 0.0 if count == 0 else float(betaincinv(count, total - count + 1, tail))
    upper = 1.0 if count == total else float(betaincinv(count + 1, total - count, 1.0 - tail))
    return Limits(lower, upper)
