"""The scorecard of a report, if the model has one."""

from __future__ import annotations

from softwood.arrays import Floats
from softwood.formats.card import BASE, Line
from softwood.formats.points import card_of, has_card, is_additive
from softwood.tree.spelling import spell_fixed, spell_number
from softwood.view.plots.scene import Scene
from softwood.view.reports.markup import paragraph, table

MOST_LINES = 120
SCALE = "600 points stand for odds of 50 to 1, and 20 more double the odds"


def show_scorecard(scene: Scene, training: Floats | None) -> str:
    """Points of an additive model of two classes, or of the leaves of a hard tree; "" for other models.

    training : rows for the counts of the bins, as the tree reads them; None: the rows of the report.
    """
    tree = scene.tree
    if not has_card(tree):
        return ""
    is_hard = not is_additive(tree)
    try:
        card = card_of(tree, scene.rows if training is None else training, whole=is_hard)
    except ValueError as lacking:  # a tree without the counts or the ranges of its training rows
        return "<h3>Scorecard</h3>" + paragraph(f"None: {lacking}", "unsaid")
    good = scene.labels[1]
    said = f"Points are log odds of {good}: {SCALE}. "
    more = len(card) - MOST_LINES
    cut = paragraph(f"… {more} more lines: softwood.scorecard has them.") if more > 0 else ""
    if is_hard:
        said += "A row has the points of its leaf; rows are those of training."
        lines = [[str(one["node"]), one["rule"], spell_number(one["rows"]), spell_fixed(one["probability"], 3),
                  spell_fixed(one["points"], 0)] for one in card[:MOST_LINES]]  # fmt: skip
        head = ["node", "rule", "rows", f"proportion {good}", "points"]
        return "<h3>Scorecard</h3>" + table(head, lines, left=2, caption=said, longest=400) + cut
    said += (
        "A row has the points of the base and of one line per input; a number x has points + per unit · (x − at)"
        f"{_square(card)}. Rows: of {'this report' if training is None else 'training'}."
    )
    head = ["input", "bin", "rows", "points", "per unit", "at"] + (["per unit²"] if _square(card) else [])
    lines = [_line(one, bool(_square(card))) for one in card[:MOST_LINES]]
    return "<h3>Scorecard</h3>" + table(head, lines, left=2, caption=said) + cut


def _square(card: list[Line]) -> str:
    return " + per unit² · (x − at)²" if any(one["per_square"] for one in card) else ""


def _line(one: Line, squares: bool) -> list[str]:
    name = "base" if one["input"] == BASE else str(one["input"])
    bends = one["per_unit"] or one["per_square"]
    cells = [name, str(one["bin"]), spell_number(one["rows"]), spell_fixed(one["points"], 2)]
    cells += [spell_number(one["per_unit"], 4), spell_number(one["at"], 4)] if bends else ["", ""]
    return cells + ([spell_number(one["per_square"], 4) if one["per_square"] else ""] if squares else [])
