"""`python -m bench.speed`: all cases, tables on the screen, docs/results/speed.md. `--quick`: small sizes, no page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.speed.cases import FITS, PREDICTIONS, Case
from bench.speed.clock import time_pair
from bench.speed.growth import measure_growth
from bench.speed.imports import import_seconds
from bench.speed.memory import FITS as MEMORY
from bench.speed.memory import peak_of
from bench.speed.report import Report, verdict

PAGE = Path("docs/results/speed.md")
MOST_MEMORY = 3.0  # times the float64 input
MOST_IMPORT = 0.2  # seconds


@dataclass(frozen=True)
class Sizes:
    """Rows of each part of the run, and how often a time is taken."""

    fit: int = 100_000
    predict: int = 1_000_000
    memory: int = 1_000_000
    growth: int = 1_000_000
    repeats: int = 2


QUICK = Sizes(fit=4_000, predict=100_000, memory=100_000, growth=10_000, repeats=1)


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute; ratios say little")
    sizes = QUICK if parser.parse_args().quick else Sizes()
    report = Report(None if sizes is QUICK else PAGE)
    add_ratios(report, f"Fit, {sizes.fit:,} x 20, full depth", FITS, sizes.fit, sizes.repeats)
    add_ratios(report, f"Predict, {sizes.predict:,} rows", PREDICTIONS, sizes.predict, sizes.repeats + 2)
    add_import(report)
    add_memory(report, sizes.memory)
    add_growth(report, sizes)


def add_import(report: Report) -> None:
    """Seconds of the import."""
    seconds = import_seconds(5)
    wanted = verdict(seconds, MOST_IMPORT, at_most=True)
    report.add("Import, beyond scikit-learn's trees", ["seconds", "wanted"], [[f"{seconds:.3f}", wanted]])


def add_ratios(report: Report, title: str, cases: Sequence[Case], n: int, repeats: int) -> None:
    """Times of both sides and how many times as fast ours is."""
    rows = []
    for case in cases:
        ours, theirs = case.works(n)
        pair = time_pair(ours, theirs, repeats, threads=case.threads)
        clock = "wall" if case.threads > 1 else "processor"
        times = [f"{pair.ours:.3f}", f"{pair.theirs:.3f}", f"{pair.ratio:.1f}"]
        rows.append([case.name, *times, verdict(pair.ratio, case.wanted), clock])
    report.add(title, ["case", "softwood s", "scikit-learn s", "times as fast", "wanted", "clock"], rows)


def add_memory(report: Report, n: int) -> None:
    """Peaks of fits, each in a process of its own."""
    rows = []
    for name in MEMORY:
        peak = peak_of(name, n)
        wanted = 0.0 if "scikit" in name or "full-depth" in name else MOST_MEMORY
        rows.append([name, f"{peak:.2f}", verdict(peak, wanted, at_most=True)])
    note = "Peak above interpreter and imports, in multiples of the float64 input, which is part of it."
    report.add(f"Memory of a fit, {n:,} x 10", ["fit", "peak / input", "wanted"], rows, note)


def add_growth(report: Report, sizes: Sizes) -> None:
    """Times by rows, columns and depth."""
    rows = [
        [f"{step.rows:,}", str(step.columns), str(step.depth), f"{step.exact:.3f}", f"{step.binned:.3f}"]
        + [f"{nanoseconds:.2f}" for nanoseconds in step.cell]
        for step in measure_growth(sizes.growth, 1)
    ]
    note = (
        "The last columns divide by rows x columns x depth: level but for the log of the sort, and caches left behind."
    )
    columns = ["rows", "columns", "depth", "exact s", "binned s", "exact ns a cell", "binned ns a cell"]
    report.add("Growth of the cost", columns, rows, note)


if __name__ == "__main__":
    main()
