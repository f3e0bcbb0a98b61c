"""How the cost of a soft fit grows with rows, columns, classes and leaves, beside that of CART on the same rows.

The joint learner with linear gates, constant leaves and a fixed penalty: one growth, no choice among kinds.
"""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.datasets import make_classification

from bench.speed.clock import time_best
from softwood import CARTClassifier, SoftTreeClassifier

ROWS, COLUMNS, CLASSES, LEAVES = 4000, 20, 2, 8  # what is held while one of them varies


@dataclass(frozen=True)
class Size:
    """One table and the leaves that are allowed."""

    rows: int = ROWS
    columns: int = COLUMNS
    classes: int = CLASSES
    leaves: int = LEAVES


@dataclass(frozen=True)
class Cost:
    """Seconds of both, and the nodes that the soft tree ends with."""

    size: Size
    soft: float
    nodes: int
    cart: float


def sizes(most_rows: int) -> list[Size]:
    """Each dimension in turn."""
    rows = [Size(rows=n) for n in (1000, 2000, 4000, 8000, 16_000) if n <= most_rows]
    held = min(ROWS, most_rows)
    columns = [Size(rows=held, columns=n) for n in (10, 40, 80)]
    classes = [Size(rows=held, classes=n) for n in (3, 5, 10)]
    leaves = [Size(rows=held, leaves=n) for n in (2, 4, 16)]
    return rows + columns + classes + leaves


def measure(size: Size, repeats: int) -> Cost:
    """Fit both."""
    X, y = make_classification(
        size.rows, size.columns, n_informative=10, n_redundant=0, n_classes=size.classes, random_state=0
    )
    soft = SoftTreeClassifier(gate="linear", leaf="constant", weight_penalty=1e-3, max_leaves=size.leaves)
    hard = CARTClassifier(max_leaves=size.leaves, prune=None, missing="direction")
    seconds = time_best(lambda: soft.fit(X, y), repeats)
    return Cost(size, seconds, soft.tree_.n_nodes, time_best(lambda: hard.fit(X, y), repeats))
