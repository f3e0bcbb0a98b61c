"""Drawing in inches: a picture is laid out at its natural size and scaled as a whole to its axes.

Text, lines and boxes scale together, so what fits at one size fits at any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from softwood.view.plots.canvas import PLAIN, take_axes
from softwood.view.plots.colours import GREY, INK, PALE

MARGIN = 0.08  # inches around a picture
SIZE = 7.5  # points of text
SIGN = re.compile("([−+≥≤<>=]) ")  # stays with the next word
LARGEST = 60.0  # inches that a new figure may have on a side


@dataclass(frozen=True)
class Box:
    """A part of the picture, in inches from its lower left corner."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def top(self) -> float:
        return self.bottom + self.height

    @property
    def middle(self) -> tuple[float, float]:
        return self.left + self.width / 2, self.bottom + self.height / 2

    def x(self, part: Any) -> Any:
        """From 0 at the left to 1 at the right."""
        return self.left + self.width * part

    def y(self, part: Any) -> Any:
        """From 0 at the bottom to 1 at the top."""
        return self.bottom + self.height * part

    def columns(self, n: int, gap: float) -> list[Box]:
        """Equal boxes, side by side."""
        width = (self.width - gap * (n - 1)) / n
        return [Box(self.left + i * (width + gap), self.bottom, width, self.height) for i in range(n)]


class Pen:
    """Draws on axes whose unit is an inch.

    Parameters
    ----------
    ax : axes, or None for a new figure of the natural size.
    width, height : natural size of the picture.
    wanted_by : the calling function, for error messages.
    """

    def __init__(self, ax: Any, width: float, height: float, wanted_by: str) -> None:
        width, height = width + 2 * MARGIN, height + 2 * MARGIN
        shrink = max(1.0, width / LARGEST, height / LARGEST)
        self.ax = take_axes(ax, width / shrink, height / shrink, wanted_by, fill=True)
        extent, dpi = self.ax.get_window_extent(), self.ax.get_figure().dpi
        own = 1 / shrink if ax is None else min(extent.width / dpi / width, extent.height / dpi / height)
        self.scale, self.alpha = min(own, 1.0), 1.0
        self.ax.set_axis_off()
        self.ax.set_xlim(-MARGIN, width - MARGIN)
        self.ax.set_ylim(-MARGIN, height - MARGIN)
        self.ax.set_aspect("equal")

    def text(self, x: float, y: float, text: str, size: float = SIZE, *, colour: str = INK, align: str = "center",
             bold: bool = False, across: str = "center", back: str | None = None) -> None:  # fmt: skip
        """One line of text; `align` left, center or right of x, `across` top, center or bottom of y."""
        told = self.ax.text(
            x, y, text, fontsize=size * self.scale, color=colour, ha=align, va=across, zorder=6, alpha=self.alpha,
            fontweight="bold" if bold else "normal", **PLAIN,
        )  # fmt: skip
        if back is not None:
            told.set_bbox({"facecolor": back, "edgecolor": "none", "pad": 0.8 * self.scale, "alpha": 0.9})

    def line(self, x: Any, y: Any, colour: str = INK, width: float = 1.0, style: str = "-", over: int = 5) -> None:
        """Through points, `width` in points."""
        self.ax.plot(x, y, style, color=colour, linewidth=width * self.scale, zorder=over, solid_capstyle="butt",
                     alpha=self.alpha)  # fmt: skip

    def area(self, x: Any, low: Any, high: Any, colour: str, over: int = 4) -> None:
        """Between two lines."""
        self.ax.fill_between(x, low, high, color=colour, linewidth=0, zorder=over, alpha=self.alpha)

    def bar(self, box: Box, colour: str, over: int = 4, edge: str = "none") -> None:
        """A filled box."""
        from matplotlib.patches import Rectangle

        self.ax.add_patch(
            Rectangle(
                (box.left, box.bottom),
                box.width,
                box.height,
                facecolor=colour,
                edgecolor=edge,
                linewidth=0.4 * self.scale,
                zorder=over,
                alpha=self.alpha,
            )
        )

    def spot(self, x: float, y: float, colour: str, marker: str = "v", size: float = 5.0) -> None:
        """A mark at one place, size in points."""
        self.ax.plot([x], [y], marker, color=colour, markersize=size * self.scale, zorder=7, alpha=self.alpha,
                     markeredgewidth=0)  # fmt: skip

    def points(self, x: Any, y: Any, colour: Any, size: float = 2.0) -> None:
        """Dots."""
        self.ax.scatter(x, y, s=size * self.scale**2, c=colour, linewidths=0, zorder=4, alpha=0.6 * self.alpha)

    def card(self, box: Box, fill: str, edge: str = GREY, width: float = 0.8, style: str = "-") -> None:
        """A box with round corners."""
        from matplotlib.patches import FancyBboxPatch

        shape = "round,pad=0,rounding_size=0.06"
        self.ax.add_patch(
            FancyBboxPatch(
                (box.left, box.bottom),
                box.width,
                box.height,
                boxstyle=shape,
                facecolor=fill,
                edgecolor=edge,
                linewidth=width * self.scale,
                linestyle=style,
                zorder=3,
                alpha=self.alpha,
            )
        )

    def edge(self, start: tuple[float, float], end: tuple[float, float], width: float, down: bool,
             colour: str = PALE, over: int = 1) -> None:  # fmt: skip
        """A bent band from a parent to a child."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        (x0, y0), (x1, y1) = start, end
        first, second = (
            ((x0, (y0 + y1) / 2), (x1, (y0 + y1) / 2)) if down else (((x0 + x1) / 2, y0), ((x0 + x1) / 2, y1))
        )
        path = Path([start, first, second, end], [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        self.ax.add_patch(
            PathPatch(
                path, facecolor="none", edgecolor=colour, linewidth=width * self.scale, capstyle="butt", zorder=over
            )
        )

    def legend(self, labels: list[str], colours: list[str], box: Box) -> None:
        """The legend of colours in one line; entries that do not fit are omitted."""
        left = box.left
        for label, colour in zip(labels, colours, strict=True):
            text = fit_text(label, 1.6, SIZE)
            wide = text_width(text, SIZE) + 0.4
            if left + wide > box.right + 0.3:
                self.text(left, box.middle[1], "…", SIZE, align="left")
                break
            self.bar(Box(left, box.middle[1] - 0.045, 0.14, 0.09), colour)
            self.text(left + 0.19, box.middle[1], text, SIZE, align="left")
            left += wide


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0]) / 72


def fit_text(text: str, width: float, size: float, bold: bool = False) -> str:
    """The text, truncated with an ellipsis if wider than `width` inches."""
    if len(text) > 400:
        text = text[:400]
    if text_width(text, size, bold) <= width:
        return text
    low, high = 0, len(text)
    while high - low > 1:
        mid = (low + high) // 2
        low, high = (mid, high) if text_width(text[:mid] + "…", size, bold) <= width else (low, mid)
    return text[:low].rstrip() + "…"


def wrap_text(text: str, width: float, size: float, most: int) -> list[str]:
    """The text in at most `most` lines of `width` inches, broken at spaces; the rest is truncated."""
    lines: list[str] = []
    for word in SIGN.sub("\\1\u00a0", text).split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        elif len(lines) < most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word} …"  # too long now, so it is cut
            break
    return [fit_text(line, width, size) for line in lines]
