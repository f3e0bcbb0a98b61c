"""An ordered rule set as a table.

rule  if                                   then   n  errors  confidence
   1  outlook = overcast                   yes    4       0       0.833
   2  outlook = sunny and humidity > 75    no     3       0       0.800
      otherwise                            yes
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softwood.formats.columns import GAP, Column, spell_counts, total_width
from softwood.tree.ruleset import RuleSet
from softwood.tree.spelling import display_width, spell_fixed, spell_label

LEAST_ROOM = 28  # minimum width of the conditions


def rules_to_text(model: Any, *, digits: int | None = 3, width: int | None = 100) -> str:
    """Rules with coverage, errors and confidence; the first that applies gives the prediction.

    Parameters
    ----------
    model : a `RuleSet`, or a fitted estimator with `rules_`.
    digits : of numbers, as in `to_text`.
    width : target width in characters: conditions are wrapped.

    Examples
    --------
    >>> from softwood import Schema
    >>> from softwood.tree.ruleset import Condition, Rule
    >>> rule = Rule((Condition(0, upper=30.0),), answer=1, coverage=8.0, errors=1.0)
    >>> rules = RuleSet((rule,), 0, Schema(("age",), (None,), ("no", "yes"), "classification"))
    >>> print(rules_to_text(rules))
    RuleSet: 1 rule (the first that matches decides)
    <BLANKLINE>
    rule  if         then  n  errors  confidence
       1  age ≤ 30   yes   8       1       0.800
          otherwise  no
    """
    rules = _rules_of(model)
    labels = [spell_label(label) for label in rules.schema.answers]
    numbers = Column("rule", [*(str(at) for at in range(1, len(rules) + 1)), ""], ">")
    counts = spell_counts(np.array([r.coverage for r in rules])), spell_counts(np.array([r.errors for r in rules]))
    right = [
        Column("then", [*(labels[rule.answer] for rule in rules), labels[rules.default]]),
        Column("n", [*counts[0], ""], ">"),
        Column("errors", [*counts[1], ""], ">"),
        Column("confidence", [*(spell_fixed(rule.confidence, 3) for rule in rules), ""], ">"),
    ]
    room = None if width is None else max(LEAST_ROOM, width - numbers.width - len(GAP) - total_width(right))
    wrapped = [*(wrap_conditions(rules.words(rule, digits, room), room) for rule in rules), ["otherwise"]]
    lines = stack([numbers], wrapped, right)
    n = f"{len(rules)} {'rule' if len(rules) == 1 else 'rules'}"
    return "\n".join([f"{type(model).__name__}: {n} (the first that matches decides)", "", *lines])


def _rules_of(model: Any) -> RuleSet:
    rules = model if isinstance(model, RuleSet) else getattr(model, "rules_", None)
    if not isinstance(rules, RuleSet):
        raise TypeError(
            f"form='rules' needs a RuleSet or an estimator fitted with rules=True, got {type(model).__name__}."
        )
    return rules


def wrap_conditions(words: list[str], room: int | None) -> list[str]:
    """Conditions joined by `and`, wrapped."""
    lines = words[:1] or ["any row"]
    for word in words[1:]:
        longer = f"{lines[-1]} and {word}"
        if room is None or display_width(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(f"and {word}")
    return lines


def stack(left: list[Column], wrapped: list[list[str]], right: list[Column]) -> list[str]:
    """The table; a rule of several lines has its numbers in the first."""
    cells = ["if", *(line for lines in wrapped for line in lines)]
    first = np.cumsum([1, *(len(lines) for lines in wrapped)])[:-1].tolist()
    middle = Column(cells[0], cells[1:])
    blank = [[" " * column.width] * len(cells) for column in (*left, *right)]
    for column, place in zip((*left, *right), blank, strict=True):
        for at, text in zip([0, *first], column.lines(), strict=True):
            place[at] = text
    table = [*blank[: len(left)], middle.lines(), *blank[len(left) :]]
    return [GAP.join(row).rstrip() for row in zip(*table, strict=True)]
