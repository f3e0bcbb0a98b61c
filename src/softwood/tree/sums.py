"""Weighted sums as text: `0.8·age − 1.2·income + … 3 more (4%)`.

Terms are in order of their effect on the sum among the rows that arrive, largest first; if effects are unknown, in
order of their weights. The proportion of the effects of omitted terms is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softwood.arrays import Floats
from softwood.tree.spelling import fit_items, spell_fixed, wrap


class SpelledTerm(NamedTuple):
    """One term of a sum: its sign, text without sign, effect, and the constant to subtract for the text.

    form : "s" or "clip" if several hinges are one term.
    """

    minus: bool
    text: str
    size: float
    less: float = 0.0
    form: str = ""


class Sum(NamedTuple):
    """The pieces of a sum, to be joined by spaces or wrapped, and whether some terms are omitted."""

    pieces: list[str]
    is_cut: bool


def spell_mean(shares: Floats, room: int | None = None) -> Sum:
    """A gate of constant shares as text: a mean of trees with equal or other weights.

    Examples
    --------
    >>> " ".join(spell_mean(np.array([0.25, 0.25, 0.25, 0.25])).pieces)
    'mean of 4 trees, 25.0% each'
    >>> " ".join(spell_mean(np.array([0.75, 0.25])).pieces)
    'weighted mean of 2 trees: 75.0%, 25.0%'
    """
    if np.allclose(shares, shares[0], rtol=1e-9, atol=0.0):
        return Sum([f"mean of {len(shares)} trees, {_per_cent(float(shares[0]))} each"], False)
    head = f"weighted mean of {len(shares)} trees:"
    shown = fit_items([_per_cent(share) for share in shares.tolist()], None if room is None else room - len(head) - 1)
    return Sum([head, ", ".join(shown)], len(shown) < len(shares))


def _per_cent(share: float) -> str:
    return "<0.1%" if 0 < share < 0.0005 else f"{spell_fixed(100 * share, 1)}%"


def fit_sum(
    terms: Sequence[SpelledTerm], known: bool, room: int | None, n_lines: int = 1, start: str = "", end: str = ""
) -> Sum:
    """As many terms as fit in `n_lines` lines of `room` characters with `start` and `end`; two terms are always shown.

    Parameters
    ----------
    terms : largest first.
    known : whether their sizes are effects, so that the share of omitted terms is known.

    Examples
    --------
    >>> terms = [SpelledTerm(False, "2·age", 3.0), SpelledTerm(True, "income", 0.9), SpelledTerm(False, "7·size", 0.1)]
    >>> " ".join(fit_sum(terms, True, None).pieces)
    '2·age − income + 7·size'
    >>> " ".join(fit_sum(terms, True, 20).pieces)
    '2·age + … 2 more (25%)'
    """
    kept = len(terms)
    while kept > 1 and len(terms) > 2 and room is not None:
        if len(wrap(_pieces(terms, kept, known, start, end), room)) <= n_lines:
            break
        kept -= 1
    return Sum(_pieces(terms, kept, known, start, end), kept < len(terms))


def _pieces(terms: Sequence[SpelledTerm], kept: int, known: bool, start: str, end: str) -> list[str]:
    pieces = [start] if start else []
    for at, term in enumerate(terms[:kept]):
        sign = "− " if term.minus else "+ "
        bare = sign.strip() if term.minus else ""
        pieces.append((sign if at or start else bare) + term.text)
    if not terms and not start:
        pieces.append("0")
    if kept < len(terms):
        pieces.append(f"+ … {len(terms) - kept} more" + (f" ({_part(terms, kept)})" if known else ""))
    return [*pieces, end] if end else pieces


def _part(terms: Sequence[SpelledTerm], kept: int) -> str:
    """Share of the effects of the omitted terms, in per cent."""
    sizes = [max(term.size, 0.0) for term in terms]
    part = sum(sizes[kept:]) / (sum(sizes) or 1.0)
    return "<1%" if 0 < part < 0.005 else f"{100 * part:.0f}%"
