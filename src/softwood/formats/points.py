"""A scorecard: points that add up to the log odds of the good class, by a stated scaling.

    points = offset + factor * ln(odds of good),   factor = pdo / ln 2,   offset = base_points - factor * ln(base_odds)

pdo are the points that double the odds. In an additive model (a tree with one node and a linear response) every input
has bins with points (bins.py), and a row's points are the base plus those of its bins. In a hard tree every leaf is a
bin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.formats.bins import Counter, level_bins, missing_bin, number_bins
from softwood.formats.card import BASE, Line, Scorecard, records_of
from softwood.formats.models import look_inside
from softwood.formats.paths import paths
from softwood.kernels.kinds import Link
from softwood.tree import Tree, is_joined
from softwood.tree.curve import Curve
from softwood.tree.schema import Input
from softwood.tree.wording import Wording

HALF = 0.5  # rows added to each class of a leaf, so that a pure leaf has finite odds


def scorecard(
    model: Any,
    X: Any = None,
    *,
    sample_weight: Any = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    whole: bool = False,
    good: Any = None,
    pdo: float = 20.0,
    base_points: float = 600.0,
    base_odds: float = 50.0,
) -> Scorecard:
    """A scorecard, as a list of its lines; `pandas.DataFrame(scorecard(model))` makes a table of them.

    Parameters
    ----------
    model : of two classes: an additive model (a soft tree with one leaf, `SoftTreeClassifier(max_leaves=1,
        leaf="linear")`), or a hard tree such as CARTClassifier's.
    X, sample_weight : rows for the counts of the bins, such as the training rows, and their weights. None: counts are
        estimated from the quantiles in the model (rows is None for bins of a number with ties).
    bins : cuts of some inputs, `{"age": [25, 40]}`: x <= 25, 25 < x <= 40, x > 40. Other inputs have the bins of the
        model: the pieces of its curves, which are exact.
    whole : whether to use whole points. Bins that are not given then end where the rounded curve changes.
    good : the class whose odds increase with the points; None: the last one.
    pdo, base_points, base_odds : base_points correspond to odds of base_odds to 1, and pdo further points double the
        odds.

    Returns
    -------
    For an additive model: input, bin, lower, upper (for a number: lower < x <= upper), level, rows (by weight), points,
    per_unit, per_square and at: a number x in the bin has points + per_unit (x - at) + per_square (x - at)², so the sum
    is the model's; `off`: the largest difference from the model's curve inside the bin, 0 for exact lines and at most
    1/2 for whole points with the model's bins. Every input averages to 0 over the training rows. For a hard tree: node,
    rule, rows, probability (of good) and points; half a row is added to each class of a leaf. `card.apply(X)` gives
    points to rows, `card.to_sql(table)` writes them as SQL.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTClassifier
    >>> X = np.arange(20.0)[:, None]
    >>> for row in scorecard(CARTClassifier().fit(X, X[:, 0] > 7), whole=True):
    ...     print(row["rule"], row["points"])
    x0 ≤ 7.5 405.0
    x0 > 7.5 580.0
    """
    inside = look_inside(model, wanted_by="scorecard")
    if inside.steps:
        raise ValueError(
            f"the points would refer to the output of {', '.join(inside.steps)}; pass the last step of the pipeline."
        )
    tree = inside.tree
    rows = None if X is None else tree.schema.encode(records_of(X))
    return card_of(
        tree, rows, sample_weight=sample_weight, bins=bins, whole=whole, good=good, pdo=pdo, base_points=base_points,
        base_odds=base_odds,
    )  # fmt: skip


def card_of(
    tree: Tree,
    rows: Floats | None = None,
    *,
    sample_weight: Any = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    whole: bool = False,
    good: Any = None,
    pdo: float = 20.0,
    base_points: float = 600.0,
    base_odds: float = 50.0,
) -> Scorecard:
    """The scorecard of a tree; `rows` as the tree reads them."""
    for name, value in (("pdo", pdo), ("base_odds", base_odds)):
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be a number > 0, got {value!r}.")
    answers = tree.schema.answers
    if tree.schema.task != "classification" or len(answers) != 2:
        raise ValueError(_refuse_answers(tree))
    if good is not None and good not in answers:
        raise ValueError(f"good must be one of {answers!r}, got {good!r}.")
    place = len(answers) - 1 if good is None else answers.index(good)
    factor = pdo / math.log(2.0)
    offset = base_points - factor * math.log(base_odds)
    if is_additive(tree):
        sign = factor if place == 1 else -factor
        return Scorecard(_additive(tree, offset, sign, _Asked(bins or {}, whole, rows, sample_weight)), tree)
    if is_joined(tree):
        raise ValueError(
            f"a scorecard has the points of one tree, and this model is a mean of {tree.n_children[0]}; fit one tree."
        )
    if not tree.is_whole:
        raise ValueError(
            "a scorecard needs a hard tree with constant leaves, or an additive model: a soft tree with one leaf, "
            "SoftTreeClassifier(max_leaves=1, leaf='linear')."
        )
    if bins is not None:
        raise ValueError("bins are for additive models; the bins of a hard tree are its leaves.")
    return Scorecard(_leaves(tree, place, offset, factor, whole), tree)


def _refuse_answers(tree: Tree) -> str:
    answers = tree.schema.answers
    if tree.schema.task != "classification":
        given, names = "a regression model of", ", ".join(map(str, answers))
        advice = "fit a classifier to two classes of the target: CARTClassifier().fit(X, y > limit)"
    else:
        given, names = f"a model of {len(answers)}:", ", ".join(map(repr, answers[:3])) + ", …" * (len(answers) > 3)
        advice = f"fit a classifier of one class against the others: CARTClassifier().fit(X, y == {answers[-1]!r:.40})"
    return f"a scorecard needs a model of two classes, got {given} {names:.80}; {advice}."


def is_additive(tree: Tree) -> bool:
    """Whether points add up over inputs: one node with a linear response, of two classes."""
    return tree.n_nodes == 1 and tree.slope_row[0] >= 0 and tree.link == Link.SIGMOID


def has_card(tree: Tree) -> bool:
    """Whether a tree is of a kind that has a scorecard."""
    two = tree.schema.task == "classification" and len(tree.schema.answers) == 2
    return two and (is_additive(tree) or tree.is_whole)


def _leaves(tree: Tree, good: int, offset: float, factor: float, whole: bool) -> list[Line]:
    if not np.isfinite(tree.count).all():
        raise ValueError("the tree has no row counts for its leaves, which the points need.")
    answers, rows = tree.answers, list[Line]()
    leaves = [node for node in tree.walk() if not tree.n_children[node]]
    asked = paths(Wording(tree), leaves, None)
    for node in leaves:
        count, chance = float(tree.count[node]), float(answers[node, good])
        odds = (count * chance + HALF) / (count * (1.0 - chance) + HALF)
        rule = " and ".join(asked[node]) or "all rows"
        points = offset + factor * math.log(odds)
        points = float(round(points)) if whole else points
        rows.append({"node": node, "rule": rule, "rows": count, "probability": chance, "points": points})
    return rows


@dataclass(frozen=True)
class _Asked:
    """The options apart from the scaling."""

    bins: Mapping[str, Sequence[float]]
    whole: bool
    rows: Floats | None
    weight: Any


def _additive(tree: Tree, offset: float, factor: float, asked: _Asked) -> list[Line]:
    """The base includes the mean of every curve, so that an input's points are relative to an average row."""
    schema, lines = tree.schema, list[Line]()
    curves = [_centred(tree.curve(0, feature, 0), schema.inputs[feature]) for feature in range(tree.n_features)]
    used = [one.name for one, curve in zip(schema.inputs, curves, strict=True) if not _is_nothing(curve)]
    numbers = [one.name for one in schema.inputs if one.levels is None]
    strange = [name for name in asked.bins if name not in used or name not in numbers]
    if strange:
        raise ValueError(f"bins must name numbers that the model uses, got {strange!r:.100}; it uses {used!r:.200}.")
    rows = asked.rows
    weight = None if asked.weight is None else np.asarray(asked.weight, np.float64)
    if weight is not None and (rows is None or weight.shape != (len(rows),)):
        raise ValueError(f"sample_weight needs X and one weight for each of its rows, got shape {weight.shape}.")
    for feature, (one, curve) in enumerate(zip(schema.inputs, curves, strict=True)):
        if _is_nothing(curve):
            continue
        count = Counter(one, None if rows is None else rows[:, feature], weight)
        if one.levels is not None:
            lines += level_bins(one, curve, factor, count, asked.whole)
        else:
            lines += number_bins(one, curve, factor, count, asked.whole, asked.bins.get(one.name))
        lines.append(missing_bin(one, curve, factor, count, asked.whole))
    base = offset + factor * (float(tree.response[0, 0]) + sum(curve.mean or 0.0 for curve in curves))
    told = float(round(base)) if asked.whole else base
    blank = {"lower": None, "upper": None, "level": None}
    every = tree.count[0] if rows is None else len(rows) if weight is None else weight.sum()
    first = {"input": BASE, "bin": "all rows", **blank, "rows": float(every), "points": told}
    return [first | {"per_unit": 0.0, "per_square": 0.0, "at": 0.0, "off": abs(told - base)}, *lines]


def _is_nothing(curve: Curve) -> bool:
    return not (curve.line or curve.square or curve.hinges or any(curve.levels) or curve.when_missing)


def _centred(curve: Curve, one: Input) -> Curve:
    """The curve with its mean over the training rows; for a file of version 1 from the summary of the input."""
    if curve.mean is not None or _is_nothing(curve):
        return curve
    summary = one.summary
    if summary is None:
        raise ValueError(f"the tree has no summary of {one.name!r} in the training rows, which its bins need.")
    if one.levels is not None:
        heights, weights = np.array(curve.levels), np.array(summary.counts)
    else:
        values = [value for _, value in summary.quantiles] or [0.0]
        heights, weights = curve(np.array(values)), np.full(len(values), summary.known / len(values))
    total = float(weights.sum()) + summary.missing
    mean = (float((heights * weights).sum()) + summary.missing * curve.when_missing) / (total or 1.0)
    return replace(curve, mean=mean)
