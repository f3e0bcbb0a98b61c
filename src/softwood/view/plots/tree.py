"""A tree as a picture.

An edge is as wide as the proportion of the rows that follow it. A card shows its rule and gate, what arrives there,
and what a leaf adds to the output; `softwood.view.plots.cards` draws it. The picture is laid out in inches and scaled
to the axes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.colours import class_colours
from softwood.formats.layout import place_nodes, shown_nodes
from softwood.tree.once import computed_once
from softwood.view.plots.added import unit_text
from softwood.view.plots.cards import COMPACT, FULL, SMALL, Card, Style, branch_text
from softwood.view.plots.colours import GREY, INK, PALE
from softwood.view.plots.pen import SIZE, Box, Pen, fit_text, text_width
from softwood.view.plots.scene import Scene, look_at
from softwood.view.plots.spelling import per_cent

MOST_LEAVES_DOWN = 8  # larger trees are drawn to the right, with smaller cards
WIDEST_EDGE, THINNEST_EDGE = 11.0, 0.7  # points
FADED = 0.35
TITLE = 9.0  # points
HEAD_LINE = 0.2  # inches of a line above the picture
WIDEST_HEAD = 7.0  # maximum width in inches of a line above the picture
LEGEND = 0.26  # inches of the legend line
GAP = {"down": (0.14, 0.62), "right": (0.08, 0.62)}  # inches between siblings, and between depths


def plot_tree(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    max_depth: int | None = None,
    orientation: str | None = None,
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw a tree.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a pipeline or search that ends in one.
    X : rows as the model takes them, for the distributions at the gates and the counts. None: counts of the training
        rows, and gates without rows.
    y : their actual values: label, colour and bar of a node are of these rows, weighted by the proportion that arrives.
        None: of the training rows.
    max_depth : maximum depth to draw; deeper nodes are counted.
    orientation : "down" or "right"; None: down while the tree has at most eight leaves.
    feature_names : names to print instead of the model's own.
    ax : axes of matplotlib to draw in; None: new ones, of the size that the tree needs.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, plot_tree
    >>> iris = load_iris(as_frame=True)
    >>> model = CARTClassifier().fit(iris.data, iris.target_names[iris.target])
    >>> ax = plot_tree(model, iris.data, iris.target_names[iris.target])
    >>> ax.get_figure().savefig("tree.pdf")  # doctest: +SKIP
    """
    scene = look_at(model, X, y, wanted_by="plot_tree", feature_names=feature_names)
    picture = lay_out(scene, max_depth, orientation)
    pen = start_picture(ax, picture, "plot_tree")
    draw_edges(pen, picture, scene.share, PALE, labels=True)
    draw_cards(pen, picture)
    return pen.ax


@dataclass(frozen=True)
class Picture:
    """The positions of the cards of a tree in inches."""

    scene: Scene
    cards: dict[int, Card]
    boxes: dict[int, Box]
    down: bool

    @computed_once
    def width(self) -> float:
        return max(box.right for box in self.boxes.values())

    @computed_once
    def height(self) -> float:
        return max(box.top for box in self.boxes.values())

    def ends(self, child: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where the edge to a child begins and ends."""
        above, below = self.boxes[int(self.scene.tree.parent[child])], self.boxes[child]
        if self.down:
            return (above.middle[0], above.bottom), (below.middle[0], below.top)
        return (above.right, above.middle[1]), (below.left, below.middle[1])


def lay_out(scene: Scene, max_depth: int | None = None, orientation: str | None = None,
            style: Style | None = None) -> Picture:  # fmt: skip
    """Cards of the nodes down to a depth, and their places."""
    tree = scene.tree
    if orientation not in (None, "down", "right"):
        raise ValueError(f"orientation must be 'down', 'right' or None, got {orientation!r}.")
    shown = shown_nodes(tree, max_depth)
    ends = sum(1 for node in shown if not tree.n_children[node] or tree.node_depth[node] == max_depth)
    few = ends <= MOST_LEAVES_DOWN
    orientation = orientation or ("down" if few else "right")
    down = orientation == "down"
    hidden = {node: _below(scene, node) if tree.node_depth[node] == max_depth else 0 for node in shown}
    cards = {node: Card(scene, node, style or (FULL if few else COMPACT), hidden[node]) for node in shown}
    gap, step = GAP[orientation]
    across = [0.0] * tree.n_nodes
    for node, card in cards.items():
        across[node] = card.width if down else card.height
    at = place_nodes(tree, across, gap, shown)
    deep = _depths(scene, cards, down, step)
    total = max(deep[node] + (cards[node].height if down else 0.0) for node in shown)
    wide = max(at[node] + across[node] / 2 for node in shown)
    boxes = {}
    for node, card in cards.items():
        if down:
            boxes[node] = Box(at[node] - card.width / 2, total - deep[node] - card.height, card.width, card.height)
        else:
            boxes[node] = Box(deep[node], wide - at[node] - card.height / 2, card.width, card.height)
    return Picture(scene, cards, boxes, down)


def _below(scene: Scene, node: int) -> int:
    return sum(1 for _ in scene.tree.walk(node)) - 1


def _depths(scene: Scene, cards: dict[int, Card], down: bool, step: float) -> dict[int, float]:
    """The start of every depth: after the largest card of the previous one."""
    depth = scene.tree.node_depth
    sizes: dict[int, float] = {}
    for node, card in cards.items():
        sizes[int(depth[node])] = max(sizes.get(int(depth[node]), 0.0), card.height if down else card.width)
    start, at = {}, 0.0
    for level in sorted(sizes):
        start[level] = at
        at += sizes[level] + step
    return {node: start[int(depth[node])] for node in cards}


def draw_edges(pen: Pen, picture: Picture, share: Floats, colour: str, labels: bool, over: int = 1) -> None:
    """An edge to every child, as wide as its share of the rows (NaN: none), labelled with the branch and the share."""
    for child in picture.boxes:
        if child == 0 or np.isnan(share[child]):
            continue
        start, end = picture.ends(child)
        width = max(THINNEST_EDGE, WIDEST_EDGE * float(share[child]))
        pen.edge(start, end, width, picture.down, colour, over)
        if labels:
            _label_edge(pen, picture, child, share)


def _label_edge(pen: Pen, picture: Picture, child: int, share: Floats) -> None:
    scene = picture.scene
    text = branch_text(scene, child) if scene.followed is None else ""
    if scene.X is not None or np.isfinite(scene.tree.count).all():
        text = f"{text} {per_cent(float(share[child]))}".strip()
    start, end = picture.ends(child)
    if picture.down:
        pen.text(end[0], end[1] + 0.09, text, SMALL, colour=INK, back="white")
    else:
        room = end[0] - start[0]
        place = end[0] - min(room * 0.5, text_width(text, SMALL) / 2 + 0.04)
        pen.text(place, end[1], text, SMALL, colour=INK, back="white")


def draw_cards(pen: Pen, picture: Picture, faded: Collection[int] = ()) -> None:
    """All cards; faded ones are in the background."""
    for node, card in picture.cards.items():
        pen.alpha = FADED if node in faded else 1.0
        card.draw(pen, picture.boxes[node])
    pen.alpha = 1.0


def start_picture(ax: Any, picture: Picture, wanted_by: str, title: str = "", lines: Sequence[str] = ()) -> Pen:
    """Axes of the size of the picture, with a title, lines below it, the legend of the classes, and the unit of the
    leaves.
    """
    labels, unit = picture.scene.labels if picture.scene.classes else [], unit_text(picture.scene)
    above = [Words(title, TITLE, bold=True)] * bool(title) + [Words(line, SIZE) for line in lines]
    below = [Words(unit, SMALL, GREY)] * bool(unit)
    wide = max([picture.width, *(min(each.width, WIDEST_HEAD) for each in above + below)])
    legend = LEGEND if labels else 0.0
    at = picture.height + legend + HEAD_LINE * len(above + below)
    pen = Pen(ax, wide, at, wanted_by)
    for each in above:
        at -= HEAD_LINE
        each.draw(pen, at, wide)
    at -= legend
    pen.legend(labels, class_colours(len(labels)), Box(0.0, at + 0.03, wide, legend - 0.05))
    for each in below:
        at -= HEAD_LINE
        each.draw(pen, at, wide)
    return pen


@dataclass(frozen=True)
class Words:
    """A line above a picture."""

    text: str
    size: float
    colour: str = INK
    bold: bool = False

    @property
    def width(self) -> float:
        return text_width(self.text, self.size, self.bold)

    def draw(self, pen: Pen, bottom: float, width: float) -> None:
        told = fit_text(self.text, width, self.size, self.bold)
        pen.text(0.0, bottom + HEAD_LINE / 2, told, self.size, align="left", bold=self.bold, colour=self.colour)
