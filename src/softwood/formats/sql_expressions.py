"""Expressions of SQL that a query is made of: sums, extremes, exponentials that do not overflow."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from softwood.formats.dialects import Dialect

TERMS = 200  # terms of a sum in one pair of brackets: databases limit the nesting of expressions


def sigmoid(words: Dialect, score: str, limit: float, x: str = "", unit: tuple[float, float] = (0.0, 1.0)) -> str:
    """1 / (1 + exp(-score)); 0 or 1 beyond the limit, where many databases refuse the exponential; NULL for NULL.
    x, unit : the score is (x - unit[0]) / unit[1], if the division could overflow.
    """
    share = f"1e0 / (1e0 + EXP(-{score}))"
    if words.exp_is_total:
        return share
    zero, one = (words.real(_within_doubles(unit[0] + end * unit[1])) for end in (-limit, limit))
    below, above = "<>" if unit[1] > 0 else "><"
    ends = f"WHEN {x or score} {below} {zero} THEN 0e0 WHEN {x or score} {above} {one} THEN 1e0"
    return f"CASE {ends} ELSE {share} END"


def exponential(words: Dialect, output: str, limit: float) -> str:
    """exp(output); 1e250 beyond the limit, where many databases refuse it."""
    if words.exp_is_total:
        return f"EXP({output})"
    ends = f"WHEN {output} < {words.real(-limit)} THEN 0e0 WHEN {output} > {words.real(limit)} THEN 1e250"
    return f"CASE {ends} ELSE EXP({output}) END"


def extreme(places: Sequence[str], better: str, told: Sequence[str] | None = None) -> str:
    """The first position that is at least as good as all others, or its text in `told`."""
    said = told or places
    if len(places) == 1:
        return said[0]
    whens: Iterable[str] = (
        f"WHEN {' AND '.join(f'{place} {better} {other}' for other in places[k + 1 :])} THEN {said[k]}"
        for k, place in enumerate(places[:-1])
    )
    return f"CASE {' '.join(whens)} ELSE {said[-1]} END"


def _within_doubles(value: float) -> float:
    return min(max(value, -sys.float_info.max), sys.float_info.max)


def sum_of(terms: Sequence[str]) -> str:
    """A sum from left to right; a long one is bracketed."""
    if not terms:
        return "0e0"
    if len(terms) <= TERMS:
        return " + ".join(terms)
    parts = (terms[at : at + TERMS] for at in range(0, len(terms), TERMS))
    return sum_of([f"({' + '.join(part)})" for part in parts])


def list_of(items: Sequence[str]) -> str:
    """The items of a SELECT, on one line or, if they are long, on one line each."""
    return ", ".join(items) if sum(map(len, items)) < 100 else ",\n    ".join(items)
