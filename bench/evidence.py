"""Curves by evidence: one node fitted without held-out rows, against the soft tree's root and the whole tree.

    SOFTWOOD_DATA=<folder of the sets> python -m bench.evidence          (make evidence)

Error (part of the rows, or of the target's variance), log loss of classes, processor seconds of a fit on one thread.
Each seed splits the papers' data sets anew: two thirds, at most MOST_ROWS, for training. Adult and flights are split as
in bench/large.py. Every fit is written at once; an interrupted run can be resumed. `--models evidence root` leaves out
the whole tree, which takes most of the time.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from bench.contest import Rows
from bench.large import LargeTable, Part, public_tables
from bench.papers.markdown import bold, table
from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.datasets import load
from softwood.learners.soft.options import JointOptions

RESULTS = Path(__file__).parent / "results" / "evidence.json"
PAGE = Path(__file__).parents[1] / "docs" / "design" / "evidence.md"
BEGIN = "<!-- made by make evidence -->"
MODELS = ("evidence", "root", "tree")  # one node by evidence, today's one node, the default tree
MOST_ROWS, TEST_ROWS = 4_000, 20_000
SIZES = (1_000, 4_000)  # of adult and flights
SETS = (
    "boston", "concrete", "abalone", "breast", "pima", "german", "glass", "ecoli", "cmc", "yeast", "balance",
    "dermatology", "california", "comp_activ", "segment", "pageblocks",
)  # fmt: skip
MakePart = Callable[[], tuple[Part, list[int] | None]]
Results = dict[str, dict[str, float]]  # "set/rows/seed/model": error, log loss, seconds, nodes


class EvidenceClassifier(SoftTreeClassifier):
    """A soft tree whose search has curves by evidence among its trials."""

    def _joint(self, engine: str = "memory") -> JointOptions:
        return with_evidence(super()._joint(engine))


class EvidenceRegressor(SoftTreeRegressor):
    """The same for numbers."""

    def _joint(self, engine: str = "memory") -> JointOptions:
        return with_evidence(super()._joint(engine))


def with_evidence(how: JointOptions) -> JointOptions:
    """The options with one step more."""
    return replace(how, steps=replace(how.steps, curves_by_evidence=True))


def parts(names: list[str], seeds: int, folder: Path) -> Iterator[tuple[str, MakePart]]:
    """Every case; its rows and categories are built on access."""
    for name in names:
        for seed in range(seeds):
            yield f"{name}/0/{seed}", partial(of_papers, name, seed)
    for name, large in public_tables(folder / "large").items():
        for n in SIZES if name in ("adult", "flights") else ():
            for seed in range(seeds):
                yield f"{name}/{n}/{seed}", partial(of_large, large, n, seed)


def of_large(large: LargeTable, n: int, seed: int) -> tuple[Part, list[int] | None]:
    """A part of a larger table, whose categories are columns of that kind."""
    return large.draw(n, seed), None


def of_papers(name: str, seed: int) -> tuple[Part, list[int] | None]:
    """One of the papers' data sets, split by the seed; and its categories."""
    from sklearn.model_selection import train_test_split

    data = load(name)
    classes, n = data.task != "regression", len(data.y)
    train, test = train_test_split(
        np.arange(n), train_size=min(2 / 3, MOST_ROWS / n), random_state=seed, stratify=data.y if classes else None
    )
    part = Part(Rows(data.X[train], data.y[train]), Rows(data.X[test], data.y[test]), classes)
    return part, np.flatnonzero(data.category).tolist() or None


def measure(part: Part, categories: list[int] | None, name: str) -> dict[str, float]:
    """Error, log loss, seconds and nodes of a fit."""
    plain, by_evidence = (
        (SoftTreeClassifier, EvidenceClassifier) if part.classes else (SoftTreeRegressor, EvidenceRegressor)
    )
    how: dict[str, Any] = {"n_jobs": 1} | ({"categorical_features": categories} if categories else {})
    how |= {} if name == "tree" else {"max_leaves": 1}
    model = (by_evidence if name == "evidence" else plain)(**how)
    start = process_time()
    model.fit(*part.train)
    seconds = process_time() - start
    X, y = part.test.X[:TEST_ROWS], part.test.y[:TEST_ROWS]
    found = {"seconds": round(seconds, 2), "nodes": int(model.tree_.n_nodes)}
    answer = model.predict(X)
    if not part.classes:
        return {"error": round(float(np.mean(np.square(answer - y)) / y.var()), 5)} | found
    chance = model.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    log_loss = -float(np.mean(np.log(np.maximum(chance, 1e-9))))
    return {"error": round(float(np.mean(answer != y)), 5), "log loss": round(log_loss, 5)} | found


def run(names: list[str], models: list[str], seeds: int, file: Path) -> Results:
    """All results, those of an earlier run included."""
    results: Results = json.loads(file.read_text()) if file.is_file() else {}
    for case, make in parts(names, seeds, Path(os.environ["SOFTWOOD_DATA"])):
        for key in (f"{case}/{model}" for model in models if f"{case}/{model}" not in results):
            results[key] = measure(*make(), key.rsplit("/", 1)[1])
            file.write_text(json.dumps(results, indent=1) + "\n")
            print(f"{key}: {results[key]}", flush=True)
    return results


def to_markdown(results: Results) -> str:
    """One line for every data set and number of rows on which all models were run, as means over their common seeds."""
    lines, ratio = (
        [],
        {(model, what): list[float]() for model in MODELS[1:] for what in ("error", "log loss", "seconds")},
    )
    for case in dict.fromkeys(key.rsplit("/", 2)[0] for key in results):
        seeds = [s for s in range(9) if all(f"{case}/{s}/{model}" in results for model in MODELS)]
        if not seeds:
            continue
        mean = {
            m: {w: np.mean([results[f"{case}/{s}/{m}"][w] for s in seeds]) for w in results[f"{case}/{seeds[0]}/{m}"]}
            for m in MODELS
        }
        for model, what in ratio:
            if what in mean[model] and min(mean[m]["error"] for m in MODELS) > 0:  # no ratio to an error of 0
                ratio[model, what].append(float(mean["evidence"][what] / mean[model][what]))
        least = min(mean[m]["error"] for m in MODELS)
        name, rows = case.split("/")
        told = [bold(f"{mean[m]['error']:.4f}", mean[m]["error"] == least) for m in MODELS]
        lost = [f"{mean[m]['log loss']:.3f}" if "log loss" in mean[m] else "–" for m in MODELS]
        took = [f"{mean[m]['seconds']:.1f}" for m in MODELS]
        lines.append([name if rows == "0" else f"{name}, {int(rows):,}", str(len(seeds)), *told, *lost, *took])
    head = ["set", "splits"] + [f"{model}: {what}" for what in ("error", "log loss", "s") for model in MODELS]
    means = "; ".join(
        f"{what} {np.exp(np.mean(np.log(ratio[model, what]))):.3f} of the {model}'s"
        for model, what in ratio
        if ratio[model, what]
    )
    return f"{table(head, lines)}\n\nEvidence in the geometric mean of the lines without an error of 0: {means}.\n"


def main() -> None:
    """Run the selected cases and write the table into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=MODELS)
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the runs")
    asked = parser.parse_args()
    text = to_markdown(run(asked.sets, asked.models, asked.seeds, asked.results))
    head = PAGE.read_text(encoding="utf-8").split(BEGIN)[0]
    PAGE.write_text(f"{head}{BEGIN}\n\n{text}", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
