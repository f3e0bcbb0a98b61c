"""Run the papers' experiments: `python -m bench.papers.run` (or `make results`).

    --quick               two folds of the small sets
    --sets glass,BOS      names or the papers' letters; also regression, binary, multiclass
    --methods soft,cart   names of bench/papers/methods.py
    --folds 4             the first four of ten
    --jobs 2              fits at a time
    --again               first removes the selected results (leave it out to resume a killed run)

Every fit is written to bench/papers/results/<method>.csv at once; existing results are skipped, so a killed run can be
resumed. Fits run through joblib: inside `joblib.parallel_config("dask")` they run on a
cluster, unchanged. Only this process writes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import joblib

from bench.papers import experiment, methods
from bench.papers.progress import Progress
from bench.papers.store import RESULTS, Result, Task, put, read_method, remove
from softwood.datasets import catalog, files

FOLDS = 10
QUICK_FOLDS, QUICK_CELLS = 2, 13_000  # rows x inputs of a small set


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the selected fits; 1 if a fit failed."""
    asked = _parser().parse_args(arguments)
    try:
        folder = files.find_folder(asked.data)
        wanted = methods.find_methods(_split(asked.methods))
        entries = find_sets(_split(asked.sets), quick=asked.quick)
    except (ValueError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    here = [method for method in wanted if not _skip(method)]
    every = plan(entries, here, QUICK_FOLDS if asked.quick else asked.folds)
    if asked.again:
        remove(asked.results, set(every))
    done = {one.task for method in here for one in read_method(asked.results, method.name) if one.is_current}
    left = [task for task in every if task not in done]
    print(f"{len(every)} fits, {len(every) - len(left)} done already.", flush=True)
    failures = run_all(left, asked.results, folder, asked.jobs)
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    return 1 if failures else 0


def find_sets(wanted: Sequence[str], *, quick: bool = False) -> list[catalog.Entry]:
    """The entries of these names, letters or tasks; all (or all small ones) for none."""
    chosen = [e for name in wanted for e in catalog.ENTRIES if name in (e.name, e.code, e.task)]
    unknown = [name for name in wanted if not any(name in (e.name, e.code, e.task) for e in catalog.ENTRIES)]
    if unknown:
        catalog.find(unknown[0])  # says what there is
    if not wanted:
        chosen = [e for e in catalog.ENTRIES if not quick or e.rows * e.features <= QUICK_CELLS]
    return chosen


def plan(entries: Sequence[catalog.Entry], wanted: Sequence[methods.Method], n_folds: int) -> list[Task]:
    """All fits, fold by fold: a run that ends early has the first folds of every data set."""
    pairs = [(method, entry) for method in wanted for entry in entries if methods.knows(method, entry.task)]
    return [Task(fold, method.name, entry.name) for fold in range(n_folds) for method, entry in pairs]


def run_all(tasks: Sequence[Task], results: Path, folder: Path | None, jobs: int) -> list[str]:
    """Run the fits, `jobs` at a time, with a row and a line for each; returns the errors as text."""
    failures = []
    progress = Progress(tasks, jobs)
    work = (joblib.delayed(_timed)(task, folder) for task in tasks)
    for task, seconds, result in joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(work):
        if isinstance(result, str):
            failures.append(result)
        else:
            put(results, result)
        print(progress.line(task, seconds, result), flush=True)
    return failures


def _timed(task: Task, folder: Path | None) -> tuple[Task, float, Result | str]:
    start = time.perf_counter()
    result = experiment.run(task, folder)
    return task, time.perf_counter() - start, result


def _skip(method: methods.Method) -> bool:
    reason = methods.absence(method)
    if reason:
        print(f"skipped: {method.name}: {reason}.")
    return bool(reason)


def _split(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.papers.run", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--quick", action="store_true", help="two folds of the small sets")
    parser.add_argument("--sets", default="", help="names, letters or tasks, with commas")
    parser.add_argument("--methods", default="", help=f"of {', '.join(methods.BY_NAME)}")
    parser.add_argument("--folds", type=int, default=FOLDS, choices=range(1, FOLDS + 1), metavar="1..10")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time (-1: all cores)")
    parser.add_argument("--again", action="store_true", help="remove the results that are asked for, then run")
    parser.add_argument("--data", help=f"folder of the data sets (default: {files.VARIABLE})")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
