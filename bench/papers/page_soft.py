"""The page of the joint soft tree: each set beside the best printed figure, LightGBM, and our tree of both halves."""

from __future__ import annotations

from dataclasses import dataclass

from bench.papers import markdown, provenance
from bench.papers.published import Printed, best_printed
from bench.papers.summary import Cell, Cells
from softwood.datasets import catalog

HEAD = """# Soft trees on the papers' thirty sets

Made by `make tables` from the results in bench/papers/results: `SoftTreeClassifier()` and `SoftTreeRegressor()` with
their defaults, on the authors' folds (ours, made the same way, for more than two classes). Gradients come from the
training half alone; kind, penalty and size are chosen on the other half (`X_val`) and, where rows are few, on folds of
the training half; errors are of the test third. Regression: mean squared error of the z-scored target; else accuracy in
per cent. Seconds are of the processor, a whole fit, every choice included. *Best printed* is the best figure that the
papers of 2012 and 2014 print for any method. LightGBM saw the same rows (7 or 31 leaves and early stopping by the other
half), with its default learning rate of .1 and with .05. *Both halves* is a fit without `X_val` on both of them. A
number in brackets: folds that ran, of ten. † marks a column whose runs are of several commits;
[which runs](family.md#which-runs) has those of all methods. Seconds are of two busy cores, where they are up to twice
those of idle ones."""
BOOSTED = {"lightgbm-default": "LightGBM (.1)", "lightgbm": "LightGBM (.05)"}

FOOT = """A tree of one node has no gate: a linear or additive leaf was all that the held-out rows asked for. Bases and
rules of choice were compared on some folds of some of these sets while the learner was written, so the
figures are a little optimistic; the same rules stand for all sets."""


@dataclass(frozen=True)
class Standing:
    """Codes of the sets that were run, and of those on which our tree is as good as printed, smaller, or better."""

    run: list[str]
    as_good: list[str]
    smaller: list[str]
    better: dict[str, list[str]]  # than LightGBM, by method


def stand(best: dict[str, Printed], cells: Cells) -> Standing:
    """How the joint soft tree stands to the best printed figures and to LightGBM."""
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
        return f"{HEAD}\n\nNot run yet.\n"
    rows = [_row(code, best[code], cells, found) for code in found.run]
    titles = {"ours": "soft"} | {title: name for name, title in BOOSTED.items()} | {"both halves": "soft-both"}
    ours, *boosted, both = (title + provenance.mark(cells, name, found.run) for title, name in titles.items())
    header = ["set", ours, "nodes", "s", "best printed", "column, nodes", *boosted, both, "nodes"]
    note = provenance.footnote(cells, "soft", found.run)
    parts = [HEAD, markdown.table(header, rows), note, _counts(found), FOOT]
    return "\n\n".join(part for part in parts if part) + "\n"


def _counts(found: Standing) -> str:
    n = len(found.run)
    return "\n".join(
        [
            f"- At least as good as the best printed figure (to its digits) on {len(found.as_good)} of {n}."
            f"{_but(found.run, found.as_good)}",
            f"- Fewer nodes than the tree that printed it on {len(found.smaller)} of {n}.",
            *(
                f"- Better than {BOOSTED[name]} on {len(codes)} of {n}.{_but(found.run, codes)}"
                for name, codes in found.better.items()
            ),
        ]
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
    return f" Not on {', '.join(rest)} (bold: who is better there)." if rest else ""
