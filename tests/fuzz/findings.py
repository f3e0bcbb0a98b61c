"""Findings: which law broke in which case, written as JSON lines and reported by signature."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """A violation.

    kind : the law that is broken, or the type of the error.
    where : the innermost function of softwood that is known.
    """

    seed: int
    estimator: str
    kind: str
    where: str
    text: str
    code: str = ""

    @property
    def signature(self) -> str:
        return f"{self.estimator} · {self.kind} · {self.where}"


class Book:
    """Findings in a file, one JSON object per line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: list[Finding] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")

    def write(self, findings: Iterable[Finding]) -> None:
        with self.path.open("a") as file:
            for finding in findings:
                self.found.append(finding)
                file.write(json.dumps({"signature": finding.signature, **asdict(finding)}) + "\n")


def by_signature(findings: Iterable[Finding]) -> str:
    """One line per signature with its seeds, the frequent ones first."""
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.signature].append(finding)
    lines = []
    for signature, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        seeds = ", ".join(str(finding.seed) for finding in group[:6])
        lines.append(f"{len(group):5d}  {signature}\n       seeds {seeds}: {group[0].text:.160}")
    return "\n".join(lines)
