"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from bench.papers.summary import Cell


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; all columns but the first are right-aligned.

    Examples
    --------
    >>> print(table(["set", "error"], [["ABA", "0.4"]]))
    | set | error |
    |---|--:|
    | ABA | 0.4 |
    """
    line = "|---" + "|--:" * (len(header) - 1) + "|"
    return "\n".join(["| " + " | ".join(header) + " |", line, *("| " + " | ".join(row) + " |" for row in rows)])


def bold(text: str, yes: bool) -> str:
    """The text, bold if so."""
    return f"**{text}**" if yes else text


def score(cell: Cell | None, mark: str = "") -> str:
    """Mean ± sd over the folds; with their number, if not ten.

    An absent cell is a dash.
    """
    if cell is None:
        return "–"
    spread = "" if len(cell.score) == 1 else f" ± {cell.sd:.{cell.decimals}f}"
    folds = "" if cell.is_whole else f" ({len(cell.score)})"
    return f"{cell.mean:.{cell.decimals}f}{spread}{mark}{folds}"


def nodes(cell: Cell | None) -> str:
    """Mean number of nodes."""
    return "–" if cell is None else f"{cell.nodes.mean():,.0f}"


def seconds(cell: Cell | None) -> str:
    """Mean seconds of a fit."""
    return "–" if cell is None else f"{cell.seconds.mean():.3g}"
