"""The growth of a tree as an animation: one picture per step, or the page with a slider."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from softwood.view.growth import growth_trees
from softwood.view.page import Page, view
from softwood.view.plots.canvas import PLAIN, import_matplotlib
from softwood.view.plots.growth import Growth

MOST_FRAMES = 40
SIZE = (10.0, 4.8)  # inches
FEW_LEAVES = 5  # maximum number of leaves for full cards
DOTS_PER_INCH = 100
SECONDS_AT_THE_END = 2.0
FORMATS = (".gif", ".mp4", ".html")


def animate(
    model: Any,
    path: str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    steps_per_second: float = 3.0,
    inputs: Sequence[str | int] | str | int | None = None,
    feature_names: Sequence[str] | None = None,
) -> Path:
    """Write an animation of the growth of a tree.

    Parameters
    ----------
    model : as in `plot_growth`: the trees that `fit(X, y, callback=steps.append)` put into a list, those of a stream,
        or a fitted hard tree.
    path : where to write. "growth.gif"; "growth.mp4", which needs ffmpeg; or "growth.html", the page of `view` with a
        slider, which needs neither matplotlib nor a network.
    X, y : rows as the tree reads them, and their actual values: with X, the prediction over the inputs is drawn beside
        the tree. In a page, rows to choose from; the file contains them.
    steps_per_second : for a gif or mp4. From more than 40 steps, 40 evenly spaced ones are shown.
    inputs : as in `plot_growth`; ignored for a page.
    feature_names : names to print instead of the model's own.

    Returns
    -------
    The path.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, animate
    >>> X, y = load_iris(return_X_y=True)
    >>> animate(CARTClassifier().fit(X, y), "growth.gif", X, y)  # doctest: +SKIP
    PosixPath('growth.gif')
    """
    path = Path(path)
    if path.suffix not in FORMATS:
        raise ValueError(f"path must end in {', '.join(FORMATS)}, got {path.name!r:.80}.")
    if not 0.1 <= steps_per_second <= 60:
        raise ValueError(f"steps_per_second must be 0.1..60, got {steps_per_second!r}.")
    if path.suffix == ".html":
        return _page(model, X, y, path, feature_names).path
    import_matplotlib("animate")
    writer = _writer(path.suffix, steps_per_second)
    growth = Growth.of(model, X, y, MOST_FRAMES, inputs, feature_names, "animate")
    _film(growth, writer, path, round(SECONDS_AT_THE_END * steps_per_second))
    return path


def _page(model: Any, X: Any, y: Any, path: Path, feature_names: Sequence[str] | None) -> Page:
    steps = [tree for _, tree in growth_trees(model, "animate", MOST_FRAMES)]
    if feature_names is not None:
        from softwood.formats.models import look_inside

        steps = [look_inside(tree, feature_names, "animate").tree for tree in steps]
    if not isinstance(model, list | tuple) and feature_names is None:
        return view(model, X, y, path, steps=steps)
    return view(steps[-1], X, y, path, steps=steps)


def _writer(suffix: str, per_second: float) -> Any:
    from matplotlib import animation

    if suffix == ".gif":
        return animation.PillowWriter(fps=per_second)  # type: ignore[arg-type]
    if not animation.FFMpegWriter.isAvailable():
        raise RuntimeError(
            "animate('….mp4') needs the program ffmpeg, which is not on the path: install it (apt install ffmpeg, brew "
            "install ffmpeg), or write a .gif or .html file."
        )
    return animation.FFMpegWriter(fps=per_second)  # type: ignore[arg-type]


def _film(growth: Growth, writer: Any, path: Path, at_the_end: int) -> None:
    """Draw and write every frame; the file appears when it is complete."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=SIZE, layout="none")
    handle, name = tempfile.mkstemp(prefix=".softwood-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    try:
        with writer.saving(figure, name, DOTS_PER_INCH):
            for at in range(len(growth.scenes)):
                figure.clear()
                _draw_frame(figure, growth, at)
                for _ in range(at_the_end if at == len(growth.scenes) - 1 else 1):
                    writer.grab_frame()
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
        pyplot.close(figure)


def _draw_frame(figure: Any, growth: Growth, at: int) -> None:
    figure.text(0.02, 0.975, growth.titles[at], ha="left", va="top", fontsize=11, **PLAIN)
    wide = 0.5 if growth.inputs else 0.96
    growth.draw_tree(figure.add_axes((0.02, 0.04, wide, 0.84)), at, FEW_LEAVES)
    if growth.inputs:
        growth.draw_surface(figure.add_axes((0.61, 0.14, 0.37, 0.74)), at)
    figure.add_axes((0.0, 0.0, 1.0, 0.012)).set_axis_off()
    done = at / max(len(growth.scenes) - 1, 1)
    figure.axes[-1].set(xlim=(0, 1), ylim=(0, 1))
    figure.axes[-1].fill_between([0, done], 0, 1, color="#0072b2")
