"""The rows of a report: the values of every input, compared with the training rows."""

from __future__ import annotations

import numpy as np

from softwood.tree.schema import Input, Kind
from softwood.tree.spelling import spell_label, spell_number
from softwood.view.plots.many_classes import MOST_CLASSES, shown_classes, tell_classes
from softwood.view.plots.scene import Scene
from softwood.view.reports.markup import table

MOST_INPUTS, MOST_LEVELS = 60, 4
HEAD = ["input", "kind", "missing", "these rows", "training rows", "share outside the training range"]


def show_target(scene: Scene) -> str:
    """The classes of these rows, or the quartiles of every target."""
    if scene.classes:
        counts = np.bincount(np.asarray(scene.y), minlength=len(scene.labels))
        rows = [
            [scene.labels[k], f"{counts[k]:,}", f"{100 * counts[k] / len(scene.rows):.1f}%"]
            for k in shown_classes(scene, MOST_CLASSES)
        ]
        return table(["class", "rows", "proportion of rows"], rows, caption=tell_classes(scene, MOST_CLASSES).strip())
    ends = np.quantile(np.asarray(scene.y), [0.0, 0.25, 0.5, 0.75, 1.0], axis=0).T
    names = ["target", "minimum", "lower quartile", "median", "upper quartile", "maximum"]
    return table(names, [[label, *map(spell_number, row)] for label, row in zip(scene.labels, ends, strict=True)])


def describe_inputs(scene: Scene) -> list[list[str]]:
    """One line per input: its kind, its values in these rows and in the training rows."""
    lines = []
    for feature, one in enumerate(scene.tree.schema.inputs[:MOST_INPUTS]):
        x = scene.rows[:, feature]
        gone = float(np.isnan(x).mean())
        here = _levels(one, x) if scene.levels(feature) else _numbers(x)
        outside = outside_range(scene, feature)
        lines.append(
            [
                one.name,
                str(one.kind),
                _part(gone),
                here,
                _trained(one),
                _part(float(outside.mean())) if outside.any() else "",
            ]
        )
    return lines


def outside_range(scene: Scene, feature: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Rows with a number outside the training range."""
    known = scene.tree.schema.inputs[feature].summary
    x = scene.rows[:, feature]
    if known is None or known.range is None:
        return np.zeros(len(x), np.bool_)
    return np.asarray((x < known.range[0]) | (x > known.range[1]))


def notes_on_rows(scene: Scene) -> list[str]:
    """Notes about these rows."""
    told = []
    used = scene.used
    out = np.any([outside_range(scene, f) for f in used], axis=0) if used else np.zeros(len(scene.rows), np.bool_)
    if out.any():
        told.append(
            f"{_part(float(out.mean()))} of the rows have a number outside the training range; predictions there are "
            "extrapolations."
        )
    new = [
        one.name
        for f, one in enumerate(scene.tree.schema.inputs)
        if f in used and one.summary is not None and one.summary.missing == 0 and np.isnan(scene.rows[:, f]).any()
    ]
    if new:
        names = ", ".join(new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")
        told.append(
            f"Missing here, or at a level that did not occur in training, and never missing in training: {names}."
        )
    return told


def _numbers(x: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    known = x[np.isfinite(x)]
    if not len(known):
        return ""
    low, middle, high = (spell_number(float(v)) for v in np.quantile(known, [0.0, 0.5, 1.0]))
    return f"{low} … {middle} … {high}"


def _levels(one: Input, x: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    names = [spell_label(level) for level in one.levels] if one.levels is not None else ["false", "true"]
    known = x[np.isfinite(x)].astype(np.int64)
    return _shares(names, np.bincount(known, minlength=len(names)).astype(np.float64))


def _shares(names: list[str], counts: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    total = counts.sum() or 1.0
    order = [int(code) for code in np.argsort(-counts, kind="stable") if counts[code] > 0]
    told = [f"{names[code]} {_part(float(counts[code] / total))}" for code in order[:MOST_LEVELS]]
    return ", ".join(told) + (f", … {len(order) - MOST_LEVELS} more" if len(order) > MOST_LEVELS else "")


def _trained(one: Input) -> str:
    if one.summary is None:
        return ""
    if one.summary.counts and one.levels is not None:
        return _shares([spell_label(level) for level in one.levels], np.array(one.summary.counts))
    if one.summary.range is None or one.kind == Kind.BOOLEAN:
        return ""
    low, high = (spell_number(end) for end in one.summary.range)
    middle = dict(one.summary.quantiles).get(0.5)
    return f"{low} … {spell_number(middle)} … {high}" if middle is not None else f"{low} … {high}"


def _part(part: float) -> str:
    return "" if part == 0 else "<0.1%" if part < 0.0005 else f"{100 * part:.1f}%"
