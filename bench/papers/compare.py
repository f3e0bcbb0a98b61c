"""Comparison of methods, by the tests in the papers, and by ranks over many data sets.

Errors: 5×2 cv F test; sizes: Wilcoxon's rank sum (softwood.stats), both at 5 %. Over sets: mean ranks, Friedman's test,
and Nemenyi's critical difference (Demšar 2006)

    CD = q sqrt(k (k + 1) / (6 N)),  q = the studentised range of k methods at 5 %, divided by √2

Two methods whose mean ranks differ by less than CD cannot be distinguished with N data sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from bench.papers.summary import Cell, Cells
from softwood.stats import five_by_two_f_test, wilcoxon_sizes

LEVEL = 0.05


def compare_errors(one: Cell | None, other: Cell | None) -> int | None:
    """1 if `one` errs significantly less than `other`, −1 if more, 0 if neither; None without ten folds of both."""
    if one is None or other is None or not (one.is_whole and other.is_whole):
        return None
    p = five_by_two_f_test(one.error.reshape(5, 2), other.error.reshape(5, 2)).p_value
    return 0 if p >= LEVEL else int(np.sign(other.error.mean() - one.error.mean()))


def compare_sizes(one: Cell | None, other: Cell | None) -> int | None:
    """1 if the trees of `one` are significantly smaller, −1 if larger, 0 if neither; None without ten folds of both."""
    if one is None or other is None or not (one.is_whole and other.is_whole):
        return None
    p = wilcoxon_sizes(one.nodes, other.nodes).p_value
    return 0 if p >= LEVEL else int(np.sign(other.nodes.mean() - one.nodes.mean()))


@dataclass(frozen=True)
class Record:
    """Data sets on which a method is significantly better, not different, significantly worse."""

    wins: int
    ties: int
    losses: int

    @property
    def total(self) -> int:
        return self.wins + self.ties + self.losses

    def __str__(self) -> str:
        return f"{self.wins}/{self.ties}/{self.losses}" if self.total else "–"


def record(cells: Cells, method: str, against: str, codes: Sequence[str], *, sizes: bool = False) -> Record:
    """Wins, ties and losses of a method against another over the sets that have ten folds of both."""
    judge = compare_sizes if sizes else compare_errors
    verdicts = [judge(cells.get((method, code)), cells.get((against, code))) for code in codes]
    return Record(*(verdicts.count(verdict) for verdict in (1, 0, -1)))


@dataclass(frozen=True)
class Ranks:
    """Mean ranks (1 is best) of methods over sets; `p`: of Friedman's test; `critical`: Nemenyi's difference."""

    methods: tuple[str, ...]
    mean: tuple[float, ...]
    n_sets: int
    p: float
    critical: float

    def cliques(self) -> list[tuple[float, float]]:
        """Longest ranges of ranks within which no two methods can be distinguished."""
        order = sorted(self.mean)
        spans = [(low, max(rank for rank in order if rank - low < self.critical)) for low in order]
        return [s for i, s in enumerate(spans) if s[1] > s[0] and not any(s[1] <= spans[j][1] for j in range(i))]


def rank(cells: Cells, methods: Sequence[str], codes: Sequence[str]) -> Ranks | None:
    """Ranks over the sets on which all methods have results; None if there are fewer than two of either.

    Two methods are compared by the F test: Friedman's test needs three, so with two p is NaN.
    """
    shared = [code for code in codes if all((method, code) in cells for method in methods)]
    if len(methods) < 2 or len(shared) < 2:
        return None
    errors = np.array([[cells[method, code].error.mean() for method in methods] for code in shared])
    mean = rankdata(errors, axis=1).mean(axis=0)
    k, n = len(methods), len(shared)
    p = float(friedmanchisquare(*errors.T).pvalue) if k > 2 else float("nan")
    critical = float(studentized_range.ppf(1 - LEVEL, k, np.inf) / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n)))
    return Ranks(tuple(methods), tuple(float(m) for m in mean), n, p, critical)


def relative_errors(cells: Cells, methods: Sequence[str], codes: Sequence[str]) -> dict[str, float]:
    """Geometric mean over sets of each method's error divided by the least of these methods on the set.

    Only sets on which all the methods have results; an error of 0 counts as a tenth of a per cent (or 1e-4).
    """
    shared = [code for code in codes if all((method, code) in cells for method in methods)]
    if not shared:
        return {}
    floor = [1e-4 if cells[methods[0], code].task == "regression" else 0.1 for code in shared]
    errors = np.array([[cells[method, code].error.mean() for code in shared] for method in methods])
    errors = np.maximum(errors, floor)
    ratio = np.exp(np.log(errors / errors.min(axis=0)).mean(axis=1))
    return {method: float(value) for method, value in zip(methods, ratio, strict=True)}
