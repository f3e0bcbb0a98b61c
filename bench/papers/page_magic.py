"""The MAGIC page: the tables of Dvořák & Savický as printed, ours from results/magic/<split>.json where they are.

Such a file maps a classifier's name ("CART best on test", "CART softened", "C4.5", "C4.5 soft") to an object that has
its `error`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from bench.papers import markdown
from bench.papers.published import Printed
from softwood.stats import binomial_limits

HEAD = """# Softening Splits in Decision Trees Using Simulated Annealing (Dvořák, Savický 2007)

Made by `make tables`. Test errors of seven random splits 2:1 of MAGIC; the authors' splits are not published, so
lines are not of the same rows. CART is, as in the paper, the tree of its pruning sequence that is best on the test
rows, which no method could know; C5.0 is closed, ours is C4.5 (confidence 0.1, as the paper chose) with soft
thresholds."""
PAIRS = (
    ("CART", "CART best on test"),
    ("CART softened", "CART softened"),
    ("C5.0", "C4.5"),
    ("C5.0 softened", "C4.5 soft"),
)
NOT_RUN = "Ours are not here yet: `python -m bench.papers.magic` makes them."
Splits = dict[str, dict[str, float]]


def read_splits(results: Path) -> Splits:
    """Errors by split and classifier; what cannot be read is not there."""
    found: Splits = {}
    for path in sorted((results / "magic").glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        errors = {name: float(value["error"]) for name, value in told.items() if isinstance(value, dict)}
        found[path.stem] = errors
    return found


def write_page(printed: list[Printed], splits: Splits) -> str:
    """The page as Markdown."""
    own = {(one.code, one.column): one.value for one in printed if one.document == "magic" and one.measure == "error"}
    codes = sorted({code for code, _ in own})
    header = ["split", *(f"{column}, {who}" for column, _ in PAIRS for who in ("printed", "ours"))]
    rows, ours = [], list(splits.values())
    for i, code in enumerate(codes):
        here = ours[i] if i < len(ours) else {}
        row = [code]
        for column, name in PAIRS:
            row += [own[code, column], f"{here[name]:.4f}" if name in here else "–"]
        rows.append(row)
    mean = ["mean"]
    for column, name in PAIRS:
        got = [errors[name] for errors in ours if name in errors]
        mean += [f"{np.mean([float(own[code, column]) for code in codes]):.4f}", f"{np.mean(got):.4f}" if got else "–"]
    told = [{column: float(own[code, column]) for column, _ in PAIRS} for code in codes]
    parts = [HEAD, markdown.table(header, [*rows, mean]), "## The paper's two statements"]
    parts.append(_statements("Printed", told, ("CART softened", "C5.0 softened", "CART")))
    parts.append(_statements("Ours", ours, ("CART softened", "C4.5 soft", "CART best on test")) or NOT_RUN)
    return "\n\n".join(parts) + "\n"


def _statements(who: str, splits: list[dict[str, float]], names: tuple[str, str, str]) -> str:
    """How often softened CART beats the softened C tree, and how often it is a tenth better than CART."""
    soft, rival, hard = names
    whole = [errors for errors in splits if all(name in errors for name in names)]
    if not whole:
        return ""
    wins = sum(errors[soft] < errors[rival] for errors in whole)
    tenth = sum(errors[soft] <= 0.9 * errors[hard] for errors in whole)
    low, high = binomial_limits(wins, len(whole), 0.95)
    least, _ = binomial_limits(tenth, len(whole), 0.90)  # a one-sided limit of 95 %
    return (
        f"{who}: softened CART better than the softened C tree in {wins} of {len(whole)}, probability in "
        f"[{low:.2f}, {high:.2f}] (95 %); its error at most 0.90 of CART's in {tenth} of {len(whole)}, probability at "
        f"least {least:.2f} (95 %)."
    )
