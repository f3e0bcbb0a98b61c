"""Values, outputs and paths of one row as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.tree import Kind, Schema, Tree
from softwood.tree.labels import plain_label
from softwood.tree.spelling import spell_fixed, spell_label, spell_name, spell_number


def spell_value(schema: Schema, feature: int, value: float) -> str:
    """An encoded value as a cell: a label, true or false, a number, `missing`."""
    levels = schema.categories[feature]
    if np.isnan(value):
        return "missing"
    if levels is not None:
        return spell_label(levels[int(value)]) if 0 <= value < len(levels) else "missing"
    if schema.kinds[feature] == Kind.BOOLEAN and value in (0.0, 1.0):
        return "true" if value else "false"
    return spell_number(value)


def spell_cell(schema: Schema, feature: int, value: float) -> str:
    """`age = 31`, `age missing`, `windy`, `not windy`."""
    name, text = spell_name(schema.features[feature]), spell_value(schema, feature, value)
    if text == "missing":
        return f"{name} missing"
    if schema.kinds[feature] == Kind.BOOLEAN and text in ("true", "false"):
        return name if text == "true" else f"not {name}"
    return f"{name} = {text}"


def spell_answer(tree: Tree, answer: Floats) -> str:
    """The prediction for one row, (1, answers) after the link: `malignant 0.97`, `152.1`."""
    if tree.schema.task == "classification":
        place = int(tree.schema.decide(answer)[0])
        return f"{spell_label(tree.schema.answers[place])} {spell_fixed(float(answer[0, place]), 2)}"
    return ", ".join(map(spell_number, answer[0]))


def find_answer(tree: Tree, answer: Any) -> int:
    """The position of a class or a target; an error lists all."""
    for place, known in enumerate(tree.schema.answers):
        if known == answer and isinstance(known, str) == isinstance(answer, str):
            return place
    answer = plain_label(answer)
    noun = "class" if tree.schema.task == "classification" else "target"
    known = ", ".join(map(repr, tree.schema.answers[:10]))
    raise ValueError(f"answer must be a {noun} of the model, one of {known}, got {answer!r:.80}.")


def find_input(tree: Tree, name: Any) -> int:
    """The position of an input; an error lists all."""
    if name not in tree.schema.features:
        known = ", ".join(map(repr, tree.schema.features[:10])) + (", …" if tree.n_features > 10 else "")
        raise ValueError(f"the model has no input {name!r:.80}; it has {known}.")
    return tree.schema.features.index(name)
