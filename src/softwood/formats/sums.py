"""What nodes add, as columns of a printed tree, and the sum for one row, shown below it.

    log odds   what a leaf adds; for a linear leaf the average over the rows that arrive, with the sum written out

The row has medians (for a category the most frequent level), so that a reader can write it down.
"""

from __future__ import annotations

import re

import numpy as np

from softwood.arrays import Floats
from softwood.formats.columns import Column, total_width
from softwood.tree import Tree
from softwood.tree.arrays import TreeArrays
from softwood.tree.node_numbers import PREDICTED, NodeNumbers, is_summed, node_numbers
from softwood.tree.row_sum import row_sum, told_outputs
from softwood.tree.spelling import spell_label, wrap

ROOM_FOR_ADDED = 30  # maximum width of one column per output; otherwise only the largest is shown
MOST_SUMS = 3  # of the row shown
WORDS = re.compile(r"(?<![×+=→]) (?!×)")  # the spaces between them; `66.2% × +4.61` is one word


def added_columns(tree: TreeArrays, nodes: list[int], digits: int | None) -> list[Column]:
    """What each node adds; none if there is no sum, as in a hard tree."""
    if not is_summed(tree):
        return []
    numbers, places = node_numbers(tree), told_outputs(tree)
    if len(places) == 1:
        head = numbers.unit if numbers.unit != "probability" else f"p of {spell_label(tree.schema.answers[places[0]])}"
        return [_column(numbers, head or "adds", nodes, places[0], digits)]
    labels = [spell_label(tree.schema.answers[k]) for k in places]
    table = [_column(numbers, f"adds {label}", nodes, k, digits) for k, label in zip(places, labels, strict=True)]
    if total_width(table) <= ROOM_FOR_ADDED:
        return table
    return [Column("adds", [_largest(numbers, labels, node, digits) for node in nodes])]


def _column(numbers: NodeNumbers, head: str, nodes: list[int], output: int, digits: int | None) -> Column:
    return Column(head, [numbers.spell_adds(node, output, digits and min(digits, 2)) for node in nodes], ">")


def _largest(numbers: NodeNumbers, labels: list[str], node: int, digits: int | None) -> str:
    """`+2.1 setosa, …`: the largest."""
    if not numbers.answers(node):
        return ""
    best = int(np.argmax(np.nan_to_num(numbers.adds[node])))
    return f"{numbers.spell_adds(node, best, digits and min(digits, 2))} {labels[best]}, …"


def sum_notes(tree: TreeArrays, width: int | None) -> list[str]:
    """The notes, wrapped to a width; an operator stays on the line of what follows it."""
    return [line for note in _notes(tree) for line in wrap(WORDS.split(note), width, "  ")]


def _notes(tree: TreeArrays) -> list[str]:
    """The notes on the sum of a row, with one example; or on the columns if no rows are known."""
    if not is_summed(tree):
        return []
    numbers = node_numbers(tree)
    what = "Class proportions are those" if tree.schema.task == "classification" else "Means are those"
    notes = [f"{what} of the training rows that reach a node, weighted by their share."]
    if tree.n_nodes == 1:
        notes = []
    if numbers.source == PREDICTED:
        notes = ["Training rows per node are unknown for this tree: the mean prediction is shown instead."]
    elif numbers.source != "observed":
        notes = ["Training rows per node are unknown for this tree: the node's own prediction is shown instead."]
    if tree.n_leaves > 1 or np.any(tree.leafness % 1):
        unit = numbers.unit or "answer"
        notes.append(f"A row's {unit} is the sum over the leaves of share × what the leaf adds.")
    row = median_row(tree)
    if row is not None and tree.n_nodes > 1 and isinstance(tree, Tree):
        found = row_sum(tree, row)
        places = sorted(told_outputs(tree), key=lambda k: -found.total[k])[:MOST_SUMS]
        first, *rest = found.lines(places)
        notes += [f"The row of medians: {first}", *rest]
    return notes


def median_row(tree: TreeArrays) -> Floats | None:
    """The median of every number and the most frequent level of every category; None if rows are unknown."""
    row = []
    for one in tree.schema.inputs:
        summary = one.summary
        if summary is None or (one.levels is not None and not summary.counts):
            return None
        middle = dict(summary.quantiles).get(0.5, np.nan)
        row.append(float(np.argmax(summary.counts)) if one.levels is not None else middle)
    return np.array(row)
