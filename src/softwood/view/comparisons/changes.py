"""The rows whose prediction changes most, with the contributions of the inputs in both trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.explain import Explanation, explain
from softwood.explain.words import find_answer, spell_cell
from softwood.tree.spelling import spell_number
from softwood.view.comparisons.part import Part
from softwood.view.comparisons.sides import Pair, Side

BACKGROUND = 200  # background rows for reasons
REASONS = 3  # inputs shown per row


def largest_changes(pair: Pair, n: int) -> Part:
    """The rows that change class, by the change of their score; for regression, the largest changes."""
    rows = _chosen(pair, n)
    head = ["row", *(["actual"] if pair.y is not None else []), *pair.names, "change", "reasons"]
    if not len(rows):
        said = "No row changes class." if pair.is_classifier else "No row changes."
        return Part("rows", "Largest changes", tuple(head), (), (said if n else "None were requested.",))
    why = [_explained(side, rows) for side in pair.sides]
    found: list[tuple[Any, ...]] = []
    for i, row in enumerate(map(int, rows)):
        actual = [] if pair.y is None else [_spell(pair, pair.y[row])]
        change, answer = _change(pair, row)
        told = [_spell(pair, np.asarray(side.decided)[row]) for side in pair.sides]
        found.append((row, *actual, *told, change, _reasons(pair, (why[0], why[1]), i, answer)))
    unit = "the probability of the new class" if pair.is_classifier else "the prediction"
    notes = (
        f"Change: of {unit}. Reasons: what inputs add to "
        f"{'the new class' if pair.is_classifier else 'the prediction'}, {pair.names[0]} → {pair.names[1]}, against "
        f"{min(BACKGROUND, len(np.asarray(pair.old.rows)))} of these rows.",
    )
    return Part("rows", "Largest changes", tuple(head), tuple(found), notes)


def _chosen(pair: Pair, n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    old, new = (np.asarray(side.decided) for side in pair.sides)
    if not pair.is_classifier:
        size = np.abs(new - old)
    else:
        before, after = pair.probabilities
        distance = np.abs(after - before).sum(axis=1)
        size = np.where(old != new, distance + 1e-9, 0.0)  # a change of class with no change of score: by costs
    order = np.argsort(-size, kind="stable")[:n]
    return np.asarray(order[size[order] > 0], np.int64)


def _change(pair: Pair, row: int) -> tuple[float, Any]:
    """The change of the score, and the class or target that reasons explain."""
    if not pair.is_classifier:
        old, new = (np.asarray(side.decided)[row] for side in pair.sides)
        return float(new - old), None
    before, after = pair.probabilities
    k = int(np.asarray(pair.new.decided)[row])
    return float(after[row, k] - before[row, k]), pair.classes[k]


def _spell(pair: Pair, value: Any) -> str:
    return pair.labels[int(value)] if pair.is_classifier else spell_number(float(value))


def _explained(side: Side, rows: Any) -> Explanation:
    every = np.asarray(side.rows)
    some = np.unique(np.linspace(0, len(every) - 1, BACKGROUND).astype(np.int64))
    return explain(side.tree, every[rows], every[some])


def _reasons(pair: Pair, why: tuple[Explanation, Explanation], row: int, answer: Any) -> str:
    """Inputs whose contribution changed most if both trees have the same unit, else the largest contributions in
    each.
    """
    known = [_adds(each, row, answer) for each in why]
    units = {unit for unit, _ in known if unit}
    if len(units) == 1:
        old, new = (adds for _, adds in known)
        gap = {name: new.get(name, 0.0) - old.get(name, 0.0) for name in dict.fromkeys((*old, *new))}
        order = sorted(gap, key=lambda name: -abs(gap[name]))[:REASONS]
        told = [
            f"{_cell(why, name, row)} ({_signed(old.get(name, 0.0))} → {_signed(new.get(name, 0.0))})"
            for name in order
            if gap[name]
        ]
        return "; ".join(told) or "the constant of the tree"
    said = []
    for name, each, (unit, adds) in zip(pair.names, why, known, strict=True):
        order = sorted(adds, key=lambda one: -abs(adds[one]))[:REASONS]
        inputs = [f"{_cell((each, each), one, row)} ({_signed(adds[one])})" for one in order if adds[one]]
        said.append(f"{name} ({unit or 'lacks the class'}): {', '.join(inputs) or 'no input'}")
    return "; ".join(said)


def _adds(why: Explanation, row: int, answer: Any) -> tuple[str, dict[str, float]]:
    """The unit, and the contribution of every input; no unit if the tree does not have the class."""
    schema = why.tree.schema
    if schema.task == "regression":
        answer = schema.answers[0]
    elif answer not in schema.answers:
        return "", {}
    find_answer(why.tree, answer)
    unit, found, _ = why.of(answer)
    return unit, dict(zip(schema.features, map(float, found[row]), strict=True))


def _cell(why: tuple[Explanation, Explanation], name: str, row: int) -> str:
    each = next(one for one in why if name in one.tree.schema.features)
    feature = each.tree.schema.features.index(name)
    return spell_cell(each.tree.schema, feature, float(each.cells[row, feature]))


def _signed(value: float) -> str:
    text = spell_number(value, 2)
    return text if text.startswith("−") or value == 0 else f"+{text}"
