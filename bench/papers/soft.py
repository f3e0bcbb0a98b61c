"""Soft trees on the data sets of the soft and budding tree papers, with the authors' folds: test error, nodes, seconds.

    python bench/papers/soft.py DATA [--sets boston,glass] [--folds 10] [--learner joint]

DATA (or the variable SOFTWOOD_DATA) is a folder with MANIFEST.csv, <name>.csv.gz and splits/<name>.csv.gz. Two columns:

    protocol   fitted on the training half, chosen on the other half (X_val), as the papers do
    both       fitted on both halves, no X_val

Regression: mean squared error of the z-scored target; else accuracy in per cent.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import pathlib
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import SoftTreeClassifier, SoftTreeRegressor

Rows = npt.NDArray[np.intp]


def read_set(folder: pathlib.Path, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
    """Inputs (empty: missing) and target."""
    with gzip.open(folder / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.reader(file))[1:]
    X = np.array([[float(cell) if cell else np.nan for cell in row[:-1]] for row in rows])
    return X, np.array([row[-1] for row in rows])


def read_fold(folder: pathlib.Path, name: str, y: npt.NDArray[Any], fold: int) -> tuple[Rows, Rows, Rows]:
    """Rows of the training half, the other half and the test third; stratified ones where none are published."""
    replication, half = fold // 2 + 1, fold % 2 + 1
    path = folder / "splits" / f"{name}.csv.gz"
    if path.exists():
        with gzip.open(path, "rt") as file:
            rows = list(csv.DictReader(file))
        part = np.array([row[f"rep{replication}"] for row in rows])
        test = np.array([row["test"] == "1" for row in rows])
        train = part == str(half)
        return np.flatnonzero(train), np.flatnonzero(~train & ~test), np.flatnonzero(test)
    _, code = np.unique(y, return_inverse=True)
    held = np.lexsort((np.random.RandomState(0).rand(len(y)), code))[::3]
    rest = np.setdiff1d(np.arange(len(y)), held)
    order = rest[np.lexsort((np.random.RandomState(replication).rand(len(rest)), code[rest]))]
    halves = (order[::2], order[1::2])
    return halves[half - 1], halves[2 - half], held


def run(folder: pathlib.Path, name: str, task: str, folds: int, learner: str) -> str:
    """One line of the table."""
    X, labels = read_set(folder, name)
    results: dict[str, list[tuple[float, float, float]]] = {"protocol": [], "both": []}
    for fold in range(folds):
        train, other, test = read_fold(folder, name, labels, fold)
        y: npt.NDArray[Any] = labels
        if task == "regression":
            number = labels.astype(np.float64)
            y = (number - number[train].mean()) / number[train].std(ddof=1)
        for mode, rows in (("protocol", train), ("both", np.r_[train, other])):
            model = SoftTreeRegressor(learner=learner) if task == "regression" else SoftTreeClassifier(learner=learner)
            # A rare class may be in one half only: rows of a class that was not trained on cannot be judged by.
            known = other if task == "regression" else other[np.isin(y[other], y[train])]
            held = {"X_val": X[known], "y_val": y[known]} if mode == "protocol" else {}
            begin = time.process_time()
            model.fit(X[rows], y[rows], **held)
            seconds = time.process_time() - begin
            answer = model.predict(X[test])
            score = np.mean((answer - y[test]) ** 2) if task == "regression" else 100 * np.mean(answer == y[test])
            results[mode].append((float(score), float(model.tree_.n_nodes), seconds))
    cells = []
    for found in results.values():
        score, nodes, seconds = np.mean(found, axis=0)
        cells.append(f"{score:8.4f} ({nodes:4.1f} nodes, {seconds:5.1f} s)")
    return f"{name:16s} " + "   ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", default=os.environ.get("SOFTWOOD_DATA", ""))
    parser.add_argument("--sets", default="")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--learner", default="joint")
    chosen = parser.parse_args()
    folder = pathlib.Path(chosen.data)
    if not chosen.data or not (folder / "MANIFEST.csv").exists():
        print(f"skipped: no data sets at {chosen.data!r}; give their folder, or set SOFTWOOD_DATA.")
        return
    with (folder / "MANIFEST.csv").open() as file:
        tasks = {row["name"]: row["task"] for row in csv.DictReader(file)}
    print(f"{'set':16s} {'protocol':34s} both halves")
    for name in chosen.sets.split(",") if chosen.sets else tasks:
        print(run(folder, name, tasks[name], chosen.folds, chosen.learner), flush=True)


if __name__ == "__main__":
    main()
