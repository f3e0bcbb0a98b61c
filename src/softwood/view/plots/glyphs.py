"""Small drawings inside a card: the gate with the rows that arrive, and their actual values.

A gate on one number: the distribution of the rows, and the share of the first child (step, ramp or sigmoid). A weighted
sum: the same over its score. A sum of curves: its score, then the curves with the largest effect. The background is
shaded where a share is neither near 0 nor near 1, so that both branches contribute.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.colours import tint
from softwood.kernels.kinds import Squash
from softwood.tree.spelling import spell_label
from softwood.tree.views import CategoryGate, IntervalGate, LinearGate, ThresholdGate
from softwood.view.plots.colours import ACCENT, GREY, INK, PALE, SECOND
from softwood.view.plots.many_classes import class_groups, rows_by_class
from softwood.view.plots.pen import Box, Pen, fit_text
from softwood.view.plots.scene import Scene, grid_of, is_additive, order_inputs

BINS = 24
MIXED_GROUND = "#fdf1d9"
MIXED = (0.05, 0.95)  # between these shares both branches contribute
MOST_DOTS = 120
MOST_CURVES = 3
MOST_NAMES = 6  # maximum number of levels with names below their bars
SCORES = 5.0  # range of scores without rows


def draw_gate(pen: Pen, scene: Scene, node: int, box: Box) -> None:
    """The gate of a node."""
    gate = scene.tree.gate(node)
    if isinstance(gate, CategoryGate):
        _levels(pen, scene, node, gate, box)
    elif isinstance(gate, IntervalGate):
        x, weight = arriving(scene, node, gate.feature)
        low, high = scene.span(gate.feature, 1.0)
        _rows(pen, scene, node, x, weight, box, (low, high))
        for cut in gate.cuts:
            _mark(pen, box, (cut - low) / (high - low))
        _follow(pen, scene, gate.feature, box, (low, high))
    elif isinstance(gate, ThresholdGate):
        low, high = widened(scene.span(gate.feature, 1.0), gate.threshold)
        x, weight = arriving(scene, node, gate.feature)
        _rows(pen, scene, node, x, weight, box, (low, high))
        at = np.linspace(low, high, 121)
        _share(pen, box, at, share_of(gate, at), (low, high))
        _follow(pen, scene, gate.feature, box, (low, high))
    elif isinstance(gate, LinearGate):
        _sum(pen, scene, node, gate, box)


def share_of(gate: ThresholdGate, x: Floats) -> Floats:
    """The share of the first child of a threshold."""
    if gate.squash == Squash.STEP:
        return np.where(x <= gate.threshold, 1.0, 0.0)
    below, above = gate.softness
    if gate.squash == Squash.SIGMOID:
        return np.asarray(1 / (1 + np.exp(np.clip((x - gate.threshold) / below, -700, 700))))
    ends = [gate.threshold - below, gate.threshold, gate.threshold + above]
    return np.asarray(np.interp(x, ends, [1.0, 0.5, 0.0])) if below + above else np.where(x <= gate.threshold, 1.0, 0.0)


def arriving(scene: Scene, node: int, feature: int) -> tuple[Floats, Floats]:
    """Values of an input at a node, NaN if missing, and the proportion of each row that arrives."""
    if scene.X is None:
        return np.zeros(0), np.zeros(0)
    return scene.X[:, feature], scene.reach[:, node]


def widened(span: tuple[float, float], value: float) -> tuple[float, float]:
    """The span with a value inside."""
    return (min(span[0], value), max(span[1], value)) if np.isfinite(value) else span


def _sum(pen: Pen, scene: Scene, node: int, gate: LinearGate, box: Box) -> None:
    """A score and its squash; beside it the curves with the largest effect."""
    curves = order_inputs(scene, node)[:MOST_CURVES] if is_additive(scene, node) else []
    panels = box.columns(1 + len(curves), 0.07) if curves else [box]
    score, weight = np.zeros(0), np.zeros(0)
    low, high = -SCORES, SCORES
    if scene.X is not None:
        score, weight = scene.score(node, scene.X), scene.reach[:, node]
        low, high = score_span(score, weight)
    name_height = 0.1 if curves else 0.0
    first = Box(panels[0].left, box.bottom + name_height, panels[0].width, box.height - name_height)
    _rows(pen, scene, node, -score, weight, first, (-high, -low))  # the first child is at the left, as everywhere
    at = np.linspace(low, high, 121)
    step = gate.squash == Squash.STEP
    share = np.where(at >= 0, 1.0, 0.0) if step else 1 / (1 + np.exp(-at))
    _share(pen, first, -at[::-1], share[::-1], (-high, -low))
    if scene.row is not None:
        _spot(pen, first, (high - float(scene.score(node, scene.row)[0])) / (high - low))
    if curves:
        pen.text(first.middle[0], box.bottom, "score", 5, colour=GREY, across="bottom")
    span = max((float(np.ptp(scene.tree.curve(node, f)(grid_of(scene, f)))) for f in curves), default=1.0) or 1.0
    for feature, panel in zip(curves, panels[1:], strict=True):
        inner = Box(panel.left, box.bottom + name_height, panel.width, box.height - name_height)
        _curve(pen, scene, node, feature, inner, span)
        name = fit_text(scene.name(feature), panel.width + 0.05, 5)
        pen.text(panel.middle[0], box.bottom, name, 5, colour=GREY, across="bottom")


def _follow(pen: Pen, scene: Scene, feature: int, box: Box, span: tuple[float, float]) -> None:
    """The position of the followed row."""
    if scene.row is not None and np.isfinite(scene.row[0, feature]):
        _spot(pen, box, (float(scene.row[0, feature]) - span[0]) / (span[1] - span[0]))


def _spot(pen: Pen, box: Box, part: float) -> None:
    x = box.x(min(max(part, 0.0), 1.0))
    pen.line([x, x], [box.bottom, box.top], SECOND, 1.2)
    pen.spot(x, box.top, SECOND)


def score_span(score: Floats, weight: Floats) -> tuple[float, float]:
    """The range of the drawn scores: most of those that arrive, including 0."""
    here = score[(weight > 1e-6) & np.isfinite(score)]
    if not len(here):
        return -SCORES, SCORES
    low, high = (float(end) for end in np.quantile(here, [0.02, 0.98]))
    low, high = min(low, -1e-9), max(high, 1e-9)
    edge = 0.06 * (high - low)
    return low - edge, high + edge


def _curve(pen: Pen, scene: Scene, node: int, feature: int, box: Box, span: float) -> None:
    """What an input adds to the score, all curves of a card on one scale."""
    grid = grid_of(scene, feature)
    height = scene.tree.curve(node, feature)(grid)
    height = 0.5 + (height - (height.max() + height.min()) / 2) / span * 0.9
    pen.bar(box, "#f6f6f6")
    if scene.levels(feature):
        for bar, value in zip(box.columns(len(grid), 0.02), height, strict=True):
            pen.line([bar.left, bar.right], [box.y(value)] * 2, ACCENT, 1.2)
    else:
        pen.line(box.x(np.linspace(0, 1, len(grid))), box.y(height), ACCENT, 1.2)
        _follow(pen, scene, feature, box, (float(grid[0]), float(grid[-1])))


def _share(pen: Pen, box: Box, x: Floats, share: Floats, span: tuple[float, float]) -> None:
    """The share of the first child over x, and the shaded range."""
    part = (x - span[0]) / (span[1] - span[0])
    if np.all((share == 0) | (share == 1)):
        edge = part[int(np.argmin(share))] if share[0] and not share.all() else part[0]
        _mark(pen, box, float(edge))
        return
    mixed = (share > MIXED[0]) & (share < MIXED[1])
    pen.area(box.x(part), box.bottom, np.where(mixed, box.top, box.bottom), MIXED_GROUND, 3)
    pen.line(box.x(part), box.y(0.02 + 0.96 * share), INK, 1.1)


def _mark(pen: Pen, box: Box, part: float) -> None:
    """A hard cut."""
    part = min(max(part, 0.0), 1.0)
    pen.line([box.x(part)] * 2, [box.bottom, box.top], INK, 1.0)


def _rows(pen: Pen, scene: Scene, node: int, x: Floats, weight: Floats, box: Box, span: tuple[float, float]) -> None:
    """The rows at a node over one number: dots for regression, else a histogram, by class if known."""
    pen.line([box.left, box.right], [box.bottom] * 2, GREY, 0.5)
    here = np.isfinite(x) & (weight > 0.01)
    if not here.any():
        return
    part = np.clip((x - span[0]) / (span[1] - span[0]), 0, 1)
    if scene.y is not None and not scene.classes:
        _dots(pen, scene, part, weight, here, box)
        return
    groups: list[tuple[Any, str]] = [(here, tint(GREY, 0.45))]
    if scene.y is not None:
        groups = rows_by_class(scene, here)
    edges = np.linspace(0, 1, BINS + 1)
    heaps = [np.histogram(part[mine], edges, weights=weight[mine])[0] for mine, _ in groups]
    top = float(np.sum(heaps, axis=0).max()) or 1.0
    base = np.zeros(BINS)
    for heap, (_, colour) in zip(heaps, groups, strict=True):
        low, high = np.repeat(base / top, 2) * 0.85, np.repeat((base + heap) / top, 2) * 0.85
        pen.area(box.x(np.repeat(edges, 2)[1:-1]), box.y(low), box.y(high), colour)
        base = base + heap


def _dots(pen: Pen, scene: Scene, part: Floats, weight: Floats, here: Any, box: Box) -> None:
    target = scene.y[:, 0] if scene.y is not None else part
    low, high = float(np.min(target)), float(np.max(target))
    at = np.flatnonzero(here)
    at = at[np.unique(np.linspace(0, len(at) - 1, MOST_DOTS).astype(int))]
    colours = [tint(ACCENT, 0.4 + 0.6 * float(w)) for w in weight[at]]
    pen.points(box.x(part[at]), box.y((target[at] - low) / ((high - low) or 1.0) * 0.94 + 0.03), colours)


def _levels(pen: Pen, scene: Scene, node: int, gate: CategoryGate, box: Box) -> None:
    """A bar for every level with its number of rows, by class if known; levels of one child together."""
    heaps = _level_heaps(scene, node, gate)
    total, groups = heaps.sum(axis=1), class_groups(heaps.sum(axis=0))
    by_class = heaps.shape[1] > 1
    heaps = np.column_stack([heaps[:, members].sum(axis=1) for members, _ in groups])
    order = np.lexsort((-total, np.where(np.array(gate.slots) < 0, len(gate.slots), gate.slots)))
    names = len(order) <= MOST_NAMES
    inner = Box(box.left, box.bottom + (0.1 if names else 0.0), box.width, box.height - (0.1 if names else 0.0))
    places = inner.columns(len(order), min(0.05, box.width / len(order) / 4))
    before = None
    for place, code in zip(places, order, strict=True):
        base = inner.bottom
        for (_, own), part in zip(groups, heaps[code] / (total.max() or 1.0) * inner.height * 0.95, strict=True):
            colour = PALE if gate.slots[code] < 0 else own if by_class else tint(GREY, 0.45)
            pen.bar(Box(place.left, base, place.width, float(part)), colour)
            base += float(part)
        if names:
            label = spell_label((scene.tree.schema.categories[gate.feature] or ())[code])
            pen.text(
                place.middle[0], box.bottom, fit_text(label, place.width + 0.04, 5), 5, colour=GREY, across="bottom"
            )
        if scene.row is not None and scene.row[0, gate.feature] == code:
            pen.spot(place.middle[0], inner.top, SECOND)
        if before is not None and before != gate.slots[code]:
            pen.line([place.left - 0.02] * 2, [inner.bottom, inner.top], INK, 1.0)
        before = gate.slots[code]
    pen.line([inner.left, inner.right], [inner.bottom] * 2, GREY, 0.5)


def _level_heaps(scene: Scene, node: int, gate: CategoryGate) -> Floats:
    """Rows of every level at a node, (levels, classes), or (levels, 1) if classes are unknown."""
    n, summary = len(gate.slots), scene.tree.schema.inputs[gate.feature].summary
    x, weight = arriving(scene, node, gate.feature)
    if not len(x):
        known_counts = summary is not None and len(summary.counts) == n
        return np.array(summary.counts if summary is not None and known_counts else [1.0] * n)[:, None]
    known = np.isfinite(x)
    code = x[known].astype(np.int64)
    if scene.y is None or not scene.classes:
        return np.asarray(np.bincount(code, weight[known], n)[:, None], np.float64)
    classes = len(scene.labels)
    flat = np.bincount(code * classes + scene.y[known], weight[known], n * classes)
    return np.asarray(flat.reshape(n, classes))


def draw_distribution(pen: Pen, scene: Scene, node: int, box: Box) -> None:
    """What arrives at a node: proportions of classes side by side, or numbers on the scale of all rows."""
    if scene.classes:
        _chances(pen, scene.arrives[node], box)
        return
    if scene.y is None:
        _level(pen, scene, node, box)
        return
    target, weight = scene.y[:, 0], scene.reach[:, node]
    low, high = (float(end) for end in np.quantile(target, [0.005, 0.995]))
    edges = np.linspace(low, high or 1.0, BINS + 1) if high > low else np.linspace(low - 0.5, low + 0.5, BINS + 1)
    heap = np.histogram(np.clip(target, edges[0], edges[-1]), edges, weights=weight)[0]
    part = (np.repeat(edges, 2)[1:-1] - edges[0]) / (edges[-1] - edges[0])
    pen.area(box.x(part), box.bottom, box.y(np.repeat(heap / (heap.max() or 1.0), 2)), tint(ACCENT, 0.55))
    pen.line([box.left, box.right], [box.bottom] * 2, GREY, 0.5)
    _tick(pen, scene, node, box, edges[0], edges[-1])


def _chances(pen: Pen, chance: Floats, box: Box) -> None:
    left = box.left
    for members, colour in class_groups(chance):
        part = float(chance[members].sum())
        pen.bar(Box(left, box.bottom, box.width * part, box.height), colour)
        left += box.width * part


def _level(pen: Pen, scene: Scene, node: int, box: Box) -> None:
    """A number on the scale of all nodes' numbers."""
    known = scene.arrives[:, 0]
    pen.line([box.left, box.right], [box.bottom] * 2, GREY, 0.5)
    _tick(pen, scene, node, box, float(known.min()), float(known.max()))


def _tick(pen: Pen, scene: Scene, node: int, box: Box, low: float, high: float) -> None:
    part = (float(scene.arrives[node, 0]) - low) / ((high - low) or 1.0)
    pen.line([box.x(min(max(part, 0.0), 1.0))] * 2, [box.bottom, box.top], SECOND, 1.6)
