"""Observed against predicted: of rows with a predicted probability of 0.8, eight in ten should be of the class.

Rows are grouped in bins of equal size by the prediction. A point is a bin: mean prediction and observed proportion or
mean, with a 95 % interval (Wilson's for classes, two standard errors for numbers). On the diagonal a model is
calibrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.colours import class_colour, tint
from softwood.measures import equal_bins, wilson
from softwood.view.plots.canvas import PLAIN, name_axes, quiet_axes, shorten, take_axes
from softwood.view.plots.colours import ACCENT, GREY, PALE
from softwood.view.plots.many_classes import shown_classes
from softwood.view.plots.scene import Scene, look_at
from softwood.view.plots.surface import choose_answer

MOST_CLASSES = 8
MOST_ROWS = 1500


def plot_calibration(
    model: Any, X: Any, y: Any, *, answer: Any = None, n_bins: int = 10,
    feature_names: Sequence[str] | None = None, ax: Any = None,
) -> Any:  # fmt: skip
    """Draw observed against predicted: a calibration plot.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a pipeline or search that ends in one.
    X, y : rows that were not trained on, and their actual values.
    answer : the class or target. None: the second of two classes; all of several classes in their colours (of more than
        eight, the most frequent); the first target.
    n_bins : number of bins of equal size; fewer if the model has few distinct predictions.
    feature_names : names of the columns of `X`, instead of the model's own.
    ax : axes of matplotlib to draw in; None: new ones.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, plot_calibration
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = CARTClassifier().fit(X, y)
    >>> ax = plot_calibration(model, X, y)
    >>> ax.get_figure().savefig("picture.pdf")  # doctest: +SKIP
    """
    scene = look_at(
        model, X, y, wanted_by="plot_calibration", feature_names=feature_names,
        needs_rows="to answer", needs_answers="to compare with",
    )  # fmt: skip
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, got {n_bins}.")
    column = choose_answer(scene, answer)
    ax = take_axes(ax, 4.0, 4.0, "plot_calibration")
    given, known = scene.tree.predict(scene.rows), np.asarray(scene.y)
    if scene.classes:
        _draw_classes(ax, scene, given, known, column, n_bins)
    else:
        _draw_numbers(ax, scene, given[:, column or 0], known[:, column or 0], n_bins)
    quiet_axes(ax)
    return ax


def _draw_classes(ax: Any, scene: Scene, given: Floats, known: Any, column: int | None, n_bins: int) -> None:
    ax.plot([0, 1], [0, 1], color=PALE, linewidth=1.2, zorder=0)
    shown = [column] if column is not None else shown_classes(scene, MOST_CLASSES)
    for k in shown:
        chance, true = np.clip(given[:, k], 0, 1), (known == k).astype(np.float64)
        bins = equal_bins(chance, n_bins)
        x, part = (np.array([values[rows].mean() for rows in bins]) for values in (chance, true))
        ends = np.array([wilson(p, len(rows)) for p, rows in zip(part, bins, strict=True)])
        reach = np.abs(ends.T - part)
        colour = ACCENT if column is not None else class_colour(k)
        ax.errorbar(x, part, reach, fmt="o-", color=colour, markersize=4.5, linewidth=1.4, elinewidth=0.8, capsize=0,
                    label=shorten(scene.labels[k], 24))  # fmt: skip
    if column is not None:
        heap, edges = np.histogram(np.clip(given[:, column], 0, 1), 30, (0, 1))
        ax.bar(
            edges[:-1], heap / (heap.max() or 1) * 0.15, np.diff(edges), align="edge", color=tint(GREY, 0.35), zorder=0
        )
    else:
        for text in ax.legend(frameon=False, fontsize="small").get_texts():
            text.set(**PLAIN)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    name = "a class" if column is None else shorten(scene.labels[column], 30)
    name_axes(ax, f"predicted probability of {name}", f"observed proportion of {name}")


def _draw_numbers(ax: Any, scene: Scene, given: Floats, known: Floats, n_bins: int) -> None:
    there = np.isfinite(given) & np.isfinite(known)
    given, known = given[there], known[there]
    ends = float(min(given.min(), known.min())), float(max(given.max(), known.max()))
    ax.plot(ends, ends, color=PALE, linewidth=1.2, zorder=0)
    some = np.unique(np.linspace(0, len(given) - 1, MOST_ROWS).astype(np.int64))
    ax.plot(given[some], known[some], ".", color=tint(GREY, 0.5), markersize=4, markeredgewidth=0, zorder=1)
    bins = equal_bins(given, n_bins)
    x, mean = (np.array([values[rows].mean() for rows in bins]) for values in (given, known))
    half = np.array([2 * known[rows].std(ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else 0.0 for rows in bins])
    ax.errorbar(x, mean, half, fmt="o-", color=ACCENT, markersize=5, linewidth=1.4, elinewidth=0.9)
    name = shorten(scene.labels[0], 30)
    name_axes(ax, f"{name}, predicted", f"{name}, observed")
