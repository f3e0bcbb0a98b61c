"""One panel of a picture of curves: a line over one input, with the distribution of the rows below."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.colours import tint
from softwood.view.plots.canvas import PLAIN, name_axes, quiet_axes, shorten
from softwood.view.plots.colours import ACCENT, GREY
from softwood.view.plots.many_classes import rows_by_class
from softwood.view.plots.scene import Scene

BINS = 30
HEAP = 0.22  # of a panel's height that the rows may take
MOST_NAMES, LONGEST_NAME = 12, 10


def draw_rows(ax: Any, scene: Scene, x: Floats, weight: Floats, span: tuple[float, float] | None = None) -> None:
    """The distribution of the rows at the foot of a panel, by class if known."""
    known = np.isfinite(x) & (weight > 0)
    if not known.any():
        return
    low, high = span or (float(x[known].min()), float(x[known].max()))
    edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    groups: list[tuple[Any, str]] = [(known, tint(GREY, 0.4))]
    if scene.y is not None and scene.classes:
        groups = [(mine, tint(colour, 0.6)) for mine, colour in rows_by_class(scene, known)]
    heaps = [np.histogram(x[mine], edges, weights=weight[mine])[0] for mine, _ in groups]
    top, base = float(np.sum(heaps, axis=0).max()) or 1.0, np.zeros(BINS)
    for heap, (_, colour) in zip(heaps, groups, strict=True):
        bottom, height = np.repeat(base, 2) * HEAP / top, np.repeat(base + heap, 2) * HEAP / top
        at = np.repeat(edges, 2)[1:-1]
        ax.fill_between(at, bottom, height, color=colour, linewidth=0, zorder=1, transform=ax.get_xaxis_transform())
        base = base + heap


def draw_level_rows(ax: Any, scene: Scene, x: Floats, weight: Floats, n: int) -> None:
    """The number of rows per level at the foot of a panel, by class if known."""
    known = np.isfinite(x) & (x >= 0) & (x < n)
    if not known.any():
        return
    groups = [(known, tint(GREY, 0.4))]
    if scene.y is not None and scene.classes:
        groups = [(mine, tint(colour, 0.6)) for mine, colour in rows_by_class(scene, known)]
    heaps = [np.bincount(x[mine].astype(np.int64), weight[mine], n) for mine, _ in groups]
    top, base = float(np.sum(heaps, axis=0).max()) or 1.0, np.zeros(n)
    for heap, (_, colour) in zip(heaps, groups, strict=True):
        ax.bar(np.arange(n), heap * HEAP / top, 0.8, base, color=colour, zorder=1, transform=ax.get_xaxis_transform())
        base = base + heap * HEAP / top


def draw_levels(ax: Any, values: Floats, colour: str = ACCENT) -> None:
    """The value of every level: a short line each."""
    at = np.arange(len(values))
    ax.hlines(values, at - 0.4, at + 0.4, colors=colour, linewidth=2.2, zorder=3)


def name_levels(ax: Any, scene: Scene, feature: int) -> None:
    """Names of levels below the axis, some of many."""
    labels = scene.levels(feature)
    step = max(1, -(-len(labels) // MOST_NAMES))
    names = [shorten(label, LONGEST_NAME) for label in labels[::step]]
    turned = 0 if sum(map(len, names)) <= 24 else 45
    ax.set_xticks(range(0, len(labels), step), names, rotation=turned, ha="right" if turned else "center", **PLAIN)


def finish_panel(ax: Any, scene: Scene, feature: int, y: str = "") -> None:
    """Name and frame of a panel over one input."""
    if scene.levels(feature):
        name_levels(ax, scene, feature)
    quiet_axes(ax)
    name_axes(ax, shorten(scene.name(feature), 26), y)
    ax.xaxis.label.set_size("small")
    ax.yaxis.label.set_size("small")


def draw_missing(ax: Any, value: float) -> None:
    """What a missing value adds, beside the curve."""
    ax.plot([1.0], [value], marker="D", color=ACCENT, markersize=4, clip_on=False, zorder=4,
            transform=ax.get_yaxis_transform())  # fmt: skip
    ax.annotate("missing", (1.0, value), xycoords=ax.get_yaxis_transform(), xytext=(-4, 4), ha="right", va="bottom",
                textcoords="offset points", fontsize="x-small", color=GREY)  # fmt: skip
