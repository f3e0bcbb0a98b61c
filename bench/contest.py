"""A comparison on tables that are not the papers': SoftTree against LightGBM, a forest and CART.

Every result is written to a file at once and not computed again: an interrupted run can be resumed; delete the file to
start over.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.pages import lay_out
from bench.papers.markdown import bold, table
from bench.papers.yardsticks import BoostedClassifier, BoostedRegressor, ForestClassifier, ForestRegressor
from softwood import CARTClassifier, CARTRegressor, SoftTreeClassifier, SoftTreeRegressor

SEEDS = 3
RESULTS = Path(__file__).parent / "results"
PAGES = Path(__file__).parents[1] / "docs" / "results"
MODELS: dict[str, tuple[Any, Any]] = {  # for classes, for numbers
    "SoftTree": (SoftTreeClassifier, SoftTreeRegressor),
    "LightGBM": (BoostedClassifier, BoostedRegressor),
    "forest": (ForestClassifier, ForestRegressor),
    "CART": (CARTClassifier, CARTRegressor),
}
Results = dict[str, dict[str, float]]  # "case/seed/model": error, nodes, seconds


class Rows(NamedTuple):
    """Inputs, an array or a data frame, and targets."""

    X: Any
    y: npt.NDArray[Any]


class Case(NamedTuple):
    """A table: whether its targets are classes, and its rows in an order that depends on the seed."""

    classes: bool
    draw: Callable[[int], Rows]


def measure(case: Case, model: str, seed: int) -> dict[str, float]:
    """Two thirds of the rows are fitted: error on the others, nodes and CPU seconds."""
    rows = case.draw(seed)
    kind, n = MODELS[model][0 if case.classes else 1], 2 * len(rows.X) // 3
    start = process_time()
    fitted = kind(random_state=seed).fit(rows.X[:n], rows.y[:n])
    seconds = process_time() - start
    wrong = fitted.predict(rows.X[n:]) != rows.y[n:]
    if not case.classes:
        wrong = np.square(fitted.predict(rows.X[n:]) - rows.y[n:]) / rows.y.var()
    nodes = fitted.tree_.n_nodes if hasattr(fitted, "tree_") else fitted.n_nodes
    return {"error": float(np.mean(wrong)), "nodes": int(nodes), "seconds": round(seconds, 2)}


def run(cases: Mapping[str, Case], models: list[str], seeds: int, file: Path) -> Results:
    """All results, those of an earlier run included."""
    results: Results = json.loads(file.read_text()) if file.is_file() else {}
    for name, case in cases.items():
        for key in (f"{name}/{seed}/{model}" for seed in range(seeds) for model in models):
            if key in results:
                continue
            _, seed, model = key.rsplit("/", 2)
            results[key] = measure(case, model, int(seed))
            file.write_text(json.dumps(results, indent=1) + "\n")
            print(f"{key}: {results[key]['error']:.4f}", flush=True)
    return results


def to_markdown(results: Results, first: str) -> str:
    """One line per case: errors, then nodes and seconds; a dash for a missing run. `first`: heading of the cases."""
    lines = []
    for name in tables_of(results):
        means = {model: means_of(results, name, model) for model in MODELS}
        known = {model: mean for model, mean in means.items() if mean is not None}
        least = min(mean["error"] for mean in known.values())
        errors = [bold(f"{known[m]['error']:.3f}", known[m]["error"] == least) if m in known else "–" for m in MODELS]
        rest = [f"{known[m]['nodes']:,.0f}, {known[m]['seconds']:.1f} s" if m in known else "–" for m in MODELS]
        lines.append([name, *errors, *rest])
    return table([first, *MODELS, *(f"{model}: nodes, time" for model in MODELS)], lines)


def tables_of(results: Results) -> list[str]:
    """Names of the cases, in the order in which they were run first."""
    return list(dict.fromkeys(key.rsplit("/", 2)[0] for key in results))


def count_firsts(results: Results) -> dict[str, int]:
    """On how many cases each model has the lowest error (on ties, the first of MODELS)."""
    best = [min(MODELS, key=lambda model: error_of(results, name, model)) for name in tables_of(results)]
    return {model: best.count(model) for model in MODELS}


def count_duels(results: Results) -> dict[str, tuple[int, int]]:
    """For each other model: on how many cases SoftTree has a lower error, and on how many both were run."""
    names, duels = tables_of(results), {}
    ours = {name: error_of(results, name, "SoftTree") for name in names}
    for model in list(MODELS)[1:]:
        theirs = {name: error_of(results, name, model) for name in names}
        met = [name for name in names if np.isfinite(ours[name]) and np.isfinite(theirs[name])]
        duels[model] = (sum(ours[name] < theirs[name] for name in met), len(met))
    return duels


def standing(results: Results) -> str:
    """On how many cases each model has the lowest error, and how SoftTree compares with each other one."""
    firsts = ", ".join(f"{model} {n}" for model, n in count_firsts(results).items() if n)
    duels = ", ".join(f"{model} on {won} of {met}" for model, (won, met) in count_duels(results).items() if met)
    told = f" SoftTree has less error than {duels}." if duels else ""
    return f"Number of the {len(tables_of(results))} tables with the lowest error: {firsts}.{told}"


def error_of(results: Results, name: str, model: str) -> float:
    """Mean error on a case; infinite if it was not run."""
    means = means_of(results, name, model)
    return np.inf if means is None else means["error"]


def means_of(results: Results, name: str, model: str) -> dict[str, float] | None:
    """Mean error, nodes and seconds on a case; None if it was not run."""
    mine = [result for key, result in results.items() if key.startswith(f"{name}/") and key.endswith(f"/{model}")]
    return {what: float(np.mean([one[what] for one in mine])) for what in mine[0]} if mine else None


def to_page(results: Results, first: str, head: str) -> str:
    """The page as Markdown; the first sentence of the head's notes, which command runs it, follows the standing."""
    title, _, notes = head.strip().partition("\n\n")
    run, _, notes = notes.partition(". ")
    told = f"{to_markdown(results, first)}\n\n{standing(results)} {' '.join(run.split())}."
    return lay_out(f"{title}\n\n{notes}", told)


def hold(name: str, cases: Mapping[str, Case], first: str, head: str) -> None:
    """Run, print and write the page `name`, which begins with `head`."""
    parser = argparse.ArgumentParser(description=head.splitlines()[0].lstrip("# "))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--results", type=Path, default=RESULTS / f"{name}.json", help="file of the runs")
    asked = parser.parse_args()
    models = list(MODELS)
    if importlib.util.find_spec("lightgbm") is None:
        print("skipped: LightGBM is not installed.")
        models.remove("LightGBM")
    asked.results.parent.mkdir(exist_ok=True)
    results = run(cases, models, asked.seeds, asked.results)
    text = to_page(results, first, head)
    (PAGES / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)
