"""The right-hand side of a printed tree: what its nodes answer, as columns.

Classes: the predicted class, then a column of probabilities per class while they fit, else its own probability and
the next likely classes. Numbers: mean ± standard deviation (or median ± mean absolute deviation) per target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.formats.columns import Column, spell_chances, spell_column, total_width
from softwood.kernels import apply_link
from softwood.tree import Tree
from softwood.tree.spelling import spell_label, spell_list
from softwood.tree.wording import Wording

Floats = npt.NDArray[np.float64]

ROOM_FOR_CHANCES = 44  # columns that the table of class probabilities may take before it is told in words
ROOM_FOR_OTHERS = 24  # columns for naming the next likely classes
LEAST_OTHER = 0.005  # a class less likely than this is not worth naming there
ROOM_FOR_SUM = 50  # columns of a linear response before it is cut


@dataclass(frozen=True)
class Statistic:
    """What the numbers of a regression tree are called, and how impurity becomes their spread."""

    centre: str
    spread: str
    power: float


# By criterion: squared error averages squares about the mean, absolute error distances to the median.
STATISTICS = {
    "squared_error": Statistic("mean", "± sd", 0.5),
    "absolute_error": Statistic("median", "± mean dev", 1.0),
}
UNSAID = Statistic("response", "impurity", 1.0)


def answer_columns(words: Wording, nodes: list[int], costs: Any, criterion: str | None) -> list[Column]:
    """Columns for the given nodes, in that order."""
    tree = words.tree
    if tree.schema.task == "classification" and not (tree.slope_row[nodes] >= 0).any():
        return _classes(tree, nodes, costs, words.digits)
    return _numbers(words, nodes, STATISTICS.get(criterion or "", UNSAID))


def _classes(tree: Tree, nodes: list[int], costs: Any, digits: int | None) -> list[Column]:
    chance = apply_link(int(tree.link), tree.response[nodes])
    price = None if costs is None else _cost_matrix(costs, tree.schema.answers)
    predicted = np.argmax(chance, axis=1) if price is None else np.argmin(chance @ price, axis=1)
    labels = [spell_label(label) for label in tree.schema.answers]
    named = Column("class", [labels[k] for k in predicted])
    table = [Column(label, spell_chances(chance[:, k], digits), ">") for k, label in enumerate(labels)]
    if total_width(table) <= ROOM_FOR_CHANCES:
        return [named, *table]
    own = Column("p", spell_chances(chance[np.arange(len(nodes)), predicted], digits), ">")
    others = [_others(row, int(best), labels, digits) for row, best in zip(chance, predicted, strict=True)]
    return [named, own, Column("others", others)]


def _cost_matrix(costs: Any, labels: tuple[Any, ...]) -> Floats:
    """What each (true, given) pair costs, from a table or from a mapping that leaves out what costs 1."""
    if not isinstance(costs, Mapping):
        return np.asarray(costs, np.float64)
    matrix = 1.0 - np.eye(len(labels))
    for (true, given), cost in costs.items():
        matrix[labels.index(true), labels.index(given)] = cost
    return matrix


def _others(chance: Floats, predicted: int, labels: list[str], digits: int | None) -> str:
    """`versicolor 0.12, setosa 0.03, … 2 more`: the next likely classes."""
    order = [k for k in np.argsort(-chance, kind="stable") if k != predicted and chance[k] >= LEAST_OTHER]
    texts = spell_chances(chance[order], min(2, digits) if digits else digits)
    return spell_list([f"{labels[k]} {text}" for k, text in zip(order, texts, strict=True)], ROOM_FOR_OTHERS)


def _numbers(words: Wording, nodes: list[int], statistic: Statistic) -> list[Column]:
    tree = words.tree
    targets = [spell_label(name) for name in tree.schema.answers]
    columns = []
    for k in range(tree.n_outputs):
        header = statistic.centre if tree.n_outputs == 1 else targets[k]
        linear = bool((tree.slope_row[nodes] >= 0).any())
        if linear:
            columns.append(Column(header, [words.response(m, k, ROOM_FOR_SUM) for m in nodes]))
        else:
            columns.append(Column(header, spell_column(tree.response[nodes, k], words.digits), ">"))
    if tree.is_hard and np.isfinite(tree.impurity).all():  # soft leaves do not answer the mean of their rows
        spread = tree.impurity[nodes] ** statistic.power
        columns.append(Column(statistic.spread, spell_column(spread, words.digits or 3), ">"))
    return columns
