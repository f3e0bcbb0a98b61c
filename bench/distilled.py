"""What a single tree keeps of a forest's gain: `distil` on the training rows and as many synthetic ones.

    python -m bench.distilled                  (the sets that a forest was quickest on first)
    python -m bench.distilled concrete boston

The division of rows is that of forest.py. A run is kept in bench/results/distilled.csv and not made again.
"""

from __future__ import annotations

import csv
import sys
from time import process_time
from typing import Any

import numpy as np

from bench.forest import FILE as FORESTS
from bench.forest import KINDS, Division, append, division, read_lines
from bench.papers.markdown import table

FILE = FORESTS.with_name("distilled.csv")
FIELDS = ("set", "tree", "forest", "distilled", "nodes", "seconds")


def measure(name: str) -> dict[str, Any]:
    """Errors of one tree, a forest and the tree distilled from it; its nodes, and the time that distilling takes."""
    rows = division(name)
    tree, forest = (KINDS[kind][0 if rows.classes else 1](random_state=0).fit(rows.X, rows.y) for kind in KINDS)
    start = process_time()
    distilled = forest.distil(rows.X)
    seconds = round(process_time() - start, 2)
    errors = (round(error_of(model, rows), 6) for model in (tree, forest, distilled))
    return dict(zip(FIELDS, (name, *errors, distilled.tree_.n_nodes, seconds), strict=True))


def error_of(model: Any, rows: Division) -> float:
    """Mean squared error, or the proportion of wrong classes, of the test rows."""
    answer = model.predict(rows.X_test)
    return float(np.mean(answer != rows.y_test if rows.classes else np.square(answer - rows.y_test)))


def known_runs() -> list[dict[str, str]]:
    """The runs made so far."""
    if not FILE.is_file():
        return []
    with FILE.open(newline="") as lines:
        return list(csv.DictReader(lines))


def run(names: list[str]) -> None:
    """All runs that are missing."""
    for name in names:
        if name in {one["set"] for one in known_runs()}:
            continue
        append(FILE, measure(name))


def to_markdown() -> str:
    """One row per set: the three errors, nodes of the distilled tree and the time."""
    rows = [
        [one["set"], *(f"{float(one[kind]):.4f}" for kind in FIELDS[1:4]), f"{one['nodes']}, {one['seconds']} s"]
        for one in known_runs()
    ]
    return table(["set", "one soft tree", "forest", "distilled", "distilled: nodes, time"], rows)


if __name__ == "__main__":
    forests = {name: float(line["seconds"]) for (name, model), line in read_lines().items() if model == "forest"}
    run(sys.argv[1:] or sorted(forests, key=lambda name: forests[name]))
    print(to_markdown())
