"""The documents whose tables are rebuilt: which sets, which printed column is which method of ours.

MAGIC's protocol (seven splits 2:1) and page are bench/papers/magic.py's; the other two share folds, so no fit is made
twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from softwood.datasets import catalog


@dataclass(frozen=True)
class PaperTable:
    """One printed table: printed columns with the method that repeats them, and ours that stand beside."""

    title: str
    task: str
    columns: tuple[tuple[str, str], ...]
    beside: tuple[str, ...] = ("soft", "soft-both", "budding")
    said: tuple[tuple[str, str, str], ...] = ()  # (column, against column, wins/ties/losses that the text tells)

    @property
    def codes(self) -> list[str]:
        return [entry.code for entry in catalog.ENTRIES if entry.task == self.task]


@dataclass(frozen=True)
class Document:
    """A paper: its page in docs/results, and its tables."""

    name: str
    page: str
    title: str
    tables: tuple[PaperTable, ...]


SOFT, HARD, C45, LDT = ("Soft", "soft-incremental"), ("Hard", "cart"), ("C4.5", "c45"), ("LDT", "ldt")
BUDDING = ("Budding", "budding")
BESIDE_BUDDING = ("soft", "soft-both", "budding-online")

DOCUMENTS = (
    Document(
        "icpr",
        "icpr.md",
        "Soft Decision Trees (İrsoy, Yıldız, Alpaydın, ICPR 2012)",
        (
            PaperTable("Table 1", "regression", (SOFT, HARD), said=(("Soft", "Hard", "6/4/0"),)),
            PaperTable(
                "Table 2",
                "binary",
                (SOFT, HARD, LDT),
                said=(("Soft", "Hard", "3/5/2"), ("Soft", "LDT", "1/6/3"), ("Hard", "LDT", "1/6/3")),
            ),
        ),
    ),
    Document(
        "budding",
        "budding.md",
        "Budding Trees (İrsoy, Yıldız, Alpaydın, poster)",
        (
            PaperTable("Regression", "regression", (HARD, SOFT, BUDDING), BESIDE_BUDDING),
            PaperTable("Binary classification", "binary", (C45, LDT, SOFT, BUDDING), BESIDE_BUDDING),
            PaperTable("Multiclass classification", "multiclass", (C45, LDT, SOFT, BUDDING), BESIDE_BUDDING),
        ),
    ),
)
