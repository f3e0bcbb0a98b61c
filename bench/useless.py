"""Useless inputs: what a tree loses when most of the inputs say nothing, beside a forest, LightGBM and CART.

    python -m bench.useless                              (make useless)

Every result is written to results/useless.json as soon as it is there, and not made again: a run that was stopped
goes on where it was; delete the file to begin afresh. The table is printed and written to docs/results/useless.md.
Data are made, not read: Friedman 1 (1991), the clusters of scikit-learn's `make_classification` (after Guyon, 2003),
and steps, which suit hard trees.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_classification, make_friedman1

from bench.papers.markdown import bold, table
from bench.papers.yardsticks import BoostedClassifier, BoostedRegressor, ForestClassifier, ForestRegressor
from softwood import CARTClassifier, CARTRegressor, SoftTreeClassifier, SoftTreeRegressor

SEEDS = 3
RESULTS = Path(__file__).parent / "results" / "useless.json"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "useless.md"
MODELS: dict[str, tuple[Any, Any]] = {  # for classes, for numbers
    "SoftTree": (SoftTreeClassifier, SoftTreeRegressor),
    "LightGBM": (BoostedClassifier, BoostedRegressor),
    "forest": (ForestClassifier, ForestRegressor),
    "CART": (CARTClassifier, CARTRegressor),
}
HEAD = """# Useless inputs

Made by `make useless`; the runs are in `bench/results/useless.json`. Tables in which only some inputs say anything, all
of them drawn at random: two thirds of the rows to learn from, the mean of three draws. Errors are parts of the target's
variance, or of the rows. All with their defaults and one thread; LightGBM takes the better of 7 and 31 leaves and stops
early on a fifth of the rows; the forest has 300 trees. Bold: the least error.
"""
Results = dict[str, dict[str, float]]  # "case/seed/model": error, nodes, seconds


class Rows(NamedTuple):
    """Inputs and targets."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]


class Case(NamedTuple):
    """A table to draw: how many of its inputs say something, whether targets are classes."""

    useful: int
    inputs: int
    classes: bool
    draw: Callable[[int, int], Rows]  # inputs, seed


def friedman(inputs: int, seed: int) -> Rows:
    """Friedman 1: a product, a square and two lines."""
    return Rows(*make_friedman1(1500, inputs, noise=1.0, random_state=seed))


def clusters(inputs: int, seed: int) -> Rows:
    """Two classes in four clusters each, at the corners of a cube in ten dimensions."""
    how = {"n_informative": 10, "n_redundant": 0, "n_clusters_per_class": 4, "flip_y": 0.05}
    return Rows(*make_classification(3000, inputs, random_state=seed, **how))


def steps(inputs: int, seed: int) -> Rows:
    """Three steps and a line behind one of them."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(3000, inputs))
    y = 2.0 * (X[:, 0] > 0) + 3.0 * ((X[:, 1] > 0.5) & (X[:, 2] > 0)) + np.where(X[:, 3] > 1, X[:, 4], 0.0)
    return Rows(X, y + 0.3 * rng.normal(size=3000))


CASES = {
    **{f"Friedman 1, 5 of {n}": Case(5, n, False, friedman) for n in (5, 10, 30, 100, 300)},
    **{f"clusters, 10 of {n}": Case(10, n, True, clusters) for n in (10, 20, 50, 100)},
    **{f"steps, 5 of {n}": Case(5, n, False, steps) for n in (5, 20, 50)},
}


def measure(case: Case, model: str, seed: int) -> dict[str, float]:
    """Error on the rows held out, nodes and CPU seconds of one fit."""
    rows = case.draw(case.inputs, seed)
    kind, n = MODELS[model][0 if case.classes else 1], 2 * len(rows.X) // 3
    start = process_time()
    fitted = kind(random_state=seed).fit(rows.X[:n], rows.y[:n])
    seconds = process_time() - start
    wrong = fitted.predict(rows.X[n:]) != rows.y[n:]
    if not case.classes:
        wrong = np.square(fitted.predict(rows.X[n:]) - rows.y[n:]) / rows.y.var()
    nodes = fitted.tree_.n_nodes if hasattr(fitted, "tree_") else fitted.n_nodes
    return {"error": float(np.mean(wrong)), "nodes": int(nodes), "seconds": round(seconds, 2)}


def run(cases: dict[str, Case], models: list[str], seeds: int, file: Path) -> Results:
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


def to_markdown(results: Results) -> str:
    """A line a case: errors, then nodes and seconds; a dash where a run is yet to be made."""
    lines = []
    for name in dict.fromkeys(key.rsplit("/", 2)[0] for key in results):
        means = {model: _means(results, name, model) for model in MODELS}
        known = {model: mean for model, mean in means.items() if mean is not None}
        least = min(mean["error"] for mean in known.values())
        errors = [bold(f"{known[m]['error']:.3f}", known[m]["error"] == least) if m in known else "–" for m in MODELS]
        rest = [f"{known[m]['nodes']:,.0f}, {known[m]['seconds']:.1f} s" if m in known else "–" for m in MODELS]
        lines.append([name, *errors, *rest])
    return table(["useful of all inputs", *MODELS, *(f"{model}: nodes, time" for model in MODELS)], lines)


def standing(results: Results) -> str:
    """On how many cases each model has the least error, in one line."""
    names = list(dict.fromkeys(key.rsplit("/", 2)[0] for key in results))
    best = [min(MODELS, key=lambda model: _error(results, name, model)) for name in names]
    firsts = ", ".join(f"{model} {best.count(model)}" for model in MODELS if model in best)
    return f"Least error on so many of the {len(names)} tables: {firsts}."


def _error(results: Results, name: str, model: str) -> float:
    means = _means(results, name, model)
    return np.inf if means is None else means["error"]


def _means(results: Results, name: str, model: str) -> dict[str, float] | None:
    mine = [result for key, result in results.items() if key.startswith(f"{name}/") and key.endswith(f"/{model}")]
    return {what: float(np.mean([one[what] for one in mine])) for what in mine[0]} if mine else None


def main() -> None:
    """Run, print the table and write the page."""
    parser = argparse.ArgumentParser(description="Useless inputs.")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the runs")
    asked = parser.parse_args()
    models = list(MODELS)
    if importlib.util.find_spec("lightgbm") is None:
        print("skipped: LightGBM is not installed.")
        models.remove("LightGBM")
    asked.results.parent.mkdir(exist_ok=True)
    results = run(CASES, models, asked.seeds, asked.results)
    text = f"{to_markdown(results)}\n\n{standing(results)}"
    PAGE.write_text(f"{HEAD}\n{text}\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
