"""python -m tests.fuzz --cases 1000 --seed 0 --jobs 2; with --one a single seed, reported in full."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.cases import draw_case
from tests.fuzz.findings import Book, by_signature
from tests.fuzz.lanes import Lane, run_seeds
from tests.fuzz.shrink import shrink


def main() -> int:
    """The number of findings, at most 1, as exit status."""
    read = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    read.add_argument("--cases", type=int, default=1000, help="how many seeds, from the first on")
    read.add_argument("--seed", type=int, default=0, help="the first seed")
    read.add_argument("--jobs", type=int, default=1, help="cases at a time")
    read.add_argument("--seconds", type=float, default=30.0, help="of processor time that a case may take")
    read.add_argument("--minutes", type=float, default=float("inf"), help="by the clock, after which no case is begun")
    read.add_argument("--out", type=Path, default=Path("build/fuzz.jsonl"), help="where findings are written")
    read.add_argument("--one", action="store_true", help="run the one case of --seed and print it as Python")
    read.add_argument("--shrink", action="store_true", help="with --one: look for a smaller case first")
    given = read.parse_args()
    return _one(given) if given.one else _many(given)


def _one(given: argparse.Namespace) -> int:
    case, lane = draw_case(given.seed), Lane(given.seconds)
    try:
        if given.shrink:
            case = shrink(case, lane)
        found = lane.run(case)
    finally:
        lane.stop()
    print(f"# seed {case.seed}, law {case.refit}, may be refused for: {case.excuses() or 'nothing'}\n{case.code()}")
    for finding in found:
        print(f"\n# {finding.signature}\n# " + finding.text.replace("\n", "\n# "))
    return min(len(found), 1)


def _many(given: argparse.Namespace) -> int:
    book, start, done = Book(given.out), time.monotonic(), 0
    seeds = range(given.seed, given.seed + given.cases)
    in_time = lambda: time.monotonic() - start < 60 * given.minutes  # noqa: E731
    for seed, found in run_seeds(seeds, given.jobs, given.seconds, in_time):
        book.write(found)
        done += 1
        if sys.stderr.isatty() or done % 500 == 0:
            print(f"\r{done} cases, seed {seed}, {len(book.found)} findings", end="", file=sys.stderr, flush=True)
    print(f"\n{done} cases in {time.monotonic() - start:.0f} s, {len(book.found)} findings: {given.out}")
    print(by_signature(book.found))
    return min(len(book.found), 1)


if __name__ == "__main__":
    sys.exit(main())
