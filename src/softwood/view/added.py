"""What a node adds to the output of a row, as text for the page (tree/node_numbers.py defines the numbers).

If a row reaches one leaf, or probabilities are averaged, no sum has to be shown. A leaf then has a prediction, which is
shown if it differs from the training rows that arrive.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels import apply_link
from softwood.tree.arrays import TreeArrays
from softwood.tree.node_numbers import NodeNumbers, is_summed
from softwood.tree.spelling import spell_fixed, spell_label, spell_number

MOST_ADDED = 3  # outputs whose numbers are shown


def has_unit(numbers: NodeNumbers) -> bool:
    """Whether outputs are sums of what nodes add, in their own unit."""
    return is_summed(numbers.tree) and numbers.unit != "probability"


def own_answer(numbers: NodeNumbers, node: int) -> Floats:
    """The prediction of a node alone, after the link; NaN if unknown."""
    return np.asarray(apply_link(int(numbers.tree.link), numbers.adds[[node]])[0])


def spell_answer(tree: TreeArrays, answer: Floats) -> str:
    """`virginica 98.2 %`, `152.1`; "" if unknown."""
    if not np.isfinite(answer).all():
        return ""
    if tree.schema.task == "classification":
        place = int(tree.schema.decide(answer[None])[0])
        return f"{spell_label(tree.schema.answers[place])} {spell_fixed(100 * float(answer[place]), 1)} %"
    return ", ".join(map(spell_number, answer.tolist()))


def added_words(numbers: NodeNumbers, node: int) -> str:
    """`adds +4.61`; for a linear response `adds +4.61 on average`; "" if the node has no response."""
    tree = numbers.tree
    if not numbers.answers(node):
        return ""
    if not has_unit(numbers):
        told, arrives = (spell_answer(tree, answer) for answer in (own_answer(numbers, node), numbers.arrives[node]))
        return "" if told in ("", arrives) else f"predicts {told}"
    outputs = list(range(len(numbers.names)))
    labels = [""] * len(outputs)
    if len(outputs) > MOST_ADDED:
        outputs = sorted(outputs, key=lambda k: -abs(float(np.nan_to_num(numbers.adds[node, k]))))[:MOST_ADDED]
        labels = [f" {spell_label(tree.schema.answers[k])}" for k in outputs]
    texts = [f"{numbers.spell_adds(node, k, 2)}{label}" for k, label in zip(outputs, labels, strict=True)]
    return f"adds {', '.join(texts)}{' on average' if tree.slope_row[node] >= 0 else ''}"
