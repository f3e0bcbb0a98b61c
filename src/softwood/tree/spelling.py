"""Numbers, names and labels as text. All printed forms use this module, so they agree.

A number keeps `digits` decimals, or, below one, `digits` significant digits; `digits=None` is the shortest text that
reads back as the same double. The integer part is never rounded: a threshold of 1999.5 is not printed as 2000.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

SMALLEST, LARGEST = 1e-4, 1e15  # outside this range, powers of ten are easier to read
EXACT = 17  # significant digits that distinguish any two doubles
# Labels with one of these are quoted, because they could be misread in a set or a rule.
NEED_QUOTES = frozenset(",{}=≤<>'\"")


def spell_number(value: float, digits: int | None = 3) -> str:
    """A number for reading.

    Examples
    --------
    >>> spell_number(16.7951), spell_number(-0.0123456), spell_number(3.0), spell_number(0.1 + 0.2, None)
    ('16.795', '−0.0123', '3', '0.30000000000000004')
    """
    value, size = float(value), abs(float(value))
    if not math.isfinite(value):
        return "missing" if math.isnan(value) else "∞" if value > 0 else "−∞"
    if digits is None:
        text = repr(value).removesuffix(".0")
    elif size >= LARGEST or 0 < size < SMALLEST:
        mantissa, power = f"{value:.{max(digits - 1, 0)}e}".split("e")
        text = f"{_strip(mantissa)}e{int(power)}"
    else:
        text = _strip(f"{value:.{decimals_of(size, digits)}f}")
    return "0" if text in ("0", "-0") else text.replace("-", "−")


def decimals_of(size: float, digits: int) -> int:
    """Decimals that show `size` to `digits` significant digits if below one, else to `digits` decimals."""
    return digits if size >= 1 or size == 0 else digits - 1 - math.floor(math.log10(size))


def spell_fixed(value: float, decimals: int) -> str:
    """A number with a fixed number of decimals, for aligned columns."""
    text = f"{value:.{decimals}f}"
    return (text[1:] if text.startswith("-") and not text.strip("-0.") else text).replace("-", "−")


def spell_apart(values: Iterable[float], digits: int | None = 3) -> dict[float, str]:
    """Text of every value, with as many digits as needed for different values to differ.

    Examples
    --------
    >>> spell_apart([2.0, 0.13501, 0.13502])
    {2.0: '2', 0.13501: '0.13501', 0.13502: '0.13502'}
    """
    distinct = list(dict.fromkeys(map(float, values)))
    texts = {value: spell_number(value, digits) for value in distinct}
    for more in range((digits or EXACT) + 1, EXACT + 2):
        owners: dict[str, list[float]] = {}
        for value, text in texts.items():
            owners.setdefault(text, []).append(value)
        alike = [value for same in owners.values() if len(same) > 1 for value in same]
        if not alike:
            break
        texts.update({value: spell_number(value, more if more <= EXACT else None) for value in alike})
    return texts


def spell_name(name: Any) -> str:
    """A feature's name on one line, with control characters escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(name))


def spell_label(label: Any) -> str:
    """A category or class label, quoted if it could be misread.

    Examples
    --------
    >>> spell_label("red"), spell_label("red, green"), spell_label(""), spell_label(3.0)
    ('red', "'red, green'", "''", '3.0')
    """
    text = str(label)
    if text and text == text.strip() and text.isprintable() and NEED_QUOTES.isdisjoint(text):
        return text
    return repr(text)


def spell_list(items: Sequence[str], room: int | None = None, joint: str = ", ") -> str:
    """Joined items; if they need more than `room` characters, the first that fit and a count of the rest.

    Examples
    --------
    >>> spell_list(["red", "green", "blue", "black"], room=20)
    'red, green, … 2 more'
    """
    return joint.join(fit_items(items, room, joint=joint))


def fit_items(items: Sequence[str], room: int | None, n_lines: int = 1, joint: str = ", ") -> list[str]:
    """The items; if they need more than `n_lines` lines of `room` characters, the first that fit and a count of the
    rest.

    Examples
    --------
    >>> fit_items(["red", "green", "blue", "black"], room=9, n_lines=3)
    ['red', 'green', '… 2 more']
    """

    def fits(some: Sequence[str]) -> bool:
        texts = [*(item + joint for item in some[:-1]), *some[-1:]]
        return (
            room is None or sum(map(display_width, texts)) <= room or (n_lines > 1 and _stacked(texts, room) <= n_lines)
        )

    most = len(items) if room is None else _most_that_fit(items, max(room, 1), n_lines, joint)
    if most == len(items) and fits(items):
        return list(items)
    for kept in range(min(most, len(items) - 1), 1, -1):
        some = [*items[:kept], f"… {len(items) - kept} more"]
        if fits(some):
            return some
    return [items[0], f"… {len(items) - 1} more"] if len(items) > 1 else list(items)


def _most_that_fit(items: Sequence[str], room: int, n_lines: int, joint: str) -> int:
    """An upper bound on the items that fit: each takes its width and a space, and one that is too long takes a line."""
    left, around = n_lines * (room + 1), len(joint.rstrip())
    for i, item in enumerate(items):
        left -= min(display_width(item) + (around if i + 1 < len(items) else 0), room) + 1
        if left < 0:
            return i
    return len(items)


def _stacked(texts: Sequence[str], room: int) -> int:
    return len(wrap([text.rstrip() for text in texts], room))


def wrap(pieces: Sequence[str], room: int | None, indent: str = "") -> list[str]:
    """Pieces joined by spaces and wrapped at `room` characters; further lines are indented.

    Examples
    --------
    >>> wrap(["2·age", "− income", "≥ 3?"], 14, "  ")
    ['2·age − income', '  ≥ 3?']
    """
    if room is None:
        return [" ".join(pieces)] if pieces else []
    lines = list(pieces[:1])
    for piece in pieces[1:]:
        longer = f"{lines[-1]} {piece}"
        if display_width(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(indent + piece)
    return lines


def display_width(text: str) -> int:
    """Terminal columns a text takes: wide (East Asian, emoji) characters take two, combining ones none.

    Examples
    --------
    >>> display_width("colour"), display_width("年齢")
    (6, 4)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, width: int, align: str = "<") -> str:
    """Text filled with spaces to `width` columns, on the left (`>`) or on the right (`<`)."""
    space = " " * (width - display_width(text))
    return space + text if align == ">" else text + space


def _strip(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
