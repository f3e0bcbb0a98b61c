"""The page of one document: its tables as printed, with our columns beside them."""

from __future__ import annotations

from bench.papers import markdown, provenance
from bench.papers.compare import compare_errors, compare_sizes, record
from bench.papers.documents import Document, PaperTable
from bench.papers.methods import BY_NAME
from bench.papers.published import Printed
from bench.papers.summary import Cell, Cells

TITLE = "# {title}"
LEAD = """Number of sets on which our repetition of each method is at least as good as the figure printed for it, and on
which our other learners are at least as good as the best printed figure; a dash: not compared. Where ours is worse, the
list below each table names the sets. `make results` runs the fits, `make tables` writes this page from the runs in
`bench/papers/results`."""
FOOT = """## How it was measured

Each pair of columns has the printed figure, then ours: mean ± standard deviation over ten folds (the authors' own for
regression and two classes), fitted on one half, size chosen on the other, measured on the test third. A number in
brackets: the folds that were run, if fewer; † marks a column with runs of several commits
([which](family.md#which-runs)). Regression: mean squared error of the z-scored target; classes: accuracy in per cent.
**Bold** as in the paper: significantly better than each of the paper's other methods (5×2 cv F test for errors,
Wilcoxon's rank sum test for nodes, 5 %)."""
NONE = "not run yet"


def write_page(document: Document, printed: list[Printed], cells: Cells) -> str:
    """The page as Markdown."""
    own = [one for one in printed if one.document == document.name]
    parts = [TITLE.format(title=document.title), _summary(document, own, cells), LEAD]
    for paper in document.tables:
        lines = _lines_of(paper, own)
        parts += [f"## {paper.title}", _scores(paper, lines, cells), _sizes(paper, lines, cells)]
        parts += [_records(paper, cells), _against(paper, lines, cells)]
    return "\n\n".join(part for part in [*parts, FOOT] if part) + "\n"


def _lines_of(paper: PaperTable, own: list[Printed]) -> dict[tuple[str, str], Printed]:
    return {(one.code, one.column): one for one in own if one.table == paper.title}


def _summary(document: Document, own: list[Printed], cells: Cells) -> str:
    """One line per comparison, one column per table of the paper."""
    counts: dict[str, dict[str, str]] = {}
    for paper in document.tables:
        for title, short in _comparisons(paper, _lines_of(paper, own), cells):
            counts.setdefault(title, {})[paper.title] = _count(short)
    titles = [paper.title for paper in document.tables]
    rows = [[title, *(found.get(name, "–") for name in titles)] for title, found in counts.items()]
    return markdown.table(["at least as good", *titles], rows)


def _beside(paper: PaperTable, cells: Cells) -> list[str]:
    """Our methods to show beside the paper's, if they have results."""
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
    """Wins, ties and losses of the columns against each other, ours and those that the paper states."""
    told = {(one, other): said for one, other, said in paper.said}
    rows = []
    for i, (column, method) in enumerate(paper.columns):
        for other, rival in paper.columns[i + 1 :]:
            errors = record(cells, method, rival, paper.codes)
            sizes = record(cells, method, rival, paper.codes, sizes=True)
            rows.append([f"{column} against {other}", told.get((column, other), "–"), str(errors), str(sizes)])
    header = ["wins/ties/losses", "errors, in the paper", "errors, ours", "nodes, ours"]
    return markdown.table(header, rows)


def _against(paper: PaperTable, lines: dict[tuple[str, str], Printed], cells: Cells) -> str:
    """Where our repetition and our other learners are worse than the printed figures."""
    found = [(title, [text for text in short if text]) for title, short in _comparisons(paper, lines, cells)]
    return "\n".join(f"- {title}: worse on {', '.join(worse)}." for title, worse in found if worse)


def _comparisons(
    paper: PaperTable, lines: dict[tuple[str, str], Printed], cells: Cells
) -> list[tuple[str, list[str | None]]]:
    """Our methods against printed figures, with `_short` of each set."""
    found = []
    for column, method in paper.columns:
        short = [_short(lines[code, column], cells.get((method, code))) for code in paper.codes]
        found.append((f"our {BY_NAME[method].title} against the printed {column}", short))
    for method in _beside(paper, cells):
        short = []
        for code in paper.codes:
            printed = [lines[code, column] for column, _ in paper.columns]
            best = min(printed, key=lambda one: one.number if one.measure == "mse" else -one.number)
            short.append(_short(best, cells.get((method, code))))
        found.append((f"{BY_NAME[method].title} against the best printed column", short))
    return found


def _short(one: Printed, cell: Cell | None) -> str | None:
    """None if not run, "" if at least as good to the printed digits, else the figures."""
    if cell is None:
        return None
    ours = round(cell.mean, one.decimals)
    good = ours <= one.number if one.measure == "mse" else ours >= one.number
    return "" if good else f"{one.code} {ours:.{one.decimals}f} against {one.value}"


def _count(short: list[str | None]) -> str:
    run = [text for text in short if text is not None]
    return f"{run.count('')} of {len(run)}" if run else NONE
