"""The tables of a run: on the screen, and as a page of docs/results."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import sklearn
from rich.console import Console
from rich.table import Table

import softwood
from bench.speed.summary import summarize

TITLE, MEASURED = "# Speed and memory", "How it was measured"
FOOT = """## How it was measured

Each ratio is from one run: both sides in turn, the best of several times. One thread and CPU time unless stated
otherwise; two threads by wall time. Sections may come from different runs. softwood {softwood}, scikit-learn {sklearn},
Python {python}, a shared machine with {cores} cores ({machine}). *Target*: what was set before the run.
"""


@dataclass
class Report:
    """Sections of one table each, by title; the page, if there is one, is written anew after each.

    Existing sections of the page stay until a section with the same title replaces them.
    """

    page: Path | None
    console: Console = field(default_factory=Console)
    sections: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.page is not None and self.page.is_file():
            _, *old = re.split(r"^## ", self.page.read_text(encoding="utf-8"), flags=re.MULTILINE)
            self.sections = {text.partition("\n")[0]: f"## {text.strip()}" for text in old}
            self.sections.pop(MEASURED, None)

    def add(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> None:
        """Print a table and keep it for the page."""
        table = Table(*columns, title=title)
        for row in rows:
            table.add_row(*row)
        self.console.print(table)
        lines = [f"## {title}", "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        lines += ["", note] if note else []
        self.sections[title] = "\n".join(lines)
        if self.page is not None:
            self.page.parent.mkdir(parents=True, exist_ok=True)
            self.page.write_text(self.text(), encoding="utf-8")

    def text(self) -> str:
        """The page: its summary, the sections, how they were measured."""
        foot = FOOT.format(
            softwood=softwood.__version__,
            sklearn=sklearn.__version__,
            python=platform.python_version(),
            cores=os.cpu_count(),
            machine=platform.machine(),
        )
        parts = [TITLE, summarize(self.sections), *self.sections.values(), foot.rstrip()]
        return "\n\n".join(part for part in parts if part) + "\n"


def verdict(got: float, target: float, *, at_most: bool = False) -> str:
    """A target, and whether the figure falls short of it."""
    if not target:
        return ""
    good = got <= target if at_most else got >= target
    return f"{'≤' if at_most else '≥'} {target:g}{'' if good else ', falls short'}"
