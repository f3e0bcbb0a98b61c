"""The growth of a tree: its steps as small pictures, the tree above and its prediction over two inputs below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.formats.models import look_inside
from softwood.tree import Tree
from softwood.view.growth import growth_trees, step_title
from softwood.view.plots.canvas import PLAIN, import_matplotlib
from softwood.view.plots.cards import COMPACT
from softwood.view.plots.colours import PALE
from softwood.view.plots.scene import Scene, look_at
from softwood.view.plots.surface import choose_answer, choose_inputs, draw_surface
from softwood.view.plots.tree import draw_cards, draw_edges, lay_out, start_picture

PANELS = 5
MOST_PANELS = 12
PANEL = 3.0  # inches
FEW_LEAVES = 3  # maximum number of leaves for full cards in a panel
MOST_CARDS = 31  # of a tree in a panel; of a larger one only the upper part


def plot_growth(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    n_steps: int = PANELS,
    inputs: Sequence[str | int] | str | int | None = None,
    feature_names: Sequence[str] | None = None,
) -> Any:
    """Draw the growth of a tree, step by step.

    Parameters
    ----------
    model : the trees that `fit(X, y, callback=steps.append)` put into a list, or those of a stream (`tree_` after each
        `partial_fit`); or a fitted hard tree (CART, C4.5, discriminant, omnivariate), whose steps are its splits in
        order of gain.
    X, y : rows as the tree reads them, and their actual values: with X, the prediction over the inputs is drawn below.
    n_steps : number of steps to draw, evenly spaced, including the first and the last.
    inputs : one or two inputs to draw over, by name or number; None: those of the last tree, if it uses one or two.
    feature_names : names to print instead of the model's own.

    Returns
    -------
    The figure.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from softwood import SoftTreeClassifier, plot_growth
    >>> X, y = make_moons(100, noise=0.3, random_state=0)
    >>> steps = []
    >>> model = SoftTreeClassifier(gate="linear", leaf="constant").fit(X, y, callback=steps.append)
    >>> figure = plot_growth(steps, X, y)
    >>> figure.savefig("growth.png")  # doctest: +SKIP
    """
    import_matplotlib("plot_growth")
    if not isinstance(n_steps, int) or not 1 <= n_steps <= MOST_PANELS:
        raise ValueError(f"n_steps must be a whole number 1..{MOST_PANELS}, got {n_steps!r}.")
    growth = Growth.of(model, X, y, n_steps, inputs, feature_names, "plot_growth")
    from matplotlib import pyplot

    n, rows = len(growth.scenes), 2 if growth.inputs else 1
    figure = pyplot.figure(figsize=(PANEL * n, PANEL * rows), layout="none")
    for at in range(n):
        left, width = (at + 0.04) / n, 0.92 / n
        figure.text((at + 0.5) / n, 0.985, growth.titles[at], ha="center", va="top", fontsize=9, **PLAIN)
        growth.draw_tree(figure.add_axes((left, 0.53 if rows == 2 else 0.02, width, 0.4 if rows == 2 else 0.86)), at)
        if rows == 2:
            room = 0.5 / (PANEL * n)  # for ticks and name
            ax = figure.add_axes((left + room, 0.1, width - room, 0.38))
            growth.draw_surface(ax, at)
            if at:
                ax.set_ylabel("")
    return figure


@dataclass(frozen=True)
class Growth:
    """Steps with their rows, as scenes, and what their pictures share.

    inputs : of the surfaces; empty if there are none.
    limits : of the colour scale of all surfaces; None for classes.
    """

    scenes: list[Scene]
    titles: list[str]
    inputs: list[int]
    column: int | None
    limits: tuple[float, float] | None

    @classmethod
    def of(
        cls, model: Any, X: Any, y: Any, most: int, inputs: Any, feature_names: Sequence[str] | None, wanted_by: str
    ) -> Growth:
        """The steps of a model, checked."""
        chosen = growth_trees(model, wanted_by, most)
        trees = [look_inside(tree, feature_names, wanted_by).tree for _, tree in chosen]
        whole = trees[-1] if isinstance(model, list | tuple) else model
        last = look_at(whole, X, y, wanted_by=wanted_by, feature_names=feature_names)
        scenes = [replace(last, tree=tree, model=tree) for tree in trees]
        over, column, limits = list[int](), None, None
        if X is not None:
            over, column = _inputs(last, inputs), choose_answer(last, None)
            limits = None if last.classes else _limits(last)
        elif inputs is not None:
            raise ValueError(f"{wanted_by} needs rows for the ranges of the inputs: pass X.")
        number = chosen[-1][0]
        return cls(scenes, [step_title(at, number, tree) for at, tree in chosen], over, column, limits)

    def draw_tree(self, ax: Any, at: int, few: int = FEW_LEAVES) -> None:
        """The tree of a step; trees with at most `few` leaves have full cards."""
        scene = self.scenes[at]
        picture = lay_out(scene, _depth(scene.tree), "down", None if scene.tree.n_leaves <= few else COMPACT)
        pen = start_picture(ax, picture, "plot_growth")
        draw_edges(pen, picture, scene.share, PALE, labels=True)
        draw_cards(pen, picture)

    def draw_surface(self, ax: Any, at: int) -> None:
        """The prediction of the tree of a step."""
        draw_surface(ax, self.scenes[at], self.inputs, self.column, alone=False, limits=self.limits)


def _inputs(last: Scene, given: Any) -> list[int]:
    """The inputs to draw over: the requested ones, or those of the tree if they can be drawn."""
    if given is None and last.tree.n_features > 2 and not 1 <= len(last.used) <= 2:
        return []
    return choose_inputs(last, given)


def _limits(last: Scene) -> tuple[float, float]:
    value: Floats = last.tree.predict(last.rows)[:, 0] if last.y is None else np.asarray(last.y, np.float64)[:, 0]
    low, high = np.quantile(value, [0.02, 0.98])
    return (float(low), float(high)) if high > low else (float(low) - 0.5, float(high) + 0.5)


def _depth(tree: Tree) -> int | None:
    """The depth to draw, limited by the number of cards; None: all of it."""
    if tree.n_nodes <= MOST_CARDS:
        return None
    below: npt.NDArray[np.int64] = np.cumsum(np.bincount(tree.node_depth))
    return max(int(np.searchsorted(below, MOST_CARDS, side="right")) - 1, 1)
