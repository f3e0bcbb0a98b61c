"""The MAGIC tables of Dvořák & Savický: 7 random 2:1 splits, test errors of hard and soft trees.

    python -m bench.papers.magic --data FOLDER          (make magic)

FOLDER (or the environment's SOFTWOOD_DATA) holds magic.csv.gz or magic.csv: a header, ten numbers, last the class.

Every result is written to results/magic.json at once and not repeated: an interrupted run can be resumed; delete the
file to start over. The table is printed and written to docs/results/magic.md.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import train_test_split

from bench.papers.magic_page import write_page
from softwood import C45Classifier, CARTClassifier, SoftenedTreeClassifier, SoftTreeClassifier, soften

SPLITS = 7
LARGEST = 300  # leaves of the largest CART tree that is looked at on the test rows
RESULTS = Path(__file__).parent / "results" / "magic.json"
Results = dict[str, dict[str, dict[str, float]]]  # split, classifier: error, leaves, seconds


class Rows(NamedTuple):
    """Inputs and classes."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]


def find_data(folder: str | None) -> Path | None:
    """The data file, or None if there is no such folder or file."""
    place = Path(folder or os.environ.get("SOFTWOOD_DATA", ""))
    files = [place / name for name in ("magic.csv.gz", "magic.csv")]
    return next((file for file in files if file.is_file()), None)


def load(file: Path) -> Rows:
    """Inputs and classes of the file."""
    cells = np.loadtxt(file, str, delimiter=",", skiprows=1)
    return Rows(cells[:, :-1].astype(np.float64), cells[:, -1])


class Split:
    """One split: its rows, and the classifiers of the table. Hard trees are grown once and softened several times."""

    def __init__(self, rows: Rows, number: int) -> None:
        self.number = number
        train_x, test_x, train_y, test_y = train_test_split(rows.X, rows.y, test_size=1 / 3, random_state=number)
        self.train, self.test = Rows(train_x, train_y), Rows(test_x, test_y)

    @cached_property
    def cart(self) -> CARTClassifier:
        """The paper's: grown on two thirds of the training rows, pruned by the last third."""
        inner = train_test_split(*self.train, test_size=1 / 3, random_state=self.number)
        return CARTClassifier(prune="validation", one_se=False).fit(inner[0], inner[2], X_val=inner[1], y_val=inner[3])

    @cached_property
    def cart_on_all(self) -> CARTClassifier:
        """Grown on all training rows, pruned by cross-validation."""
        return CARTClassifier(one_se=False).fit(*self.train)

    def best_cart(self) -> CARTClassifier:
        """The tree of the paper's sequence that is best on the test rows: a lower bound for any method."""
        sizes = [int(n) for n in self.cart.pruning_table_.n_leaves if n <= LARGEST]
        return max((self.cart.prune_to(n_leaves=n) for n in sizes), key=lambda model: model.score(*self.test))

    @property
    def classifiers(self) -> dict[str, Callable[[], Any]]:
        """The columns of the table."""
        return {
            "CART": lambda: self.cart,
            "CART best on test": self.best_cart,
            "CART on all rows": lambda: self.cart_on_all,
            "CART softened": lambda: SoftenedTreeClassifier(random_state=self.number).fit(*self.train),
            "mean widths": lambda: SoftenedTreeClassifier(mean_widths=True, random_state=self.number).fit(*self.train),
            "by statistics": lambda: soften(self.cart_on_all, *self.train),
            "by gradient": lambda: soften(self.cart_on_all, *self.train, method="gradient"),
            "C4.5": lambda: C45Classifier(confidence=0.1).fit(*self.train),
            "C4.5 soft": lambda: C45Classifier(confidence=0.1, soft_thresholds=True).fit(*self.train),
            "SoftTree": lambda: SoftTreeClassifier().fit(*self.train),
        }

    def measure(self, name: str) -> dict[str, float]:
        """Test error, leaves and CPU seconds of a classifier."""
        start = process_time()
        model = self.classifiers[name]()
        seconds = process_time() - start
        error = 1.0 - float(model.score(*self.test))
        return {"error": error, "leaves": int(model.get_n_leaves()), "seconds": round(seconds, 2)}


def run(rows: Rows, n_splits: int, file: Path) -> Results:
    """All results, those of an earlier run included."""
    results: Results = json.loads(file.read_text()) if file.is_file() else {}
    for number in range(n_splits):
        split, found = Split(rows, number), results.setdefault(str(number), {})
        for name in split.classifiers:
            if name in found:
                continue
            found[name] = split.measure(name)
            file.write_text(json.dumps(results, indent=1) + "\n")
            print(f"split {number + 1}: {name} {found[name]['error']:.4f}", flush=True)
    return results


def main() -> None:
    """Run the splits, print the tables and write the page."""
    parser = argparse.ArgumentParser(description="The MAGIC tables.")
    parser.add_argument("--data", help="folder with magic.csv.gz (default: SOFTWOOD_DATA)")
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the runs")
    asked = parser.parse_args()
    file = find_data(asked.data)
    if file is None:
        print("skipped: no magic.csv.gz; name its folder by --data or SOFTWOOD_DATA.")
        return
    asked.results.parent.mkdir(exist_ok=True)
    results = run(load(file), asked.splits, asked.results)
    print(write_page(list(results.values())))


if __name__ == "__main__":
    main()
