"""The path of one row through a tree: an edge is as wide as the proportion of the row that follows it.

A mark at every gate shows the row among the others. Below a gate is its score or value, below a leaf its contribution
to the output: the share of the row times what the leaf adds. The head has the sum. Nodes that little of the row reaches
are pale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from softwood.tree.node_numbers import is_summed
from softwood.view.plots.colours import ACCENT, PALE
from softwood.view.plots.scene import Scene, look_at
from softwood.view.plots.spelling import spell_answers
from softwood.view.plots.tree import draw_cards, draw_edges, lay_out, start_picture

SHOWN_MIN_SHARE = 0.005  # of a row: nodes with a smaller share are pale


def plot_row(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    row: int = 0,
    max_depth: int | None = None,
    orientation: str | None = None,
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw the path of one row through a tree.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a pipeline or search that ends in one.
    X, y : rows as the model takes them, and their actual values: the row is drawn among them.
    row : position of the row to follow.
    max_depth, orientation, feature_names, ax : as in `plot_tree`.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, plot_row
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = CARTClassifier().fit(X, y)
    >>> ax = plot_row(model, X, y, row=70)
    >>> ax.get_figure().savefig("picture.pdf")  # doctest: +SKIP
    """
    scene = look_at(model, X, y, wanted_by="plot_row", feature_names=feature_names, needs_rows="to follow one of them")
    if not -len(scene.rows) <= row < len(scene.rows):
        raise ValueError(f"row must be 0..{len(scene.rows) - 1}, a position in X, got {row}.")
    row %= len(scene.rows)
    scene = replace(scene, followed=row)
    answer = spell_answers(scene, scene.tree.predict(scene.rows[[row]])[0])
    actual = "" if scene.y is None else f" (actual: {_actual(scene)})"
    picture = lay_out(scene, max_depth, orientation)
    pen = start_picture(ax, picture, "plot_row", f"predicted: {answer}{actual}", _sums(scene))
    draw_edges(pen, picture, np.zeros(scene.tree.n_nodes), PALE, labels=False)
    part = scene.reach[row]
    draw_edges(pen, picture, np.where(part >= SHOWN_MIN_SHARE, part, np.nan), ACCENT, labels=True, over=2)
    draw_cards(pen, picture, {node for node in picture.boxes if part[node] < SHOWN_MIN_SHARE})
    return pen.ax


def _sums(scene: Scene) -> list[str]:
    """The sum that gives the output of the row; for several classes that of the predicted one."""
    total = scene.sum_of_row
    if total is None or not is_summed(scene.tree):
        return []
    if scene.tree.n_outputs == 1 or not scene.classes:
        return total.lines()
    return total.lines([scene.answered_place()])


def _actual(scene: Scene) -> str:
    answer = np.asarray(scene.y)[scene.followed]
    return str(scene.labels[int(answer)] if scene.classes else ", ".join(f"{value:.4g}" for value in answer))
