"""A scorecard: points that add up to the log odds of the good class, by a stated scaling.

    points = offset + factor * ln(odds of good),   factor = pdo / ln 2,   offset = base_points - factor * ln(base_odds)

pdo are the points that double the odds. Of a tree with one node and a linear response (an additive model) every input
has bins with points of its own, and a row's points are the base and those of its bins. Of a hard tree every leaf is a
bin, and a row has the points of its leaf.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from softwood.formats.models import look_inside
from softwood.formats.paths import paths
from softwood.kernels.kinds import Link
from softwood.tree import Tree
from softwood.tree.curve import Curve
from softwood.tree.spelling import spell_label
from softwood.tree.wording import Wording

HALF = 0.5  # rows added to either class of a leaf, so that a pure one has finite odds
BASE = "(base)"


def scorecard(
    model: Any, *, good: Any = None, pdo: float = 20.0, base_points: float = 600.0, base_odds: float = 50.0
) -> list[dict[str, Any]]:
    """The rows of a scorecard; `pandas.DataFrame(scorecard(model))` makes a table of them.

    Parameters
    ----------
    model : of two classes: an additive model (a soft tree with one leaf, `SoftTreeClassifier(max_leaves=1,
        leaf="linear")`), or a hard tree such as CARTClassifier's.
    good : the class whose odds points grow with; None: the last one.
    pdo, base_points, base_odds : base_points stand for odds of base_odds to 1, and pdo more double the odds.

    Returns
    -------
    Of an additive model: input, bin, lower, upper (of a number: lower < x <= upper), level, rows (by weight), points
    and `off`: at most how many points the model's own curve is away from these inside the bin (among the quantiles and
    knots there). Of a hard tree: node, rule, rows, probability (of good) and points; to both classes of a leaf half a
    row is added.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTClassifier
    >>> X = np.arange(20.0)[:, None]
    >>> for row in scorecard(CARTClassifier().fit(X, X[:, 0] > 7)):
    ...     print(row["rule"], round(row["points"]))
    x0 ≤ 7.5 405
    x0 > 7.5 580
    """
    inside = look_inside(model, wanted_by="scorecard")
    if inside.steps:
        raise ValueError(
            f"points would be about what {', '.join(inside.steps)} makes of a row; pass the last step alone."
        )
    tree = inside.tree
    for name, value in (("pdo", pdo), ("base_odds", base_odds)):
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be a number > 0, got {value!r}.")
    answers = tree.schema.answers
    if tree.schema.task != "classification" or len(answers) != 2:
        raise ValueError("a scorecard is of two classes.")
    if good is not None and good not in answers:
        raise ValueError(f"good must be one of {answers!r}, got {good!r}.")
    place = len(answers) - 1 if good is None else answers.index(good)
    factor = pdo / math.log(2.0)
    offset = base_points - factor * math.log(base_odds)
    if tree.n_nodes == 1 and tree.slope_row[0] >= 0 and tree.link == Link.SIGMOID:
        return _additive(tree, offset, factor if place == 1 else -factor)
    if not tree.is_whole:
        raise ValueError(
            "a scorecard needs a hard tree with constant leaves, or an additive model: a soft tree with one leaf, "
            "SoftTreeClassifier(max_leaves=1, leaf='linear')."
        )
    return _leaves(tree, place, offset, factor)


def _leaves(tree: Tree, good: int, offset: float, factor: float) -> list[dict[str, Any]]:
    if not np.isfinite(tree.count).all():
        raise ValueError("the tree does not say how many rows came to its leaves, which the points need.")
    answers, rows = tree.answers, []
    leaves = [node for node in tree.walk() if not tree.n_children[node]]
    asked = paths(Wording(tree), leaves, None)
    for node in leaves:
        count, chance = float(tree.count[node]), float(answers[node, good])
        odds = (count * chance + HALF) / (count * (1.0 - chance) + HALF)
        rule = " and ".join(asked[node]) or "all rows"
        points = offset + factor * math.log(odds)
        rows.append({"node": node, "rule": rule, "rows": count, "probability": chance, "points": points})
    return rows


def _additive(tree: Tree, offset: float, factor: float) -> list[dict[str, Any]]:
    """The base has the mean of every curve, so that an input's points say what its bin does to a common row."""
    found = [_bins(tree, feature, factor) for feature in range(tree.n_features)]
    base = offset + factor * float(tree.response[0, 0])
    rows: list[dict[str, Any]] = []
    for bins in found:
        weight = sum(row["rows"] for row in bins)
        mean = sum(row["points"] * row["rows"] for row in bins) / weight if weight else 0.0
        base += mean
        rows += [row | {"points": row["points"] - mean} for row in bins]
    blank = {"lower": None, "upper": None, "level": None, "rows": tree.count[0], "off": 0.0}
    return [{"input": BASE, "bin": "all rows", **blank, "points": base}, *rows]


def _bins(tree: Tree, feature: int, factor: float) -> list[dict[str, Any]]:
    one, curve = tree.schema.inputs[feature], tree.curve(0, feature, 0)
    summary = one.summary
    if not (curve.line or curve.square or curve.hinges or any(curve.levels) or curve.when_missing):
        return []
    if summary is None:
        raise ValueError(f"the tree does not say what the training rows held of {one.name!r}, which its bins need.")
    rows: list[dict[str, Any]] = []
    if one.levels is not None:
        for level, value, count in zip(one.levels, curve.levels, summary.counts, strict=True):
            rows.append(_row(one.name, spell_label(level), None, None, level, count, factor * value, 0.0))
    elif summary.range is not None:
        rows += _number_bins(
            one.name,
            curve,
            [(0.0, summary.range[0]), *summary.quantiles, (1.0, summary.range[1])],
            summary.known,
            factor,
        )
    rows.append(_row(one.name, "missing", None, None, None, summary.missing, factor * curve.when_missing, 0.0))
    return rows


def _number_bins(
    name: str, curve: Curve, quantiles: list[tuple[float, float]], known: float, factor: float
) -> list[dict[str, Any]]:
    """Bins between the quantiles of the training rows; the first and the last have no end."""
    parts = [(p, x) for at, (p, x) in enumerate(quantiles) if at == 0 or x > quantiles[at - 1][1]]
    if len(parts) == 1:
        parts.append((1.0, parts[0][1]))
    rows = []
    for at, ((p, low), (q, high)) in enumerate(pairwise(parts)):
        inside = np.array([low, *(knot for knot in curve.knots if low < knot < high), high])
        heights = factor * curve(inside)
        points = float((heights.min() + heights.max()) / 2)
        lower, upper = None if at == 0 else low, None if at == len(parts) - 2 else high
        text = f"≤ {high:.6g}" if lower is None else f"> {low:.6g}" if upper is None else f"{low:.6g} to {high:.6g}"
        text = "all" if lower is None and upper is None else text
        off = float(np.abs(heights - points).max())
        rows.append(_row(name, text, lower, upper, None, known * (q - p), points, off))
    return rows


def _row(
    name: str, text: str, lower: float | None, upper: float | None, level: Any, rows: float, points: float, off: float
) -> dict[str, Any]:
    bounds = {"input": name, "bin": text, "lower": lower, "upper": upper, "level": level}
    return bounds | {"rows": rows, "points": points, "off": off}
