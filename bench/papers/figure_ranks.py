"""The critical-difference plot (Demšar 2006): mean ranks on a line, bars over methods that cannot be distinguished."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.papers.compare import Ranks
from bench.papers.methods import BY_NAME

STEP = 0.32  # inches between labels


def draw(ranks: Ranks, title: str) -> Any:
    """Best at the left; labels of the better half are at the left, the others at the right."""
    from matplotlib.figure import Figure

    order = np.argsort(ranks.mean)
    k, half = len(order), (len(order) + 1) // 2
    bars = ranks.cliques()
    top = 1.0 + 0.5 * len(bars)
    figure = Figure(figsize=(8.5, 1.3 + 0.16 * len(bars) + STEP * half))
    axes = figure.subplots()
    axes.set_axis_off()
    axes.plot([1, k], [top, top], color="black", linewidth=1)
    for tick in range(1, k + 1):
        axes.plot([tick, tick], [top, top + 0.2], color="black", linewidth=1)
        axes.text(tick, top + 0.3, str(tick), ha="center", va="bottom")
    for place, index in enumerate(order):
        left = place < half
        level = -(place if left else k - 1 - place)
        end, mean = (0.9, ranks.mean[index]) if left else (k + 0.1, ranks.mean[index])
        axes.plot([mean, mean, end], [top, level, level], color="0.4", linewidth=0.8)
        text = f"{BY_NAME[ranks.methods[index]].title} ({mean:.2f})"
        axes.text(end - 0.05 if left else end + 0.05, level, text, ha="right" if left else "left", va="center")
    for i, (low, high) in enumerate(bars):
        axes.plot([low - 0.05, high + 0.05], [top - 0.4 - 0.5 * i] * 2, color="tab:blue", linewidth=3)
    axes.plot([1, 1 + ranks.critical], [top + 1.4] * 2, color="black", linewidth=1.5)
    axes.text(1, top + 1.5, f"critical difference {ranks.critical:.2f}", va="bottom")
    axes.set_title(f"{title}: mean rank over {ranks.n_sets} sets, 1 is best")
    axes.set_xlim(1 - 0.35 * k, k + 0.35 * k)
    return figure
