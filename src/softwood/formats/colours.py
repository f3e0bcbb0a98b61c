"""Colours that are distinct for any colour vision: Okabe and Ito's eight for classes, as on the page."""

from __future__ import annotations

from collections.abc import Sequence

CLASSES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7A7A7A")


def class_colour(k: int) -> str:
    """The colour of the class with code k; after eight they repeat."""
    return CLASSES[k % len(CLASSES)]


def class_colours(n: int) -> list[str]:
    """The colours of n classes."""
    return [class_colour(k) for k in range(n)]


def tint(colour: str, part: float) -> str:
    """`part` of a colour on white.

    Examples
    --------
    >>> tint("#0072B2", 0.0), tint("#0072B2", 1.0)
    ('#ffffff', '#0072b2')
    """
    part = min(max(part, 0.0), 1.0)
    return "#" + "".join(f"{round(255 - part * (255 - channel)):02x}" for channel in _channels(colour))


def _channels(colour: str) -> Sequence[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
