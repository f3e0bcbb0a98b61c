"""The prediction of a tree over one or two inputs, with the rows on top: a curve, or a coloured plane.

For a hard tree it has steps, for a soft one slopes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.formats.colours import class_colour, class_colours
from softwood.view.plots.canvas import LONGEST, PLAIN, name_axes, quiet_axes, shorten, take_axes
from softwood.view.plots.colours import ACCENT, GREY, INK, NUMBERS
from softwood.view.plots.panels import name_levels
from softwood.view.plots.scene import Scene, look_at

FINE = 400  # points along a curve
PLANE = 161  # points along each side of a plane
MOST_ROWS = 1500
MARGIN = 0.04  # of the span, on either side


def plot_surface(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    inputs: Sequence[str | int] | str | int | None = None,
    answer: Any = None,
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw the prediction of a tree over one or two inputs.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a pipeline or search that ends in one.
    X, y : rows, and their actual values: points on the surface. Other inputs are held at their median or most frequent
        level.
    inputs : one or two inputs, by name or number; None: those of the tree, if it uses one or two.
    answer : the class whose probability is drawn, or the target. None: the most probable class, shaded by its
        probability, or the first target.
    feature_names : names to print instead of the model's own.
    ax : axes of matplotlib to draw in; None: new ones.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, plot_surface
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = CARTClassifier().fit(X, y)
    >>> ax = plot_surface(model, X, y, inputs=["petal length (cm)", "petal width (cm)"])
    >>> ax.get_figure().savefig("picture.pdf")  # doctest: +SKIP
    """
    scene = look_at(
        model, X, y, wanted_by="plot_surface", feature_names=feature_names, needs_rows="for the ranges of the inputs"
    )
    chosen = choose_inputs(scene, inputs)
    column = choose_answer(scene, answer)
    ax = take_axes(ax, 4.6, 3.6, "plot_surface")
    draw_surface(ax, scene, chosen, column)
    return ax


def draw_surface(
    ax: Any, scene: Scene, inputs: Sequence[int], column: int | None, *, alone: bool = True,
    limits: tuple[float, float] | None = None,
) -> None:  # fmt: skip
    """Draw it into axes.

    Parameters
    ----------
    alone : whether the picture has a legend; of several pictures only one has.
    limits : of the colour scale; None: of the drawn numbers.
    """
    if len(inputs) == 1:
        _draw_curve(ax, scene, inputs[0], column)
    else:
        _draw_plane(ax, scene, (inputs[0], inputs[1]), column, alone, limits)
    legend = ax.get_legend()
    if not alone and legend is not None:
        legend.remove()


def choose_inputs(scene: Scene, inputs: Sequence[str | int] | str | int | None) -> list[int]:
    """The numbers of one or two inputs."""
    if inputs is None:
        used = scene.used if scene.tree.n_features > 2 else list(range(scene.tree.n_features))
        if not 1 <= len(used) <= 2:
            names = ", ".join(repr(shorten(scene.name(f))) for f in used[:3])
            raise ValueError(
                f"a surface has one or two inputs, and the tree uses {len(used)} ({names}, …): name them, "
                f"inputs=['a', 'b']; the others are held at their median."
            )
        return used
    given = [inputs] if isinstance(inputs, str | int) else list(inputs)
    if not 1 <= len(given) <= 2 or len(set(given)) < len(given):
        raise ValueError(f"inputs must be one or two different inputs, got {given!r:.120}.")
    return [find_input(scene, each) for each in given]


def find_input(scene: Scene, given: str | int) -> int:
    """The number of an input given by name or number."""
    names = scene.tree.schema.features
    if isinstance(given, str):
        if given not in names:
            raise ValueError(f"there is no input {given!r:.60}; the inputs are {list(names)!r:.200}.")
        return names.index(given)
    if not 0 <= int(given) < len(names):
        raise ValueError(f"an input must be a name or a number 0..{len(names) - 1}, got {given}.")
    return int(given)


def choose_answer(scene: Scene, answer: Any) -> int | None:
    """The column to draw: the second of two classes, the first target, none for more classes."""
    answers = scene.tree.schema.answers
    if answer is not None:
        if answer not in answers:
            raise ValueError(f"answer must be one of {list(answers)!r:.200}, got {answer!r:.60}.")
        return answers.index(answer)
    return 0 if not scene.classes else 1 if len(answers) == 2 else None


def answer_name(scene: Scene, column: int) -> str:
    """The label of an axis."""
    label = shorten(scene.labels[column], LONGEST)
    return f"probability of {label}" if scene.classes else label


def _grid(scene: Scene, feature: int, n: int) -> Floats:
    levels = scene.levels(feature)
    if levels:
        return np.arange(float(len(levels)))
    low, high = scene.span(feature, 1.0)
    edge = MARGIN * (high - low)
    return np.linspace(low - edge, high + edge, n)


def _some(scene: Scene) -> npt.NDArray[np.int64]:
    return np.unique(np.linspace(0, len(scene.rows) - 1, MOST_ROWS).astype(np.int64))


def _draw_curve(ax: Any, scene: Scene, feature: int, column: int | None) -> None:
    grid = _grid(scene, feature, FINE)
    rows = np.tile(scene.typical(), (len(grid), 1))
    rows[:, feature] = grid
    answer = scene.tree.predict(rows)
    shown = range(len(scene.labels)) if column is None else [column]
    _draw_points(ax, scene, feature, column)
    style = {"linestyle": "none", "marker": "_", "markersize": 18} if scene.levels(feature) else {}
    for k in shown:
        colour = class_colour(k) if column is None else INK
        ax.plot(grid, answer[:, k], color=colour, linewidth=2.0, label=shorten(scene.labels[k], 24), zorder=4, **style)
    if column is None:
        _plain_legend(ax)
    if scene.levels(feature):
        name_levels(ax, scene, feature)
    quiet_axes(ax)
    name_axes(ax, shorten(scene.name(feature)), "probability" if column is None else answer_name(scene, column))


def _draw_points(ax: Any, scene: Scene, feature: int, column: int | None) -> None:
    """The rows at their numbers, or for classes at 0 and 1 with jitter."""
    if scene.y is None:
        return
    at = _some(scene)
    x = scene.rows[at, feature]
    if not scene.classes:
        ax.plot(x, scene.y[at, column or 0], ".", color=ACCENT, alpha=0.45, markersize=4, markeredgewidth=0, zorder=2)
        return
    spread = np.random.default_rng(0).uniform(0.0, 0.05, len(at))
    for k in range(len(scene.labels)):
        mine = scene.y[at] == k
        high = k == column if column is not None else True
        place = 1.02 + spread[mine] if high else -0.02 - spread[mine]
        place = place + (0.06 * k if column is None else 0.0)
        ax.plot(x[mine], place, ".", color=class_colour(k), alpha=0.6, markersize=3.5, markeredgewidth=0, zorder=2)


def _draw_plane(ax: Any, scene: Scene, inputs: tuple[int, int], column: int | None, bar: bool,
                limits: tuple[float, float] | None) -> None:  # fmt: skip
    first, second = (_grid(scene, feature, PLANE) for feature in inputs)
    rows = np.tile(scene.typical(), (len(first) * len(second), 1))
    rows[:, inputs[0]], rows[:, inputs[1]] = (part.ravel() for part in np.meshgrid(first, second))
    answer = scene.tree.predict(rows).reshape(len(second), len(first), -1)
    if column is None:
        _paint_classes(ax, first, second, answer, any(map(scene.levels, inputs)))
    else:
        image = _paint_number(ax, scene, inputs, (first, second), answer[:, :, column], column, limits)
        if bar:
            _add_bar(ax, image, answer_name(scene, column))
    _draw_rows(ax, scene, inputs)
    for feature, axis in zip(inputs, ("x", "y"), strict=True):
        if scene.levels(feature):
            levels = [shorten(level, 12) for level in scene.levels(feature)]
            getattr(ax, f"set_{axis}ticks")(range(len(levels)), levels, **PLAIN)
    quiet_axes(ax)
    name_axes(ax, shorten(scene.name(inputs[0])), shorten(scene.name(inputs[1])))
    ax.set_xlim(*_ends(first))
    ax.set_ylim(*_ends(second))


def _ends(grid: Floats) -> tuple[float, float]:
    half = (grid[1] - grid[0]) / 2 if len(grid) > 1 else 0.5
    return float(grid[0] - half), float(grid[-1] + half)


def _extent(first: Floats, second: Floats) -> tuple[float, float, float, float]:
    return (*_ends(first), *_ends(second))


def _paint_classes(ax: Any, first: Floats, second: Floats, chance: Floats, levels: bool) -> None:
    """Each point is the mixture of the colours of its classes; a line marks where the most probable class changes."""
    from matplotlib.colors import to_rgb

    colours = np.array([to_rgb(colour) for colour in class_colours(chance.shape[2])])
    blend = np.clip(0.35 + 0.65 * (chance @ colours), 0, 1)
    ax.imshow(blend, origin="lower", extent=_extent(first, second), aspect="auto", interpolation="nearest", zorder=0)
    if levels:
        return
    for k in range(chance.shape[2]):
        ahead = chance[:, :, k] - np.delete(chance, k, axis=2).max(axis=2)
        if ahead.min() < 0 < ahead.max():
            ax.contour(first, second, ahead, levels=[0.0], colors=[INK], linewidths=0.8, zorder=1)


def _paint_number(ax: Any, scene: Scene, inputs: tuple[int, int], grids: tuple[Floats, Floats], value: Floats,
                  column: int, limits: tuple[float, float] | None) -> Any:  # fmt: skip
    """One class or target; for a class with a line at 0.5. Returns the image."""
    from matplotlib.colors import LinearSegmentedColormap

    scale: Any = NUMBERS
    ends = {} if limits is None else {"vmin": limits[0], "vmax": limits[1]}
    if scene.classes:  # from the colour of the other class over white to that of this one
        other = class_colour(1 - column) if len(scene.labels) == 2 else GREY
        scale = LinearSegmentedColormap.from_list("chance", [other, "#f7f7f7", class_colour(column)])
        ends = {"vmin": 0.0, "vmax": 1.0}
    image = ax.imshow(value, origin="lower", extent=_extent(*grids), aspect="auto", interpolation="nearest",
                      cmap=scale, alpha=0.75, zorder=0, **ends)  # fmt: skip
    levels = any(map(scene.levels, inputs))
    if scene.classes and not levels and value.min() < 0.5 < value.max():
        ax.contour(*grids, value, levels=[0.5], colors=[INK], linewidths=1.0, zorder=1)
    return image


def _add_bar(ax: Any, image: Any, name: str) -> None:
    bar = ax.get_figure().colorbar(image, ax=ax)
    bar.set_label(name, **PLAIN)
    bar.outline.set_visible(False)


def _draw_rows(ax: Any, scene: Scene, inputs: tuple[int, int]) -> None:
    at = _some(scene)
    x, y = scene.rows[at, inputs[0]], scene.rows[at, inputs[1]]
    style: dict[str, Any] = {"linewidths": 0, "zorder": 3}
    rings = {"linewidths": 0, "zorder": 2.9}
    ax.scatter(x, y, s=24, color=INK, **rings)  # a white ring inside a dark one is visible on any background
    ax.scatter(x, y, s=17, color="white", **rings)
    style["s"] = 8
    if scene.y is None:
        ax.scatter(x, y, color=INK, **style)
    elif scene.classes:
        for k in range(len(scene.labels)):
            mine = scene.y[at] == k
            ax.scatter(x[mine], y[mine], color=class_colour(k), label=shorten(scene.labels[k], 24), **style)
        _plain_legend(ax)
    else:
        low, high = ax.images[0].get_clim()
        ax.scatter(x, y, c=scene.y[at, 0], cmap=NUMBERS, vmin=low, vmax=high, **style)


def _plain_legend(ax: Any) -> None:
    legend = ax.legend(fontsize="small", framealpha=0.85, edgecolor="none", borderpad=0.3)
    for text in legend.get_texts():
        text.set_parse_math(False)
