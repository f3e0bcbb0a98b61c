"""A tree as a small SVG drawing for a notebook, without any library.

A box per node: its rule or its prediction; below it the proportions of the classes, or the position of its number
among those of the tree. An edge is as wide as the proportion of training rows that follows it. Lines and text have the
colour of the surrounding text, so the drawing fits light and dark pages. Deep levels are cut and counted.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from softwood.formats.colours import CLASSES, class_colour
from softwood.formats.layout import n_folded, place_nodes, shown_nodes
from softwood.tree import Tree
from softwood.tree.once import computed_once
from softwood.tree.spelling import spell_fixed, spell_label, spell_number
from softwood.tree.wording import Wording

MOST_LEAVES = 8
BOX = 166, 34  # pixels
GAP, STEP = 12, 34  # between siblings, between depths
LETTERS = 24  # of a line in a box
WIDEST, THINNEST = 9.0, 1.0
HOW_SOFT = re.compile(r" \((?:soft|softness [^)]*|ramp [^)]*)\)$")


def draw_small(tree: Tree) -> str:
    """The upper part of a tree as an SVG element.

    Examples
    --------
    >>> from softwood import Schema
    >>> leaf = Tree(response=[[0.9, 0.1]], schema=Schema((), (), ("no", "yes"), "classification"))
    >>> draw_small(leaf).count("<rect")
    3
    """
    return _Drawing(tree).text()


@dataclass(frozen=True)
class _Drawing:
    tree: Tree

    @computed_once
    def words(self) -> Wording:
        return Wording(self.tree)

    @computed_once
    def deepest(self) -> int:
        """The depth to draw: as deep as eight leaves fit side by side."""
        tree = self.tree
        for depth in range(tree.depth, 0, -1):
            ends = (tree.node_depth == depth) | ((tree.node_depth < depth) & (tree.n_children == 0))
            if int(ends.sum()) <= MOST_LEAVES:
                return depth
        return min(1, tree.depth)

    @computed_once
    def shown(self) -> list[int]:
        return shown_nodes(self.tree, self.deepest)

    @computed_once
    def left(self) -> dict[int, float]:
        """Positions of the boxes."""
        at = place_nodes(self.tree, [float(BOX[0])] * self.tree.n_nodes, GAP, self.shown)
        return {node: float(at[node]) - BOX[0] / 2 for node in self.shown}

    def top(self, node: int) -> float:
        return float(self.tree.node_depth[node] * (BOX[1] + STEP)) + 2.0

    def text(self) -> str:
        wide = max(self.left.values()) + BOX[0] + 2
        high = max(map(self.top, self.shown)) + BOX[1] + 16
        parts = [self._edge(node) for node in self.shown if node] + [self._box(node) for node in self.shown]
        said = html.escape(repr(self.tree), quote=True)
        size = f'width="{wide:.0f}" height="{high:.0f}" viewBox="-1 0 {wide:.0f} {high:.0f}"'
        font = 'font-family="system-ui, sans-serif" font-size="11"'
        head = f'<svg role="img" aria-label="{said}" {size} {font} xmlns="http://www.w3.org/2000/svg">'
        return head + "".join(parts) + "</svg>"

    def _edge(self, child: int) -> str:
        parent = int(self.tree.parent[child])
        x0, y0 = self.left[parent] + BOX[0] / 2, self.top(parent) + BOX[1]
        x1, y1 = self.left[child] + BOX[0] / 2, self.top(child)
        middle, width = (y0 + y1) / 2, max(THINNEST, WIDEST * self._share(child))
        path = f"M{x0:.1f} {y0:.1f}C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"
        line = f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="0.3" stroke-width="{width:.1f}"/>'
        anchor, aside = ("end", -6) if x1 < x0 else ("start", 6)
        return line + self._text(x1 + aside, y1 - 4, self._branch(child), "9", faint=True, anchor=anchor)

    def _share(self, node: int) -> float:
        count = self.tree.count
        return (
            float(self.tree.constant_share[node] * count[node] / count[0])
            if np.isfinite(count[[0, node]]).all() and count[0] > 0
            else 0.2
        )

    def _branch(self, child: int) -> str:
        gate, slot = self.words.place(child)
        if self.words.is_mean(gate):
            return self.words.rule(child)
        if self.tree.n_children[gate] == 2:
            return "no" if slot else "yes"
        name = self.words.names[int(self.tree.feature[gate])]
        return self.words.rule(child, LETTERS).removeprefix(f"{name} ").removeprefix("= ").removeprefix("in ")

    def _box(self, node: int) -> str:
        x, y = self.left[node], self.top(node)
        leafness = float(self.tree.leafness[node])
        frame = (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{BOX[0]}" height="{BOX[1]}" rx="5" fill="currentColor" '
            f'fill-opacity="{0.03 + 0.07 * leafness:.3f}" stroke="currentColor" stroke-opacity="0.55"/>'
        )
        asks = bool(self.tree.n_children[node]) and self.tree.node_depth[node] < self.deepest
        line = self._question(node) if asks else self._answer(node)
        told = f"<title>{html.escape(self._hover(node))}</title>"
        parts = [told, frame, self._text(x + BOX[0] / 2, y + 16, line), self._bar(node, x + 8, y + BOX[1] - 10)]
        if asks and n_folded(self.tree, node):
            more = f"… {n_folded(self.tree, node)} more trees"
            parts.append(self._text(x + BOX[0] / 2, y + BOX[1] + 12, more, "9", faint=True))
        if self.tree.n_children[node] and not asks:
            below = sum(1 for _ in self.tree.walk(node)) - 1
            parts.append(self._text(x + BOX[0] / 2, y + BOX[1] + 12, f"… {below} nodes below", "9", faint=True))
        return f"<g>{''.join(parts)}</g>"

    def _question(self, node: int) -> str:
        words, tree = self.words, self.tree
        if words.written_once(node):
            return HOW_SOFT.sub("", " ".join(words.gate(node, LETTERS).pieces))
        if tree.n_children[node] == 2:
            return HOW_SOFT.sub("", words.rule(int(tree.first_child[node]), LETTERS)) + "?"
        return f"{words.names[int(tree.feature[node])]}?"

    def _answer(self, node: int) -> str:
        mean, schema = self.tree.mean_answers[node], self.tree.schema
        if schema.task == "classification":
            best = int(schema.decide(mean[None])[0])
            return f"{spell_label(schema.answers[best])} {spell_fixed(float(mean[best]), 2)}"
        return ", ".join(spell_number(float(value)) for value in mean)

    def _hover(self, node: int) -> str:
        """The full text, as a tooltip."""
        rows = f", {spell_number(float(self.tree.count[node]), 1)} rows" if np.isfinite(self.tree.count[node]) else ""
        return f"node {node}: {self.words.rule(node, 160)}; {self._answer(node)}{rows}"

    def _bar(self, node: int, x: float, y: float) -> str:
        mean, wide = self.tree.mean_answers, BOX[0] - 16
        if self.tree.schema.task == "classification":
            ends = np.concatenate([[0.0], np.cumsum(np.clip(mean[node], 0.0, 1.0))]) * wide
            return "".join(
                f'<rect x="{x + a:.1f}" y="{y:.1f}" width="{b - a:.1f}" height="5" fill="{class_colour(k)}"/>'
                for k, (a, b) in enumerate(pairwise(ends))
            )
        low, high = float(mean[:, 0].min()), float(mean[:, 0].max())
        part = (float(mean[node, 0]) - low) / (high - low) if high > low else 0.5
        scale = f'<rect x="{x:.1f}" y="{y + 2:.1f}" width="{wide}" height="1" fill="currentColor" fill-opacity="0.4"/>'
        return scale + f'<rect x="{x + part * (wide - 4):.1f}" y="{y:.1f}" width="4" height="5" fill="{CLASSES[0]}"/>'

    def _text(self, x: float, y: float, text: str, size: str = "11", faint: bool = False,
              anchor: str = "middle") -> str:  # fmt: skip
        shown = text if len(text) <= LETTERS + 2 else text[: LETTERS + 1] + "…"
        pale = ' fill-opacity="0.65"' if faint else ""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="currentColor"{pale}'
        return f"<text {place}>{html.escape(shown)}</text>"
