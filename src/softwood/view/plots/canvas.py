"""The canvas of all pictures: matplotlib if installed, given or new axes, literal text.

Names come from the data: `$` in them is not a formula, and a name of 500 characters is truncated.
"""

from __future__ import annotations

import math
from typing import Any

from softwood.tree.spelling import spell_name
from softwood.view.plots.colours import GREY, INK

PLAIN: dict[str, Any] = {"parse_math": False}  # of every text that holds a name
LONGEST = 40  # characters of a name on an axis


def import_matplotlib(wanted_by: str) -> Any:
    """`matplotlib`, or an error that says how to get it."""
    try:
        import matplotlib as mpl
    except ImportError as problem:
        raise ImportError(f"{wanted_by} needs matplotlib: pip install 'softwood[view]'.") from problem
    return mpl


def take_axes(ax: Any, width: float, height: float, wanted_by: str, fill: bool = False) -> Any:
    """The axes to draw in: the given ones, or new ones in a figure of this size in inches.

    Parameters
    ----------
    ax : axes of matplotlib, or None.
    wanted_by : the calling function, for error messages.
    fill : whether new axes are the whole figure, without room for ticks.
    """
    import_matplotlib(wanted_by)
    if ax is None:
        from matplotlib import pyplot

        if fill:
            return pyplot.figure(figsize=(width, height)).add_axes((0, 0, 1, 1))
        return pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    if not hasattr(ax, "inset_axes"):
        raise TypeError(
            f"ax must be axes of matplotlib or None, got {type(ax).__name__}; pass one of several at a time."
        )
    return ax


def shorten(name: str, longest: int = LONGEST) -> str:
    """A name for an axis or a card: on one line, truncated if too long."""
    text = spell_name(name)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def quiet_axes(ax: Any) -> None:
    """Plain axes: two sides of the frame and small ticks."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=GREY, labelcolor=INK, labelsize="small", length=3)


def name_axes(ax: Any, x: str = "", y: str = "", title: str = "") -> None:
    """Literal labels."""
    ax.set_xlabel(x, **PLAIN)
    ax.set_ylabel(y, **PLAIN)
    if title:
        ax.set_title(title, fontsize="medium", **PLAIN)


def split_axes(ax: Any, n: int, columns: int) -> list[Any]:
    """Panels, n in rows of `columns` inside axes, whose frame is removed; each panel is an axes."""
    columns = max(1, min(columns, n))
    rows = math.ceil(n / columns)
    ax.set_axis_off()
    figure = ax.get_figure()
    across, down = ax.get_window_extent().width / figure.dpi, ax.get_window_extent().height / figure.dpi
    gap_x, gap_y = min(0.58 / across, 0.4 / columns), min(0.62 / down, 0.5 / rows)  # inches for ticks and names
    width, height = (1 - gap_x * columns) / columns, (1 - gap_y * rows) / rows
    places = [(i % columns, i // columns) for i in range(n)]
    return [
        ax.inset_axes((gap_x + at * (width + gap_x), 1 - (row + 1) * (height + gap_y) + 0.78 * gap_y, width, height))
        for at, row in places
    ]
