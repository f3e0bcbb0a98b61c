"""The page of the joint soft tree: each set beside the best printed figure, LightGBM, and our tree of both halves."""

from __future__ import annotations

from dataclasses import dataclass

from bench.papers import markdown, provenance
from bench.papers.published import Printed, best_printed
from bench.papers.summary import Cell, Cells
from softwood.datasets import catalog

TITLE = "# Soft trees on the papers' thirty sets"
RUN = "`make results` runs the fits, `make tables` writes this page from the runs in `bench/papers/results`."
FOOT = """## How it was measured

`SoftTreeClassifier()` and `SoftTreeRegressor()` with their defaults, on the authors' folds (with more than two classes
on ours, made the same way). Gradients come from the training half only. The kind of tree, the penalty and the size are
chosen on the other half (`X_val`) and, with few rows, by cross-validation within the training half. Errors are those
of the test third: mean squared error of the z-scored target for regression, accuracy in per cent for classes.

| column | |
|---|---|
| ours | mean ± standard deviation over the folds; in brackets the number of folds, if fewer than ten |
| s | CPU seconds of a fit, including every choice, on two busy cores (up to twice those of idle ones) |
| best printed | the best figure that the papers of 2012 and 2014 print for any method, its column and its nodes |
| LightGBM | the same rows, 7 or 31 leaves, early stopping on the other half; learning rate .1 (its default) or .05 |
| both halves | a fit without `X_val` on both halves |

A tree of one node has no gate: a single linear or additive leaf had the lowest error on the held-out rows. Bases and
rules of choice were compared on some folds of some of these sets during development, so the figures are slightly
optimistic; the same rules hold for all sets. † marks a column with runs of several commits;
[which runs](family.md#which-runs) lists those of all methods."""
BOOSTED = {"lightgbm-default": "LightGBM (.1)", "lightgbm": "LightGBM (.05)"}


@dataclass(frozen=True)
class Standing:
    """Codes of the sets that were run, and of those on which our tree is as good as printed, smaller, or better."""

    run: list[str]
    as_good: list[str]
    smaller: list[str]
    better: dict[str, list[str]]  # than LightGBM, by method


def stand(best: dict[str, Printed], cells: Cells) -> Standing:
    """How the joint soft tree compares with the best printed figures and LightGBM."""
    ours = {entry.code: cells["soft", entry.code] for entry in catalog.ENTRIES if ("soft", entry.code) in cells}
    as_good = [code for code, cell in ours.items() if good_as(cell, best[code].number, best[code].decimals)]
    smaller = [c for c, cell in ours.items() if best[c].nodes and cell.nodes.mean() < float(best[c].nodes)]
    better = {
        name: [c for c, cell in ours.items() if (name, c) in cells and cell.error.mean() < cells[name, c].error.mean()]
        for name in BOOSTED
    }
    return Standing(list(ours), as_good, smaller, better)


def write_page(printed: list[Printed], cells: Cells) -> str:
    """The page as Markdown."""
    best = best_printed(printed)
    found = stand(best, cells)
    if not found.run:
        return f"{TITLE}\n\nNot run yet.\n"
    rows = [_row(code, best[code], cells, found) for code in found.run]
    titles = {"ours": "soft"} | {title: name for name, title in BOOSTED.items()} | {"both halves": "soft-both"}
    ours, *boosted, both = (title + provenance.mark(cells, name, found.run) for title, name in titles.items())
    header = ["set", ours, "nodes", "s", "best printed", "column, nodes", *boosted, both, "nodes"]
    note = provenance.footnote(cells, "soft", found.run)
    parts = [TITLE, markdown.table(header, rows), _sentences(found), FOOT, note]
    return "\n\n".join(part for part in parts if part) + "\n"


def _sentences(found: Standing) -> str:
    """A summary of the table, where the tree is worse (bold in the table), how to run it."""
    n = len(found.run)
    better = " and ".join(
        f"better than {BOOSTED[name]} on {len(codes)}{_but(found.run, codes)}" for name, codes in found.better.items()
    )
    return (
        f"On {len(found.as_good)} of {n} sets our tree is at least as good as the best printed figure (to its digits)"
        f"{_but(found.run, found.as_good)}; on {len(found.smaller)} it has fewer nodes than the tree with that figure. "
        f"It is {better}; bold marks what is better than ours. {RUN}"
    )


def good_as(ours: Cell, number: float, decimals: int) -> bool:
    """Whether our mean, rounded to the printed digits, is at least as good as a printed number."""
    mean = round(ours.mean, decimals)
    return mean <= number if ours.task == "regression" else mean >= number


def _boosted(cell: Cell | None, beaten: bool) -> str:
    return "–" if cell is None else markdown.bold(f"{cell.mean:.{cell.decimals}f}", not beaten)


def _row(code: str, best: Printed, cells: Cells, found: Standing) -> list[str]:
    ours, both = cells["soft", code], cells.get(("soft-both", code))
    return [
        code,
        markdown.score(ours),
        f"{ours.nodes.mean():.1f}",
        markdown.seconds(ours),
        markdown.bold(best.value, code not in found.as_good),
        f"{best.column}, {best.nodes}",
        *(_boosted(cells.get((name, code)), code in codes) for name, codes in found.better.items()),
        "–" if both is None else f"{both.mean:.{both.decimals}f}",
        markdown.nodes(both),
    ]


def _but(run: list[str], good: list[str]) -> str:
    """The sets where it is not so, bold in the table."""
    rest = [code for code in run if code not in good]
    return f" (not on {', '.join(rest)})" if rest else ""
