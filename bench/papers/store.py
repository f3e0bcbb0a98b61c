"""Results on disk: results/<method>/<set>-<fold>.json, one small file a fit, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.papers.methods import BY_NAME

FORMAT = 1  # of the files; another one is run again
RESULTS = Path(__file__).parent / "results"
Result = dict[str, Any]


@dataclass(frozen=True, order=True)
class Task:
    """One fit."""

    fold: int
    method: str
    name: str

    def path(self, results: Path) -> Path:
        """Its file."""
        return results / self.method / f"{self.name}-{self.fold}.json"


def write(path: Path, result: Result) -> None:
    """Write beside, then move: who is killed half-way leaves no half file under that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".json.part")
    part.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    part.replace(path)


def read(path: Path) -> Result | None:
    """A result, or None if there is none that can be read."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and result.get("format") == FORMAT else None


def is_done(task: Task, results: Path) -> bool:
    """Whether the result is there, of this format and of the method's present options."""
    result = read(task.path(results))
    method = BY_NAME[task.method]
    return result is not None and (result["options"], result["rows"]) == (method.options, method.rows)


def read_all(results: Path = RESULTS) -> Iterator[Result]:
    """All results, in the order of their paths."""
    for path in sorted(results.glob("*/*.json")):
        result = read(path)
        if result is not None:
            yield result
