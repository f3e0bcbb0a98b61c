"""Budding trees on the data sets of the poster, with the authors' folds: both learners, test error, nodes, seconds.

    python -m bench.papers.budding DATA [--sets boston,glass] [--folds 10] [--learners joint,online]

DATA (or the variable SOFTWOOD_DATA) is a folder as bench/papers/soft.py describes it. Fitted on the training half,
chosen on the other half (X_val), as the poster does. Regression: mean squared error of the z-scored target; else
accuracy in per cent.
"""

from __future__ import annotations

import argparse
import csv
import os
import pathlib
import time
from typing import Any

import numpy as np

from bench.papers.soft import read_fold, read_set
from softwood import BuddingTreeClassifier, BuddingTreeRegressor


def run(folder: pathlib.Path, name: str, task: str, folds: int, learner: str) -> str:
    """One line of the table."""
    X, labels = read_set(folder, name)
    found = []
    for fold in range(folds):
        train, other, test = read_fold(folder, name, labels, fold)
        y: Any = labels
        model: Any = BuddingTreeClassifier(learner=learner)
        if task == "regression":
            number = labels.astype(np.float64)
            y = (number - number[train].mean()) / number[train].std(ddof=1)
            model = BuddingTreeRegressor(learner=learner)
        else:  # rows of a class that was not trained on cannot be judged by
            other = other[np.isin(y[other], y[train])]
        begin = time.process_time()
        model.fit(X[train], y[train], X_val=X[other], y_val=y[other])
        seconds = time.process_time() - begin
        answer = model.predict(X[test])
        score = np.mean((answer - y[test]) ** 2) if task == "regression" else 100 * np.mean(answer == y[test])
        found.append((float(score), float(model.n_nodes_), model.effective_size_, seconds))
    score, nodes, size, seconds = np.mean(found, axis=0)
    return f"{name:16s} {learner:7s} {score:8.4f}  {nodes:5.1f} nodes, effective {size:5.1f}, {seconds:5.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", default=os.environ.get("SOFTWOOD_DATA", ""))
    parser.add_argument("--sets", default="")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--learners", default="joint,online")
    chosen = parser.parse_args()
    folder = pathlib.Path(chosen.data)
    if not chosen.data or not (folder / "MANIFEST.csv").exists():
        print(f"skipped: no data sets at {chosen.data!r}; give their folder, or set SOFTWOOD_DATA.")
        return
    with (folder / "MANIFEST.csv").open() as file:
        tasks = {row["name"]: row["task"] for row in csv.DictReader(file)}
    for name in chosen.sets.split(",") if chosen.sets else tasks:
        for learner in chosen.learners.split(","):
            print(run(folder, name, tasks[name], chosen.folds, learner), flush=True)


if __name__ == "__main__":
    main()
