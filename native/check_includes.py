"""Checks that includes between the rooms of native/ point down; `make lint` runs it.

    bind                        alone knows Python
    oblique   budding           learners that stand on another learner
    hard   soft   anneal   evidence   predict
    simd                        vector registers, exponentials, sums
    core                        views on arrays, threads, what depends on the machine

A room includes itself and the rooms below it. `predict` includes no learner and no learner includes `predict`, so that
a tree is read without knowing how it was learned.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

BELOW: dict[str, tuple[str, ...]] = {
    "core": (),
    "simd": ("core",),
    "predict": ("simd", "core"),
    "hard": ("simd", "core"),
    "soft": ("simd", "core"),
    "anneal": ("simd", "core"),
    "evidence": ("core",),
    "oblique": ("hard", "simd", "core"),
    "budding": ("soft", "simd", "core"),
    "bind": ("oblique", "budding", "hard", "soft", "anneal", "evidence", "predict", "simd", "core"),
}
INCLUDE = re.compile(r'^\s*#include\s+"(?:(\w+)/)?([\w.]+)"', re.MULTILINE)
PYTHON = re.compile(r"^\s*#include\s+[<\"](?:nanobind/|Python\.h)", re.MULTILINE)


def violations(native: Path) -> Iterator[str]:
    """One line for every include that points sideways or up, names no room, or knows Python outside bind/."""
    for file in sorted(native.rglob("*.[ch]pp")):
        room, text = file.parent.name, file.read_text(encoding="utf-8")
        where = file.relative_to(native).as_posix()
        if room not in BELOW:
            yield f"{where}: {room!r} is no room of native/; the rooms are {', '.join(BELOW)}."
            continue
        if room != "bind" and PYTHON.search(text):
            yield f"{where}: only bind/ may know Python."
        for other, name in INCLUDE.findall(text):
            if not other:
                yield f'{where}: #include "{name}" must name its room, as in "{room}/{name}".'
            elif other != room and other not in BELOW[room]:
                below = ", ".join(BELOW[room]) or "nothing"
                yield f"{where}: {room}/ may not include {other}/{name}; below it are {below}."


def main() -> int:
    found = list(violations(Path(__file__).parent))
    print("\n".join(found) if found else "native/: all includes point down.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
