"""The breadth of a search, by effort.

quick      one kind of gates and leaves, one penalty, one fold (the screening fold, for large tables),
           growth that ends at the first split without a gain, importances from fewer rows
normal     the settings that the steps were tuned with
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from softwood.learners.soft.regimes import IMPORTANCE_ROWS, QUICK_IMPORTANCE_ROWS

Effort = Literal["quick", "normal"]


@dataclass(frozen=True)
class Breadth:
    """max_patience : maximum number of splits without a gain before growth ends.

    importance_rows : rows that importances are measured on.
    """

    max_patience: int = 2**31
    importance_rows: int = IMPORTANCE_ROWS


BREADTH: dict[Effort, Breadth] = {
    "quick": Breadth(max_patience=1, importance_rows=QUICK_IMPORTANCE_ROWS),
    "normal": Breadth(),
}
