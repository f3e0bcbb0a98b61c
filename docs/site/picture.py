"""Draws docs/figures/picture.svg, softwood in one picture: `python docs/site/picture.py` from the repository root.

Plain SVG with a background of its own, light or dark as the reader's system, so it is legible on any page. Lengths are
in units of the picture, which is 680 wide.
"""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

OUT = Path("docs/figures/picture.svg")
WIDTH = 680
STYLE = """
svg { --ground: #fbfcfa; --card: #ffffff; --line: #9aa39c; --ink: #17201a; --soft: #55605a; --green: #14703a;
      --tint: #e3f1e6; --warm: #b45309; }
@media (prefers-color-scheme: dark) {
  svg { --ground: #171c19; --card: #222a25; --line: #77817a; --ink: #edf2ee; --soft: #b4beb7; --green: #6fdc98;
        --tint: #21402c; --warm: #fbbf6b; }
}
text { font: 14px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); }
.title { font-size: 22px; font-weight: 700; fill: var(--green); }
.head { font-weight: 700; }
.name { font-size: 13px; font-weight: 700; }
.small { font-size: 12.5px; fill: var(--soft); }
.code { font: 14px ui-monospace, "DejaVu Sans Mono", monospace; }
.place { font: 12px ui-monospace, "DejaVu Sans Mono", monospace; fill: var(--warm); }
.ground { fill: var(--ground); }
.card { fill: var(--card); stroke: var(--line); }
.leaf { fill: var(--tint); stroke: var(--green); }
.bud { stroke-dasharray: 5 3; stroke: var(--green); }
.rule { stroke: var(--line); fill: none; }
.edge { stroke: var(--green); fill: none; opacity: 0.75; }
.squash { stroke: var(--green); stroke-width: 2; fill: none; }
.tip { fill: var(--line); }
"""
LEARNERS = [  # name, squash, what a gate compares, leaves, how it is learned
    ("CART", "step", "one input", "constant", "gain; cost-complexity pruning"),
    ("C4.5", "step", "one input", "constant", "gain ratio; error-based pruning"),
    ("Discriminant", "step", "weighted sum", "constant", "Fisher's discriminant"),
    ("Omnivariate", "step", "one input, a sum", "constant", "a statistical test per node"),
    ("Softened", "ramp", "one input", "constant", "ramps fitted to a hard tree"),
    ("Soft", "sigmoid", "sum of curves", "constant, linear", "gradient; size by held-out rows"),
    ("Soft forest", "equal", "nothing", "soft trees", "the mean of a few soft trees"),
    ("Budding", "sigmoid", "weighted sum", "constant, linear", "gradient, leafness too; online"),
    ("Mixture of experts", "sigmoid", "weighted sum", "linear", "expectation–maximisation"),
]
USES = [
    ("read", "to_text, plot_tree, view, report", "formats, view"),
    ("explain", "explain, counterfactual, summary", "explain"),
    ("predict", "predict, intervals, serving", "estimators, cli"),
    ("keep", "a .softwood file, JSON", "persistence, formats"),
    ("export", "SQL, C, Java, JavaScript, Python, ONNX", "formats"),
]


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, kind: str = "card") -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" class="{kind}"/>'


def edge(x: float, y: float, to_x: float, to_y: float, share: float) -> str:
    bend = (y + to_y) / 2
    path = f"M{x:g} {y:g}C{x:g} {bend:g} {to_x:g} {bend:g} {to_x:g} {to_y:g}"
    return f'<path class="edge" stroke-width="{1 + 11 * share:g}" d="{path}"/>'


def arrow(x: float, y: float, to_y: float) -> str:
    tip = f'<path class="tip" d="M{x - 5:g} {to_y - 8:g}h10l-5 8z"/>'
    return f'<path class="rule" d="M{x:g} {y:g}V{to_y - 6:g}"/>{tip}'


def squash(kind: str, x: float, y: float, width: float = 44, height: float = 16) -> str:
    """Share against score: 0 at the left, 1 at the right."""
    points = {
        "step": [(0, 0), (0.5, 0), (0.5, 1), (1, 1)],
        "ramp": [(0, 0), (0.3, 0), (0.7, 1), (1, 1)],
        "equal": [(0, 0.5), (1, 0.5)],
        "sigmoid": [(i / 20, 1 / (1 + math.exp(6 - i * 0.6))) for i in range(21)],
    }[kind]
    path = "L".join(f"{x + width * a:.1f} {y + height * (1 - b):.1f}" for a, b in points)
    return f'<path class="squash" d="M{path}"/>'


def small_tree(x: float, y: float, name: str, kind: str, share: float, leafness: float, sums: list[str]) -> str:
    """One gate with two leaves that respond 3 and 8, and the output of a row."""
    root = box(x + 40, y + 14, 116, 48, "card bud" if leafness else "card")
    parts = [text(x + 98, y, name, "head", "middle"), edge(x + 98, y + 62, x + 45, y + 108, share)]
    parts += [edge(x + 98, y + 62, x + 151, y + 108, 1 - share)] if share < 1 else []
    parts += [root, squash(kind, x + 76, y + 22)]
    parts += [text(x + 98, y + 56, "response 5" if leafness else "score ≥ 0?", "small", "middle")]
    for middle, value, part in ((x + 45, 3, share), (x + 151, 8, round(1 - share, 2))):
        parts += [
            box(middle - 38, y + 108, 76, 42, "leaf"),
            text(middle, y + 125, f"share {part:g}", "small", "middle"),
        ]
        parts += [text(middle, y + 142, f"response {value}", "small", "middle")]
    return "".join(parts) + "".join(text(x + 98, y + 174 + 18 * i, one, "code", "middle") for i, one in enumerate(sums))


def equation(y: float) -> str:
    parts = [text(24, y, "One equation", "title")]
    said = "A gate sends shares of a row x to the children c of a node m. A leaf keeps all of it, a bud a part."
    parts += [text(24, y + 32, "output(m, x) = leafness[m] · response[m](x)", "code")]
    parts += [text(138.6, y + 52, "+ (1 − leafness[m]) · Σ share[m→c](x) · output(c, x)", "code")]
    parts += [text(24, y + 78, said, "small")]
    trees = [
        ("Hard", "step", 1.0, 0.0, ["1 · 3", "= 3"]),
        ("Soft", "sigmoid", 0.8, 0.0, ["0.8 · 3 + 0.2 · 8", "= 4"]),
        ("Budding, leafness 0.1", "sigmoid", 0.8, 0.1, ["0.1 · 5 + 0.9 · 4", "= 4.1"]),
    ]
    return "".join(parts) + "".join(small_tree(24 + 218 * i, y + 112, *one) for i, one in enumerate(trees))


def family(y: float) -> str:
    parts = [text(24, y, "One family", "title")]
    for x, head in ((24, "learner"), (172, "gate"), (228, "compares"), (354, "leaves"), (458, "learned by")):
        parts.append(text(x, y + 30, head, "small"))
    for i, (name, kind, compares, leaves, how) in enumerate(LEARNERS):
        at = y + 58 + 30 * i
        parts += [
            f'<path class="rule" opacity="0.4" d="M24 {at - 20}H656"/>',
            text(24, at, name, "name"),
            squash(kind, 172, at - 13),
        ]
        parts += [text(228, at, compares, "small"), text(354, at, leaves, "small")]
        parts += [text(458, at, how, "small")]
    return "".join(parts)


def table(x: float, y: float) -> str:
    rows = [("age", "town", "income"), ("34", "Oslo", "31,000"), ("–", "Rome", "45,500"), ("61", "–", "28,000")]
    parts = [box(x, y, 210, 92)]
    for i, cells in enumerate(rows):
        parts += [
            text(x + 14 + 62 * j, y + 20 + 21 * i, cell, "head" if i == 0 else "") for j, cell in enumerate(cells)
        ]
    return "".join(parts)


def stage(y: float, name: str, lines: list[str], place: str, height: float) -> str:
    parts = [box(24, y, 632, height), text(40, y + 23, name, "head"), text(640, y + 23, place, "place", "end")]
    return "".join(parts) + "".join(text(40, y + 45 + 19 * i, line, "small") for i, line in enumerate(lines))


def pipeline(y: float) -> str:
    parts = [text(24, y, "One way from table to tree to file", "title"), table(24, y + 18)]
    said = [
        "A table: text, categories, dates, missing cells (–).",
        "pandas, polars, Arrow, NumPy, sparse, a CSV file,",
        "or more rows than memory.",
    ]
    parts += [text(256, y + 42 + 20 * i, line, "small") for i, line in enumerate(said)]
    read = ["Checks X and y. A schema maps cells to numbers: categories to codes, missing cells to NaN."]
    learn = [
        "A function: rows in, Tree out. It grows, prunes and refines; held-out rows choose the size.",
        "Engines sum over rows: in memory, in batches, on Dask, on a GPU.",
        "Kernels compute per row: a NumPy reference and its C++ twin.",
    ]
    tree = ["A frozen struct of arrays with its schema. What reads it does not know how it was learned."]
    parts += [arrow(129, y + 110, y + 130), stage(y + 130, "Read", read, "intake, estimators", 60)]
    parts += [arrow(129, y + 190, y + 210), stage(y + 210, "Learn", learn, "learners, engines, kernels", 98)]
    parts += [
        arrow(129, y + 308, y + 328),
        stage(y + 328, "Tree", tree, "tree", 60).replace('class="card"', 'class="leaf"'),
    ]
    parts += [arrow(129, y + 388, y + 408), box(24, y + 408, 632, 22 * len(USES) + 22)]
    for i, (verb, how, place) in enumerate(USES):
        at = y + 433 + 22 * i
        parts += [text(40, at, verb, "head"), text(120, at, how, "small"), text(640, at, place, "place", "end")]
    return "".join(parts)


def picture() -> str:
    height = 1330
    label = (
        "softwood in one picture: the equation, the family of learners, and the way from a table to a tree to a file"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">'
    ground = f'<rect width="{WIDTH}" height="{height}" rx="10" class="ground"/>'
    return f"{head}<style>{STYLE}</style>{ground}{equation(44)}{family(416)}{pipeline(766)}</svg>\n"


if __name__ == "__main__":
    OUT.write_text(picture(), encoding="utf-8")
