"""Residuals of numbers against the prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.colours import tint
from softwood.measures import equal_bins
from softwood.view.plots.canvas import name_axes, quiet_axes
from softwood.view.plots.colours import ACCENT, GREY, PALE

MOST_ROWS, BINS = 1500, 10


def draw_residuals(ax: Any, given: Floats, known: Floats) -> Any:
    """Actual minus predicted, with the median and the quartiles of bins."""
    left = known - given
    some = np.unique(np.linspace(0, len(given) - 1, MOST_ROWS).astype(np.int64))
    ax.axhline(0.0, color=PALE, linewidth=1.2, zorder=0)
    ax.plot(given[some], left[some], ".", color=tint(GREY, 0.5), markersize=4, markeredgewidth=0, zorder=1)
    bins = equal_bins(given, BINS)
    x = np.array([given[rows].mean() for rows in bins])
    low, middle, high = np.array([np.quantile(left[rows], [0.25, 0.5, 0.75]) for rows in bins]).T
    ax.fill_between(x, low, high, color=tint(ACCENT, 0.25), linewidth=0, zorder=2)
    ax.plot(x, middle, "o-", color=ACCENT, markersize=4, linewidth=1.4, zorder=3)
    quiet_axes(ax)
    name_axes(ax, "predicted", "residual (actual − predicted)")
    return ax
