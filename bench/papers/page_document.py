"""The page of one document: its tables as printed, with our columns beside them."""

from __future__ import annotations

from bench.papers import markdown, provenance
from bench.papers.compare import compare_errors, compare_sizes, record
from bench.papers.documents import Document, PaperTable
from bench.papers.methods import BY_NAME
from bench.papers.published import Printed
from bench.papers.summary import Cell, Cells

HEAD = """# {title}

Made by `make tables` from the results in bench/papers/results. Left of each pair the printed figure, right of it ours:
mean ± standard deviation of ten folds (the authors' own where they are known: regression and two classes), fitted on
one half, size chosen on the other, measured on the test third. A number in brackets says how many folds were
run; † marks a column whose runs are of several commits ([which](family.md#which-runs)). Regression: mean squared error
of the z-scored target; else accuracy in per cent. **Bold** as in the paper: significantly better than every other of
the paper's methods (5×2 cv F test for errors, Wilcoxon's rank sum for nodes, 5 %)."""
NONE = "Not run yet."


def write_page(document: Document, printed: list[Printed], cells: Cells) -> str:
    """The page as Markdown."""
    own = [one for one in printed if one.document == document.name]
    parts = [HEAD.format(title=document.title)]
    for paper in document.tables:
        lines = {(one.code, one.column): one for one in own if one.table == paper.title}
        parts += [f"## {paper.title}", _scores(paper, lines, cells), _sizes(paper, lines, cells)]
        parts += [_records(paper, cells), _against(paper, lines, cells)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _beside(paper: PaperTable, cells: Cells) -> list[str]:
    """Those of our methods beside the paper's that have results at all."""
    return [method for method in paper.beside if any((method, code) in cells for code in paper.codes)]


def _scores(paper: PaperTable, lines: dict[tuple[str, str], Printed], cells: Cells) -> str:
    beside = _beside(paper, cells)
    rows = []
    for code in paper.codes:
        row = [code]
        for column, method in paper.columns:
            one, cell = lines[code, column], cells.get((method, code))
            row += [markdown.bold(one.value, one.bold), _marked(cell, _rivals(paper, method, code, cells))]
        rows.append(row + [markdown.score(cells.get((method, code))) for method in beside])
    return markdown.table(_header("set", paper, cells), rows)


def _sizes(paper: PaperTable, lines: dict[tuple[str, str], Printed], cells: Cells) -> str:
    beside = _beside(paper, cells)
    rows = []
    for code in paper.codes:
        row = [code]
        for column, method in paper.columns:
            one, cell = lines[code, column], cells.get((method, code))
            best = _beats_all(cell, _rivals(paper, method, code, cells), sizes=True)
            row += [markdown.bold(one.nodes, one.bold_nodes), markdown.bold(markdown.nodes(cell), best)]
        rows.append(row + [markdown.nodes(cells.get((method, code))) for method in beside])
    return markdown.table(_header("nodes", paper, cells), rows)


def _header(first: str, paper: PaperTable, cells: Cells) -> list[str]:
    """Titles of the columns: printed and ours in turn, then those beside."""
    header = [first]
    for column, method in paper.columns:
        header += [f"{column}, printed", f"{column}, ours{provenance.mark(cells, method, paper.codes)}"]
    return header + [provenance.title(cells, method, paper.codes) for method in _beside(paper, cells)]


def _rivals(paper: PaperTable, method: str, code: str, cells: Cells) -> list[Cell | None]:
    return [cells.get((other, code)) for _, other in paper.columns if other != method]


def _beats_all(cell: Cell | None, rivals: list[Cell | None], *, sizes: bool = False) -> bool:
    judge = compare_sizes if sizes else compare_errors
    return bool(rivals) and all(judge(cell, rival) == 1 for rival in rivals)


def _marked(cell: Cell | None, rivals: list[Cell | None]) -> str:
    return markdown.bold(markdown.score(cell), _beats_all(cell, rivals))


def _records(paper: PaperTable, cells: Cells) -> str:
    """Wins, ties and losses of the columns against each other, ours and what the paper tells."""
    told = {(one, other): said for one, other, said in paper.said}
    rows = []
    for i, (column, method) in enumerate(paper.columns):
        for other, rival in paper.columns[i + 1 :]:
            errors = record(cells, method, rival, paper.codes)
            sizes = record(cells, method, rival, paper.codes, sizes=True)
            rows.append([f"{column} against {other}", told.get((column, other), "–"), str(errors), str(sizes)])
    header = ["wins/ties/losses", "errors, as the paper says", "errors, ours", "nodes, ours"]
    return markdown.table(header, rows)


def _against(paper: PaperTable, lines: dict[tuple[str, str], Printed], cells: Cells) -> str:
    """In words: where our repetition and our best learner fall short of the printed figures."""
    said = []
    for column, method in paper.columns:
        short = [_short(lines[code, column], cells.get((method, code))) for code in paper.codes]
        said.append(_sentence(f"Our {BY_NAME[method].title} against the printed {column}", short))
    for method in _beside(paper, cells):
        short = []
        for code in paper.codes:
            printed = [lines[code, column] for column, _ in paper.columns]
            best = min(printed, key=lambda one: one.number if one.measure == "mse" else -one.number)
            short.append(_short(best, cells.get((method, code))))
        said.append(_sentence(f"{BY_NAME[method].title} against the best printed column", short))
    return "\n".join(f"- {sentence}" for sentence in said)


def _short(one: Printed, cell: Cell | None) -> str | None:
    """None if not run, "" if at least as good to the printed digits, else the figures."""
    if cell is None:
        return None
    ours = round(cell.mean, one.decimals)
    good = ours <= one.number if one.measure == "mse" else ours >= one.number
    return "" if good else f"{one.code} {ours:.{one.decimals}f} against {one.value}"


def _sentence(start: str, short: list[str | None]) -> str:
    run = [text for text in short if text is not None]
    if not run:
        return f"{start}: {NONE.lower()}"
    worse = [text for text in run if text]
    where = f" Worse: {', '.join(worse)}." if worse else ""
    return f"{start}: at least as good on {len(run) - len(worse)} of {len(run)}.{where}"
