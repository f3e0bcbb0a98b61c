"""Partial dependence: the prediction as one input varies and the others keep their values.

The line is the mean over the rows. The band shows how the effect of the input differs between rows (the middle 80 %):
where it is wide, the effect depends on other inputs; for a sum of curves it has no width. The distribution of the rows
is drawn below. One class or target is drawn before the link (log odds, if the tree sums them), several classes after
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.explain.error_tables import SIDE
from softwood.explain.linear_form import LinearForm
from softwood.explain.standard_errors import target_of
from softwood.explain.tree_errors import OutputErrors, fit_errors
from softwood.formats.colours import class_colour, tint
from softwood.kernels.kinds import Link
from softwood.tree.node_numbers import output_names
from softwood.view.plots.canvas import PLAIN, shorten, split_axes, take_axes
from softwood.view.plots.colours import ACCENT, GREY
from softwood.view.plots.many_classes import shown_classes
from softwood.view.plots.panels import draw_level_rows, draw_levels, draw_rows, finish_panel
from softwood.view.plots.scene import Scene, grid_of, look_at
from softwood.view.plots.surface import choose_answer, find_input

PANEL = 2.5, 2.1  # inches
COLUMNS = 4
MOST_ROWS, POINTS = 150, 50
BAND = 0.1, 0.9
MOST_CLASSES = 8
LEGEND_COLUMNS = 4  # per panel; a wider legend leaves no room for the axes


def plot_curves(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    inputs: Sequence[str | int] | None = None,
    answer: Any = None,
    max_inputs: int = 8,
    errors: bool = False,
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw the partial dependence of a tree on each input.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a pipeline or search that ends in one.
    X, y : rows to average over, and their actual values, which colour the distribution of the rows.
    inputs, max_inputs : by name or number; None: those with the largest effect, at most `max_inputs`.
    errors : whether to draw a 95 % interval of the mean, as two dashed lines or as bars, from the standard errors of
        responses and curves (`softwood.explain.standard_errors`). Needs y, and one class or target.
    answer : the class or target. None: the second of two classes; all of several classes in their colours (of more than
        eight, the most frequent); the first target.
    feature_names : names to print instead of the model's own.
    ax : axes of matplotlib to draw in; None: new ones.

    Returns
    -------
    The axes; the panels are its `child_axes`, all on one scale.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, plot_curves
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = CARTClassifier().fit(X, y)
    >>> ax = plot_curves(model, X, inputs=["petal width (cm)"])
    >>> ax.get_figure().savefig("picture.pdf")  # doctest: +SKIP
    """
    scene = look_at(model, X, y, wanted_by="plot_curves", feature_names=feature_names, needs_rows="to average over")
    if max_inputs < 1:
        raise ValueError(f"max_inputs must be at least 1, got {max_inputs}.")
    column = choose_answer(scene, answer)
    chosen = scene.used if inputs is None else [find_input(scene, each) for each in inputs]
    if not chosen:
        raise ValueError("the tree uses no input: its prediction is constant, so there is no curve.")
    known = _tree_errors(scene, column) if errors else None
    curves = {feature: depend(scene, feature, column, known) for feature in chosen}
    if inputs is None:
        moved = {f: curves[f].movement(_shown(scene, column)) for f in chosen}
        chosen = sorted(chosen, key=lambda f: (-moved[f], f))[:max_inputs]
    columns = min(COLUMNS, len(chosen))
    ax = take_axes(ax, PANEL[0] * columns, PANEL[1] * -(-len(chosen) // columns), "plot_curves")
    panels = split_axes(ax, len(chosen), columns)
    for panel, feature in zip(panels, chosen, strict=True):
        _draw(panel, scene, feature, curves[feature], column)
    _finish(ax, panels, scene, chosen, column, columns)
    return ax


@dataclass(frozen=True)
class Dependence:
    """Predictions (values, rows, answers) with each of some values of one input; `weight` is the number of rows near
    each value; `error` is the standard error of the mean, None if not requested.
    """

    values: Floats
    answers: Floats
    weight: Floats
    error: Floats | None = None

    def mean(self, k: int) -> Floats:
        """Partial dependence."""
        return np.asarray(self.answers[:, :, k].mean(axis=1))

    def band(self, k: int) -> tuple[Floats, Floats]:
        """The mean, and the differences of the rows from it, each centred on its own level."""
        row = self.answers[:, :, k]
        own = row - np.average(row, axis=0, weights=self.weight)
        low, high = np.quantile(own - own.mean(axis=1, keepdims=True), BAND, axis=1)
        return self.mean(k) + low, self.mean(k) + high

    def movement(self, columns: Sequence[int]) -> float:
        """The average effect of the input over its distribution."""
        centre = np.average(self.answers, axis=0, weights=self.weight)
        square = np.average(np.square(self.answers - centre), axis=0, weights=self.weight)
        return float(np.sqrt(square[:, columns]).mean())


def depend(scene: Scene, feature: int, column: int | None, known: OutputErrors | None = None) -> Dependence:
    """Predictions over one input: before the link for one class or target, else after it."""
    grid = grid_of(scene, feature, POINTS)
    some = np.unique(np.linspace(0, len(scene.rows) - 1, MOST_ROWS).astype(np.int64))
    rows = np.tile(scene.rows[some], (len(grid), 1))
    rows[:, feature] = np.repeat(grid, len(some))
    answers = scene.tree.predict(rows) if column is None else before_link(scene, rows, column)
    x = scene.rows[:, feature]
    x = np.clip(x[np.isfinite(x)], grid[0], grid[-1])
    edges = np.concatenate([[-np.inf], (grid[1:] + grid[:-1]) / 2, [np.inf]])
    weight = np.histogram(x, edges)[0].astype(np.float64) if len(x) else np.ones(len(grid))
    error = None
    if known is not None and column is not None:
        parts = known.form.columns(rows, min(column, scene.tree.n_outputs - 1))
        error = known.of_sums(parts.reshape(len(grid), len(some), -1).mean(axis=1))
    return Dependence(grid, answers.reshape(len(grid), len(some), -1), weight, error)


def _tree_errors(scene: Scene, column: int | None) -> OutputErrors:
    """The standard errors of an output, from rows with actual values."""
    if scene.y is None or column is None:
        missing = "y, the actual values of X" if scene.y is None else "answer='...', one of several classes"
        raise ValueError(f"errors=True needs {missing}.")
    numbers = scene.tree.schema.task != "classification"
    target = np.asarray(scene.y, np.float64) if numbers else target_of(scene.tree, scene.y)
    form, output = LinearForm.of(scene.tree, scene.rows), min(column, scene.tree.n_outputs - 1)
    return fit_errors(form, scene.rows, target.reshape(len(scene.rows), -1), np.ones(len(scene.rows)), output)


def before_link(scene: Scene, rows: Floats, column: int) -> Floats:
    """The output for one class or target in the unit of `unit_name`; other columns are not computed."""
    output, tree = scene.tree.output(rows), scene.tree
    if tree.link == Link.SIGMOID and tree.n_outputs == 1:
        return np.concatenate([-output, output], axis=1)
    return output - output.mean(axis=1, keepdims=True) if tree.link == Link.SOFTMAX else output


def unit_name(scene: Scene, column: int) -> str:
    """`log odds of yes`, `score of setosa`, `probability of no`, `price`."""
    if scene.tree.link == Link.SIGMOID and scene.tree.n_outputs == 1:
        return f"log odds of {scene.labels[column]}"
    return output_names(scene.tree)[column]


def _draw(panel: Any, scene: Scene, feature: int, curve: Dependence, column: int | None) -> None:
    x, all_of_it = scene.rows[:, feature], np.ones(len(scene.rows))
    levels, grid = len(scene.levels(feature)), curve.values
    if levels:
        draw_level_rows(panel, scene, x, all_of_it, levels)
    else:
        draw_rows(panel, scene, x, all_of_it, (float(grid[0]), float(grid[-1])))
    for k in _shown(scene, column):
        colour = ACCENT if column is not None else class_colour(k)
        low, high = curve.band(k)
        if levels:
            draw_levels(panel, curve.mean(k), colour)
            if column is not None:
                panel.vlines(np.arange(levels), low, high, color=tint(colour, 0.4), linewidth=5, zorder=2)
        else:
            panel.plot(grid, curve.mean(k), color=colour, linewidth=2, zorder=3)
            if column is not None:
                panel.fill_between(grid, low, high, color=tint(colour, 0.25), linewidth=0, zorder=2)
        if curve.error is not None:
            _draw_errors(panel, curve, curve.error, k, colour, levels)


def _draw_errors(panel: Any, curve: Dependence, error: Floats, k: int, colour: Any, levels: int) -> None:
    """The interval of the mean: dashed lines; bars of levels."""
    if levels:
        place, mean = np.arange(levels), curve.mean(k)
        panel.errorbar(place, mean, SIDE * error, fmt="none", ecolor=colour, elinewidth=1, capsize=3, zorder=4)
        return
    for end in (curve.mean(k) - SIDE * error, curve.mean(k) + SIDE * error):
        panel.plot(curve.values, end, color=colour, linewidth=1, linestyle="--", zorder=3)


def _shown(scene: Scene, column: int | None) -> list[int]:
    return [column] if column is not None else shown_classes(scene, MOST_CLASSES)


def _finish(ax: Any, panels: list[Any], scene: Scene, chosen: list[int], column: int | None, columns: int) -> None:
    """One scale for all panels, with room for the rows below; names; the legend."""
    ends = [panel.get_ylim() for panel in panels]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    low, high = (max(low, 0.0), min(high, 1.0)) if column is None else (low, high)
    room = (high - low) or 1.0
    name = "probability" if column is None else unit_name(scene, column)
    for i, (panel, feature) in enumerate(zip(panels, chosen, strict=True)):
        panel.set_ylim(low - 0.3 * room, high + 0.05 * room)
        finish_panel(panel, scene, feature, "" if i % columns else shorten(name, 24))
    left = len(scene.used) - len(chosen)
    if left > 0:
        ax.text(1.0, 1.0, f"{left} more inputs with smaller effects", ha="right", va="bottom",
                fontsize="x-small", color=GREY, transform=ax.transAxes)  # fmt: skip
    if column is None:
        from matplotlib.lines import Line2D

        shown = _shown(scene, column)
        handles = [Line2D([], [], color=class_colour(k), label=shorten(scene.labels[k], 24)) for k in shown]
        wide = min(len(shown), LEGEND_COLUMNS * columns)
        legend = ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=wide, frameon=False,
                           fontsize="x-small", borderaxespad=0)  # fmt: skip
        for text in legend.get_texts():
            text.set(**PLAIN)
