"""Pessimistic errors: the expected additional errors of a leaf or a rule on new rows.

A leaf with E errors in N cases is taken to have the error rate U_CF(E, N), the upper confidence limit of a binomial
rate that CF of all samples would exceed (Quinlan 1993, section 4.2):

    E = 0           U = 1 - CF^(1/N), exactly
    E between 0, 1  on the line between the limits for 0 and 1
    E >= 1          U = (f + z²/2N + z sqrt(f/N - f²/N + z²/4N²)) / (1 + z²/N),  f = (E + 1/2) / N

with z the normal quantile of 1 - CF. Differs from C4.5: z is exact, not interpolated in a table of nine entries.
"""

from __future__ import annotations

import math
from functools import cache

from softwood.kernels.arithmetic import root
from softwood.kernels.formulas.special import normal_quantile


def pessimistic_errors(cases: float, errors: float, confidence: float) -> float:
    """N * U_CF(E, N): the expected errors; 0 if there are no cases.

    Examples
    --------
    >>> [round(pessimistic_errors(n, 0, 0.25), 3) for n in (6, 9, 1)]
    [1.238, 1.285, 0.75]
    """
    if cases <= 0:
        return 0.0
    if errors >= 1.0:
        return _upper(cases, errors, confidence)
    none: float = cases * (1.0 - root(confidence, cases))
    return none if errors <= 0 else none + errors * (_upper(cases, 1.0, confidence) - none)


def _upper(n: float, errors: float, confidence: float) -> float:
    if errors + 0.5 >= n:
        return max(n, errors)
    z, f = _deviations(confidence), (errors + 0.5) / n
    spread = math.sqrt(max(f / n - f * f / n + z * z / (4 * n * n), 0.0))
    return n * (f + z * z / (2 * n) + z * spread) / (1 + z * z / n)


@cache
def _deviations(confidence: float) -> float:
    return float(normal_quantile(1.0 - confidence))
