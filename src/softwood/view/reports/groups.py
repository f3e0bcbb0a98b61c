"""Errors by group; rates and their names are those of `softwood.measures.rates`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from softwood import measures
from softwood.explain.rows import column_names
from softwood.tree.labels import plain_label
from softwood.tree.spelling import spell_fixed, spell_label, spell_number
from softwood.view.reports.markup import percent
from softwood.view.reports.measures import Answers, measure

MOST_GROUPS = 12
SMALL_GROUP_ROWS = 30  # smaller groups are unreliable
FOUR_FIFTHS = 0.8  # of the highest selection rate: the four-fifths rule of 29 CFR 1607.4 D
RATES = ["selection rate", "false negative rate", "false positive rate", "calibration gap", "impact ratio"]


class Groups(NamedTuple):
    """A grouping: its name, the group of every row, and the groups in order."""

    name: str
    member: list[str]
    names: list[str]


def read_groups(X: Any, group: Any, n: int) -> Groups:
    """The group of every row.

    Parameters
    ----------
    group : the name of a column of X, or one group per row. Numbers with more than twelve values are binned by
        quartiles.
    """
    name = "group"
    if isinstance(group, str):
        columns = column_names(X)
        if group not in columns:
            where = f"the columns are {columns!r:.200}" if columns else "X has no names of columns; pass an array"
            raise ValueError(f"group: X has no column {group!r:.60}; {where}.")
        name, group = group, X[group]
    values = np.asarray(group, object).ravel()
    name = str(getattr(group, "name", None) or name)
    if len(values) != n:
        raise ValueError(f"group must have an entry for each of {n} rows, got {len(values)}.")
    labels = [plain_label(value) for value in values]
    if len(set(map(str, labels))) <= MOST_GROUPS:
        member = [_label(value) for value in labels]
        return Groups(name, member, sorted(set(member)))
    try:
        numbers = np.array(labels, np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"group {name!r:.60} has more than {MOST_GROUPS} values; join some, or pass another column."
        ) from None
    return _quarters(name, numbers)


def _label(value: Any) -> str:
    return "missing" if value is None or value != value else spell_label(value)


def _quarters(name: str, numbers: npt.NDArray[np.float64]) -> Groups:
    ends = np.unique(np.nanquantile(numbers, [0.25, 0.5, 0.75]))
    texts = [spell_number(float(end)) for end in ends]
    names = [f"≤ {texts[0]}", *(f"{a} … {b}" for a, b in pairwise(texts)), f"> {texts[-1]}"]
    member = ["missing" if np.isnan(x) else names[int(np.searchsorted(ends, x))] for x in numbers]
    return Groups(name, member, [each for each in [*names, "missing"] if each in member])


def by_group(answers: Answers, groups: Groups, positive: int | None) -> tuple[list[str], list[list[str]], list[str]]:
    """Headings, one line per group and one for all, and notes.

    positive : code of the selected class; None for more than two classes.
    """
    member, names = np.array(groups.member, object), groups.names
    parts = [answers.pick(member == name) for name in names]
    few = [len(part) < SMALL_GROUP_ROWS for part in parts]
    notes = []
    if any(few):
        small = ", ".join(name for name, own in zip(names, few, strict=True) if own)
        notes.append(f"Groups of fewer than {SMALL_GROUP_ROWS} rows are unreliable: {small}.")
    notes += _errors_that_differ(answers, member, names)
    head = ["group", "rows", measure(answers)[0].name, "95 % interval"]
    lines = [_line(name, part) for name, part in zip([*names, "all"], [*parts, answers], strict=True)]
    if positive is not None:
        head += RATES
        notes += _add_rates(lines, names, [*parts, answers], few, positive)
    elif answers.schema.task == "regression":
        head += ["mean residual"]
        for line, part in zip(lines, [*parts, answers], strict=True):
            line.append(spell_number(measures.mean_residual(part.numbers, part.given).value))
    return head, lines, notes


def _line(name: str, some: Answers) -> list[str]:
    first = measure(some)[0]
    ends = f"{spell_number(first.low)} … {spell_number(first.high)}"
    return [name, f"{len(some):,}", spell_number(first.value), ends]


def _add_rates(
    lines: list[list[str]], names: list[str], parts: list[Answers], few: list[bool], positive: int
) -> list[str]:
    """Rates at the end of every line, the last of which is for all rows; notes about them."""
    found = [measures.rates(p.codes == positive, p.chosen == positive, p.given[:, positive]) for p in parts]
    counted = [not own for own in few] if not all(few) else [True] * len(few)
    ratios = measures.impact_ratios([each.selection_rate for each in found[:-1]], counted)
    for line, each, ratio in zip(lines, found, [*ratios, float("nan")], strict=True):
        line += [*(percent(rate) for rate in each[:3]), spell_fixed(each.calibration_gap, 3)]
        line.append("–" if np.isnan(ratio) else spell_fixed(ratio, 2))
    label = spell_label(parts[-1].schema.answers[positive])
    return [
        f"The selection rate of group {name} is {_below_four_fifths(ratio)} of the highest one, below four fifths: "
        f"{label} is predicted less often there."
        for name, ratio, counts in zip(names, ratios, counted, strict=True)
        if counts and ratio < FOUR_FIFTHS
    ]


def _below_four_fifths(ratio: float) -> str:
    """To two decimals, or as many as it takes to be below."""
    told = (spell_fixed(ratio, digits) for digits in range(2, 16))
    return next((text for text in told if float(text) < FOUR_FIFTHS), spell_number(ratio))


def _errors_that_differ(answers: Answers, member: Any, names: list[str]) -> list[str]:
    """Groups whose interval of the error rate does not overlap with that of the other rows."""
    if answers.schema.task != "classification" or len(names) < 2:
        return []
    told = []
    for name in names:
        mine = answers.pick(member == name), answers.pick(member != name)
        if min(map(len, mine)) < SMALL_GROUP_ROWS:
            continue
        own, other = (measures.error_rate(part.codes, part.chosen) for part in mine)
        if own.low > other.high or own.high < other.low:
            word = "higher" if own.low > other.high else "lower"
            told.append(
                f"The error rate of group {name} is {word} than that of the other rows (the 95 % intervals do not "
                "overlap)."
            )
    return told
