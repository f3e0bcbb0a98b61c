"""Changes of the trees: size, settings, gates, curves, monotone proofs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.explain.words import spell_answer, spell_value
from softwood.formats.overview import used_inputs
from softwood.tree import Tree
from softwood.tree.proofs import spell_direction
from softwood.tree.views import LinearResponse
from softwood.tree.wording import Wording
from softwood.view.comparisons.part import Part
from softwood.view.comparisons.sides import Pair

MOST_NODES = 63  # of the tables of gates
MOST_CURVE_ROWS, CURVE_POINTS = 500, 20
ROOM = 70  # columns of a gate in words
EFFORTLESS = 1e-12  # a difference of two curves below this is rounding


def compare_sizes(pair: Pair) -> Part:
    """Estimator, nodes, inputs, and the parameters of both that differ."""
    trees = [side.tree for side in pair.sides]
    told = [_described(tree) for tree in trees]
    rows: list[tuple[Any, ...]] = [(name, told[0][name], told[1][name]) for name in told[0]]
    settings = [{} if tree.provenance is None else dict(tree.provenance.parameters) for tree in trees]
    for name in (name for name in settings[0] if name in settings[1]):
        values = [json.dumps(each[name]) for each in settings]
        if values[0] != values[1]:
            rows.append((f"{name}=", *values))
    same = trees[0] == trees[1]
    notes = ("The trees are equal, number by number.",) if same else ()
    return Part("trees", "Trees", ("", *pair.names), tuple(rows), notes)


def _described(tree: Tree) -> dict[str, Any]:
    origin = tree.provenance
    used = [tree.schema.features[f] for f in used_inputs(tree)]
    return {
        "learned by": "" if origin is None else origin.estimator,
        "training rows": None if origin is None else origin.n_rows,
        "nodes": tree.n_nodes,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "inputs used": len(used),
    }


def compare_gates(pair: Pair) -> Part:
    """Nodes at the same place of both trees, side by side."""
    words = [Wording(side.tree) for side in pair.sides]
    found: list[tuple[Any, ...]] = []
    changed = 0
    for place, nodes in _places(*(side.tree for side in pair.sides)):
        told = [None if node is None else _asks(each, node) for each, node in zip(words, nodes, strict=True)]
        differs = told[0] != told[1]
        changed += differs
        found.append((place, "changed" if None not in told and differs else _only(told, pair), *told))
    more = len(found) - MOST_NODES
    notes = [f"{changed} of {len(found)} places differ."] if changed else ["Gates and leaves have the same text."]
    if more > 0:
        notes.append(f"The first {MOST_NODES} places are shown, {more} more are left out.")
    head = ("place", "", *pair.names)
    return Part("gates", "Gates and leaves", head, tuple(found[:MOST_NODES]), tuple(notes))


def _only(told: list[str | None], pair: Pair) -> str:
    if None not in told:
        return "same"
    return f"only {pair.names[told.index(None) == 0]}"


def _places(old: Tree, new: Tree) -> Iterator[tuple[str, tuple[int | None, int | None]]]:
    """Nodes by their path: `root`, `1`, `1.2` (second child of the first child), level by level."""
    level: list[tuple[str, tuple[int | None, int | None]]] = [("root", (0, 0))]
    while level:
        yield from level
        below = []
        for place, (a, b) in level:
            mine = [] if a is None else list(old.children(a))
            theirs = [] if b is None else list(new.children(b))
            for slot, nodes in enumerate(zip_longest(mine, theirs), 1):
                below.append((f"{slot}" if place == "root" else f"{place}.{slot}", nodes))
        level = below


def _asks(words: Wording, node: int) -> str:
    """A gate, or a leaf's mean prediction, as one line."""
    tree: Any = words.tree
    if not tree.n_children[node]:
        response = tree.response_at(node)
        linear = f", linear in {len(response.features)} inputs" if isinstance(response, LinearResponse) else ""
        return f"leaf{linear}: {spell_answer(tree, tree.mean_answers[[node]])}"
    if words.written_once(node):
        return " ".join(words.gate(node, ROOM).pieces)
    return " | ".join(words.rule(child, ROOM) for child in list(tree.children(node))[:-1] or tree.children(node))


def compare_inputs(pair: Pair) -> tuple[Part, Part]:
    """The change of the curve of every input, and the curves."""
    lines: list[tuple[Any, ...]] = []
    points: list[tuple[Any, ...]] = []
    answers = [name for name, _, _ in pair.scores()]
    for name in _used_by_either(pair):
        curves = [_curve(pair, side, name) for side in range(2)]
        labels = next(labels for labels, _ in curves if labels)
        for k, answer in enumerate(answers):
            value = [table[:, k] if len(table) else None for _, table in curves]
            lines.append((name, *([answer] if len(answers) > 1 else []), *_moved(labels, value)))
            points += [
                (name, answer, label, *(None if v is None else float(v[i]) for v in value))
                for i, label in enumerate(labels)
            ]
    head = ("input", *(["answer"] if len(answers) > 1 else []))
    measured = (f"effect, {pair.names[0]}", f"effect, {pair.names[1]}", "largest difference", "at")
    notes = (
        f"Effect: largest minus smallest mean {answers[0] if len(answers) == 1 else 'answer'} as the input moves and "
        "the others stay.",
    )
    short = Part("inputs", "Inputs and their curves", (*head, *measured), tuple(lines), notes)
    long = Part(
        "curves", "Curves", ("input", "answer", "value", *pair.names), tuple(points), printed=False
    )  # fmt: skip
    return short, long


def _moved(labels: list[str], value: list[Floats | None]) -> tuple[Any, ...]:
    effect = [None if v is None else float(np.ptp(v)) for v in value]
    old, new = value
    if old is None or new is None:
        return (*effect, None, "")
    gap = new - old
    at = int(np.argmax(np.abs(gap)))
    return (*effect, float(gap[at]), labels[at] if abs(gap[at]) > EFFORTLESS else "")


def _used_by_either(pair: Pair) -> list[str]:
    return list(dict.fromkeys(s.tree.schema.features[f] for s in pair.sides for f in used_inputs(s.tree)))


def _curve(pair: Pair, place: int, name: str) -> tuple[list[str], Floats]:
    """Labels of the values and mean predictions (values, answers); empty if the model does not have the input.

    The values are those of the same rows in both models, so steps before the tree (a scaler) do not matter.
    """
    side = pair.sides[place]
    tree, rows = side.tree, np.asarray(side.rows)
    if name not in tree.schema.features:
        return [], np.zeros((0, 0))
    feature = tree.schema.features.index(name)
    first = next(s for s in pair.sides if name in s.tree.schema.features)
    chosen = _representatives(np.asarray(first.rows)[:, first.tree.schema.features.index(name)])
    some = rows[np.unique(np.linspace(0, len(rows) - 1, MOST_CURVE_ROWS).astype(np.int64))]
    found = []
    for row in chosen:
        moved = some.copy()
        moved[:, feature] = rows[row, feature]
        found.append(_answers(pair, tree, tree.predict(moved)).mean(axis=0))
    at = first.tree.schema.features.index(name)
    labels = [spell_value(first.tree.schema, at, float(np.asarray(first.rows)[row, at])) for row in chosen]
    return labels, np.array(found)


def _answers(pair: Pair, tree: Tree, predicted: Floats) -> Floats:
    """Columns in the order of `Pair.scores`."""
    if not pair.is_classifier:
        return predicted[:, :1]
    table = np.zeros((len(predicted), len(pair.classes)))
    table[:, [pair.classes.index(answer) for answer in tree.schema.answers]] = predicted
    return table[:, 1:] if len(pair.classes) == 2 else table


def _representatives(x: Floats) -> list[int]:
    """A row for each value if there are few, otherwise for evenly spaced ranks, and for missing, in the order of the
    values.
    """
    order = np.argsort(x, kind="stable")  # NaN last
    known = order[: int(np.isfinite(x).sum())]
    _, first = np.unique(x[known], return_index=True)
    distinct = known[first]
    if len(distinct) > CURVE_POINTS:
        places = np.unique(np.linspace(0, len(known) - 1, CURVE_POINTS).astype(np.int64))
        _, first = np.unique(x[known[places]], return_index=True)
        distinct = known[places][first]
    return [*map(int, distinct), *map(int, order[len(known) : len(known) + 1])]


def compare_proofs(pair: Pair) -> Part:
    """Whether predictions are proved to be monotone in each input that either model uses."""
    several = any(len(s.tree.schema.answers) > 2 and s.tree.schema.task == "classification" for s in pair.sides)
    if several:
        return Part(
            "proofs",
            "Monotone in",
            (),
            (),
            ("With three or more classes there is no single score that could be monotone.",),
        )
    rows = [(name, *(_proved(side.tree, name) for side in pair.sides)) for name in _used_by_either(pair)]
    asked = [
        f"The {name} model has monotone constraints: {json.dumps(cst)}."
        for name, side in zip(pair.names, pair.sides, strict=True)
        if side.tree.provenance is not None and (cst := side.tree.provenance.parameters.get("monotonic_cst"))
    ]
    lost = [row[0] for row in rows if row[1] in ("never decreases", "never increases") and row[2] != row[1]]
    if lost:
        asked.append(f"No longer proved as before: {', '.join(lost)}.")
    return Part("proofs", "Monotone proofs", ("input", *pair.names), tuple(rows), tuple(asked))


def _proved(tree: Tree, name: str) -> str:
    if name not in tree.schema.features:
        return "not an input"
    feature = tree.schema.features.index(name)
    if feature not in used_inputs(tree):
        return "not used"
    return spell_direction(tree, feature, "not proved")
