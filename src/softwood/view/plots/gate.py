"""One gate as a picture: what every input adds to its score, and the shares of the children.

A gate on one input is one panel: the share of the first child over the input. A linear gate has one panel per input,
all on one scale, with each curve centred over the rows that arrive, and one for the score: the share as a sigmoid or a
step. The first child (yes) is at the left, as in every picture of a tree, so the score decreases to the right. The
distribution of the rows that arrive is drawn below every curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.kinds import Squash
from softwood.tree.views import CategoryGate, ConstantGate, IntervalGate, LinearGate, ThresholdGate
from softwood.view.plots.canvas import PLAIN, name_axes, quiet_axes, shorten, split_axes, take_axes
from softwood.view.plots.cards import question
from softwood.view.plots.colours import ACCENT, GREY, INK, PALE
from softwood.view.plots.glyphs import MIXED, MIXED_GROUND, SCORES, arriving, score_span, share_of, widened
from softwood.view.plots.panels import draw_level_rows, draw_levels, draw_missing, draw_rows, finish_panel
from softwood.view.plots.scene import Scene, grid_of, look_at, order_inputs

PANEL = 2.5, 2.1  # inches
COLUMNS = 4


def plot_gate(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    node: int = 0,
    max_inputs: int = 7,
    feature_names: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw one gate.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a pipeline or search that ends in one.
    X, y : rows that are drawn below the curves, weighted by the proportion that arrives, and their actual values. None:
        curves only.
    node : a node with children.
    max_inputs : maximum number of inputs of a linear gate to draw, those with the largest effect.
    feature_names : names to print instead of the model's own.
    ax : axes of matplotlib to draw in; None: new ones.

    Returns
    -------
    The axes; of a linear gate the panels are its `child_axes`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, plot_gate
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = CARTClassifier().fit(X, y)
    >>> ax = plot_gate(model, X, y)
    >>> ax.get_figure().savefig("picture.pdf")  # doctest: +SKIP
    """
    scene = look_at(model, X, y, wanted_by="plot_gate", feature_names=feature_names)
    if not 0 <= node < scene.tree.n_nodes:
        raise ValueError(f"node must be 0..{scene.tree.n_nodes - 1}, got {node}.")
    gate = scene.tree.gate(node)
    if gate is None:
        branches = np.flatnonzero(scene.tree.n_children)[:8].tolist()
        other = (
            f"gates have nodes {branches}"
            if branches
            else "the tree is a single leaf: plot_curves shows its prediction"
        )
        raise ValueError(f"node {node} is a leaf and has no gate; {other}.")
    if isinstance(gate, ConstantGate):
        raise ValueError(
            f"node {node} is the mean of {len(gate.shares)} trees: its shares are the same for every row, so there is "
            f"no gate to draw. Gates of the trees begin at nodes {list(scene.tree.children(node))[:8]}."
        )
    if max_inputs < 1:
        raise ValueError(f"max_inputs must be at least 1, got {max_inputs}.")
    if isinstance(gate, LinearGate):
        return _draw_sum(scene, node, gate, max_inputs, ax)
    ax = take_axes(ax, 4.0, 2.8, "plot_gate")
    _draw_single(ax, scene, node, gate)
    return ax


def _draw_sum(scene: Scene, node: int, gate: LinearGate, max_inputs: int, ax: Any) -> Any:
    inputs = order_inputs(scene, node)[:max_inputs]
    n = len(inputs) + 1
    columns = min(COLUMNS, n)
    ax = take_axes(ax, PANEL[0] * columns, PANEL[1] * -(-n // columns), "plot_gate")
    panels = split_axes(ax, n, columns)
    ends = [_draw_curve(panel, scene, node, feature) for panel, feature in zip(panels, inputs, strict=False)]
    low, high = min((end[0] for end in ends), default=0.0), max((end[1] for end in ends), default=1.0)
    room = (high - low) or 1.0
    for i, (panel, feature) in enumerate(zip(panels, inputs, strict=False)):
        panel.set_ylim(low - 0.35 * room, high + 0.08 * room)  # the rows stand below
        finish_panel(panel, scene, feature, "" if i % columns else "adds to score")
    _draw_squash(panels[-1], scene, node, gate)
    left = len(gate.features) - len(inputs)
    if left:
        ax.text(1.0, 1.0, f"{left} more inputs with smaller effects", ha="right", va="bottom", fontsize="x-small",
                color=GREY, transform=ax.transAxes)  # fmt: skip
    return ax


def _draw_curve(panel: Any, scene: Scene, node: int, feature: int) -> tuple[float, float]:
    """The centred curve of an input; its smallest and largest value."""
    curve, grid = scene.tree.curve(node, feature), grid_of(scene, feature, 200)
    x, weight = arriving(scene, node, feature)
    known = curve.mean if curve.mean is not None else float(np.mean(curve(grid)))
    mean = float(np.average(curve(x), weights=weight)) if weight.sum() > 0 else known
    height = curve(grid) - mean
    panel.axhline(0.0, color=PALE, linewidth=0.8, zorder=0)
    if scene.levels(feature):
        draw_level_rows(panel, scene, x, weight, len(grid))
        draw_levels(panel, height)
    else:
        draw_rows(panel, scene, x, weight, (float(grid[0]), float(grid[-1])))
        panel.plot(grid, height, color=ACCENT, linewidth=2.0, zorder=3)
    if np.isnan(x).any():
        draw_missing(panel, curve.when_missing - mean)
        height = np.append(height, curve.when_missing - mean)
    return float(height.min()), float(height.max())


def _draw_squash(panel: Any, scene: Scene, node: int, gate: LinearGate) -> None:
    """The share of the first child over the score."""
    low, high, score, weight = -SCORES, SCORES, np.zeros(0), np.zeros(0)
    if scene.X is not None:
        score, weight = scene.score(node, scene.X), scene.reach[:, node]
        low, high = score_span(score, weight)
    at = np.linspace(low, high, 300)
    step = gate.squash == Squash.STEP
    _draw_share(panel, at, np.where(at >= 0, 1.0, 0.0) if step else 1 / (1 + np.exp(-np.clip(at, -700, 700))))
    draw_rows(panel, scene, score, weight, (low, high))
    panel.set_xlim(high + 0.04 * (high - low), low - 0.04 * (high - low))
    quiet_axes(panel)
    name_axes(panel, "← yes   score   no →", "share of yes")
    panel.xaxis.label.set_size("small")
    panel.yaxis.label.set_size("small")


def _draw_share(ax: Any, x: Floats, share: Floats) -> None:
    mixed = (share > MIXED[0]) & (share < MIXED[1])
    if mixed.any():
        ax.axvspan(float(x[mixed][0]), float(x[mixed][-1]), color=MIXED_GROUND, linewidth=0, zorder=0)
    ax.plot(x, share, color=INK, linewidth=1.8, zorder=3)
    ax.set_ylim(-0.02, 1.04)


def _draw_single(ax: Any, scene: Scene, node: int, gate: ThresholdGate | CategoryGate | IntervalGate) -> None:
    """A gate on one input."""
    feature = gate.feature
    x, weight = arriving(scene, node, feature)
    label = "share of yes"
    if isinstance(gate, CategoryGate):
        slots = np.array([np.nan if slot < 0 else slot for slot in gate.slots], np.float64)
        two = scene.tree.n_children[node] == 2
        draw_level_rows(ax, scene, x, weight, len(slots))
        draw_levels(ax, 1.0 - slots if two else slots, INK)
        if not two:
            children = scene.tree.children(node)
            ax.set_yticks(range(len(children)), [f"node {child}" for child in children])
            label = "goes to"
        top = float(scene.tree.n_children[node] - 1)
        ax.set_ylim(-0.36 * top, 1.06 * top)  # the rows stand below
    elif isinstance(gate, ThresholdGate):
        span = widened(scene.span(feature, 1.0), gate.threshold)
        at = np.sort(np.append(np.linspace(*span, 400), gate.threshold if np.isfinite(gate.threshold) else span[0]))
        draw_rows(ax, scene, x, weight, span)
        _draw_share(ax, at, share_of(gate, at))
    else:
        span = scene.span(feature, 1.0)
        draw_rows(ax, scene, x, weight, span)
        for cut in gate.cuts:
            ax.axvline(cut, color=INK, linewidth=1.4)
        ax.set_yticks([])
        label = ""
    finish_panel(ax, scene, feature, label)
    ax.set_title(shorten(question(scene, node), 70), fontsize="small", **PLAIN)
