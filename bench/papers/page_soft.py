"""The page of the joint soft tree: each set beside the best printed figure, LightGBM, and our tree of both halves."""

from __future__ import annotations

from bench.papers import markdown
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
number in brackets: so many folds of ten. ABA, CMC, CON, GER, PAG, PIM, SAT, SEG, SPA and YEA were run by the learner as
it is, the others just before curves had ramps from 250 rows on; *both halves* by an older version. Seconds are of two
busy cores, where they are up to twice those of idle ones."""
BOOSTED = {"lightgbm-default": "LightGBM (.1)", "lightgbm": "LightGBM (.05)"}

FOOT = """A tree of one node has no gate: a linear or additive leaf was all that the held-out rows asked for. Bases and
rules of choice were compared on some folds of some of these sets while the learner was written, so the
figures are a little optimistic; the same rules stand for all sets."""


def write_page(printed: list[Printed], cells: Cells) -> str:
    """The page as Markdown."""
    best = best_printed(printed)
    rows, won, small = [], [], []
    beaten: dict[str, list[str]] = {name: [] for name in BOOSTED}
    for code in (entry.code for entry in catalog.ENTRIES):
        ours = cells.get(("soft", code))
        if ours is None:
            continue
        boosted = {name: cells.get((name, code)) for name in BOOSTED}
        at_least = good_as(ours, best[code].number, best[code].decimals)
        won += [code] if at_least else []
        for name, cell in boosted.items():
            beaten[name] += [code] if cell is not None and ours.error.mean() < cell.error.mean() else []
        small += [code] if best[code].nodes and ours.nodes.mean() < float(best[code].nodes) else []
        beside = [_boosted(cell, code in beaten[name]) for name, cell in boosted.items()]
        rows.append(_row(ours, best[code], beside, cells.get(("soft-both", code)), at_least))
    if not rows:
        return f"{HEAD}\n\nNot run yet.\n"
    header = ["set", "ours", "nodes", "s", "best printed", "column, nodes", *BOOSTED.values(), "both halves", "nodes"]
    counts = [
        f"- At least as good as the best printed figure (to its digits) on {len(won)} of {len(rows)}.{_but(rows, won)}",
        f"- Fewer nodes than the tree that printed it on {len(small)} of {len(rows)}.",
    ]
    counts += [
        f"- Better than {BOOSTED[name]} on {len(codes)} of {len(rows)}.{_but(rows, codes)}"
        for name, codes in beaten.items()
    ]
    return "\n\n".join([HEAD, markdown.table(header, rows), "\n".join(counts), FOOT]) + "\n"


def good_as(ours: Cell, number: float, decimals: int) -> bool:
    """Whether our mean, rounded to the printed digits, is at least as good as a printed number."""
    mean = round(ours.mean, decimals)
    return mean <= number if ours.task == "regression" else mean >= number


def _boosted(cell: Cell | None, beaten: bool) -> str:
    return "–" if cell is None else markdown.bold(f"{cell.mean:.{cell.decimals}f}", not beaten)


def _row(ours: Cell, best: Printed, boosted: list[str], both: Cell | None, at_least: bool) -> list[str]:
    return [
        ours.code,
        markdown.score(ours),
        f"{ours.nodes.mean():.1f}",
        markdown.seconds(ours),
        markdown.bold(best.value, not at_least),
        f"{best.column}, {best.nodes}",
        *boosted,
        "–" if both is None else f"{both.mean:.{both.decimals}f}",
        markdown.nodes(both),
    ]


def _but(rows: list[list[str]], good: list[str]) -> str:
    """The sets where it is not so, bold in the table."""
    rest = [row[0] for row in rows if row[0] not in good]
    return f" Not on {', '.join(rest)} (bold: who is better there)." if rest else ""
