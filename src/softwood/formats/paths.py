"""The paths of a tree as rules, one per node with a response.

rule  if                       then   p      n  share
   1  age ≤ 30                 no     0.90  60  60.0%
   2  age > 30 and gate 2 yes  yes    0.80  40  40.0%

For a hard tree all paths, from left to right. For a soft one, where every row follows every path in part, those with
the largest share of rows first. Sums are written once, below, and referred to by their node.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.answers import arrival_columns, equations
from softwood.formats.columns import GAP, Column, spell_counts, spell_shares, total_width
from softwood.formats.rules import LEAST_ROOM, stack, wrap_conditions
from softwood.formats.sums import added_columns, sum_notes
from softwood.kernels.kinds import Score, Squash
from softwood.tree import Tree
from softwood.tree.arrays import TreeArrays
from softwood.tree.spelling import wrap
from softwood.tree.wording import Wording

SHOWN_SHARE, MOST_PATHS = 0.99, 20  # maximum share of rows and number of paths shown for a soft tree


def paths_to_text(model: Any, tree: Tree, digits: int | None, width: int | None) -> str:
    """Rules of a tree as a table; `model` gives its name."""
    words = Wording(tree, digits)
    nodes, kept = _nodes(tree, width)
    numbers = Column("rule", [str(at) for at in range(1, len(nodes) + 1)], ">")
    right = _then(words, nodes, width)
    if kept is not None:
        part = kept[nodes]
        right += [Column("n", spell_counts(part), ">"), Column("share", spell_shares(part / kept.sum()), ">")]
    room = None if width is None else max(LEAST_ROOM, width - numbers.width - len(GAP) - total_width(right))
    asked = paths(words, nodes, room)
    lines = stack([numbers], [wrap_conditions(asked[m], room) for m in nodes], right)
    return "\n".join(
        [
            _title(model, tree, len(nodes)),
            "",
            *lines,
            *_rest(tree, nodes, kept),
            *_gates(words, nodes, width),
            *_sums(words, nodes, width),
            *_notes(tree, width),
        ]
    )


def _then(words: Wording, nodes: list[int], width: int | None) -> list[Column]:
    """The prediction of a rule; if outputs are sums, what it adds, and the rows that arrive."""
    tree = words.tree
    added, arrives = added_columns(tree, nodes, words.digits), arrival_columns(words, nodes)
    if not added:
        first = arrives[0]
        return [replace(first, header="then" if first.header == "class" else f"then {first.header}"), *arrives[1:]]
    if any(equations(words, node, width) for node in nodes):
        cells = [
            f"sum {at}" if equations(words, node, width) else text
            for at, (node, text) in enumerate(zip(nodes, added[0].cells, strict=True), 1)
        ]
        return [Column(f"then {added[0].header if len(added) == 1 else 'adds'}", cells), *arrives]
    return [replace(each, header=f"then {each.header}") for each in added] + arrives


def _nodes(tree: Tree, width: int | None) -> tuple[list[int], Floats | None]:
    """Nodes with responses, in the order of their rules, and the rows each keeps (None if unknown)."""
    nodes = [m for m in tree.walk() if tree.leafness[m] > 0]
    known = bool(np.isfinite(tree.count).all()) and bool(tree.count[0] > 0)
    kept = tree.count * tree.leafness * tree.constant_share if known else None
    if tree.is_hard or kept is None:
        return nodes, kept
    nodes.sort(key=lambda m: -kept[m])
    if width is None:
        return nodes, kept
    reached = np.cumsum(kept[nodes]) / kept.sum()
    return nodes[: min(MOST_PATHS, int(np.searchsorted(reached, SHOWN_SHARE)) + 1)], kept


def _title(model: Any, tree: Tree, n: int) -> str:
    which = "each row matches one" if tree.is_hard else "each row follows every path in part"
    return f"{type(model).__name__}: {n} {'rule' if n == 1 else 'rules'} ({which})"


def _rest(tree: Tree, nodes: list[int], kept: Floats | None) -> list[str]:
    left = int(np.count_nonzero(tree.leafness)) - len(nodes)
    if not left or kept is None:
        return []
    part = 1.0 - float(kept[nodes].sum() / kept.sum())
    return [f"      … {left} more {'path' if left == 1 else 'paths'} ({spell_shares(np.array([part]))[0]})"]


def _gates(words: Wording, nodes: list[int], width: int | None) -> list[str]:
    """The sums in the rules."""
    lines = []
    parents = {int(words.tree.parent[node]) for node in nodes if node}
    for node in sorted(_with_ancestors(words.tree, parents)):
        if parents and words.written_once(node):
            name = f"{'node' if words.is_mean(node) else 'gate'} {node}: "
            room = None if width is None else width - len(name)
            first, *rest = wrap(words.gate(node, room).pieces, room)
            lines += [name + first, *(" " * len(name) + text for text in rest)]
    return ["", *lines] if lines else []


def _sums(words: Wording, nodes: list[int], width: int | None) -> list[str]:
    """What linear responses add, written out below the rules: the largest terms, the rest counted."""
    lines = []
    for at, node in enumerate(nodes, 1):
        name = f"sum {at}: "
        room = None if width is None else width - len(name)
        for told in equations(words, node, room):
            first, *rest = wrap(told.pieces, room)
            lines += [name + first, *(" " * len(name) + text for text in rest)]
            name = " " * len(name)
    return ["", *lines] if lines else []


def _notes(tree: Tree, width: int | None) -> list[str]:
    single = np.any((tree.n_children > 0) & (tree.feature >= 0))
    told = [*sum_notes(tree, width), *(["Where a missing value goes is in form='tree'."] if single else [])]
    return ["", *told] if told else []


def conditions(words: Wording, node: int, room: int | None) -> list[str]:
    """The conditions on the path to a node; steps on one number are merged."""
    return paths(words, [node], room)[node]


def paths(words: Wording, nodes: Iterable[int], room: int | None) -> dict[int, list[str]]:
    """The conditions of the nodes, collected from the root down so that shared parts are computed once."""
    tree, wanted, found = words.tree, set(nodes), {}
    on_the_way = _with_ancestors(tree, wanted)
    at: dict[int, _Way] = {0: _Way({}, {})}
    for node in sorted(on_the_way):  # children come after their parents
        way = at.pop(node)
        if node in wanted:
            found[node] = [words.between(asked, *way.ends[asked]) if text is None else text
                           for asked, text in way.texts.items()]  # fmt: skip
        for child in tree.children(node):
            if child in on_the_way:
                at[child] = way.towards(child, words, room)
    return found


@dataclass(frozen=True)
class _Way:
    """The conditions on the path to a node: ranges of numbers by input; texts by input (None: its range) or by gate."""

    ends: dict[int, tuple[float, float]]
    texts: dict[Any, str | None]

    def towards(self, child: int, words: Wording, room: int | None) -> _Way:
        tree = words.tree
        gate, slot = words.place(child)
        if not _is_step(tree, gate) or words.written_once(gate):
            if words.written_once(gate) and not words.is_mean(gate):
                text = f"gate {gate} {'no' if slot else 'yes'}"
            else:
                text = " ".join(words.branch(child, room, n_lines=1)).removesuffix(" (soft)")
            return _Way(self.ends, {**self.texts, ("gate", gate): text})
        feature, at = int(tree.feature[gate]), float(tree.threshold[gate])
        lower, upper = self.ends.get(feature, (-np.inf, np.inf))
        ends = (max(lower, at), upper) if slot else (lower, min(upper, at))
        return _Way({**self.ends, feature: ends}, {**self.texts, feature: None})


def _with_ancestors(tree: TreeArrays, nodes: Iterable[int]) -> set[int]:
    found = {0}
    for node in nodes:
        while node not in found:
            found.add(node)
            node = int(tree.parent[node])
    return found


def _is_step(tree: TreeArrays, gate: int) -> bool:
    step = tree.score[gate] == Score.THRESHOLD and tree.squash[gate] == Squash.STEP
    return bool(step and np.isfinite(tree.threshold[gate]))
