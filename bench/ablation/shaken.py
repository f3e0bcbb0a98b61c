"""The spread of one learner over what should make no difference: the same rows again, shaken a little.

    python -m bench.ablation --shaken "seeds,columns,noise,rows" --rows 1000 --seeds 10 --variants "default,LightGBM"

    seeds      another random_state                  columns   the inputs in another order
    noise      numbers times 1 + 1e-9 z, z normal    rows      one row in a hundred left out

The test rows stay as they are, and so does random_state, unless it is what is shaken. One row of the table is one
learner and one way to shake; a table's spread is the standard deviation of the logarithm of its errors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from bench.ablation.report import LEAST_ERROR
from bench.ablation.tables import Sample

NOISE = 1e-9
LEFT_OUT_SHARE = 0.01
STEADY = 0.02  # the spread that is wanted of tables of 500 rows and more


def _same(rows: Sample, rng: np.random.Generator) -> Sample:
    return rows


def _columns(rows: Sample, rng: np.random.Generator) -> Sample:
    """The inputs in another order, under their names."""
    order = rng.permutation(rows.X.shape[1])
    X, X_test = (pd.DataFrame(part).rename(columns="input {}".format).iloc[:, order] for part in (rows.X, rows.X_test))
    return Sample(X, rows.y, X_test, rows.y_test, rows.classes)


def _noise(rows: Sample, rng: np.random.Generator) -> Sample:
    return rows._replace(X=rows.X * (1.0 + NOISE * rng.normal(size=rows.X.shape)))


def _rows(rows: Sample, rng: np.random.Generator) -> Sample:
    kept = np.sort(rng.permutation(len(rows.X))[round(LEFT_OUT_SHARE * len(rows.X)) :])
    return rows._replace(X=rows.X[kept], y=rows.y[kept])


SHAKES: dict[str, Callable[[Sample, np.random.Generator], Sample]] = {
    "seeds": _same,
    "columns": _columns,
    "noise": _noise,
    "rows": _rows,
}


class Spread(NamedTuple):
    """Spreads of one learner under one way to shake; `tables` by name."""

    variant: str
    shaken: str
    tables: Mapping[str, float]

    @property
    def mean(self) -> float:
        return float(np.mean(list(self.tables.values())))

    @property
    def steady(self) -> int:
        """How many tables spread no more than is wanted."""
        return sum(spread <= STEADY for spread in self.tables.values())


def shake(rows: Sample, how: str, draw: int) -> Sample:
    """The rows, shaken."""
    return SHAKES[how](rows, np.random.default_rng(draw))


def spreads(runs: Iterable[Mapping[str, str]]) -> list[Spread]:
    """Of every learner and way to shake with two runs of a table, or more."""
    errors: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        if run.get("shaken"):
            errors[run["variant"], run["shaken"]][run["table"]].append(max(float(run["error"]), LEAST_ERROR))
    found = []
    for (variant, how), of_table in errors.items():
        tables = {name: float(np.log(all).std(ddof=1)) for name, all in of_table.items() if len(all) > 1}
        if tables:
            found.append(Spread(variant, how, tables))
    return found


def to_text(runs: Iterable[Mapping[str, str]]) -> str:
    """The spreads as a table in Markdown: the mean, how many tables are steady, the three that spread most."""
    lines = [f"| learner | shaken | tables | mean spread | at most {STEADY:g} | largest |", "|---|---|--:|--:|--:|---|"]
    for one in spreads(runs):
        largest = sorted(one.tables.items(), key=lambda pair: -pair[1])[:3]
        told = ", ".join(f"{name} {spread:.3f}" for name, spread in largest)
        lines.append(f"| {one.variant} | {one.shaken} | {len(one.tables)} | {one.mean:.3f} | {one.steady} | {told} |")
    return "\n".join(lines)
