"""What a node adds to the output of a row, in the words of the page (tree/node_numbers.py defines the numbers).

A tree whose leaves answer alone, or whose leaves are probabilities that are averaged, adds up nothing that has to be
shown: there a leaf has an answer, which is told where it is not what arrives.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels import apply_link
from softwood.tree.arrays import TreeArrays
from softwood.tree.node_numbers import NodeNumbers, is_summed
from softwood.tree.spelling import spell_fixed, spell_label, spell_number

MOST_ADDED = 3  # outputs whose numbers are told


def has_unit(numbers: NodeNumbers) -> bool:
    """Whether rows are sums of what nodes add, in a unit of its own."""
    return is_summed(numbers.tree) and numbers.unit != "probability"


def own_answer(numbers: NodeNumbers, node: int) -> Floats:
    """The answer of a node by itself, after the link; NaN where it is not known."""
    return np.asarray(apply_link(int(numbers.tree.link), numbers.adds[[node]])[0])


def spell_answer(tree: TreeArrays, answer: Floats) -> str:
    """`virginica 0.98`, `152.1`; "" for what is not known."""
    if not np.isfinite(answer).all():
        return ""
    if tree.schema.task == "classification":
        place = int(tree.schema.decide(answer[None])[0])
        return f"{spell_label(tree.schema.answers[place])} {spell_fixed(float(answer[place]), 2)}"
    return ", ".join(map(spell_number, answer.tolist()))


def added_words(numbers: NodeNumbers, node: int) -> str:
    """`adds +4.61`; of a linear response `adds +4.61 on average`; "" where the node answers nothing."""
    tree = numbers.tree
    if not numbers.answers(node):
        return ""
    if not has_unit(numbers):
        told, arrives = (spell_answer(tree, answer) for answer in (own_answer(numbers, node), numbers.arrives[node]))
        return "" if told in ("", arrives) else f"answers {told}"
    outputs = list(range(len(numbers.names)))
    labels = [""] * len(outputs)
    if len(outputs) > MOST_ADDED:
        outputs = sorted(outputs, key=lambda k: -abs(float(np.nan_to_num(numbers.adds[node, k]))))[:MOST_ADDED]
        labels = [f" {spell_label(tree.schema.answers[k])}" for k in outputs]
    texts = [f"{numbers.spell_adds(node, k, 2)}{label}" for k, label in zip(outputs, labels, strict=True)]
    return f"adds {', '.join(texts)}{' on average' if tree.slope_row[node] >= 0 else ''}"
