"""Runs every variant on every table with every seed; an interrupted run can be resumed.

    python -m bench.ablation --rows 600 --seeds 3 --tables 30 --variants "default,quick"

One line of bench/results/ablation.csv is one fit, with its commit and processor. Tables take turns: when the time
budget ends, every variant has seen the same tables.
"""

from __future__ import annotations

import argparse
import csv
import platform
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from bench.ablation import shaken
from bench.ablation.report import DEFAULT, to_text
from bench.ablation.substitutes import substituted
from bench.ablation.tables import Rows, Sample, sample, tables
from bench.ablation.variants import VARIANTS, Variant
from bench.papers.experiment import commit

RESULTS = Path(__file__).parents[1] / "results" / "ablation.csv"
FIELDS = ("table", "rows", "seed", "variant", "error", "log_loss", "nodes", "seconds", "commit", "processor", "shaken")
LEAST_PROBABILITY = 1e-6


def measure(variant: Variant, rows: Sample, seed: int) -> dict[str, Any]:
    """Error (relative to the variance, or error rate), log loss of classes, nodes, processor time of the fit."""
    start = process_time()
    with substituted(variant.substituted):
        model = variant.make(rows.classes, seed).fit(rows.X, rows.y)
    seconds, loss = process_time() - start, float("nan")
    if rows.classes:
        error = float(np.mean(model.predict(rows.X_test) != rows.y_test))
        at = np.searchsorted(model.classes_, rows.y_test).clip(max=len(model.classes_) - 1)
        known = model.classes_[at] == rows.y_test
        given = np.where(known, model.predict_proba(rows.X_test)[np.arange(len(at)), at], 0.0)
        loss = float(-np.log(np.maximum(given, LEAST_PROBABILITY)).mean())
    else:
        error = float(np.mean((model.predict(rows.X_test) - rows.y_test) ** 2) / rows.y_test.var())
    return {"error": error, "log_loss": loss, "nodes": count_nodes(model), "seconds": round(seconds, 3)}


def count_nodes(model: Any) -> int:
    """Nodes of a tree, or of all trees of LightGBM."""
    if hasattr(model, "tree_"):
        return int(model.tree_.n_nodes)
    return sum(2 * tree["num_leaves"] - 1 for tree in model.booster_.dump_model()["tree_info"])


def name_processor() -> str:
    """The name of this machine's processor."""
    told = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").is_file() else ""
    models = [line.split(":", 1)[1].strip() for line in told.splitlines() if line.startswith("model name")]
    return f"{models[0]}, {platform.machine()}" if models else platform.machine()


def known_runs(file: Path) -> list[dict[str, str]]:
    """The fits made so far."""
    if not file.is_file():
        return []
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


class Fit(NamedTuple):
    """One fit: a variant on a table, drawn by the seed, or the first draw shaken by it."""

    table: str
    rows: int
    shaken: str
    seed: int
    variant: str

    def sample(self, table: tuple[Rows, bool]) -> Sample:
        """Its rows."""
        rows = sample(table, self.rows, 0 if self.shaken else self.seed)
        return shaken.shake(rows, self.shaken, self.seed) if self.shaken else rows

    @property
    def random_state(self) -> int:
        return self.seed if self.shaken in ("", "seeds") else 0


def to_do(done: list[dict[str, str]], asked: argparse.Namespace, names: list[str]) -> Iterator[Fit]:
    """Fits that are missing, seed by seed and table by table."""
    have = {(run["table"], run["rows"], run.get("shaken") or "", run["seed"], run["variant"]) for run in done}
    for seed, name, how, variant in product(
        range(asked.seeds), names, asked.shaken.split(","), asked.variants.split(",")
    ):
        if (name, str(asked.rows), how, str(seed), variant) not in have:
            yield Fit(name, asked.rows, how, seed, variant)


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=600, help="rows to learn from, at most")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tables", type=int, default=None, help="number of tables, drawn from all once and for all")
    parser.add_argument("--names", default=None, help="of tables, separated by semicolons, in place of --tables")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="names, separated by commas; see variants.py")
    parser.add_argument("--minutes", type=float, default=120.0, help="of processor time, after which no fit begins")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--beside", default=DEFAULT, help="the variant that the others are compared with")
    parser.add_argument("--shaken", default="", help="the same rows, shaken by the seed; see shaken.py")
    parser.add_argument("--report", action="store_true", help="only print what there is")
    asked = parser.parse_args()
    if not asked.report:
        fit_all(asked)
    runs = known_runs(asked.results)
    print(shaken.to_text(runs) if asked.shaken else to_text(runs, asked.beside))


def fit_all(asked: argparse.Namespace) -> None:
    """All missing fits, until the time is up."""
    made = tables()
    names = list(made) if asked.names is None else asked.names.split(";")
    if asked.tables is not None:
        names = [names[i] for i in np.random.default_rng(0).permutation(len(names))[: asked.tables]]
    origin = {"commit": commit(), "processor": name_processor()}
    todo = list(to_do(known_runs(asked.results), asked, names))
    asked.results.parent.mkdir(exist_ok=True)
    new, start = not asked.results.is_file(), process_time()
    with asked.results.open("a", newline="") as lines:
        writer = csv.DictWriter(lines, FIELDS)
        if new:
            writer.writeheader()
        for fit in todo:
            if process_time() - start > 60 * asked.minutes:
                print(f"{asked.minutes:g} minutes are over; run again to go on.")
                return
            found = measure(VARIANTS[fit.variant], fit.sample(made[fit.table]()), fit.random_state)
            writer.writerow({**fit._asdict(), **found, **origin})
            lines.flush()
