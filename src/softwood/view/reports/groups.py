"""How a model does by group: who is given what, how often wrongly, and whether probabilities hold.

given      part of the rows that are given the class (of the two classes the second, or the one named)
missed     part of those who are of the class and are not given it
wrongly    part of those who are not of the class and are given it
holds      part that is of the class less mean probability: 0 where probabilities hold
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from softwood.explain.rows import column_names
from softwood.tree.labels import plain_label
from softwood.tree.spelling import spell_fixed, spell_label, spell_number
from softwood.view.plots.calibration import wilson
from softwood.view.reports.measures import Answers, measure

MOST_GROUPS = 12
SMALL_GROUP_ROWS = 30  # rows below which a group says little


class Groups(NamedTuple):
    """A grouping: its name, the group of every row, and the groups in order."""

    name: str
    member: list[str]
    names: list[str]


def read_groups(X: Any, group: Any, n: int) -> Groups:
    """The group of every row.

    Parameters
    ----------
    group : the name of a column of X, or a group for every row. Numbers of more than twelve values are put in
        quarters.
    """
    name = "group"
    if isinstance(group, str):
        columns = column_names(X)
        if group not in columns:
            where = f"the columns are {columns!r:.200}" if columns else "X has no names of columns; pass an array"
            raise ValueError(f"group: no column of X is called {group!r:.60}; {where}.")
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
    """Headings, a line for every group and one for all, and what to mind.

    positive : the class that matters, as code; None where there are more than two.
    """
    member, names = np.array(groups.member, object), groups.names
    lines = [_line(name, answers.pick(member == name), positive) for name in names]
    minds = []
    few = [name for name in names if int((member == name).sum()) < SMALL_GROUP_ROWS]
    if few:
        minds.append(f"Groups of fewer than {SMALL_GROUP_ROWS} rows say little: {', '.join(few)}.")
    minds += _apart(answers, member, names)
    head = ["group", "rows", _measured(answers), "95 % interval"]
    if positive is not None:
        head += ["given", "missed", "wrongly", "holds"]
    elif answers.schema.task == "regression":
        head += ["known − answer"]
    return head, [*lines, _line("all", answers, positive)], minds


def _measured(answers: Answers) -> str:
    return measure(answers)[0].name


def _line(name: str, some: Answers, positive: int | None) -> list[str]:
    first = measure(some)[0]
    told = [name, str(len(some)), spell_number(first.value), f"{spell_number(first.low)} … {spell_number(first.high)}"]
    if positive is not None:
        true, given = some.known == positive, some.decided == positive
        told += [_part(given), _part(~given[true]), _part(given[~true])]
        told.append(spell_fixed(float(true.mean() - some.given[:, positive].mean()), 3))
    elif some.schema.task == "regression":
        told.append(spell_number(float((np.asarray(some.known, np.float64) - some.given).mean())))
    return told


def _part(rows: Any) -> str:
    return "none" if not len(rows) else f"{100 * float(np.mean(rows)):.1f}%"


def _apart(answers: Answers, member: Any, names: list[str]) -> list[str]:
    """Groups whose error has an interval that does not meet that of the rest."""
    if answers.schema.task != "classification" or len(names) < 2:
        return []
    told = []
    for name in names:
        mine = member == name
        wrong = [(answers.decided != answers.known)[rows] for rows in (mine, ~mine)]
        if min(map(len, wrong)) < SMALL_GROUP_ROWS:
            continue
        (low, high), (other_low, other_high) = (wilson(float(part.mean()), len(part)) for part in wrong)
        if low > other_high or high < other_low:
            word = "more" if low > other_high else "less"
            told.append(f"The error of group {name} is {word} than that of the other rows (95 % intervals are apart).")
    return told
