"""Processor time of every test, children included: a plugin that notes it, and a table by folder or file.

    TIMES=build/times pytest -p tests.times -n 2 --dist loadgroup -m 'not long' tests
    python -m tests.times build/times            # by folder; --by file, --by test

Processor time, not the clock: other work on the machine does not count. Processes that the fork server of
tests/warm_process.py starts are not children of the test, and are left out.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

PARTS = {"folder": slice(2), "file": slice(None)}


def processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    begin = processor_seconds()
    try:
        return (yield)
    finally:
        folder = Path(os.environ["TIMES"])
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps([item.nodeid, round(processor_seconds() - begin, 3)]) + "\n")


def main() -> None:
    """Print the table: tests, seconds, name; the costliest first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", type=Path)
    parser.add_argument("--by", choices=["folder", "file", "test"], default="folder")
    given = parser.parse_args()
    found: dict[str, list[float]] = defaultdict(list)
    for file in given.times.glob("*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            name, seconds = json.loads(line)
            path, _, test = name.partition("::")
            place = "/".join(path.split("/")[PARTS.get(given.by, slice(None))])
            found[place if given.by != "test" else f"{path}::{test.split('[')[0]}"].append(seconds)
    for place, seconds in sorted(found.items(), key=lambda pair: -sum(pair[1])):
        print(f"{len(seconds):6d} {sum(seconds):8.1f}  {place}")
    print(f"{sum(map(len, found.values())):6d} {sum(map(sum, found.values())):8.1f}  all")


if __name__ == "__main__":
    main()
