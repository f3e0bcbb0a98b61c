"""The page of the family: all methods on all thirty sets, with ranks, and where we lose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.papers import markdown, provenance
from bench.papers.compare import Ranks, compare_errors, rank, record, relative_errors
from bench.papers.methods import BY_NAME, METHODS
from bench.papers.published import Printed, best_printed
from bench.papers.summary import Cells
from softwood.datasets import catalog

REFERENCE = {"half": "soft", "both": "soft-both"}  # reference of the marks, by the rows that a method sees
TITLES = {"regression": "Regression", "binary": "Two classes", "multiclass": "More classes"}
TITLE = "# All methods on the papers' thirty sets"
LEAD = """Mean rank by error among all methods (1: the lowest error on every set), and in brackets the geometric mean of
the error divided by the lowest error on the set. Methods of *both halves* learn from twice the rows, so compare them
with each other. [Where we lose](#where-we-lose) lists the sets on which a printed figure or another method is better.
`make results` runs the fits, `make tables` writes this page from the runs in `bench/papers/results`."""
FOOT = """## How it was measured

Mean ± standard deviation over ten folds (in brackets: the number of folds, if fewer); regression: mean squared error
of the z-scored target; classes: accuracy in per cent. **Bold**: the best single tree in the line. ▲ significantly
better, ▼ significantly worse (5×2 cv F test, 5 %) than *{half}*; methods that see both halves, and so learn from twice
the rows, are compared with *{both}*. The forest and LightGBM have hundreds of trees. † marks a method with runs of
several commits ([which](#which-runs))."""

RUNS = "A + after a commit: files were changed. Compare seconds only within one kind of processor."


def write_page(printed: list[Printed], cells: Cells, figures: Sequence[str]) -> str:
    """The page as Markdown; `figures`: names of the files that were drawn."""
    best = best_printed(printed)
    parts = [TITLE, *([_summary(cells), LEAD] if cells else [])]
    for task, title in TITLES.items():
        codes = codes_of(task)
        methods = present(cells, codes)
        if not methods:
            parts += [f"## {title}", "Not run yet."]
            continue
        parts += [f"## {title}", _scores(cells, methods, codes, best), _sizes(cells, methods, codes)]
        parts += [_overall(cells, methods, codes, best), _picture(f"ranks-{task}.svg", "Mean ranks", figures)]
    for name, text in (("pareto.svg", "Error against nodes"), ("time.svg", "Error against seconds of a fit")):
        parts.append(_picture(name, text, figures))
    parts += ["## Where we lose", _losses(cells, best), "## Which runs", RUNS, provenance.table(cells)]
    parts.append(FOOT.format(**{rows: BY_NAME[method].title for rows, method in REFERENCE.items()}))
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(cells: Cells) -> str:
    """One line per method: mean rank and relative error of each task."""
    tasks = [task for task in TITLES if present(cells, codes_of(task))]
    columns = [_standing(cells, codes_of(task)) for task in tasks]
    names = [one.name for one in METHODS if any(one.name in column for column in columns)]
    rows = [
        [BY_NAME[name].title, _folds(cells, name), *(column.get(name, "–") for column in columns)] for name in names
    ]
    return markdown.table(["method", "folds", *(TITLES[task].lower() for task in tasks)], rows)


def _folds(cells: Cells, method: str) -> str:
    """The number of folds per data set; the smallest and the largest if they differ."""
    counts = sorted({len(cell.score) for (name, _), cell in cells.items() if name == method})
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _standing(cells: Cells, codes: list[str]) -> dict[str, str]:
    methods = present(cells, codes)
    ranks, ratio = rank(cells, methods, codes), relative_errors(cells, methods, codes)
    if ranks is None:
        return dict.fromkeys(methods, "–")
    return {method: f"{mean:.1f} ({ratio[method]:.2f})" for method, mean in zip(ranks.methods, ranks.mean, strict=True)}


def codes_of(task: str) -> list[str]:
    """Letters of the sets of a task."""
    return [entry.code for entry in catalog.ENTRIES if entry.task == task]


def present(cells: Cells, codes: Sequence[str]) -> list[str]:
    """Methods with a result on any of the sets, in the registry's order."""
    return [one.name for one in METHODS if one.role != "variant" and any((one.name, code) in cells for code in codes)]


def reference_of(method: str) -> str:
    """Our joint soft tree with the same rows."""
    return REFERENCE[BY_NAME[method].rows]


def ranks_of(cells: Cells, task: str) -> Ranks | None:
    """Ranks of the methods that have results on every set of the task that has any."""
    codes = [code for code in codes_of(task) if any(key[1] == code for key in cells)]
    whole = [m for m in present(cells, codes) if all((m, code) in cells for code in codes)]
    return rank(cells, whole, codes)


def _scores(cells: Cells, methods: list[str], codes: list[str], best: dict[str, Printed]) -> str:
    rows = []
    for code in codes:
        trees = [m for m in methods if (m, code) in cells and BY_NAME[m].role == "ours"]
        top = min(trees, key=lambda m: cells[m, code].error.mean(), default="")
        row = [code, f"{best[code].value} ({best[code].column}, {best[code].nodes})"]
        for method in methods:
            verdict = compare_errors(cells.get((method, code)), cells.get((reference_of(method), code)))
            mark = {1: " ▲", -1: " ▼"}.get(verdict or 0, "")
            row.append(markdown.bold(markdown.score(cells.get((method, code)), mark), method == top))
        rows.append(row)
    return markdown.table(["set", "best printed (nodes)", *(provenance.title(cells, m, codes) for m in methods)], rows)


def _sizes(cells: Cells, methods: list[str], codes: list[str]) -> str:
    rows = [[code, *(markdown.nodes(cells.get((m, code))) for m in methods)] for code in codes]
    return markdown.table(["nodes", *(provenance.title(cells, m, codes) for m in methods)], rows)


def _overall(cells: Cells, methods: list[str], codes: list[str], best: dict[str, Printed]) -> str:
    """One line per method: rank, record, sizes, seconds."""
    ranks = rank(cells, methods, codes)
    ratio = relative_errors(cells, methods, codes)
    rows = []
    for method in methods:
        own = [cells[method, code] for code in codes if (method, code) in cells]
        good = sum(_as_good(cells, method, code, best) for code in codes if (method, code) in cells)
        rows.append(
            [
                provenance.title(cells, method, codes),
                f"{ranks.mean[methods.index(method)]:.2f}" if ranks else "–",
                f"{ratio[method]:.3f}" if ratio else "–",
                _record(cells, method, codes, sizes=False),
                _record(cells, method, codes, sizes=True),
                f"{good} of {len(own)}",
                f"{np.mean([cell.nodes.mean() for cell in own]):,.0f}",
                f"{np.mean([cell.seconds.mean() for cell in own]):.3g}",
            ]
        )
    note = _rank_note(ranks)
    header = ["method", "mean rank", "error / least", "errors w/t/l", "nodes w/t/l", "≥ best printed", "nodes", "fit s"]
    return markdown.table(header, rows) + f"\n\n{note}"


def _record(cells: Cells, method: str, codes: list[str], *, sizes: bool) -> str:
    rival = reference_of(method)
    return "" if method == rival else str(record(cells, method, rival, codes, sizes=sizes))


def _rank_note(ranks: Ranks | None) -> str:
    against = "w/t/l: wins, ties and losses against our joint soft tree with the same rows."
    if ranks is None:
        return against
    friedman = f" (Friedman p = {ranks.p:.2g})" if np.isfinite(ranks.p) else ""
    return (
        f"Ranks over {ranks.n_sets} sets{friedman}; a difference below {ranks.critical:.2f} is not significant "
        f"(Nemenyi, 5 %). {against}"
    )


def _as_good(cells: Cells, method: str, code: str, best: dict[str, Printed]) -> bool:
    one, cell = best[code], cells[method, code]
    ours = round(cell.mean, one.decimals)
    return ours <= one.number if cell.task == "regression" else ours >= one.number


def _picture(name: str, text: str, figures: Sequence[str]) -> str:
    return f"![{text}](figures/{name})" if name in figures else ""


def _losses(cells: Cells, best: dict[str, Printed]) -> str:
    """A list by data set of what is better than our joint soft trees."""
    parts = []
    for ours in REFERENCE.values():
        lines = [line for entry in catalog.ENTRIES if (line := _loss(cells, ours, entry.code, best))]
        if any(method == ours for method, _ in cells):
            start = (
                f"Better than *{BY_NAME[ours].title}*, as printed or significantly (▲) by a method with the same rows:"
            )
            parts.append("\n".join([start, "", *(lines or ["- nowhere."])]))
    return "\n\n".join(parts) or "Not run yet."


def _loss(cells: Cells, ours: str, code: str, best: dict[str, Printed]) -> str:
    """A line on the set; "" if nothing is better."""
    cell, one = cells.get((ours, code)), best[code]
    if cell is None:
        return ""
    rivals = [] if _as_good(cells, ours, code, best) else [f"{one.value} printed for {one.column}"]
    for method in present(cells, [code]):
        if reference_of(method) == ours and compare_errors(cells[method, code], cell) == 1:
            rivals.append(f"{cells[method, code].mean:.{cell.decimals}f} by {BY_NAME[method].title} ▲")
    return f"- {code}, {cell.mean:.{cell.decimals}f}: {'; '.join(rivals)}." if rivals else ""
