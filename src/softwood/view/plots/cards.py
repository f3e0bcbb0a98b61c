"""The card of a node: its rule, the rows at its gate, what arrives and what the node adds.

branch  rule, gate, bar of what arrives, its class or mean, count
leaf    class or mean of what arrives, bar of what arrives, count, what it adds (`adds +4.6`) with a signed bar; of a
        linear leaf the curves that move it most

Label, colour and bar are all taken from `scene.arrives`, so they always agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from softwood.arrays import Floats
from softwood.explain.words import spell_cell
from softwood.formats.colours import class_colour, tint
from softwood.formats.columns import spell_counts
from softwood.formats.layout import n_folded
from softwood.tree.views import ConstantGate, LinearGate, LinearResponse
from softwood.view.plots.added import added_text, draw_added, has_sum
from softwood.view.plots.colours import ACCENT, GREY, number_colour
from softwood.view.plots.glyphs import draw_distribution, draw_gate
from softwood.view.plots.pen import Box, Pen, fit_text, text_width, wrap_text
from softwood.view.plots.scene import Scene, grid_of
from softwood.view.plots.spelling import per_cent, short_number, spell_answers

HOW_SOFT = re.compile(r" \((?:soft|softness [^)]*|ramp [^)]*)\)$")  # the drawing shows it
SIZE, SMALL = 7.5, 6.5  # points
LINE = 0.135  # inches from one line of text to the next
PADDING = 0.07
ROOM = 90  # characters of a sum before terms are omitted
MOST_LEAF_CURVES = 3


@dataclass(frozen=True)
class Style:
    """Sizes of cards in inches: with drawings for small trees, without for large ones."""

    branch_width: float = 1.9
    leaf_width: float = 1.25
    gate_height: float = 0.5
    bar_height: float = 0.1
    numbers_height: float = 0.2
    question_lines: int = 3


FULL = Style()
COMPACT = Style(
    branch_width=1.7, leaf_width=1.45, gate_height=0.0, bar_height=0.07, numbers_height=0.12, question_lines=2
)


@dataclass(frozen=True)
class Card:
    """A node's card: its size, and its drawing at a position.

    hidden : nodes below it that are not in the picture.
    """

    scene: Scene
    node: int
    style: Style
    hidden: int = 0

    @property
    def asks(self) -> bool:
        return bool(self.scene.tree.n_children[self.node]) and not self.hidden

    @property
    def width(self) -> float:
        if self.asks:
            return self.style.branch_width
        wide = max(text_width(self.answer, SIZE, True), text_width(self.adds, SMALL)) + 2 * PADDING
        return max(min(wide, self.style.branch_width), self.style.leaf_width, 1.7 if self._leaf_curves else 0.0)

    @property
    def height(self) -> float:
        parts = [LINE * len(self.lines), self._bar, self._signed_bar]
        if self._draws_gate:
            parts.append(self.style.gate_height + 0.05)
        if self._leaf_curves:
            parts.append(self.style.gate_height)
        return sum(parts) + 2 * PADDING

    @property
    def _draws_gate(self) -> bool:
        """Whether there is a gate to draw, and room for it; a mean of trees has none."""
        is_mean = self.scene.words.is_mean(self.node)
        return self.asks and bool(self.style.gate_height) and not is_mean

    @property
    def _bar(self) -> float:
        return (self.style.bar_height if self.scene.classes else self.style.numbers_height) + 0.04

    @property
    def _signed_bar(self) -> float:
        """Height of the bar of what the node adds; 0 if it adds nothing."""
        scene = self.scene
        if self.hidden or not scene.numbers.answers(self.node) or not has_sum(scene):
            return 0.0
        return self.style.bar_height + 0.04

    @property
    def lines(self) -> list[str]:
        """The text of the card: the rule or the label above its drawings, the rest below."""
        return [*self.head, *self.foot]

    @property
    def head(self) -> list[str]:
        if not self.asks:
            return [fit_text(self.answer, self.style.branch_width - 2 * PADDING, SIZE, True)]
        inner = self.style.branch_width - 2 * PADDING
        return wrap_text(question(self.scene, self.node), inner, SIZE, self.style.question_lines)

    @property
    def foot(self) -> list[str]:
        if self.scene.row is not None:
            return self._way(self.scene.row)
        rows = self._rows
        told = [text for text in (self.answer if self.asks else "", rows) if text]
        told = [" · ".join(told)] if told else []
        if self.hidden:
            return [*told, f"… {self.hidden} nodes below"]
        if n_folded(self.scene.tree, self.node):
            told.append(f"… {n_folded(self.scene.tree, self.node)} more trees")
        leafness = float(self.scene.tree.leafness[self.node])
        if 0 < leafness < 1:
            told.append(f"bud: keeps {per_cent(leafness)}")
        return told + ([self.adds] if self.adds else [])

    def _way(self, row: Floats) -> list[str]:
        """The value or score of the followed row, and what the node adds to its output."""
        return [*([self._asked(row)] if self.asks else []), *([self.adds] if self.adds else [])]

    def _asked(self, row: Floats) -> str:
        gate = self.scene.tree.gate(self.node)
        if isinstance(gate, LinearGate):
            return f"score {short_number(float(self.scene.score(self.node, row)[0]))}"
        if gate is None or isinstance(gate, ConstantGate):
            return ""
        feature = gate.feature
        return spell_cell(self.scene.tree.schema, feature, float(row[0, feature]))

    @property
    def answer(self) -> str:
        return answer_text(self.scene, self.node)

    @property
    def adds(self) -> str:
        return "" if self.hidden else added_text(self.scene, self.node, self.answer)

    @property
    def _rows(self) -> str:
        count = float(self.scene.count[self.node])
        if not np.isfinite(count):
            return ""
        return "n < 0.1" if 0 < count < 0.05 else f"n = {spell_counts(np.array([count]))[0]}"

    @property
    def _leaf_curves(self) -> bool:
        """Whether the node has a response of curves, and there is room to draw them."""
        linear = isinstance(self.scene.tree.response_at(self.node), LinearResponse)
        return linear and not self.asks and not self.hidden and self.style.gate_height > 0

    def draw(self, pen: Pen, box: Box) -> None:
        """Fill, text and drawings."""
        leafness = float(self.scene.tree.leafness[self.node])
        fill = tint(node_colour(self.scene, self.node), 0.22 * (leafness if self.asks else 1.0))
        pen.card(box, fill, style="-" if leafness in (0.0, 1.0) else "--")
        left, inner = box.left + PADDING, box.width - 2 * PADDING
        at = box.top - PADDING
        for line in self.head:
            pen.text(box.middle[0], at - LINE / 2, line, SIZE, bold=not self.asks)
            at -= LINE
        if self._draws_gate:
            at -= self.style.gate_height + 0.05
            draw_gate(pen, self.scene, self.node, Box(left, at, inner, self.style.gate_height))
        if self._leaf_curves:
            at -= self.style.gate_height
            draw_response(pen, self.scene, self.node, Box(left, at + 0.03, inner, self.style.gate_height - 0.06))
        at -= self._bar
        draw_distribution(pen, self.scene, self.node, Box(left, at + 0.02, inner, self._bar - 0.04))
        for line in self.foot:
            pen.text(box.middle[0], at - LINE / 2, fit_text(line, inner, SMALL), SMALL, colour="#444444")
            at -= LINE
        if self._signed_bar:
            draw_added(
                pen, self.scene, self.node, Box(left, at - self._signed_bar + 0.02, inner, self._signed_bar - 0.04)
            )


def question(scene: Scene, node: int) -> str:
    """The rule of a gate: the condition of its first child if there are two, else the name of its input."""
    words, tree = scene.words, scene.tree
    if words.written_once(node):
        return HOW_SOFT.sub("", " ".join(words.gate(node, ROOM // 3).pieces))
    if tree.n_children[node] == 2:
        return HOW_SOFT.sub("", words.rule(int(tree.first_child[node]), ROOM)) + "?"
    return f"{words.names[int(tree.feature[node])]}?"


def branch_text(scene: Scene, child: int) -> str:
    """The label of an edge: yes or no if the gate has two children, else the values."""
    tree, words = scene.tree, scene.words
    gate, slot = words.place(child)
    if words.is_mean(gate):
        return words.rule(child)
    if tree.n_children[gate] == 2:
        return "no" if slot else "yes"
    name = words.names[int(tree.feature[gate])]
    return words.rule(child, 24).removeprefix(f"{name} ").removeprefix("= ").removeprefix("in ")


def answer_text(scene: Scene, node: int) -> str:
    """What arrives at a node, in short: its class with the proportion of rows, or the mean target."""
    return spell_answers(scene, scene.arrives[node])


def node_colour(scene: Scene, node: int) -> str:
    """The colour of what arrives at a node: of its class, or of its number on the scale of all nodes."""
    arrives = scene.arrives
    if scene.classes:
        return class_colour(int(scene.tree.schema.decide(arrives[[node]])[0]))
    low, high = float(arrives[:, 0].min()), float(arrives[:, 0].max())
    return number_colour((float(arrives[node, 0]) - low) / (high - low) if high > low else 0.5)


def draw_response(pen: Pen, scene: Scene, node: int, box: Box) -> None:
    """The curves with the largest effect on a linear response, on one scale; for several classes those of the label."""
    response = scene.tree.response_at(node)
    if not isinstance(response, LinearResponse):
        return
    output = int(np.argmax(scene.arrives[node])) if scene.tree.n_outputs > 1 else 0
    terms = response.terms[output]
    effect = {f: sum(t.effect or 0.0 for t in terms if t.feature == f) for f in {t.feature for t in terms}}
    inputs = sorted(effect, key=lambda f: (-effect[f], f))[:MOST_LEAF_CURVES]
    if not inputs:
        return
    curves = [(f, grid_of(scene, f)) for f in inputs]
    heights = [scene.tree.curve(node, f, output)(grid) for f, grid in curves]
    span = max(float(np.ptp(height)) for height in heights) or 1.0
    for panel, feature, height in zip(box.columns(len(inputs), 0.07), inputs, heights, strict=True):
        inner = Box(panel.left, panel.bottom + 0.1, panel.width, panel.height - 0.1)
        pen.bar(inner, "#ffffff")
        y = inner.y(0.5 + (height - (height.max() + height.min()) / 2) / span * 0.9)
        pen.line(inner.x(np.linspace(0, 1, len(y))), y, ACCENT, 1.2)
        name = fit_text(scene.name(feature), panel.width + 0.05, 5)
        pen.text(panel.middle[0], panel.bottom, name, 5, colour=GREY, across="bottom")
