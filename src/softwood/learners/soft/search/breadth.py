"""How broadly a search looks: what an effort buys.

quick      one kind of gates and leaves, one penalty, one division of the rows (screening's, where rows are many),
           growth that ends at the first split without a gain, importances by fewer rows
normal     the numbers that the steps were tuned with
thorough   REPEATS searches, each with other folds; the kind of tree that most of them choose (joint.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effort = Literal["quick", "normal", "thorough"]

REPEATS = 8  # searches of a thorough effort


@dataclass(frozen=True)
class Breadth:
    """most_patience : splits without a gain before growth ends, at most.

    described_by : rows that importances are reckoned by.
    """

    most_patience: int = 2**31
    described_by: int = 5_000


BREADTH: dict[Effort, Breadth] = {
    "quick": Breadth(most_patience=1, described_by=250),
    "normal": Breadth(),
    "thorough": Breadth(),
}
