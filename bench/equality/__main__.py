"""Whether two commits learn the same trees, bit for bit.

    make equality BASE=<commit>                          the installed package against a commit
    python -m bench.equality --base A --head B           two commits
    python -m bench.equality --save FILE                 keep the hashes of the installed package,
    python -m bench.equality --against FILE              and compare with them later, without building anything

Exits with 1 if trees differ or could not be compared. Equality is guaranteed only on one machine and build: a file
saved elsewhere proves little.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.equality.commits import run_commit
from bench.equality.compare import compare
from bench.equality.hashes import Run, hash_all


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, save, compare; `arguments` are those of the command line."""
    asked = _read_arguments(arguments)
    head = run_commit(asked.head, asked.jobs) if asked.head else _run_installed(asked.jobs)
    if asked.save:
        asked.save.write_text(json.dumps({"run": head}, indent=0) + "\n")
        print(f"saved: {asked.save}")
    base: Run | None = json.loads(asked.against.read_text())["run"] if asked.against else None
    if asked.base:
        base = run_commit(asked.base, asked.jobs)
    if base is None:
        return 0
    comparison = compare(base, head)
    print("\n".join(comparison.lines()))
    return 0 if comparison.is_equal else 1


def _read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.equality", description="Do two commits learn the same trees?"
    )
    parser.add_argument("--base", help="commit to compare with; its package is built")
    parser.add_argument("--head", help="commit to compare; without it the installed package is")
    parser.add_argument("--against", type=Path, help="file to compare with instead of a commit")
    parser.add_argument("--save", type=Path, help="file to keep the hashes in")
    parser.add_argument("--jobs", type=int, default=2, help="fits at a time")
    asked = parser.parse_args(arguments)
    if asked.base and asked.against:
        parser.error("give either --base or --against, not both")
    if not (asked.base or asked.against or asked.save):
        parser.error("give --base COMMIT or --against FILE to compare with, or --save FILE")
    return asked


def _run_installed(jobs: int) -> Run:
    run, seconds = hash_all(jobs)
    slowest = sorted(seconds, key=lambda name: -seconds[name])[:5]
    told = ", ".join(f"{name} {seconds[name]:.0f} s" for name in slowest)
    count = sum(map(len, run.values()))
    print(f"{count} trees in {sum(seconds.values()):.0f} s of fitting; the slowest: {told}.", flush=True)
    return run


if __name__ == "__main__":
    sys.exit(main())
