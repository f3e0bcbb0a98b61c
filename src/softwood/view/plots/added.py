"""What a node adds to a row's output, as text and signed bars (tree/node_numbers.py defines it).

If a row reaches one leaf, or probabilities are averaged, there is no sum. A leaf then has a prediction, which is shown
if it differs from what arrives.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.formats.colours import class_colour
from softwood.tree.node_numbers import is_summed
from softwood.tree.row_sum import spell_share
from softwood.tree.spelling import spell_fixed
from softwood.view.added import MOST_ADDED, has_unit, own_answer
from softwood.view.plots.colours import GREY, PALE
from softwood.view.plots.pen import Box, Pen
from softwood.view.plots.scene import Scene
from softwood.view.plots.spelling import short_number, spell_answers

MOST_BARS = 8  # outputs that have a bar
BAR = "#555555"  # for a single output: no class has this colour


def has_sum(scene: Scene) -> bool:
    """Whether the responses of the nodes are summed in their own unit, so that they have to be shown."""
    return has_unit(scene.numbers)


def added(scene: Scene, node: int) -> Floats:
    """What a node adds to each output: on average, or for the followed row."""
    if scene.sum_of_row is not None:
        for part in scene.sum_of_row.parts:
            if part.node == node:
                return part.adds
    return np.asarray(scene.numbers.adds[node])


def added_text(scene: Scene, node: int, title: str) -> str:
    """`adds +4.61`; for a linear response its mean; for the followed row `66.2% × +4.61`. "" for no response."""
    if not scene.numbers.answers(node):
        return ""
    if not has_sum(scene):
        return _answer(scene, node, title)
    share = scene.share_of_row(node)
    if share is not None and not share > 0:
        return ""
    told = _numbers(scene, node)
    if share is not None:
        return f"{spell_share(share)} × {told}"
    linear = scene.tree.slope_row[node] >= 0
    return f"adds {told} on average" if linear else f"adds {told}"


def unit_text(scene: Scene) -> str:
    """The meaning of the numbers after `adds`, for the head of a picture; "" if there are none."""
    if not has_sum(scene):
        return ""
    names = scene.numbers.names
    if len(names) == 1:
        return f"adds: {names[0]}" if scene.numbers.unit else f"adds: in the unit of {names[0]}"
    order = " in this order" if len(names) <= MOST_ADDED else ""
    return f"adds: {scene.numbers.unit} of the classes{order}" if scene.classes else f"adds: the targets{order}"


def _answer(scene: Scene, node: int, title: str) -> str:
    """The prediction of a leaf that is not part of a sum; for the followed row its share and the number of the
    predicted class.
    """
    own, share = own_answer(scene.numbers, node), scene.share_of_row(node)
    if not np.isfinite(own).all():
        return ""
    if share is None or not is_summed(scene.tree):
        told = spell_answers(scene, own)
        return "" if told == title else f"answers {told}"
    place = scene.answered_place()
    return f"{spell_share(share)} × {scene.labels[place]} {spell_fixed(float(own[place]), 2)}" if share > 0 else ""


def _numbers(scene: Scene, node: int) -> str:
    """Signed numbers; for the followed row that of the predicted class, whose sum is in the head."""
    values = added(scene, node)
    if not np.isfinite(values).all():
        return "?"
    if scene.row is not None:
        return signed(values[scene.answered_place() if len(values) > 1 else 0])
    if len(values) <= MOST_ADDED:
        return ", ".join(map(signed, values))
    largest = np.argsort(-np.abs(values), kind="stable")[:MOST_ADDED].tolist()
    return ", ".join(f"{signed(values[k])} {scene.labels[k]}" for k in largest)


def signed(value: float) -> str:
    """`+4.61`, `−0.2`."""
    text = short_number(float(value))
    return text if text.startswith("−") else f"+{text}"


def draw_added(pen: Pen, scene: Scene, node: int, box: Box) -> None:
    """A bar from 0 to what the node adds; for several outputs one each, in the colours of the classes."""
    values, limit = added(scene, node), _limit(scene)
    share = scene.share_of_row(node)
    pen.line([box.middle[0]] * 2, [box.bottom, box.top], GREY, 0.6)
    pen.line([box.left, box.right], [box.bottom] * 2, PALE, 0.5)
    if not np.isfinite(values).all() or (share is not None and not share > 0):
        return
    shown = np.sort(np.argsort(-np.abs(values), kind="stable")[:MOST_BARS])
    high = box.height / len(shown)
    for at, k in enumerate(shown.tolist()):
        long = box.width / 2 * float(np.clip(values[k] / limit, -1, 1))
        left = box.middle[0] + min(long, 0.0)
        colour = class_colour(k) if len(values) > 1 and scene.classes else BAR
        pen.bar(Box(left, box.top - (at + 0.9) * high, abs(long), 0.8 * high), colour)


def _limit(scene: Scene) -> float:
    """The largest number that any node adds."""
    adds = np.abs(scene.numbers.adds[np.isfinite(scene.numbers.adds)])
    parts = [] if scene.sum_of_row is None else [np.abs(part.adds).max() for part in scene.sum_of_row.parts]
    return float(max([*parts, adds.max(initial=0.0)])) or 1.0
