"""All figures, as SVG that is the same to the byte for the same results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.papers import figure_growth, figure_ranks, figure_scatter, figure_toy
from bench.papers.page_family import TITLES, ranks_of
from bench.papers.summary import Cells

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "softwood",  # ids in the file do not change from run to run
    "svg.fonttype": "none",  # text as text: a tenth of the size
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "legend.frameon": False,
}


def draw_all(folder: Path, cells: Cells) -> list[str]:
    """Draw all figures that have results; the names of the files."""
    jobs: dict[str, Callable[[], Any]] = {"toy.svg": figure_toy.draw, "growth.svg": figure_growth.draw}
    for task in TITLES:
        ranks = ranks_of(cells, task)
        if ranks is not None:
            jobs[f"ranks-{task}.svg"] = partial(figure_ranks.draw, ranks, TITLES[task])
    if figure_scatter.points(cells, "nodes"):
        jobs["pareto.svg"] = partial(figure_scatter.draw, cells, "nodes")
        jobs["time.svg"] = partial(figure_scatter.draw, cells, "seconds")
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in jobs.items():
        save(folder / name, draw)
    return list(jobs)


def save(path: Path, draw: Callable[[], Any]) -> None:
    """Draw in our style, write, forget."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with mpl.rc_context(STYLE):
        figure = draw()
        FigureCanvasAgg(figure)
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, bbox_inches="tight", metadata=metadata, dpi=110)
    print(f"drew {path}")
