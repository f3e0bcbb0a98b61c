"""`python -m bench.speed`: all cases, tables on the screen, docs/results/speed.md.

`--quick`: small sizes, no page. `--only rivals,soft-growth`: these parts; the page's other sections stay.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.speed import gradient, soft_growth, soft_rows, sparse
from bench.speed.cases import FITS, PREDICTIONS, Case
from bench.speed.clock import time_pair
from bench.speed.growth import measure_growth
from bench.speed.imports import import_seconds
from bench.speed.memory import FITS as MEMORY
from bench.speed.memory import peak_of
from bench.speed.report import Report, verdict
from bench.speed.rival import CASES, PREDICTED, ask
from bench.speed.rivals import BY_NAME, RIVALS

PAGE = Path("docs/results/speed.md")
MOST_MEMORY = 3.0  # times the float64 input
OURS, FASTER_THAN_SOFT = "softwood, soft, joint", 20.0  # the whole default fit; times as fast as others' soft trees
MOST_IMPORT = 0.2  # seconds


@dataclass(frozen=True)
class Sizes:
    """Rows of each part of the run, and how often a time is taken."""

    fit: int = 100_000
    predict: int = 1_000_000
    memory: int = 1_000_000
    growth: int = 1_000_000
    rivals: int = 20_640
    soft: int = 16_000
    sparse: int = 10_000
    limit: int = 60  # processor seconds that a rival may take for a table, all splits together
    repeats: int = 2


QUICK = Sizes(4_000, 100_000, 100_000, 10_000, rivals=400, soft=1_000, sparse=1_000, limit=10, repeats=1)


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute; ratios say little")
    parser.add_argument("--only", default="", help=f"of {', '.join(PARTS)}, with commas")
    asked = parser.parse_args()
    wanted = [part for part in asked.only.split(",") if part] or list(PARTS)
    unknown = [part for part in wanted if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}.")
    sizes = QUICK if asked.quick else Sizes()
    report = Report(None if sizes is QUICK else PAGE)
    for part in wanted:
        PARTS[part](report, sizes)


def add_fits(report: Report, sizes: Sizes) -> None:
    """Fits compared with scikit-learn."""
    add_ratios(report, f"Fit, {sizes.fit:,} x 20, full depth", FITS, sizes.fit, sizes.repeats)


def add_predictions(report: Report, sizes: Sizes) -> None:
    """Predictions compared with scikit-learn."""
    add_ratios(report, f"Predict, {sizes.predict:,} rows", PREDICTIONS, sizes.predict, sizes.repeats + 2)


def add_gradient(report: Report, sizes: Sizes) -> None:
    """A soft tree's pass over the rows against its NumPy twin."""
    cost = gradient.measure(sizes.fit, 4 * sizes.repeats)
    rows = [
        ["NumPy reference", f"{cost.twin:.0f}", "1", ""],
        ["native", f"{cost.native:.0f}", f"{cost.twin / cost.native:.1f}", verdict(cost.twin / cost.native, 8)],
        ["native, float32", f"{cost.single:.0f}", f"{cost.twin / cost.single:.1f}", ""],
    ]
    ratio = cost.one_thread / cost.two_threads
    note = (
        f"{gradient.GATES} gates in a chain, {gradient.COLUMNS} inputs, one target. In wall time two threads take "
        f"{cost.two_threads:.0f} ns per row and one takes {cost.one_thread:.0f}: {ratio:.2f} times as fast "
        f"(target {verdict(ratio, 1.7)})."
    )
    columns = ["kernel", "ns per row", "times as fast as NumPy", "target"]
    report.add(f"Loss and gradient of a soft tree, {sizes.fit:,} rows", columns, rows, note)


def add_import(report: Report, sizes: Sizes) -> None:
    """Seconds of the import."""
    seconds = import_seconds(5)
    wanted = verdict(seconds, MOST_IMPORT, at_most=True)
    report.add("Import, beyond scikit-learn's trees", ["seconds", "target"], [[f"{seconds:.3f}", wanted]])


def add_ratios(report: Report, title: str, cases: Sequence[Case], n: int, repeats: int) -> None:
    """Times of both sides and their ratio."""
    rows = []
    for case in cases:
        ours, theirs = case.works(n)
        pair = time_pair(ours, theirs, repeats, threads=case.threads)
        clock = "wall" if case.threads > 1 else "processor"
        times = [f"{pair.ours:.3f}", f"{pair.theirs:.3f}", f"{pair.ratio:.1f}"]
        rows.append([case.name, *times, verdict(pair.ratio, case.wanted), clock])
    report.add(title, ["case", "softwood s", "scikit-learn s", "times as fast", "target", "clock"], rows)


def add_memory(report: Report, sizes: Sizes) -> None:
    """Peaks of fits, each in its own process."""
    n = sizes.memory
    rows = []
    for name in MEMORY:
        peak = peak_of(name, n)
        wanted = 0.0 if "scikit" in name or "full-depth" in name else MOST_MEMORY
        rows.append([name, f"{peak:.2f}", verdict(peak, wanted, at_most=True)])
    note = "Peak beyond interpreter and imports, in multiples of the float64 input, which is included."
    report.add(f"Memory of a fit, {n:,} x 10", ["fit", "peak / input", "target"], rows, note)


def add_growth(report: Report, sizes: Sizes) -> None:
    """Times by rows, columns and depth."""
    rows = [
        [f"{step.rows:,}", str(step.columns), str(step.depth), f"{step.exact:.3f}", f"{step.binned:.3f}"]
        + [f"{nanoseconds:.2f}" for nanoseconds in step.cell]
        for step in measure_growth(sizes.growth, 1)
    ]
    note = (
        "The last columns divide by rows x columns x depth: constant except for the log of the sort and cache misses."
    )
    columns = ["rows", "columns", "depth", "exact s", "binned s", "exact ns per cell", "binned ns per cell"]
    report.add("Growth of the cost", columns, rows, note)


def add_rivals(report: Report, sizes: Sizes) -> None:
    """Other systems side by side, one table per data set."""
    for rival in RIVALS:
        if rival.absence():
            report.console.print(f"skipped: {rival.name}: {rival.absence()}.")
    here = [rival for rival in RIVALS if not rival.absence()]
    for case, (task, _) in CASES.items():
        told = {one: ask(one.name, case, sizes.rivals, sizes.limit) for one in here if one.make(task) is not None}
        ours = told[BY_NAME[OURS]]
        rows = [[one.name, *_spell(seen), *_times(seen, ours, sizes.limit, one.scaled)] for one, seen in told.items()]
        wrong = "error %" if task == "classes" else "mean squared error"
        columns = [
            "system",
            "fit s",
            f"predict {PREDICTED:,} s",
            "peak MB",
            "nodes",
            wrong,
            "fit / soft, joint",
            "target",
        ]
        report.add(f"Side by side: {case}", columns, rows, _absent())


def _spell(told: dict[str, float] | str) -> list[str]:
    if isinstance(told, str):
        return [told, "", "", "", ""]
    nodes = f"{told['nodes']:,.0f}" if told["nodes"] else "–"
    return [f"{told['fit']:.3g}", f"{told['predict']:.3g}", f"{told['memory']:.0f}", nodes, f"{told['error']:.3g}"]


def _times(told: dict[str, float] | str, ours: dict[str, float] | str, limit: float, soft: bool) -> list[str]:
    """Time of a fit relative to our soft tree, and the target against other libraries' soft trees."""
    if isinstance(ours, str) or (isinstance(told, str) and not told.startswith("no answer")):
        return ["", ""]
    ratio = (limit if isinstance(told, str) else told["fit"]) / ours["fit"]
    return [f"{'over ' if isinstance(told, str) else ''}{ratio:.3g}", verdict(ratio, FASTER_THAN_SOFT if soft else 0.0)]


def _absent() -> str:
    """A note on what the tables do not show."""
    missing = sorted({f"{rival.name} ({rival.absence()})" for rival in RIVALS if rival.absence()})
    start = (
        "Each in its own process with its defaults (or what its name says), one thread; 2/3 of the rows for training, "
        "1/3 for testing (breast cancer: mean of three splits). CPU seconds; peak of the whole process, including "
        "imports. softdtree and the soft tree of neural-trees get standardized rows."
    )
    return f"{start} Not here: {', '.join(missing)}." if missing else start


def add_soft_growth(report: Report, sizes: Sizes) -> None:
    """Times of soft fits by rows, columns, classes and leaves."""
    rows = []
    for size in soft_growth.sizes(sizes.soft):
        cost = soft_growth.measure(size, 1)
        table = [f"{size.rows:,}", str(size.columns), str(size.classes), str(size.leaves)]
        rows.append([*table, f"{cost.soft:.3f}", str(cost.nodes), f"{cost.cart:.4f}"])
    columns = ["rows", "columns", "classes", "leaves allowed", "soft s", "soft nodes", "CART s"]
    note = "The joint learner grows once: linear gates, constant leaves, a fixed penalty; CART has as many leaves."
    report.add("Growth of the cost of a soft fit", columns, rows, note)


def add_soft_rows(report: Report, sizes: Sizes) -> None:
    """Time and memory of the whole default fit by rows."""
    rows = []
    for n in (n for n in soft_rows.ROWS if n <= sizes.memory):
        fit = soft_rows.fit_of(n)
        wanted = verdict(fit.peak, MOST_MEMORY if n == max(soft_rows.ROWS) else 0.0, at_most=True)
        told = [f"{fit.seconds:.3g}", f"{1e6 * fit.seconds / n:.0f}", f"{fit.peak:.2f}", wanted]
        rows.append([f"{n:,}", *told, str(fit.nodes), f"{fit.error:.4f}"])
    columns = ["rows", "fit s", "microseconds per row", "peak / input", "target", "nodes", "mean squared error"]
    note = (
        "`SoftTreeRegressor()`, including every choice, one thread, Friedman 1 with ten inputs and noise of variance "
        "1. CPU seconds. Peak beyond interpreter and imports, in multiples of the float64 input, which is included; "
        "with few rows the columns and trees are larger than the input."
    )
    report.add("Rows of a whole soft fit", columns, rows, note)


def add_sparse(report: Report, sizes: Sizes) -> None:
    """Fits of a sparse matrix, each in its own process."""
    rows, n = [], sizes.sparse
    for kind in sparse.KINDS:
        for name in sparse.FITS:
            fit = sparse.fit_of(name, n, kind)
            told = [f"{fit.seconds:.3g}", f"{fit.peak:.0f}", str(fit.leaves), str(fit.words), f"{fit.error:.4f}"]
            rows.append([kind, name, *told])
    note = (
        f"{n:,} texts of {sparse.WORDS:,} words, {fit.stored:.0f} MB stored, {n * sparse.WORDS * 8 / 1e9:.1f} GB as an "
        "array. CPU seconds, one thread; peak memory beyond what making the matrix took; proportion of other texts "
        "misclassified. Regions: other words matter where one of three frequent words occurs."
    )
    report.add("Sparse matrices", ["table", "fit", "fit s", "peak MB", "leaves", "words", "error"], rows, note)


PARTS: dict[str, Callable[[Report, Sizes], None]] = {
    "fits": add_fits,
    "predictions": add_predictions,
    "gradient": add_gradient,
    "import": add_import,
    "memory": add_memory,
    "growth": add_growth,
    "rivals": add_rivals,
    "soft-growth": add_soft_growth,
    "soft-rows": add_soft_rows,
    "sparse": add_sparse,
}


if __name__ == "__main__":
    main()
