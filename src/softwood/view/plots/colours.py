"""Colours of pictures other than those of classes (`softwood.formats.colours`): ink, accents, and cividis for
numbers.
"""

from __future__ import annotations

from softwood.formats.colours import CLASSES

NUMBERS = "cividis"  # the name of the colour map: Nuñez, Anderton and Renslow, 2018
INK, GREY, PALE = "#222222", "#767676", "#dcdcdc"
ACCENT, SECOND = CLASSES[0], CLASSES[5]


def number_colour(part: float) -> str:
    """The colour of a number between 0 and 1."""
    import matplotlib as mpl

    red, green, blue, _ = mpl.colormaps[NUMBERS](min(max(part, 0.0), 1.0))
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in (red, green, blue))
