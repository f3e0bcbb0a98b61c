"""The table that opens docs/results/speed.md: from the sections of the page, one line per kind of work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bench.papers.markdown import table

RATIO, MEMORY = "times as fast", "peak / input"
RUN = "`make speed` runs the sections below, `make speed-check` and `bench.speed.sizes` the last two."
BY_DEFAULTS = ("with surrogates", "our defaults")  # fits that do more than scikit-learn's
Rows = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Line:
    """Cases of a section, and what they are compared with."""

    work: str
    beside: str
    section: str
    holds: Callable[[str], bool]


LINES = (
    Line(
        "fit of CART, 100,000 × 20, full depth",
        "scikit-learn",
        "Fit, 100,000",
        lambda case: not case.startswith(BY_DEFAULTS),
    ),
    Line(
        "the same with surrogate splits, pruned or not",
        "scikit-learn",
        "Fit, 100,000",
        lambda case: case.startswith(BY_DEFAULTS),
    ),
    Line(
        "fit of CART, 139 to 30,487 rows, not pruned",
        "scikit-learn",
        "Fast at every size",
        lambda case: case.startswith("CART, "),
    ),
    Line("AdaBoost of small CART trees", "scikit-learn", "Fast at every size", lambda case: case.startswith("Ada")),
    Line(
        "predictions, 1,000,000 rows, 1,000 leaves",
        "scikit-learn",
        "Predict, 1,000,000",
        lambda case: case.startswith("1,000 leaves"),
    ),
    Line(
        "predictions, one row, soft tree",
        "scikit-learn's tree",
        "Fast at every size",
        lambda case: case.startswith("predict one row"),
    ),
    Line(
        "predictions, 1,000,000 rows, soft tree with curves",
        "LightGBM",
        "Fast at every size",
        lambda case: case.startswith("predict 1,000,000"),
    ),
    Line(
        "fit of a soft tree, 200 to 60,000 rows",
        "LightGBM",
        "Fast at every size",
        lambda case: case.startswith("soft tree, "),
    ),
    Line("`partial_fit` of one row", "River", "Fast at every size", lambda case: case.startswith("partial_fit")),
)


def summarize(sections: dict[str, str]) -> str:
    """The table and its sentences; "" if none of its cases was run.

    Examples
    --------
    >>> text = summarize({"Fit, 100,000 x 20": "| case | times as fast |\\n|---|---|\\n| exact | 9.5 |"})
    >>> print(text.partition("\\n\\n")[0])
    | work | compared with | times as fast |
    |---|--:|--:|
    | fit of CART, 100,000 × 20, full depth | scikit-learn | 9.5 |
    """
    found = [[line.work, line.beside, ratio] for line in LINES if (ratio := _ratios(sections, line))]
    if not found:
        return ""
    sentences = f"Below 1 softwood is slower. {_memory(sections)}{RUN}"
    return f"{table(['work', 'compared with', RATIO], found)}\n\n{sentences}"


def rows_of(sections: dict[str, str], start: str) -> Rows:
    """Cells of the table of the section whose title begins so, by first cell and title of the column."""
    text = next((text for title, text in sections.items() if title.startswith(start)), "")
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {cells[0]: dict(zip(lines[0], cells, strict=True)) for cells in lines[2:]}


def _ratios(sections: dict[str, str], line: Line) -> str:
    rows = rows_of(sections, line.section)
    found = sorted((row[RATIO] for case, row in rows.items() if line.holds(case) and row[RATIO]), key=float)
    return " to ".join(dict.fromkeys([found[0], found[-1]])) if found else ""


def _memory(sections: dict[str, str]) -> str:
    rows = rows_of(sections, "Memory of a fit")
    peaks = [rows.get(f"full-depth regression, {who}", {}).get(MEMORY) for who in ("exact", "scikit-learn")]
    if None in peaks:
        return ""
    return f"Full-depth regression takes {peaks[0]} times the memory of its input, scikit-learn's {peaks[1]} times. "
