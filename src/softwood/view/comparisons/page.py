"""A comparison as one HTML page, in the style of a report."""

from __future__ import annotations

import html
from importlib.resources import files
from typing import Any

import numpy as np

from softwood.release import __version__
from softwood.view.comparisons.part import Part
from softwood.view.plots.canvas import PLAIN, quiet_axes, shorten, split_axes
from softwood.view.plots.colours import ACCENT, GREY
from softwood.view.reports.card import PAGE
from softwood.view.reports.markup import Pictures, items, paragraph, table

MOST_CURVES = 24  # drawn; the largest differences first
FULL_CELL = 400  # characters of a cell with reasons


def fill_page(comparison: Any) -> str:
    """The page, with pictures if matplotlib is installed."""
    parts = [part for part in comparison.tables if part.printed]
    pictures = _pictures(comparison)
    contents = "".join(
        f'<li><a href="#section-{i}">{html.escape(part.heading)}</a></li>' for i, part in enumerate(parts)
    )
    body = "\n".join(
        f'<section id="section-{i}"><h2>{html.escape(part.heading)}</h2>{_section(part)}'
        f"{pictures.get(part.name, '')}</section>"
        for i, part in enumerate(parts)
    )
    told = items(comparison.problems) if comparison.problems else ""
    title = html.escape(f"{comparison.names[0]} and {comparison.names[1]} compared")
    style = files("softwood.view.reports").joinpath("report.css").read_text(encoding="utf-8")
    sub = html.escape(f"Made with softwood {__version__}.")
    return PAGE.format(title=title, style=style, sub=sub, contents=contents, body=told + body)


def _section(part: Part) -> str:
    words = [part.is_text(i) for i in range(len(part.columns))]
    left = len(words) if words[-1:] == [True] else words.index(False) if False in words else len(words)
    shown = table(part.columns, part.spelled(), left=left, longest=FULL_CELL) if part.rows else ""
    return shown + "".join(paragraph(note) for note in part.notes)


def _pictures(comparison: Any) -> dict[str, str]:
    """Pictures by the name of the part they belong to."""
    try:
        import matplotlib  # noqa: F401  # without it the tables stand alone
    except ImportError:
        return {}
    found = {part.name: part for part in comparison.tables}
    drawn, pictures = Pictures(), {}
    names = comparison.names
    if "curves" in found and found["curves"].rows:
        lines = _by_input(found["curves"])
        height = 1.9 * ((len(lines) + 2) // 3)
        pictures["inputs"] = drawn.figure(
            lambda ax: _draw_curves(ax, lines, names),
            f"Partial dependence, the mean prediction over one input: grey {names[0]}, blue {names[1]}.",
            width=9.0, height=max(height, 2.4),
        )  # fmt: skip
    if "calibration_bins" in found:
        pictures["calibration"] = drawn.figure(
            lambda ax: _draw_calibration(ax, found["calibration_bins"], names),
            f"Observed against predicted in ten bins: grey {names[0]}, blue {names[1]}.",
            width=3.6, height=3.6,
        )  # fmt: skip
    return pictures


def _by_input(part: Part) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """The points of the first class or target for every input, the largest difference first, inputs of one model
    last.
    """
    lines: dict[str, list[tuple[Any, ...]]] = {}
    first: dict[str, str] = {}
    for name, answer, *point in part.rows:
        if first.setdefault(name, answer) == answer:
            lines.setdefault(name, []).append(tuple(point))

    def gap(points: list[tuple[Any, ...]]) -> float:
        return max((abs(b - a) if a is not None and b is not None else -1.0) for _, a, b in points)

    return sorted(lines.items(), key=lambda line: -gap(line[1]))[:MOST_CURVES]


def _draw_curves(ax: Any, lines: list[tuple[str, list[tuple[Any, ...]]]], names: tuple[str, str]) -> Any:
    boxes = split_axes(ax, len(lines), min(3, len(lines)))
    for box, (name, points) in zip(boxes, lines, strict=False):
        at = np.arange(len(points))
        for k, colour in ((1, GREY), (2, ACCENT)):
            value = [np.nan if point[k] is None else point[k] for point in points]
            box.plot(at, value, ".-", color=colour, linewidth=1.3, markersize=4, label=names[k - 1])
        shown = np.unique(np.linspace(0, len(points) - 1, min(4, len(points))).astype(int))
        box.set_xticks(shown, [shorten(str(points[i][0]), 9) for i in shown], fontsize=7, **PLAIN)
        box.set_title(shorten(name, 26), fontsize=9, **PLAIN)
        quiet_axes(box)
    return ax


def _draw_calibration(ax: Any, part: Part, names: tuple[str, str]) -> Any:
    first = part.rows[0][0]
    for name, colour in zip(names, (GREY, ACCENT), strict=True):
        points = np.array([row[2:4] for row in part.rows if row[0] == first and row[1] == name])
        ax.plot(points[:, 0], points[:, 1], "o-", color=colour, markersize=4, linewidth=1.3)
    ends = [min(ax.get_xlim()[0], ax.get_ylim()[0]), max(ax.get_xlim()[1], ax.get_ylim()[1])]
    ax.plot(ends, ends, color="#ddd", linewidth=1, zorder=0)
    ax.set_xlabel(shorten(str(first), 40) + ", predicted", **PLAIN)
    ax.set_ylabel("observed")
    quiet_axes(ax)
    return ax
