"""The printed numbers of the source documents, from published.csv: one line per data set and column.

    icpr      İrsoy, Yıldız, Alpaydın: Soft Decision Trees, ICPR 2012, Tables 1 and 2 (the title of Table 2 says error,
              its figures are accuracies)
    budding   the same: Budding Trees, poster 2014, its three tables
    magic     Dvořák, Savický: Softening Splits in Decision Trees Using Simulated Annealing, 2007, both tables

`value` keeps the printed digits. `best_value` and `best_nodes`: bold in the paper, that is significantly better than
every other column (the poster's text has no bold).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("published.csv")


@dataclass(frozen=True)
class Printed:
    """One printed result. `code`: the set's letters, or the number of a split of MAGIC."""

    document: str
    table: str
    code: str
    column: str
    measure: str
    value: str
    nodes: str
    bold: bool
    bold_nodes: bool

    @property
    def number(self) -> float:
        return float(self.value)

    @property
    def decimals(self) -> int:
        return len(self.value.partition(".")[2])


def read_published(file: Path = FILE) -> list[Printed]:
    """All lines, in the documents' order."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            Printed(
                line["document"],
                line["table"],
                line["set"],
                line["column"],
                line["measure"],
                line["value"],
                line["nodes"],
                line["best_value"] == "1",
                line["best_nodes"] == "1",
            )
            for line in csv.DictReader(lines)
        ]


def best_printed(printed: list[Printed]) -> dict[str, Printed]:
    """For each set the best figure that either paper prints for any method."""
    best: dict[str, Printed] = {}
    for one in printed:
        if one.measure not in ("mse", "accuracy"):
            continue
        known = best.get(one.code)
        lower = one.measure == "mse"
        if known is None or (one.number < known.number if lower else one.number > known.number):
            best[one.code] = one
    return best
