"""The thirty sets of İrsoy, Yıldız & Alpaydın (2012, 2014): names, sizes, and OpenML names.

Sizes are those of the authors' descriptions; a set of the same name elsewhere often has other rows or columns. A name
on OpenML is given only if rows and columns agree.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

TASKS = ("regression", "binary", "multiclass")


@dataclass(frozen=True)
class Entry:
    """One set. `code`: the papers' three letters; `category`: columns of codes; `drop`: OpenML's extra columns."""

    name: str
    code: str
    task: str
    rows: int
    features: int
    classes: int = 0
    openml: str = ""
    drop: tuple[str, ...] = ()
    category: tuple[int, ...] = ()


ENTRIES = (
    Entry("abalone", "ABA", "regression", 4177, 7, openml="abalone", drop=("Sex",)),
    Entry("add10", "ADD", "regression", 9792, 10),
    Entry("boston", "BOS", "regression", 506, 13, openml="boston"),
    Entry("california", "CAL", "regression", 20640, 8, openml="houses"),
    Entry("comp_activ", "COM", "regression", 8192, 21, openml="cpu_act"),
    Entry("concrete", "CON", "regression", 1030, 8),
    Entry("puma8fh", "8FH", "regression", 8192, 8),
    Entry("puma8fm", "8FM", "regression", 8192, 8),
    Entry("puma8nh", "8NH", "regression", 8192, 8, openml="puma8NH"),
    Entry("puma8nm", "8NM", "regression", 8192, 8),
    Entry("breast", "BRE", "binary", 699, 9, 2, openml="breast-w"),
    Entry("german", "GER", "binary", 1000, 24, 2),
    Entry("magic", "MAG", "binary", 19020, 10, 2, openml="MagicTelescope", drop=("ID",)),
    Entry("musk2", "MUS", "binary", 6598, 166, 2),
    Entry("pima", "PIM", "binary", 768, 8, 2, openml="diabetes"),
    Entry("polyadenylation", "POL", "binary", 6371, 169, 2),
    Entry("ringnorm", "RIN", "binary", 7400, 20, 2, openml="ringnorm"),
    Entry("satellite47", "SAT", "binary", 2134, 36, 2),
    Entry("spambase", "SPA", "binary", 4601, 57, 2, openml="spambase"),
    Entry("twonorm", "TWO", "binary", 7400, 20, 2, openml="twonorm"),
    Entry("balance", "BAL", "multiclass", 625, 4, 3, openml="balance-scale"),
    Entry("cmc", "CMC", "multiclass", 1473, 9, 3, openml="cmc", category=(1, 2, 4, 5, 6, 7, 8)),
    Entry("dermatology", "DER", "multiclass", 366, 34, 6, openml="dermatology"),
    Entry("ecoli", "ECO", "multiclass", 336, 7, 8, openml="ecoli"),
    Entry("glass", "GLA", "multiclass", 214, 9, 6, openml="glass"),
    Entry("optdigits", "OPT", "multiclass", 3823, 64, 10),
    Entry("pageblocks", "PAG", "multiclass", 5473, 10, 5, openml="page-blocks"),
    Entry("pendigits", "PEN", "multiclass", 7494, 16, 10),
    Entry("segment", "SEG", "multiclass", 2310, 19, 7, openml="segment"),
    Entry("yeast", "YEA", "multiclass", 1484, 8, 10, openml="yeast"),
)
BY_NAME = {entry.name: entry for entry in ENTRIES}


def names(task: str | None = None) -> list[str]:
    """Names of the sets, in the papers' order.

    Parameters
    ----------
    task : {"regression", "binary", "multiclass"} or None for all.

    Examples
    --------
    >>> names("binary")[:3]
    ['breast', 'german', 'magic']
    """
    if task is not None and task not in TASKS:
        raise ValueError(f"task must be None or one of {', '.join(map(repr, TASKS))}, got {task!r}.")
    return [entry.name for entry in ENTRIES if task in (None, entry.task)]


def find(name: str) -> Entry:
    """The entry called `name`, or by its three letters."""
    by_code = {entry.code: entry for entry in ENTRIES}
    entry = BY_NAME.get(name) or by_code.get(name)
    if entry is None:
        near = difflib.get_close_matches(str(name).lower(), BY_NAME, 1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"name must be one of {', '.join(BY_NAME)}, got {name!r}.{meant}")
    return entry
