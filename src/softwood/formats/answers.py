"""The right-hand columns of a printed tree.

First what arrives at a node, which names it, then what it adds if outputs are sums (sums.py). Classes: the predicted
class, then one column of probabilities per class if they fit, else its probability and the next most probable classes.
Numbers: mean ± standard deviation (or median ± mean absolute deviation) per target. Linear responses are written out
below their node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.formats.columns import Column, spell_chances, spell_column, total_width
from softwood.formats.sums import added_columns
from softwood.tree.arrays import TreeArrays
from softwood.tree.spelling import spell_label, spell_list
from softwood.tree.sums import Sum
from softwood.tree.wording import Wording

ROOM_FOR_CHANCES = 44  # maximum width of the table of class probabilities
ROOM_FOR_OTHERS = 24  # width for naming the next most probable classes
LEAST_OTHER = 0.005  # less probable classes are not named
MOST_EQUATIONS = 6  # equations of a linear response for many classes, the most probable first


@dataclass(frozen=True)
class Statistic:
    """Names of the numbers of a regression tree, and their spread from the impurity."""

    centre: str
    spread: str
    power: float


# By criterion: squared error averages squares about the mean, absolute error distances to the median, and so on.
STATISTICS = {
    "squared_error": Statistic("mean", "± sd", 0.5),
    "absolute_error": Statistic("median", "± mean dev", 1.0),
    "poisson": Statistic("mean", "deviance / 2", 1.0),
    "quantile": Statistic("quantile", "pinball", 1.0),
    "huber": Statistic("centre", "huber loss", 1.0),
}
UNSAID = Statistic("response", "impurity", 1.0)


def answer_columns(words: Wording, nodes: list[int]) -> list[Column]:
    """Columns for the given nodes, in this order: what arrives, then what they add, if there are several nodes."""
    added = added_columns(words.tree, nodes, words.digits) if words.tree.n_nodes > 1 else []
    return [*arrival_columns(words, nodes), *added]


def arrival_columns(words: Wording, nodes: list[int]) -> list[Column]:
    """What arrives at the given nodes."""
    tree = words.tree
    criterion = None if tree.provenance is None else tree.provenance.parameters.get("criterion")
    if tree.schema.task == "classification":
        return _classes(tree, nodes, words.digits)
    return _numbers(words, nodes, STATISTICS.get(str(criterion), UNSAID))


def equations(words: Wording, node: int, room: int | None) -> list[Sum]:
    """The equations of a linear response, one per output; none for a constant one."""
    tree = words.tree
    if tree.slope_row[node] < 0 or not tree.leafness[node]:
        return []
    outputs = np.arange(tree.n_outputs)
    if tree.n_outputs > MOST_EQUATIONS and room is not None:
        outputs = np.argsort(-tree.mean_answers[node], kind="stable")[:MOST_EQUATIONS]
    told = [words.equation(node, int(k), room) for k in outputs]
    left = tree.n_outputs - len(told)
    return [*told, Sum([f"… {left} more"], False)] if left else told


def _unknown(tree: TreeArrays, nodes: list[int]) -> npt.NDArray[np.bool_]:
    """Nodes whose mean prediction is unknown."""
    return (tree.slope_row[nodes] >= 0) & (not len(tree.arrived)) & (not len(tree.mean))


def _classes(tree: TreeArrays, nodes: list[int], digits: int | None) -> list[Column]:
    chance, blank = tree.mean_answers[nodes], _unknown(tree, nodes)
    predicted = tree.schema.decide(chance)
    labels = [spell_label(label) for label in tree.schema.answers]
    named = Column("class", _blanked([labels[k] for k in predicted], blank))
    table = [Column(label, _blanked(spell_chances(chance[:, k], digits), blank), ">") for k, label in enumerate(labels)]
    if total_width(table) <= ROOM_FOR_CHANCES:
        return [named, *table]
    own = Column("p", _blanked(spell_chances(chance[np.arange(len(nodes)), predicted], digits), blank), ">")
    others = [_others(row, int(best), labels, digits) for row, best in zip(chance, predicted, strict=True)]
    return [named, own, Column("others", _blanked(others, blank))]


def _blanked(cells: list[str], blank: npt.NDArray[np.bool_]) -> list[str]:
    return ["" if gone else cell for cell, gone in zip(cells, blank, strict=True)]


def _others(chance: Floats, predicted: int, labels: list[str], digits: int | None) -> str:
    """`versicolor 0.12, setosa 0.03, … 2 more`: the next most probable classes."""
    order = [k for k in np.argsort(-chance, kind="stable") if k != predicted and chance[k] >= LEAST_OTHER]
    texts = spell_chances(chance[order], min(2, digits) if digits else digits)
    return spell_list([f"{labels[k]} {text}" for k, text in zip(order, texts, strict=True)], ROOM_FOR_OTHERS)


def _numbers(words: Wording, nodes: list[int], statistic: Statistic) -> list[Column]:
    tree, told = words.tree, len(words.tree.mean) + len(words.tree.arrived) > 0
    targets, centre = [spell_label(name) for name in tree.schema.answers], "mean" if told else statistic.centre
    answer, blank = tree.mean_answers[nodes], _unknown(tree, nodes)
    columns = []
    for k in range(tree.n_outputs):
        header = centre if tree.n_outputs == 1 else targets[k]
        columns.append(Column(header, _blanked(spell_column(answer[:, k], words.digits), blank), ">"))
    if tree.is_hard and not told and np.isfinite(tree.impurity).all():  # leaves that predict the mean of their rows
        spread = tree.impurity[nodes] ** statistic.power
        columns.append(Column(statistic.spread, spell_column(spread, words.digits or 3), ">"))
    return columns
