"""Where runs come from: a mark for columns that mix commits, and a table of commits, versions and processors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.papers import markdown
from bench.papers.methods import BY_NAME, METHODS
from bench.papers.store import Result
from bench.papers.summary import Cells

MARK = " †"


def mark(cells: Cells, method: str, codes: Sequence[str]) -> str:
    """The mark after a column's title: a dagger if its runs are from several commits."""
    return MARK if len(_sets_by_commit(cells, method, codes)) > 1 else ""


def title(cells: Cells, method: str, codes: Sequence[str]) -> str:
    """The method's title, marked."""
    return BY_NAME[method].title + mark(cells, method, codes)


def footnote(cells: Cells, method: str, codes: Sequence[str]) -> str:
    """The sets run by each commit; "" if there is only one commit."""
    found = _sets_by_commit(cells, method, codes)
    told = "; ".join(f"{commit or 'unknown'}: {', '.join(sets)}" for commit, sets in sorted(found.items()))
    return f"† Commits of *{BY_NAME[method].title}*: {told}." if len(found) > 1 else ""


def table(cells: Cells) -> str:
    """One line per method: folds by commit (a + says that files were changed), versions, processors."""
    rows = []
    for method in (one.name for one in METHODS):
        runs = [run for (name, _), cell in cells.items() if name == method for run in cell.runs]
        if runs:
            rows.append([BY_NAME[method].title, *(_count(runs, what) for what in ("commit", "version", "processor"))])
    return markdown.table(["method", "commit: folds", "version", "processor"], rows) if rows else "Not run yet."


def _count(runs: Sequence[Result], what: str) -> str:
    """The values of a field; with the number of runs where there are several, and for commits always."""
    counts = sorted(Counter(str(getattr(run, what)) or "unknown" for run in runs).items())
    return ", ".join(f"{value}: {n}" if what == "commit" or len(counts) > 1 else value for value, n in counts)


def _sets_by_commit(cells: Cells, method: str, codes: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for code in (code for code in codes if (method, code) in cells):
        for commit in sorted({run.commit for run in cells[method, code].runs}):
            found.setdefault(commit, []).append(code)
    return found
