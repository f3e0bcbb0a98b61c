"""Error against nodes (the Pareto front) and error against time, one point per method, one panel per task.

Error is relative: divided by the least of all methods on the set, then the geometric mean over the sets that all
methods of the panel have. Nodes and seconds of a fit are geometric means over the same sets. A hollow
dot has twice the rows to learn from (both halves).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.papers.compare import relative_errors
from bench.papers.methods import BY_NAME
from bench.papers.page_family import TITLES, codes_of, present
from bench.papers.summary import Cells

LABEL = {"nodes": "nodes (geometric mean)", "seconds": "seconds of a fit (geometric mean, processor)"}
# Where a name may stand: points to the right of the dot and above it, and the side that the name begins at.
BESIDE = [(6, 0, "left"), (-6, 0, "right")]
CORNERS = [(5, 7, "left"), (5, -7, "left"), (-5, 7, "right"), (-5, -7, "right"), (0, 9, "center"), (0, -9, "center")]
PLACES = [*BESIDE, *CORNERS, *((right, 2 * higher, side) for right, higher, side in CORNERS)]
Point = tuple[str, float, float]


def points(cells: Cells, what: str) -> dict[str, list[Point]]:
    """For each task (method, nodes or seconds, relative error)."""
    found: dict[str, list[Point]] = {}
    for task in TITLES:
        codes = [code for code in codes_of(task) if any(key[1] == code for key in cells)]
        methods = [m for m in present(cells, codes) if all((m, code) in cells for code in codes)]
        ratio = relative_errors(cells, methods, codes)
        if ratio:
            found[task] = [(m, _middle(cells, m, codes, what), ratio[m]) for m in methods]
    return found


def front(found: list[Point]) -> list[Point]:
    """The points that no other one beats in both, from the smallest on."""
    best = [p for p in found if not any(q[1] <= p[1] and q[2] <= p[2] and q[1:] != p[1:] for q in found)]
    return sorted(best, key=lambda point: point[1])


def draw(cells: Cells, what: str) -> Any:
    """Panels side by side."""
    from matplotlib.figure import Figure

    found = points(cells, what)
    figure = Figure(figsize=(4.4 * len(found), 4.2))
    for panel, (task, dots) in zip(np.atleast_1d(figure.subplots(1, len(found))), found.items(), strict=True):
        edge = front(dots)
        panel.plot([p[1] for p in edge], [p[2] for p in edge], color="0.75", linewidth=1, zorder=1)
        for method, across, up in dots:
            ours = BY_NAME[method].role == "ours"
            colour = "tab:blue" if ours else "tab:orange"
            inside = "white" if BY_NAME[method].rows == "both" else colour
            panel.scatter(across, up, s=28, edgecolor=colour, facecolor=inside, zorder=2)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.minorticks_off()
        ticks = [t for t in (1, 1.1, 1.25, 1.5, 2, 3, 5, 8) if t <= 1.1 * max(p[2] for p in dots)]
        panel.set_yticks(ticks, [f"{t:g}" for t in ticks])
        panel.set_title(TITLES[task])
        panel.set_xlabel(LABEL[what])
        panel.margins(x=0.3)
    figure.axes[0].set_ylabel("error relative to the best method (geometric mean)")
    figure.tight_layout()
    for panel, dots in zip(figure.axes, found.values(), strict=True):
        _label(panel, dots)
    return figure


def _label(panel: Any, dots: list[Point]) -> None:
    """A name beside each dot, at the first of PLACES where it covers no dot, no other name and not the frame."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.transforms import Bbox

    canvas: Any = FigureCanvasAgg(panel.figure)
    renderer = canvas.get_renderer()
    frame = panel.get_window_extent(renderer)
    centres = panel.transData.transform([(across, up) for _, across, up in dots])
    taken = [Bbox.from_bounds(x - 4, y - 4, 8, 8) for x, y in centres]
    for method, across, up in sorted(dots, key=lambda point: point[2]):
        free = {}
        for right, higher, side in PLACES:
            name = panel.annotate(
                BY_NAME[method].title,
                (across, up),
                (right, higher),
                textcoords="offset points",
                ha=side,
                va="center",
                fontsize=7,
                color="0.25",
            )
            box = name.get_window_extent(renderer)
            inside = frame.x0 < box.x0 and box.x1 < frame.x1 and frame.y0 < box.y0 and box.y1 < frame.y1
            free[name] = inside and box.count_overlaps(taken) == 0
        kept = next((name for name, is_free in free.items() if is_free), next(iter(free)))
        taken.append(kept.get_window_extent(renderer))
        for name in free:
            if name is not kept:
                name.remove()


def _middle(cells: Cells, method: str, codes: list[str], what: str) -> float:
    value = [max(float(getattr(cells[method, code], what).mean()), 1e-4) for code in codes]
    return float(np.exp(np.mean(np.log(value))))
