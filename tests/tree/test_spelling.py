"""Laws of numbers and labels as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softwood.tree import spelling
from softwood.tree.spelling import (
    display_width,
    fit_items,
    pad,
    spell_apart,
    spell_label,
    spell_list,
    spell_name,
    spell_number,
    wrap,
)

finite = st.floats(allow_nan=False, allow_infinity=False)


def read(text: str) -> float:
    return float(text.replace("−", "-"))


@given(finite)
def test_an_exact_number_reads_back_as_itself(value: float) -> None:
    assert read(spell_number(value, None)) == value


@given(st.floats(-1e300, 1e300), st.integers(1, 12))
def test_a_rounded_number_is_near(value: float, digits: int) -> None:
    off = abs(read(spell_number(value, digits)) - value)
    assert off <= 0.5000001 * 10.0**-digits or off <= 0.5000001 * 10.0 ** (1 - digits) * abs(value)


@given(st.integers(-(10**9), 10**9))
def test_a_half_is_never_rounded_to_a_whole_number(whole: int) -> None:
    assert read(spell_number(whole + 0.5, 1)) == whole + 0.5


@given(st.lists(finite, max_size=20), st.one_of(st.none(), st.integers(1, 5)))
def test_different_numbers_look_different(values: list[float], digits: int | None) -> None:
    texts = spell_apart(values, digits)
    assert len(set(texts.values())) == len(texts) == len(set(values))


@given(st.text(), st.text())
def test_different_labels_look_different_and_stay_on_one_line(one: str, other: str) -> None:
    assert (spell_label(one) == spell_label(other)) == (one == other)
    assert len(spell_label(one).splitlines()) == 1
    assert len(spell_name(one).splitlines()) <= 1


@given(st.lists(st.text("abc", min_size=1), min_size=1), st.integers(0, 80))
def test_a_shortened_list_counts_what_it_leaves_out(items: list[str], room: int) -> None:
    text = spell_list(items, room)
    shown = text.split(", ")
    left_out = int(shown.pop().split()[1]) if "…" in text else 0
    assert shown == items[: len(shown)]
    assert len(shown) + left_out == len(items)
    assert display_width(text) <= room or len(shown) == 1


@given(
    st.lists(st.text("ab年", min_size=1, max_size=12), min_size=2, max_size=30), st.integers(-2, 40), st.integers(1, 5)
)
def test_as_many_items_are_shown_as_fit(items: list[str], room: int, n_lines: int) -> None:
    def fits(some: list[str]) -> bool:
        texts = [*(f"{item}, " for item in some[:-1]), *some[-1:]]
        lines = len(wrap([text.rstrip() for text in texts], room))
        return sum(map(display_width, texts)) <= room or (n_lines > 1 and lines <= n_lines)

    shorter = ([*items[:kept], f"… {len(items) - kept} more"] for kept in range(len(items) - 1, 0, -1))
    ways = [items, *shorter]
    assert fit_items(items, room, n_lines) == next((way for way in ways if fits(way)), ways[-1])


@pytest.mark.parametrize("n_lines", [1, 12])
def test_a_long_list_is_read_no_further_than_it_is_shown(n_lines: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate of 10,000 levels took half a minute: every shorter list was tried, each from its beginning."""
    asked = []
    monkeypatch.setattr(spelling, "display_width", lambda text: asked.append(text) or display_width(text))
    assert "… 9" in fit_items([f"level {i}" for i in range(10_000)], 80, n_lines)[-1]
    assert len(asked) < 5_000


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1e-5, "1e−5"),
        (2e16, "2e16"),
        (float("inf"), "∞"),
        (-0.00001, "−1e−5"),
        (999.9996, "1000"),
    ],
)
def test_numbers_at_the_edges(value: float, text: str) -> None:
    assert spell_number(value) == text


def test_padding_counts_terminal_columns() -> None:
    assert pad("年齢", 6) == "年齢  "
    assert pad("e\u0301", 3, ">") == "  e\u0301"
