"""The figures that README and the pages of docs quote, computed from the committed runs.

Sources: bench/papers/results (CSV and magic.json), bench/results (fresh, useless, readable), and the tables of
docs/results/speed.md, which `make speed` writes and nothing else holds. bench/quotes.py says where each is quoted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from bench import contest, readable
from bench.papers import magic
from bench.papers.page_soft import stand
from bench.papers.published import best_printed, read_published
from bench.papers.store import RESULTS, read_all
from bench.papers.summary import gather

SPEED = contest.PAGES / "speed.md"
SLOWER = ("with surrogates", "our defaults")  # fits that do more than those of scikit-learn
Facts = dict[str, str]


def compute() -> Facts:
    """All facts by name, as they are written."""
    return _papers() | _fresh() | _useless() | _readable() | _magic() | _speed()


def _papers() -> Facts:
    cells = gather(read_all(RESULTS))
    found = stand(best_printed(read_published()), cells)
    ours = [cells["soft", code] for code in found.run]
    default, half = (found.better[name] for name in ("lightgbm-default", "lightgbm"))
    lost = sorted(code for code in found.run if code not in default or code not in half)
    california, spam = ([cells[name, code].mean for name in ("lightgbm", "soft")] for code in ("CAL", "SPA"))
    return {
        "papers_sets": str(len(found.run)),
        "papers_folds": _span((len(cell.score) for cell in ours), "d"),
        "papers_nodes": _span((cell.nodes.mean() for cell in ours), ".0f"),
        "papers_as_good": str(len(found.as_good)),
        "papers_better": str(len(default)),
        "papers_better_half": str(len(half)),
        "papers_lost": ", ".join(lost),
        "papers_lost_count": str(len(lost)),
        "california_lightgbm": _part(california[0]),
        "california_soft": _part(california[1]),
        "spambase_lightgbm": f"{spam[0]:.1f}",
        "spambase_soft": f"{spam[1]:.1f}",
        "pendigits_soft": f"{cells['soft', 'PEN'].mean:.1f}",
    }


def _fresh() -> Facts:
    results = _read(contest.RESULTS / "fresh.json")
    names, firsts, duels = contest.tables_of(results), contest.count_firsts(results), contest.count_duels(results)
    means = {model: [contest.means_of(results, name, model) or {} for name in names] for model in contest.MODELS}
    seconds = {model: [mean["seconds"] for mean in each] for model, each in means.items()}
    facts = {f"fresh_first_{model}": str(n) for model, n in firsts.items()}
    facts |= {f"fresh_better_{model}": str(won) for model, (won, _) in duels.items()}
    for name in ("hotel_rates", "Computers"):
        facts |= {
            f"{name}_{model}": _part(contest.error_of(results, name, model)) for model in ("SoftTree", "LightGBM")
        }
    return facts | {
        "fresh_tables": str(len(names)),
        "fresh_nodes": f"{np.mean([mean['nodes'] for mean in means['SoftTree']]):.0f}",
        "fresh_seconds": f"{min(seconds['SoftTree']):.1f} to {max(seconds['SoftTree']):.0f}",
        "fresh_quicker": str(int(np.less(seconds["LightGBM"], seconds["SoftTree"]).sum())),
    }


def _useless() -> Facts:
    results = _read(contest.RESULTS / "useless.json")
    names, firsts = contest.tables_of(results), contest.count_firsts(results)
    steps = [name for name in names if name.startswith("steps")]
    errors = {model: [contest.error_of(results, name, model) for name in steps] for model in contest.MODELS}
    friedman = {model: contest.error_of(results, "Friedman 1, 5 of 300", model) for model in contest.MODELS}
    least = [min(contest.MODELS, key=lambda model: contest.error_of(results, name, model)) for name in steps]
    return {
        "useless_tables": str(len(names)),
        "useless_first": str(firsts["SoftTree"]),
        "steps_tables": str(len(steps)),
        "steps_first_LightGBM": str(least.count("LightGBM")),
        **{f"steps_{model}": _span(each, ".3f").replace("0.", ".") for model, each in errors.items()},
        **{f"friedman_{model}": _part(error) for model, error in friedman.items()},
    }


def _readable() -> Facts:
    costs = readable.costs_of(_read(readable.RESULTS))
    ratio = [cost.ratio for cost in costs.values()]
    worst = max(costs, key=lambda code: costs[code].ratio)
    return {
        "readable_sets": str(len(costs)),
        "readable_good": str(sum(cost.is_readable for cost in costs.values())),
        "readable_mean": str(round(100 * (readable.geometric_mean(ratio) - 1))),
        "readable_median": str(round(100 * (float(np.median(ratio)) - 1))),
        "readable_worst": f"{100 * (costs[worst].ratio - 1):.0f}",
        "readable_worst_set": worst,
        "readable_worst_plain": f"{100 * costs[worst].plain['error']:.1f}",
        "readable_worst_readable": f"{100 * costs[worst].readable['error']:.1f}",
    }


def _magic() -> Facts:
    columns = {"magic_cart": "CART on all rows", "magic_softened": "CART softened", "magic_soft": "SoftTree"}
    splits = _read(magic.RESULTS).values()
    means = {name: float(np.mean([split[column]["error"] for split in splits])) for name, column in columns.items()}
    return {name: _part(mean, 4) for name, mean in means.items()}


def _speed() -> Facts:
    fits, memory = read_table(SPEED, "Fit, 100,000 x 20"), read_table(SPEED, "Memory of a fit")
    alike = [float(row["times as fast"]) for case, row in fits.items() if not case.startswith(SLOWER)]
    two = fits["two classes, exact"]
    deep = {who: memory[f"full-depth regression, {who}"]["peak / input"] for who in ("exact", "scikit-learn")}
    return {
        "cart_seconds": f"{float(two['softwood s']):.2f}",
        "cart_sklearn_seconds": f"{float(two['scikit-learn s']):.1f}",
        "cart_times": _span(alike, ".0f"),
        "cart_memory": f"{float(deep['exact']):.1f}",
        "cart_sklearn_memory": f"{float(deep['scikit-learn']):.1f}",
    }


def read_table(page: Path, section: str) -> dict[str, dict[str, str]]:
    """Rows of the first table of a section by their first cell; cells by the column's title."""
    after = page.read_text(encoding="utf-8").partition(f"\n## {section}")[2].partition("\n## ")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in after.splitlines() if line[:1] == "|"]
    return {cells[0]: dict(zip(lines[0], cells, strict=True)) for cells in lines[2:]}


def _read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _part(error: float, digits: int = 3) -> str:
    """An error rate, or an error relative to the variance: .049."""
    return f"{error:.{digits}f}".removeprefix("0")


def _span(values: Iterable[float], form: str) -> str:
    """The smallest and the largest: 1 to 20."""
    every = list(values)
    return f"{min(every):{form}} to {max(every):{form}}"
