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

HEAD = """# Speed and memory

Made by `make speed`; every ratio is of one run, both sides in turn, best of several. One thread unless said, timed by
the processor's time; two threads by the time on the wall. Sections may be of runs of their own. softwood {softwood},
scikit-learn {sklearn}, Python {python}, a shared machine with {cores} cores ({machine}).
"""


@dataclass
class Report:
    """Sections of one table each, by title; the page, if there is one, is written anew after each.

    What the page has already stays, until a section of its title comes.
    """

    page: Path | None
    console: Console = field(default_factory=Console)
    sections: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.page is not None and self.page.is_file():
            _, *old = re.split(r"^## ", self.page.read_text(encoding="utf-8"), flags=re.MULTILINE)
            self.sections = {text.partition("\n")[0]: f"## {text.strip()}" for text in old}

    def add(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> None:
        """Print a table and keep it for the page."""
        table = Table(*columns, title=title)
        for row in rows:
            table.add_row(*row)
        self.console.print(table)
        lines = [f"## {title}", "", *([note, ""] if note else [])]
        lines += ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        self.sections[title] = "\n".join(lines)
        if self.page is not None:
            self.page.parent.mkdir(parents=True, exist_ok=True)
            self.page.write_text(self.text(), encoding="utf-8")

    def text(self) -> str:
        """The page."""
        head = HEAD.format(
            softwood=softwood.__version__,
            sklearn=sklearn.__version__,
            python=platform.python_version(),
            cores=os.cpu_count(),
            machine=platform.machine(),
        )
        return "\n\n".join([head.rstrip(), *self.sections.values()]) + "\n"


def verdict(got: float, wanted: float, *, at_most: bool = False) -> str:
    """A figure beside what is wanted of it."""
    if not wanted:
        return ""
    good = got <= wanted if at_most else got >= wanted
    return f"{'≤' if at_most else '≥'} {wanted:g}{'' if good else ', falls short'}"
