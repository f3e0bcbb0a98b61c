"""Soft forests on the papers' sets: one soft tree, eight, LightGBM and a random forest, fold 0, both halves.

    python -m bench.forest                     (all sets, the small ones first)
    python -m bench.forest boston protein_casp

Every fit is written to bench/results/forest.csv at once and not repeated: an interrupted run can be resumed. Errors are
on the test third: mean squared error of the z-scored target, or error rate. LightGBM and the random forest are in
bench/papers/results, on the same rows.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.large import public_tables
from bench.papers.markdown import bold, table
from softwood import SoftForestClassifier, SoftForestRegressor, SoftTreeClassifier, SoftTreeRegressor, save
from softwood.datasets import folds, load
from softwood.datasets.catalog import BY_NAME

FILE = Path(__file__).parent / "results" / "forest.csv"
STORED = Path(__file__).parent / "papers" / "results"
FIELDS = ("set", "model", "n_train", "error", "nodes", "seconds", "bytes")
LARGE = {"protein_casp": 20_000, "letter": 13_333}
KINDS = {
    "tree": (SoftTreeClassifier, SoftTreeRegressor),
    "forest": (SoftForestClassifier, SoftForestRegressor),
}
OTHERS = {"LightGBM": "lightgbm-both", "random forest": "forest-both"}
Line = dict[str, Any]
Lines = dict[tuple[str, str], Line]  # by set and model


class Division(NamedTuple):
    """Training rows, test rows, and whether targets are classes."""

    X: Any
    y: npt.NDArray[Any]
    X_test: Any
    y_test: npt.NDArray[Any]
    classes: bool


def division(name: str) -> Division:
    """Both halves and the test third of fold 0; of a large table two thirds at most."""
    if name in LARGE:
        folder = Path(os.environ["SOFTWOOD_DATA"]) / "large"
        part = public_tables(folder)[name].draw(LARGE[name], 0)
        scale = (0.0, 1.0) if part.classes else (0.0, float(part.test.y.std()))
        y, y_test = (rows.y if part.classes else rows.y / scale[1] for rows in (part.train, part.test))
        return Division(part.train.X, y, part.test.X, y_test, part.classes)
    data = load(name)
    fold = folds(data)[0]
    train, y, classes = np.sort(np.r_[fold.train, fold.validation]), data.y, data.task != "regression"
    if not classes:
        half = y[fold.train]
        y = (y - half.mean()) / half.std(ddof=1)
    return Division(data.X[train], y[train], data.X[fold.test], y[fold.test], classes)


def measure(name: str, model: str, rows: Division) -> Line:
    """One fit: error, nodes, seconds of the processor, bytes of the file."""
    fitted = KINDS[model][0 if rows.classes else 1](random_state=0)
    start = process_time()
    fitted.fit(rows.X, rows.y)
    seconds = process_time() - start
    answer = fitted.predict(rows.X_test)
    wrong = answer != rows.y_test if rows.classes else np.square(answer - rows.y_test)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.softwood"
        save(fitted, path)
        size = path.stat().st_size
    values = (name, model, len(rows.y), round(float(np.mean(wrong)), 6), fitted.tree_.n_nodes, round(seconds, 2), size)
    return dict(zip(FIELDS, values, strict=True))


def read_lines() -> Lines:
    """The existing fits, and those of other models on the same rows."""
    lines: Lines = {}
    if FILE.is_file():
        with FILE.open(newline="") as file:
            lines = {(line["set"], line["model"]): line for line in csv.DictReader(file)}
    for model, stem in OTHERS.items():
        with (STORED / f"{stem}.csv").open(newline="") as file:
            for line in csv.DictReader(file):
                if line["fold"] == "0":
                    error = float(line["mse"]) if line["mse"] else 1.0 - float(line["accuracy"])
                    lines[line["set"], model] = {"error": error, "nodes": line["nodes"], "seconds": line["fit_s"]}
    for name, n in LARGE.items():
        stored = json.loads((FILE.parent / "large.json").read_text())
        seeds = [one for key, one in stored.items() if key.startswith(f"{name}/{n}/") and key.endswith("/0/LightGBM")]
        lines |= {(name, "LightGBM"): seeds[0]} if seeds else {}
    return lines


def append(path: Path, line: Line) -> None:
    """Write a run at once, below a header where the file is new."""
    is_new = not path.is_file()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, list(line), lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(line)
    print(*line.values(), flush=True)


def run(names: list[str]) -> None:
    """Run the missing fits."""
    FILE.parent.mkdir(exist_ok=True)
    for name in names:
        missing = [model for model in KINDS if (name, model) not in read_lines()]
        rows = division(name) if missing else None
        for model in missing:
            assert rows is not None
            append(FILE, measure(name, model, rows))


def to_markdown(lines: Lines) -> str:
    """One row per data set: errors, then nodes, seconds and bytes. The lowest error is bold."""
    models, rows = (*KINDS, *OTHERS), []
    for name in dict.fromkeys(name for name, model in lines if model == "forest"):
        found = {model: lines[name, model] for model in models if (name, model) in lines}
        least = min(float(one["error"]) for one in found.values())
        cells = [
            bold(f"{float(found[m]['error']):.4f}", float(found[m]["error"]) == least) if m in found else "–"
            for m in models
        ]
        rest = [
            f"{int(float(found[m]['nodes'])):,}, {float(found[m]['seconds']):.1f} s" if m in found else "–"
            for m in models
        ]
        sizes = [f"{int(found[m]['bytes']) // 1000} kB" for m in KINDS]
        rows.append([name, *cells, *rest, *sizes])
    head = ["set", *models, *(f"{m}: nodes, time" for m in models), *(f"{m}: file" for m in KINDS)]
    return table(head, rows)


if __name__ == "__main__":
    by_rows = sorted(BY_NAME, key=lambda name: BY_NAME[name].rows)
    run(sys.argv[1:] or [*by_rows, *LARGE])
    print(to_markdown(read_lines()))
